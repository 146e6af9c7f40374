// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/clearly_p.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "thenar/complementarity/p_matrix.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

/// Parts of 1 that decisions have to be clear by: far above rounding, far below what is met in practice.
constexpr double kMargin = 1e-10;
/// A millisecond's worth of minors.
constexpr int kMostRows = 16;

/// Whether the diagonal is positive beyond the rounding of its rows and columns.
bool has_clear_diagonal(const MatrixX<double>& M) {
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    const double largest = std::max(M.row(i).cwiseAbs().maxCoeff(), M.col(i).cwiseAbs().maxCoeff());
    if (!(M(i, i) > kMargin * largest)) return false;
  }
  return true;
}

/// Rows and columns divided by the square roots of the diagonal, which must be positive.
MatrixX<double> normalize(const MatrixX<double>& M) {
  const VectorX<double> scale = M.diagonal().cwiseSqrt().cwiseInverse();
  return scale.asDiagonal() * M * scale.asDiagonal();
}

/// M is a P-matrix if its comparison matrix (diagonal as it is, −|Mᵢⱼ| elsewhere) is an M-matrix: d = its inverse times
/// ones is positive.
bool is_dominated_by_diagonal(const MatrixX<double>& M) {
  MatrixX<double> comparison = -M.cwiseAbs();
  comparison.diagonal() = M.diagonal();
  const Eigen::PartialPivLU<MatrixX<double>> lu(comparison);
  const VectorX<double> d = solve(lu, VectorX<double>(VectorX<double>::Ones(M.rows())));
  if (!d.allFinite() || !(d.minCoeff() > 0)) return false;
  return (comparison * d).minCoeff() > kMargin * d.maxCoeff();
}

/// Rows and columns in the order of how far they are from symmetric, most first: with sliding contacts before others,
/// what is left after few of them is definite.
MatrixX<double> sort_by_asymmetry(const MatrixX<double>& M) {
  const VectorX<double> asymmetry = (M - M.transpose()).rowwise().squaredNorm();
  std::vector<int> order(static_cast<std::size_t>(M.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return asymmetry(i) > asymmetry(j); });
  return M(order, order);
}

}  // namespace

bool is_clearly_positive_definite(const MatrixX<double>& M) {
  if (M.rows() == 0) return true;
  if (!has_clear_diagonal(M)) return false;
  const MatrixX<double> scaled = normalize(M);
  MatrixX<double> S = (scaled + scaled.transpose()) * 0.5;
  S.diagonal().array() -= kMargin * static_cast<double>(M.rows());
  return Eigen::LLT<MatrixX<double>>(S).info() == Eigen::Success;
}

bool is_clearly_p(const MatrixX<double>& M) {
  if (M.rows() == 0) return true;
  if (!has_clear_diagonal(M)) return false;
  const MatrixX<double> scaled = normalize(M);
  if (is_clearly_positive_definite(scaled) || is_dominated_by_diagonal(scaled)) return true;
  return M.rows() <= kMostRows && is_p_matrix_by(sort_by_asymmetry(scaled), kMargin);
}

}  // namespace thenar
