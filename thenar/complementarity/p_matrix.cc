// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/p_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "thenar/base/numbers.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

/// Fewer rows have so few minors that their signs are found sooner than whether they are definite.
constexpr int kLeastDefinite = 4;
/// Symmetric parts are definite by this part of their entries' sizes, or not taken to be.
constexpr double kClearlyDefinite = 1e-6;

class Recursion {
 public:
  explicit Recursion(const MatrixX<double>& M) : n_(static_cast<int>(M.rows())), scratch_(M.size()) {
    for (int k = 0; k <= n_; ++k) levels_.emplace_back(static_cast<std::size_t>(k) * static_cast<std::size_t>(k));
    sizes_ = levels_;
    Level& top = levels_[index(n_)];
    Level& top_sizes = sizes_[index(n_)];
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) {
        top[index(i * n_ + j)] = M(i, j);
        top_sizes[index(i * n_ + j)] = std::abs(M(i, j));
      }
    }
    out.least = std::numeric_limits<double>::infinity();
  }

  /// The matrix of level k stands for rows n − k … n − 1, after elimination of the rows in `eliminated_`.
  bool run(int k) {
    if (k == 0) return true;
    const Level& matrix = levels_[index(k)];
    ++out.minors;
    const double m = matrix[0], part = sizes_[index(k)][0] > 0 ? m / sizes_[index(k)][0] : 0;
    if (std::abs(part) < std::abs(out.least)) out.least = part;
    if (!(m > 0)) {
      out.rows = eliminated_;
      out.rows.push_back(n_ - k);
      return false;
    }
    shrink(k, 0);
    if (!run(k - 1)) return false;
    shrink(k, 1 / m);
    eliminated_.push_back(n_ - k);
    const bool holds = run(k - 1);
    eliminated_.pop_back();
    return holds;
  }

  /// The same, all of them by a margin; `out` is not filled.
  bool run_by(int k, double margin) {
    if (k == 0) return true;
    const double m = levels_[index(k)][0];
    if (!(m > margin * sizes_[index(k)][0])) return false;
    if (k >= kLeastDefinite && is_definite(k)) return true;
    shrink(k, 0);
    if (!run_by(k - 1, margin)) return false;
    shrink(k, 1 / m);
    return run_by(k - 1, margin);
  }

  PMatrixTest out;

 private:
  /// Whether the symmetric part of level k is clearly positive definite, by Cholesky's factors.
  bool is_definite(int k) {
    const Level& matrix = levels_[index(k)];
    const Level& sizes = sizes_[index(k)];
    const double least = kClearlyDefinite * *std::max_element(sizes.begin(), sizes.end());
    for (int j = 0; j < k; ++j) {
      for (int i = j; i < k; ++i) {
        double sum = 0.5 * (matrix[index(i * k + j)] + matrix[index(j * k + i)]) - (i == j ? least : 0);
        for (int l = 0; l < j; ++l) sum -= scratch_[index(i * k + l)] * scratch_[index(j * k + l)];
        if (i > j) {
          scratch_[index(i * k + j)] = sum / scratch_[index(j * k + j)];
        } else if (sum > 0) {
          scratch_[index(j * k + j)] = std::sqrt(sum);
        } else {
          return false;
        }
      }
    }
    return true;
  }

  using Level = std::vector<double>;
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  /// Level k − 1: without the first row and column, less their product times `inverse`. `sizes_` are bounds of the
  /// terms that entries are sums of.
  void shrink(int k, double inverse) {
    const Level &from = levels_[index(k)], &from_sizes = sizes_[index(k)];
    Level &to = levels_[index(k - 1)], &to_sizes = sizes_[index(k - 1)];
    for (int i = 1; i < k; ++i) {
      const double factor = from[index(i * k)] * inverse;
      for (int j = 1; j < k; ++j) {
        const double product = factor * from[index(j)];
        to[index((i - 1) * (k - 1) + j - 1)] = from[index(i * k + j)] - product;
        to_sizes[index((i - 1) * (k - 1) + j - 1)] = from_sizes[index(i * k + j)] + std::abs(product);
      }
    }
  }

  int n_;
  std::vector<Level> levels_, sizes_;
  std::vector<double> scratch_;
  std::vector<int> eliminated_;
};

/// x = (−M_ββ⁻¹ M_β,last, 1), where `rows` is β and last.
VectorX<double> make_reversed_vector(const MatrixX<double>& M, const std::vector<int>& rows) {
  const auto m = static_cast<Eigen::Index>(rows.size()) - 1;
  const int last = rows.back();
  MatrixX<double> block(m, m);
  VectorX<double> column(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    column(i) = M(rows[static_cast<std::size_t>(i)], last);
    for (Eigen::Index j = 0; j < m; ++j) {
      block(i, j) = M(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
    }
  }
  VectorX<double> x = VectorX<double>::Zero(M.rows());
  x(last) = 1;
  if (m == 0) return x;
  const VectorX<double> solved = solve(block.partialPivLu(), column);
  for (Eigen::Index i = 0; i < m; ++i) x(rows[static_cast<std::size_t>(i)]) = -solved(i);
  return x;
}

void check(const MatrixX<double>& M, const std::string& who) {
  if (M.rows() != M.cols()) throw std::invalid_argument(who + ": the matrix is not square");
  if (M.rows() > kMostPMatrixRows) throw std::invalid_argument(who + ": the matrix is too large");
  if (!M.allFinite()) throw std::invalid_argument(who + ": the matrix is not finite");
}

}  // namespace

bool is_p_matrix_by(const MatrixX<double>& M, double margin) {
  check(M, "is_p_matrix_by");
  return Recursion(M).run_by(static_cast<int>(M.rows()), margin);
}

PMatrixTest test_p_matrix(const MatrixX<double>& M) {
  check(M, "test_p_matrix");
  Recursion recursion(M);
  const int n = static_cast<int>(M.rows());
  recursion.out.is_P = recursion.run(n);
  PMatrixTest& out = recursion.out;
  if (!out.is_P) out.reversed = make_reversed_vector(M, out.rows);
  out.is_sure = std::abs(out.least) > 16 * n * kEpsilon;
  return out;
}

double grade_reversed_vector(const MatrixX<double>& M, const VectorX<double>& x) {
  long double worst = -std::numeric_limits<long double>::infinity();
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    if (x(i) == 0) continue;
    long double sum = 0, size = 0;
    for (Eigen::Index j = 0; j < M.cols(); ++j) {
      const long double term = static_cast<long double>(M(i, j)) * x(j);
      sum += term;
      size += std::abs(term);
    }
    const long double part = size > 0 ? (x(i) > 0 ? sum : -sum) / size : 0;
    worst = std::max(worst, part);
  }
  return static_cast<double>(worst);
}

}  // namespace thenar
