// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_newton_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/complementarity/cone_sweep_internal.h"

namespace thenar::internal {
namespace {

constexpr int kStepsPerProblem = 10;   // Newton needs two to five where it works
constexpr double kProblemGoal = 1e-2;  // of |F|²: a proximal problem is worth no more than a digit
constexpr double kShrink = 0.1;        // of ρ with success
constexpr double kGrow = 5;            // of ρ with failure
constexpr double kLeastRho = 1e-9;     // below, rounding would be all that keeps singular matrices regular
constexpr double kMostRho = 1e3;
constexpr int kSweepsAfterFailure = 2;  // times the number of failures: no cycle comes back to the same point
constexpr int kHalvings = 6;
constexpr double kSufficientFall = 0.1;  // of |F|², per unit of step length

/// |F|².
double calc_merit(const ConeSystem& system, const Eigen::Ref<const Eigen::VectorXd>& z,
                  const Eigen::Ref<const Eigen::VectorXd>& v) {
  double sum = 0;
  for (const ConeBlock& block : system.blocks()) {
    const BlockVector force = block_of(block, z);
    sum += (force - project_block(block, force, block_of(block, v))).squaredNorm();
  }
  return sum;
}

}  // namespace

ConeNewton::ConeNewton(int max_rows)
    : factor_(max_rows),
      active_(static_cast<std::size_t>(max_rows)),
      place_(static_cast<std::size_t>(max_rows)),
      right_(max_rows),
      dz_(max_rows),
      dv_(max_rows),
      trial_z_(max_rows),
      trial_v_(max_rows),
      start_(max_rows) {}

double ConeNewton::run(const ConeSystem& system, double tolerance, const NewtonPlan& plan, Vector z, Vector w) {
  rho_ = plan.rho;
  steps_ = 0;
  int failures = 0;
  double residual = system.residual(z, w);
  while (residual > tolerance && steps_ < plan.most_steps && rho_ <= kMostRho) {
    start_.head(system.size()) = z;
    const bool is_solved = solve_proximal(system, plan.most_steps, z, w);
    calc_system_motion(system, z, w);
    const double reached = system.residual(z, w);
    if (is_solved) {
      residual = reached;
      rho_ = std::max(kShrink * rho_, kLeastRho);
      continue;
    }
    if (!(reached <= residual)) {
      z = start_.head(system.size());
      calc_system_motion(system, z, w);
    }
    if (++failures >= plan.most_failures) return std::min(residual, reached);
    rho_ *= kGrow;
    for (int sweep = 0; sweep < kSweepsAfterFailure * failures; ++sweep) sweep_blocks(system, z, w);
    residual = system.residual(z, w);
  }
  return residual;
}

/// Newton's method with v = w + ρ (z − z₀) in place of w.
bool ConeNewton::solve_proximal(const ConeSystem& system, int most_steps, Vector z, Vector v) {
  double merit = calc_merit(system, z, v);
  const double goal = kProblemGoal * merit;
  for (int step = 0; step < kStepsPerProblem && steps_ < most_steps; ++step) {
    choose_active(system, z, v);
    linearize(system, z, v);
    ++steps_;
    if (!factor_.factor()) return false;
    factor_.solve(right_.head(active_count_));
    for (int a = 0; a < active_count_; ++a) dz_[active_[a]] = right_[a];
    dv_.head(system.size()) = rho_ * dz_.head(system.size());
    add_motion(system);
    const double reached = search_line(system, merit, z, v);
    if (!(reached < merit)) return false;
    merit = reached;
    if (merit <= goal) return true;
  }
  return false;
}

/// Which forces this step knows beforehand: open rows have none, boxed ones may be at their limit. dz_ is set for
/// these, 0 for the others.
void ConeNewton::choose_active(const ConeSystem& system, const ConstVector& z, const ConstVector& v) {
  active_count_ = 0;
  for (const ConeBlock& block : system.blocks()) {
    const double x = z[block.first] - block.step * v[block.first];
    const bool is_limited = block.kind == BlockKind::boxed && std::abs(x) > block.limit;
    const bool is_open = (block.kind == BlockKind::unilateral || block.is_contact()) && x <= 0;
    for (int i = block.first; i < block.first + block.size; ++i) {
      const bool is_known = is_limited || is_open;
      place_[i] = is_known ? -1 : active_count_;
      dz_[i] = is_known ? (is_limited ? std::copysign(block.limit, x) : 0) - z[i] : 0;
      if (!is_known) active_[active_count_++] = i;
    }
  }
}

/// dv_ += A dz_.
void ConeNewton::add_motion(const ConeSystem& system) {
  for (int j = 0; j < system.size(); ++j) {
    if (dz_[j] != 0) dv_.head(system.size()).noalias() += dz_[j] * system.A().col(j);
  }
}

/// Matrix and right side for the active rows: v' = 0 for rows that are held, (2) for sliding contacts.
void ConeNewton::linearize(const ConeSystem& system, const ConstVector& z, const ConstVector& v) {
  dv_.head(system.size()).setZero();
  add_motion(system);
  const auto A = system.A();
  Eigen::Map<Eigen::MatrixXd> matrix = factor_.matrix(active_count_);
  for (int c = 0; c < active_count_; ++c) {
    const double* from = A.col(active_[c]).data();
    double* to = matrix.col(c).data();
    for (int r = 0; r < active_count_; ++r) to[r] = from[active_[r]];
    to[c] += rho_;
    right_[c] = -v[active_[c]] - dv_[active_[c]];
  }
  for (const ConeBlock& block : system.blocks()) {
    if (!block.is_contact() || place_[block.first] < 0) continue;
    const BlockVector force = block_of(block, z), x = force - block.step * block_of(block, v);
    const SectionPoint point = project_on_section(block.section, x.tail<3>(), x[0]);
    if (!point.inside) linearize_sliding(block, force, x, point, matrix);
  }
}

void ConeNewton::linearize_sliding(const ConeBlock& block, const BlockVector& z, const BlockVector& x,
                                   const SectionPoint& point, Eigen::Map<Eigen::MatrixXd>& matrix) {
  const int tangents = block.tangents(), normal = place_[block.first], first = normal + 1;
  const TangentMatrix D = block.step * point.Dx;
  for (int c = 0; c < active_count_; ++c) {
    double* rows = matrix.col(c).data() + first;
    Tangent motion = Tangent::Zero();
    for (int k = 0; k < tangents; ++k) motion[k] = rows[k];
    motion = D * motion;
    for (int k = 0; k < tangents; ++k) rows[k] = motion[k];
  }
  Tangent known = Tangent::Zero();
  for (int k = 0; k < tangents; ++k) known[k] = dv_[block.first + 1 + k];
  const Tangent right = point.Dr * z[0] + point.Dx * x.tail<3>() - z.tail<3>() - D * known;
  for (int k = 0; k < tangents; ++k) {
    for (int i = 0; i < tangents; ++i) matrix(first + i, first + k) += (i == k ? 1 : 0) - point.Dx(i, k);
    matrix(first + k, normal) -= point.Dr[k];
    right_[first + k] = right[k];
  }
}

/// Halves the step until |F|² falls. Returns the new |F|², or the old one if it does not.
double ConeNewton::search_line(const ConeSystem& system, double merit, Vector z, Vector v) {
  const int n = system.size();
  double length = 1;
  for (int i = 0; i < kHalvings; ++i, length *= 0.5) {
    trial_z_.head(n) = z + length * dz_.head(n);
    trial_v_.head(n) = v + length * dv_.head(n);
    const double reached = calc_merit(system, trial_z_.head(n), trial_v_.head(n));
    if (!(reached < (1 - kSufficientFall * length) * merit)) continue;
    z = trial_z_.head(n);
    v = trial_v_.head(n);
    return reached;
  }
  return merit;
}

}  // namespace thenar::internal
