// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Newton's method on the contact elements of two features.
///
/// Elements (p_A, n_A) and (p_B, n_B) are witnesses when the normals are opposite and the points face each other. With
/// w = p_B − p_A, E = [x y], Q = E_Aᵀ E_B and the gap g = n_A · w,
///
///     r₁ = E_Aᵀ w = 0,   r₂ = E_Aᵀ n_B = 0                                                                    (1)
///
/// and to first order in the coordinates δ_A, δ_B (contact_element.h), where E_A turns with n_A,
///
///     dr₁ = Q D_B δ_B − (D_A + g N_A) δ_A,   dr₂ = Q N_B δ_B + N_A δ_A                                         (2)
///
/// Nothing in this is special at g = 0, so touching and overlapping shapes are no harder than distant ones. (2) is
/// singular where the features conform to each other (parallel lines, flat faces, equal radii): there coordinates that
/// (2) does not determine keep their values, and the place along the line or face stays where the search began.

#include "thenar/geometry/distance.h"

namespace thenar::internal {

/// What came of it.
enum class Polish : char {
  regular,   ///< solved, the place is locally unique
  singular,  ///< solved, but one of a line or face of equal places
  failed     ///< not solved: the features have no such place nearby
};

/// Improves `place` (in the frame of A; its features stay) to rounding.
Polish polish(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, Proximity& place);

}  // namespace thenar::internal
