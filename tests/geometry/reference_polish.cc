// SPDX-License-Identifier: BSD-3-Clause
#include "reference_polish.h"
#include "thenar/spatial/decompositions.h"

#include <cmath>

namespace thenar::reference {
namespace {

constexpr int kLargest = 16;  // 10 unknowns and at most 3 multipliers for each body
using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, kLargest, 1>;
using Square = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, kLargest, kLargest>;
using Multipliers = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, 3, 1>;
constexpr int kA = 0, kB = 3, kN = 6, kGap = 9, kMultipliers = 10;  // unknowns
constexpr int kPointEquation = 6, kUnitEquation = 9;                // equations; those of the normals come first

/// The conditions for fixed active sets.
class Conditions {
 public:
  Conditions(const Body& A, const Body& B, const Pose<Real>& X_AB, const NearestPoints& at)
      : X_AB_(X_AB), active_A_(A.active_constraints(at.set_A)), active_B_(B.active_constraints(at.set_B)) {}

  bool is_square() const { return active_A_.size() <= 3 && active_B_.size() <= 3; }

  /// Multipliers that fit a guess best.
  void start(const NearestPoints& at) {
    lambda_ = fit(active_A_, at.a, -at.n);
    mu_ = fit(active_B_, at.b, X_AB_.R.transpose() * at.n);
  }

  /// Newton until steps no longer shrink. False when it does not converge.
  bool solve(NearestPoints& at) {
    Real last = std::numeric_limits<Real>::infinity();
    for (int iteration = 0; iteration < 30; ++iteration) {
      evaluate(at);
      const Eigen::FullPivLU<Square> factor(jacobian_);
      const Column step = factor.solve(-residual_);
      if (!step.allFinite()) return false;
      apply(step, at);
      const Real size = step.head<kMultipliers>().norm();
      const Real scale = 1 + at.a.norm() + at.b.norm();
      if (size <= 1e-9L * scale && (size >= last || size <= 1e-19L * scale)) {
        evaluate(at);
        measure_sensitivity(Eigen::FullPivLU<Square>(jacobian_), at);
        return residual_.norm() <= 1e-15L * scale;
      }
      last = size;
    }
    return false;
  }

  const Multipliers& lambda() const { return lambda_; }
  const Multipliers& mu() const { return mu_; }

 private:
  static Multipliers fit(const std::vector<Constraint>& active, const Vec& x, const Vec& normal) {
    Eigen::Matrix<Real, 3, Eigen::Dynamic, 0, 3, 3> gradients(3, active.size());
    for (std::size_t i = 0; i < active.size(); ++i) gradients.col(static_cast<int>(i)) = active[i].evaluate(x).gradient;
    if (active.empty()) return Multipliers(0);
    return gradients.colPivHouseholderQr().solve(normal);
  }

  void evaluate(const NearestPoints& at) {
    const int count_A = static_cast<int>(active_A_.size()), count = count_A + static_cast<int>(active_B_.size());
    const Matrix3<Real>& R = X_AB_.R;
    const Matrix3<Real> one = Matrix3<Real>::Identity();
    residual_.setZero(kMultipliers + count);
    jacobian_.setZero(kMultipliers + count, kMultipliers + count);
    residual_.segment<3>(0) = residual_.segment<3>(3) = at.n;
    jacobian_.block<3, 3>(0, kN) = jacobian_.block<3, 3>(3, kN) = one;
    for (int i = 0; i < count; ++i) {
      const bool is_A = i < count_A;
      const Constraint& constraint =
          is_A ? active_A_[static_cast<std::size_t>(i)] : active_B_[static_cast<std::size_t>(i - count_A)];
      const auto c = constraint.evaluate(is_A ? at.a : at.b);
      const Real multiplier = is_A ? lambda_(i) : mu_(i - count_A);
      const int place = is_A ? kA : kB, row = kMultipliers + i;
      const Matrix3<Real> turn = is_A ? one : Matrix3<Real>(-R);
      residual_.segment<3>(place) += multiplier * (turn * c.gradient);
      jacobian_.block<3, 3>(place, place) += multiplier * (turn * c.hessian);
      jacobian_.block<3, 1>(place, row) = turn * c.gradient;
      residual_(row) = c.value;
      jacobian_.block<1, 3>(row, place) = c.gradient.transpose();
    }
    residual_.segment<3>(kPointEquation) = at.a - (X_AB_ * at.b) - at.gap * at.n;
    jacobian_.block<3, 3>(kPointEquation, kA) = one;
    jacobian_.block<3, 3>(kPointEquation, kB) = -R;
    jacobian_.block<3, 3>(kPointEquation, kN) = -at.gap * one;
    jacobian_.block<3, 1>(kPointEquation, kGap) = -at.n;
    residual_(kUnitEquation) = (at.n.squaredNorm() - 1) / 2;
    jacobian_.block<1, 3>(kUnitEquation, kN) = at.n.transpose();
  }

