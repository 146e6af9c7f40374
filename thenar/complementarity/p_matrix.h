// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// P-matrices: all principal minors are positive. Exactly then the problem w = M z + q, 0 ≤ z ⊥ w ≥ 0 has one and only
/// one solution for every q (YY III; Cottle, Pang and Stone, theorem 3.3.7).
///
/// Let m be the first diagonal entry. M is a P-matrix if and only if m > 0 and both the matrix without the first row
/// and column and its Schur complement M/m are P-matrices (Tsatsomeros and Li, A recursive test for P-matrices, 2000).
/// The entries m that are met are quotients of principal minors, det M_αα / det M_ββ with α = β ∪ {last}. There are 2ⁿ
/// − 1 of them, at a cost of about six operations each for n up to 20 and more.
///
/// The test ends at the first m ≤ 0 with a witness that anyone can check: x = (−M_ββ⁻¹ M_β,last, 1) has (M x)_β = 0 and
/// (M x)_last = m, so that its sign is reversed, xᵢ (M x)ᵢ ≤ 0 in every row. P-matrices reverse no sign but that of 0.

#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

struct PMatrixTest {
  bool is_P = true;
  /// Whether the least |m|, in parts of the numbers that it is the difference of, is above rounding. If not, a matrix
  /// within rounding of this one decides otherwise.
  bool is_sure = true;
  double least = 0;          ///< that least part, with the sign of m
  std::vector<int> rows;     ///< not P: α, ascending; det M_αα ≤ 0
  VectorX<double> reversed;  ///< not P: the witness x, 0 outside of α
  long long minors = 0;      ///< how many m were looked at
};

/// Throws std::invalid_argument for a matrix that is not square, not finite or has more than kMostPMatrixRows rows.
PMatrixTest test_p_matrix(const MatrixX<double>& M);

/// Whether M is a P-matrix beyond doubt: all m are more than `margin` > 0 in parts of the numbers that they are the
/// differences of. This is what test_p_matrix says with least > margin, found sooner: a matrix whose symmetric part is
/// positive definite has no minor that is not positive, and neither have its Schur complements, so that no more is
/// looked at below it. Throws as test_p_matrix does.
bool is_p_matrix_by(const MatrixX<double>& M, double margin);

/// More rows would take hours.
inline constexpr int kMostPMatrixRows = 30;

/// The largest xᵢ (M x)ᵢ over the sum of its terms' sizes, in long double; ≤ 0 proves that M is not a P-matrix. x ≠ 0.
double grade_reversed_vector(const MatrixX<double>& M, const VectorX<double>& x);

}  // namespace thenar
