// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Cheap answers to "is M a P-matrix, well beyond rounding?": what a search can rest on without looking at all minors
/// of large matrices.

#include "thenar/spatial/linear.h"

namespace thenar {

/// xᵀM x > 0 for all x ≠ 0, by 1e-10 n of the diagonal.
bool is_clearly_positive_definite(const MatrixX<double>& M);

/// Positive definite; or Mᵢᵢ dᵢ > Σ |Mᵢⱼ| dⱼ with some d > 0 (generalized diagonal dominance); or, of few rows, by
/// is_p_matrix_by. No means "not seen to be".
bool is_clearly_p(const MatrixX<double>& M);

}  // namespace thenar
