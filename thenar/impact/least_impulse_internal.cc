// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/impact/least_impulse_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// Motions below this part of the largest are none; eigenvalues below it are those of redundant rows.
constexpr double kZero = 1e-9, kRedundant = 1e-11;
constexpr int kMostRounds = 5000;
constexpr double kSettled = 1e-13;

/// One direction of the impulses that the motion leaves free, as a column over all rows.
class FreeDirections {
 public:
  FreeDirections(const ConstraintProblem& problem, const VectorX<double>& w) : problem_(problem), n_(problem.size()) {
    double largest = 0;
    for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(problem.b()(i)));
    zero_ = kZero * largest;
    weight_.setOnes(n_);
    columns_.resize(n_, n_);
    for (int i = 0; i < n_; ++i) add(i, w);
    columns_.conservativeResize(n_, count_);
  }

  const MatrixX<double>& columns() const { return columns_; }
  /// What a unit of row i counts in the sum of squares.
  const VectorX<double>& weight() const { return weight_; }
  /// Normal rows of contacts that stick, and rows with z ≥ 0 alone.
  const std::vector<int>& sticking() const { return sticking_; }
  const std::vector<int>& signed_rows() const { return signed_rows_; }

 private:
  void add(int i, const VectorX<double>& w) {
    const RowKind kind = problem_.row(i).kind;
    if (kind == RowKind::tangent) return;  // with its normal row
    if (kind != RowKind::bilateral && w(i) > zero_) return;
    columns_.col(count_).setZero();
    columns_(i, count_++) = 1;
    if (kind == RowKind::unilateral) signed_rows_.push_back(i);
    if (kind == RowKind::normal) add_tangents(i, w);
  }

  void add_tangents(int i, const VectorX<double>& w) {
    const int m = problem_.tangent_count(i);
    double power = 0;
    for (int k = 1; k <= m; ++k) power = std::hypot(power, problem_.row(i + k).limit * w(i + k));
    const double mu = problem_.row(i + 1).limit;
    for (int k = 1; k <= m; ++k) {
      const double limit = problem_.row(i + k).limit;
      if (limit > 0 && mu > 0) weight_(i + k) = mu / limit;
    }
    if (power > zero_) {
      for (int k = 1; k <= m; ++k) {
        columns_(i + k, count_ - 1) = -problem_.row(i + k).limit * problem_.row(i + k).limit * w(i + k) / power;
      }
      signed_rows_.push_back(i);
      return;
    }
    sticking_.push_back(i);
    for (int k = 1; k <= m; ++k) {
      if (!(problem_.row(i + k).limit > 0)) continue;
      columns_.col(count_).setZero();
      columns_(i + k, count_++) = 1;
    }
  }

  const ConstraintProblem& problem_;
  const int n_;
  double zero_ = 0;
  int count_ = 0;
  VectorX<double> weight_;
  MatrixX<double> columns_;
  std::vector<int> sticking_, signed_rows_;
};

/// Projects onto z_N ≥ 0 and round cones |z_t| ≤ μ z_N, in weighted units.
void project_on_cones(const ConstraintProblem& problem, const FreeDirections& free, VectorX<double>& z) {
  for (const int i : free.signed_rows()) z(i) = std::max(0.0, z(i));
  for (const int i : free.sticking()) {
    const int m = problem.tangent_count(i);
    const double mu = problem.row(i + 1).limit, t = z.segment(i + 1, m).norm();
    if (t <= mu * z(i)) continue;
    if (mu * t <= -z(i)) {
      z.segment(i, m + 1).setZero();
      continue;
    }
    const double normal = (z(i) + mu * t) / (1 + mu * mu);
    z.segment(i + 1, m) *= mu * normal / t;
    z(i) = normal;
  }
}

}  // namespace

VectorX<double> find_least_impulse(const ConstraintProblem& problem, const VectorX<double>& z,
                                   const VectorX<double>& w) {
  const FreeDirections free(problem, w);
  const MatrixX<double>& B = free.columns();
  if (B.cols() == 0) return z;
  const MatrixX<double> inner = B.transpose() * problem.A() * B;
  const VectorX<double> unit = inner.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<MatrixX<double>> eigen(
      MatrixX<double>(unit.asDiagonal() * inner * unit.asDiagonal()));
  const auto redundant = (eigen.eigenvalues().array() <= kRedundant * eigen.eigenvalues().maxCoeff()).count();
  if (redundant == 0) return z;
  // In weighted units: z + span Z, with orthonormal Z.
  const MatrixX<double> change =
      free.weight().asDiagonal() * (B * (unit.asDiagonal() * eigen.eigenvectors().leftCols(redundant)));
  const MatrixX<double> Z = first_columns(Eigen::HouseholderQR<MatrixX<double>>(change).householderQ(), redundant);
  const VectorX<double> start = free.weight().cwiseProduct(z);
  const VectorX<double> base = start - Z * (Z.transpose() * start);  // the least of all, cones aside
  const auto within = [&](const VectorX<double>& x) -> VectorX<double> { return base + Z * (Z.transpose() * x); };
  VectorX<double> x = base, correction = VectorX<double>::Zero(problem.size());
  const double scale = std::max(start.lpNorm<Eigen::Infinity>(), 1e-300);
  for (int round = 0; round < kMostRounds; ++round) {
    VectorX<double> inside = x + correction;
    project_on_cones(problem, free, inside);
    correction += x - inside;
    const VectorX<double> next = within(inside);
    const double change_of_place =
        std::max((next - inside).lpNorm<Eigen::Infinity>(), (next - x).lpNorm<Eigen::Infinity>());
    const bool is_settled = change_of_place <= kSettled * scale;
    x = next;
    if (is_settled) return x.cwiseQuotient(free.weight());
  }
  return z;
}

}  // namespace thenar::internal
