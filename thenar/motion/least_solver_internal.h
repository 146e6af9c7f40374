// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The solution of A z = b with the least sum of squares, A⁺ b, where A may be singular: J M⁻¹ F of contacts, some of
/// which are redundant.
///
/// Which rows are redundant hardly changes while the contacts stay, so that a set of independent ones is kept: with B
/// for them and R for the others,
///
///     A = [A_BB A_BR; A_RB A_RR],   W = A_BB⁻¹ A_BR,   Vᵀ = A_RB A_BB⁻¹,   A_RR = A_RB W                          (1)
///
/// and kernels [−W; 1] of A and [−V; 1] of Aᵀ, out of which z and b are projected: a regular system of the size of the
/// rank and one of the size of what is redundant. Where (1) does not hold clearly, other rows are chosen; where there
/// are none, rows neither clearly depend on each other nor clearly do not, an orthogonal decomposition decides.

#include <span>
#include <vector>

#include "thenar/spatial/decompositions.h"
#include "thenar/spatial/linear.h"
#include "thenar/spatial/state_archive.h"

namespace thenar::internal {

class LeastSolver {
 public:
  /// Square. Makes storage when the size or the rank has changed since the last call.
  void factorize(const MatrixX<double>& A);

  /// Rows and factors; these are made anew from A when they are read.
  template <class Archive>
  void archive(Archive& a);

  /// Whether A is singular: there are other solutions.
  bool is_redundant() const { return rank_ < size_; }

  /// A basis of the kernel of A, a column for each row that is redundant: 1 in its entry, 0 in those of the others.
  const MatrixX<double>& kernel();
  /// Those rows, and a number that is another one when they may have changed.
  std::span<const Eigen::Index> redundant_rows() const;
  long long order_number() const { return order_number_; }

  /// Every column becomes A⁺ times it. No heap use with as many columns as before, if the rows are clear.
  void solve_in_place(Eigen::Ref<MatrixX<double>> b);

 private:
  void find_order(const MatrixX<double>& A);
  bool factorize_in_order(const MatrixX<double>& A);

  Eigen::Index size_ = 0, rank_ = 0;
  bool is_clear_ = false, has_kernel_ = false;
  long long order_number_ = 0;
  std::vector<Eigen::Index> order_;  ///< rows: B, then R
  MatrixX<double> matrix_;           ///< A
  MatrixX<double> permuted_;
  Eigen::PartialPivLU<MatrixX<double>> lu_;  ///< of A_BB
  MatrixX<double> W_, V_, rest_, turned_, kernel_;
  Eigen::LLT<MatrixX<double>> W_gram_, V_gram_;  ///< 1 + Wᵀ W, 1 + Vᵀ V
  /// Of b, and of its solution.
  struct Parts {
    MatrixX<double> basic, redundant, solved;
  };
  Parts one_, many_;  ///< for one column, and for more
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> orthogonal_;
};

}  // namespace thenar::internal
