// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/motion_check_internal.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

using Long = long double;
using Index = Eigen::Index;

constexpr Long kZeroOfCheck = 1e-9L;
/// Least eigenvalue of F that counts: half of what the search asks for.
constexpr Long kLeast = 5e-8L;
/// Eigenvalues of A that are zero.
constexpr Long kStillOfCheck = 1e-11L;
/// Of forces that move nothing, in units in which forces are about 1: up to this size they prove that motions agree to
/// kAlike.
constexpr Long kReach = 1e3L;
constexpr Long kAlike = 1e-7L;

MatrixX<Long> stack(const std::vector<VectorX<Long>>& rows) {
  MatrixX<Long> out(static_cast<Index>(rows.size()), rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) out.row(static_cast<Index>(i)) = rows[i].transpose();
  return out;
}

}  // namespace

MotionCheck::MotionCheck(const ConstraintProblem& problem, const Matrix& A, const Vector& z, const Vector& w,
                         const Vector& force_unit)
    : problem_(problem), A_(A), z_(z), w_(w), force_unit_(force_unit) {
  zero_ = kZeroOfCheck * (1 + z.cwiseAbs().maxCoeff());
  for (int i = 0; i < problem.size(); ++i) {
    const ConstraintRow& row = problem.row(i);
    if (row.kind == RowKind::unilateral || row.kind == RowKind::normal) add_section(-1, {i});
    if (row.kind == RowKind::boxed && std::isfinite(row.limit) && row.limit > 0) add_section(-1, {i});
    if (row.kind == RowKind::normal) add_friction(i);
  }
}

void MotionCheck::add_friction(int normal) {
  std::vector<int> rows;
  for (int k = normal + 1; k < problem_.size() && problem_.row(k).kind == RowKind::tangent; ++k) rows.push_back(k);
  const int faces = problem_.row(normal).faces;
  std::vector<std::vector<int>> groups;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool joins = k > 0 && (faces == 0 || (faces >= 3 && k == 1));
    if (!joins) groups.emplace_back();
    if (problem_.row(rows[k]).limit > 0) groups.back().push_back(rows[k]);
  }
  for (const std::vector<int>& group : groups) {
    if (!group.empty()) add_section(normal, group);
  }
}

void MotionCheck::add_section(int normal, const std::vector<int>& rows) {
  Section section{.normal = normal, .rows = rows, .e = Vector::Zero(static_cast<Index>(rows.size()))};
  for (const int row : rows) section.is_slipping = section.is_slipping || std::abs(w_(row)) > zero_;
  if (normal >= 0) set_direction(section);
  sections_.push_back(std::move(section));
}

void MotionCheck::set_direction(Section& section) const {
  if (z_(section.normal) > zero_) {
    for (Index k = 0; k < section.e.size(); ++k) {
      section.e(k) = -z_(section.rows[static_cast<std::size_t>(k)]) / z_(section.normal);
    }
  } else if (section.is_slipping) {
    set_widest(section);
  }
}

/// The gradient of |w_t|_C.
void MotionCheck::set_widest(Section& section) const {
  Vector mu(section.e.size()), slip(section.e.size());
  for (Index k = 0; k < mu.size(); ++k) {
    const int row = section.rows[static_cast<std::size_t>(k)];
    mu(k) = problem_.row(row).limit * force_unit_(section.normal) / force_unit_(row);
    slip(k) = w_(row);
  }
  section.e.setZero();
  const int faces = problem_.row(section.normal).faces;
  const Long size = mu.cwiseProduct(slip).norm();
  if (faces < 3 || slip.size() == 1) {
    section.e = mu.cwiseProduct(mu).cwiseProduct(slip) / size;
    return;
  }
  // A corner, or an edge where two of them take the same power.
  std::vector<std::array<Long, 2>> corners;
  Long most = 0;
  const auto power = [&](const std::array<Long, 2>& c) { return -(c[0] * slip(0) + c[1] * slip(1)); };
  for (int j = 0; j < faces; ++j) {
    const Long angle = 2 * std::numbers::pi_v<Long> * j / faces;
    corners.push_back({mu(0) * std::cos(angle), mu(1) * std::sin(angle)});
    most = std::max(most, power(corners.back()));
  }
  int count = 0;
  for (const auto& corner : corners) {
    if (power(corner) < most - kZeroOfCheck * size) continue;
    section.e(0) -= corner[0];
    section.e(1) -= corner[1];
    ++count;
  }
  section.e /= count;
  section.is_edge = count > 1;
}

template <class Scalar>
MatrixX<Scalar> MotionCheck::calc_form(const MatrixX<Scalar>& span, const MatrixX<Scalar>& moved,
                                       const VectorX<double>& weights) const {
  const double largest = std::max(weights.maxCoeff(), std::numeric_limits<double>::min());
  MatrixX<Scalar> F = MatrixX<Scalar>::Zero(span.cols(), span.cols());
  for (std::size_t j = 0; j < sections_.size(); ++j) {
    const Section& section = sections_[j];
    const auto weight = static_cast<Scalar>(weights(static_cast<Index>(j)) / largest);
    for (Index k = 0; k < section.e.size(); ++k) {
      const int row = section.rows[static_cast<std::size_t>(k)];
      VectorX<Scalar> left = weight * span.row(row);
      if (section.normal >= 0) left += weight * static_cast<Scalar>(section.e(k)) * span.row(section.normal);
      F.noalias() += left * moved.row(row);
    }
  }
  return static_cast<Scalar>(0.5) * (F + F.transpose());
}

