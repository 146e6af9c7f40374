// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Weights with which a sum of quadratic forms is positive.

#include <optional>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar::internal {

/// Forms that are sums of few products, F_j = ½ Σ (l_a r_aᵀ + r_a l_aᵀ) over the columns a of weight j. Their products
/// need the scalar products of columns only:
///
///     F_i · F_j = ½ Σ_a Σ_b (l_a · l_b)(r_a · r_b) + (l_a · r_b)(r_a · l_b)
struct FormFactors {
  MatrixX<double> left, right;
  std::vector<Eigen::Index> weight_of;  ///< by column
  Eigen::Index weight_count = 0;

  /// Σ d_j F_j.
  MatrixX<double> add(const VectorX<double>& d) const;
};

/// Whether all eigenvalues of a form are at least kLeastForm (motion_form_internal.h).
bool is_positive(const MatrixX<double>& form);

/// Weights d in the span of the columns of Z, between 0 and 1, for which Σ d_j F_j is positive. Nothing if none were
/// found.
std::optional<VectorX<double>> find_positive_weights(FormFactors factors, const MatrixX<double>& Z);

}  // namespace thenar::internal