  void apply(const Column& step, NearestPoints& at) {
    at.a += step.segment<3>(kA);
    at.b += step.segment<3>(kB);
    at.n += step.segment<3>(kN);
    at.gap += step(kGap);
    lambda_ += step.segment(kMultipliers, lambda_.size());
    mu_ += step.tail(mu_.size());
  }

  /// Moving B by dp changes the residual of the point equation by −dp.
  static void measure_sensitivity(const Eigen::FullPivLU<Square>& factor, NearestPoints& at) {
    Matrix3<Real> turn;  // ∂n/∂p
    at.point_sensitivity = 0;
    for (int i = 0; i < 3; ++i) {
      Column right = Column::Zero(factor.rows());
      right(kPointEquation + i) = 1;
      const Column change = factor.solve(right);
      turn.col(i) = change.segment<3>(kN);
      at.point_sensitivity = std::hypot(at.point_sensitivity, change.segment<6>(kA).norm());
    }
    at.normal_sensitivity = turn.norm();
    const Matrix3<Real> symmetric = (turn + turn.transpose()) / 2;
    const Real largest =
        Eigen::SelfAdjointEigenSolver<Matrix3<Real>>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()(2);
    // Where a face is touched n cannot turn: all is rounding.
    const Real rounding = 1e-12L / (at.a.norm() + at.b.norm() + std::abs(at.gap));
    at.is_maximum = largest <= 1e-9L * at.normal_sensitivity + rounding;
  }

  Pose<Real> X_AB_;
  std::vector<Constraint> active_A_, active_B_;
  Multipliers lambda_, mu_;
  Column residual_;
  Square jacobian_;
};

/// The worst fault of an active set, and the set without it.
struct Repair {
  Real fault = 0;
  ActiveSet set;
};

/// `outward`: the outward normal that the multipliers make; `multipliers` in the order of the active constraints.
void look_for_fault(const Body& body, const ActiveSet& set, const Vec& x, const Vec& outward,
                    const Multipliers& multipliers, Repair& worst) {
  constexpr Real kTolerance = 1e-15L;
  const auto report = [&](Real fault, const ActiveSet& repaired) {
    if (fault > kTolerance && fault > worst.fault) worst = {fault, repaired};
  };
  if (set.is_apex) {
    // Normals of the tip: z/|xy| at least as steep as that of the side.
    report(body.constraints[0].slope * outward.head<2>().norm() - outward.z(), ActiveSet{1u, false});
    return;
  }
  int active = 0;
  const Real size = std::max(body.size.maxCoeff(), std::numeric_limits<Real>::min());
  for (std::size_t i = 0; i < body.constraints.size(); ++i) {
    const Constraint& c = body.constraints[i];
    const bool is_active = c.is_equality || set.has(static_cast<int>(i));
    ActiveSet repaired = set;
    repaired.bits ^= 1u << i;
    if (is_active) {
      const Real multiplier = multipliers(active++);
      if (!c.is_equality) report(-multiplier * c.evaluate(x).gradient.norm(), repaired);
    } else if (c.form != Constraint::Form::axial || !x.head<2>().isZero(0)) {
      const auto at = c.evaluate(x);
      report(at.value / at.gradient.norm() / size, repaired);
    }
  }
}

/// From the side of a cone to its tip, where the side has no gradient and Newton fails. False for all else.
bool move_to_apex(const Body& body, ActiveSet& set, Vec& x) {
  if (body.kind != Kind::cone || set != ActiveSet{1u, false}) return false;
  set = {0, true};
  x = body.apex();
  return true;
}

}  // namespace

bool polish(const Body& A, const Body& B, const Pose<Real>& X_AB, NearestPoints& at) {
  NearestPoints guess = at;
  for (int round = 0; round < 12; ++round) {
    guess.gap = guess.n.dot(guess.a - X_AB * guess.b);
    Conditions conditions(A, B, X_AB, guess);
    if (!conditions.is_square()) return false;
    conditions.start(guess);
    NearestPoints solved = guess;
    if (!conditions.solve(solved)) {
      if (!move_to_apex(A, guess.set_A, guess.a) && !move_to_apex(B, guess.set_B, guess.b)) return false;
      continue;
    }
    Repair repair_A, repair_B;
    look_for_fault(A, solved.set_A, solved.a, -solved.n, conditions.lambda(), repair_A);
    look_for_fault(B, solved.set_B, solved.b, X_AB.R.transpose() * solved.n, conditions.mu(), repair_B);
    if (repair_A.fault == 0 && repair_B.fault == 0) {
      at = solved;
      return true;
    }
    if (repair_A.fault >= repair_B.fault) {
      guess.set_A = repair_A.set;
    } else {
      guess.set_B = repair_B.set;
    }
  }
  return false;
}

}  // namespace thenar::reference