/// With a margin beside which the rounding of doubles is nothing. The columns of V need not be of one length, nor at
/// right angles: they are independent then.
bool MotionCheck::is_clearly_positive(const Matrix& V, const VectorX<double>& weights) const {
  constexpr double kMargin = 1e-6;
  const MatrixX<double> span = V.cast<double>();
  MatrixX<double> F = calc_form<double>(span, A_.cast<double>() * span, weights);
  F -= kMargin * (MatrixX<double>::Identity(V.cols(), V.cols()) + span.transpose() * span);
  return Eigen::LLT<MatrixX<double>>(F).info() == Eigen::Success;
}

MotionCheck::Result MotionCheck::check(const Matrix& V, const VectorX<double>& weights) const {
  if (weights.size() != static_cast<Index>(sections_.size())) return {.fault = "has a wrong number of weights"};
  if (!weights.allFinite() || (weights.size() > 0 && weights.minCoeff() < 0)) {
    return {.fault = "has weights that are not positive"};
  }
  if (V.cols() == 0) return {.fault = {}, .proves_forces = true};
  if (weights.size() > 0 && is_clearly_positive(V, weights)) return {.fault = {}, .proves_forces = true};
  const Eigen::ColPivHouseholderQR<Matrix> qr(V);
  const Index rank = (qr.matrixQR().diagonal().array().abs() > kZeroOfCheck).count();
  if (rank == 0) return {.fault = {}, .proves_forces = true};
  const Matrix span = first_columns(qr.householderQ(), rank);
  const Matrix moved = A_ * span;
  const Matrix F = weights.size() > 0 ? calc_form<Long>(span, moved, weights) : Matrix::Zero(rank, rank);

  // Positive at right angles to what moves nothing, and next to nothing in between.
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(
      Matrix(0.5L * (span.transpose() * moved + moved.transpose() * span)));
  const Index still = (eigen.eigenvalues().array() <= kStillOfCheck).count();
  const Matrix N = eigen.eigenvectors().leftCols(still), M = eigen.eigenvectors().rightCols(span.cols() - still);
  if (M.cols() == 0) return {};
  const Matrix inner = M.transpose() * F * M;
  const Long least = Eigen::SelfAdjointEigenSolver<Matrix>(inner, Eigen::EigenvaluesOnly).eigenvalues()(0);
  if (!(least > kLeast)) return {.fault = "has weights that prove nothing"};
  const Long across = still > 0 ? (N.transpose() * F * M).norm() : 0;
  if (2 * across * kReach > kAlike * least)
    return {.fault = "has weights that prove nothing for forces that move nothing"};
  return {};
}

/// Δz of rows without friction is 0, that of sliding rows a multiple of Δzₙ.
void MotionCheck::add_row_equations(std::vector<Vector>& equations) const {
  for (int i = 0; i < problem_.size(); ++i) {
    const ConstraintRow& row = problem_.row(i);
    const bool is_rough = row.kind == RowKind::tangent || (row.kind == RowKind::boxed && std::isfinite(row.limit));
    if (is_rough && row.limit == 0) equations.push_back(Vector::Unit(z_.size(), i));
    if (row.kind != RowKind::sliding) continue;
    int normal = i;
    while (problem_.row(normal).kind == RowKind::sliding) --normal;
    equations.push_back(Vector::Unit(z_.size(), i));
    equations.back()(normal) = -row.limit * force_unit_(normal) / force_unit_(i);
  }
}

MotionCheck::Matrix MotionCheck::find_differences() const {
  std::vector<Vector> equations;
  add_row_equations(equations);
  for (int i = 0; i < problem_.size(); ++i) {
    const ConstraintRow& row = problem_.row(i);
    const bool is_bilateral = row.kind == RowKind::bilateral || (row.kind == RowKind::boxed && std::isinf(row.limit));
    if (is_bilateral) equations.emplace_back(A_.row(i));
  }
  if (equations.empty()) return Matrix::Identity(z_.size(), z_.size());
  Eigen::FullPivLU<Matrix> lu(stack(equations));
  lu.setThreshold(kStillOfCheck);
  if (lu.rank() == z_.size()) return Matrix(z_.size(), 0);
  return kernel_of(lu);
}

bool MotionCheck::has_one_force() const {
  std::vector<Vector> equations;
  for (Index i = 0; i < z_.size(); ++i) equations.emplace_back(A_.row(i));
  add_row_equations(equations);
  for (Section section : sections_) {
    if (!section.is_slipping) continue;
    if (section.normal >= 0) set_widest(section);
    if (section.is_edge) {  // along the slip alone
      Vector equation = Vector::Zero(z_.size());
      for (Index k = 0; k < 2; ++k) {
        const int row = section.rows[static_cast<std::size_t>(k)];
        equation(row) = w_(row);
        equation(section.normal) += w_(row) * section.e(k);
      }
      equations.push_back(equation / equation.cwiseAbs().maxCoeff());
      continue;
    }
    for (Index k = 0; k < section.e.size(); ++k) {
      equations.push_back(Vector::Unit(z_.size(), section.rows[static_cast<std::size_t>(k)]));
      if (section.normal >= 0) equations.back()(section.normal) = section.e(k);
    }
  }
  Eigen::FullPivLU<Matrix> lu(stack(equations));
  lu.setThreshold(kStillOfCheck);
  return lu.rank() == z_.size();
}

}  // namespace thenar::internal
