// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/clearly_p.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "thenar/complementarity/p_matrix.h"

namespace thenar {
namespace {

/// Parts of 1 that decisions have to be clear by: far above rounding, far below what is met in practice.
constexpr double kMargin = 1e-10;
/// A millisecond's worth of minors.
constexpr int kMostRows = 16;
/// Matrices of a search that are looked at before it gives up.
constexpr int kMostLooks = 64;
/// Entries that are this part of the terms they are sums of are known well enough to be tested for kMargin.
constexpr double kKnown = 1e-4;

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
  const VectorX<double> d = lu.solve(VectorX<double>::Ones(M.rows()));
  if (!d.allFinite() || !(d.minCoeff() > 0)) return false;
  return (comparison * d).minCoeff() > kMargin * d.maxCoeff();
}

/// Rows and columns in the order of how far they are from symmetric, most first: sliding contacts before others.
MatrixX<double> sort_by_asymmetry(const MatrixX<double>& M) {
  const VectorX<double> asymmetry = (M - M.transpose()).rowwise().squaredNorm();
  std::vector<int> order(static_cast<std::size_t>(M.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return asymmetry(i) > asymmetry(j); });
  return M(order, order);
}

/// The recursion of test_p_matrix: M is a P-matrix if M₁₁ > 0, and the rest of M and its Schur complement of M₁₁ are
/// P-matrices. It ends where these are positive definite, which takes few steps where few contacts slide.
class BranchingTest {
 public:
  /// Nothing if that would take too many steps.
  std::optional<bool> run(const MatrixX<double>& M) { return run(M, M.cwiseAbs()); }

 private:
  /// `sizes` are bounds of the terms that entries are sums of.
  std::optional<bool> run(const MatrixX<double>& M, const MatrixX<double>& sizes) {
    const Eigen::Index n = M.rows();
    if (n == 0) return true;
    if (!(M(0, 0) > kMargin * sizes(0, 0))) return false;
    if (++looks_ > kMostLooks) return std::nullopt;
    const bool is_known = (M.diagonal().array() > kKnown * sizes.diagonal().array()).all();
    if (is_known && is_clearly_positive_definite(M)) return true;
    const MatrixX<double> rest = M.bottomRightCorner(n - 1, n - 1), rest_sizes = sizes.bottomRightCorner(n - 1, n - 1);
    const std::optional<bool> without = run(rest, rest_sizes);
    if (without != true) return without;
    const MatrixX<double> product = M.col(0).tail(n - 1) * M.row(0).tail(n - 1) / M(0, 0);
    return run(rest - product, rest_sizes + product.cwiseAbs());
  }

  int looks_ = 0;
};

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
  if (const std::optional<bool> answer = BranchingTest().run(sort_by_asymmetry(scaled))) return *answer;
  if (M.rows() > kMostRows) return false;
  const PMatrixTest test = test_p_matrix(scaled);
  return test.is_P && test.least > kMargin;
}

}  // namespace thenar
