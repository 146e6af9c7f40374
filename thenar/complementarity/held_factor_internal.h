// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Cholesky factor L Lᵀ = A_CC of a principal submatrix whose rows come and go. Rows are appended at the end and
/// removed anywhere, O(m²) each. Removal uses plane rotations, which are orthogonal and so do not magnify errors; they
/// do add them up, so the factor is computed anew after every kRemovalsBeforeRefresh removals.

#include <span>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar::internal {

class HeldFactor {
 public:
  explicit HeldFactor(int capacity);

  void clear() { rows_.clear(); }
  int size() const { return static_cast<int>(rows_.size()); }
  /// Rows of A in the order of the factor: vectors below are in this order.
  std::span<const int> rows() const { return rows_; }

  /// x ← L⁻¹ x.
  void solve_lower(Eigen::Ref<VectorX<double>> x) const;
  /// x ← L⁻ᵀ x.
  void solve_upper(Eigen::Ref<VectorX<double>> x) const;

  /// Adds row k, given x = L⁻¹ A_Ck and the Schur complement s = A_kk − |x|² > 0.
  void append(int k, const Eigen::Ref<const VectorX<double>>& x, double s);
  /// Removes the row at position p.
  void remove(int p);

  /// Starts over with these rows, which are known to be independent.
  void assign(std::span<const int> rows, const Eigen::Ref<const MatrixX<double>>& A);
  /// Starts over with those of `candidates` that are independent of each other within the relative error `epsilon`,
  /// taking the most independent one first (Cholesky with diagonal pivoting).
  void append_independent(std::span<const int> candidates, const Eigen::Ref<const MatrixX<double>>& A, double epsilon);

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  RowMajor L_;  ///< lower triangle of the leading size() rows
  std::vector<int> rows_;
  VectorX<double> remainder_, scratch_;
};

}  // namespace thenar::internal
