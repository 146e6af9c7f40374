// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Gap and witness points of two convex shapes (distance.h), half-spaces included.
///
/// Balls, half-spaces and pairs of segments have closed forms (closed_distance_internal.h). All others: a guess of
/// features and places (the last answer, projection, or GJK), Newton's method on them (normal_newton_internal.h,
/// element_newton_internal.h), then a proof. If p_A and p_B lie on their
/// shapes and no point of A or B is beyond the planes through them with normal N,
///
///     gap ≥ s(N) = −h_A(−N) − h_B(N) = N · (p_A − p_B)        (h: support functions)
///
/// then the place is *the* nearest one when the shapes are apart: no local minimum can pass for it. If the proof fails,
/// the features are corrected by where Newton's method went, and it runs again.
///
/// Overlapping shapes have several critical directions, and the gap is the largest s(N) of them. Where one of the
/// points is inside a smooth part of its boundary, its curvature excludes all others; else the expanding polytope leads
/// near the best one, and the critical directions of all features around it are compared.

#include "thenar/geometry/distance.h"

namespace thenar::internal {

/// In the frame of A; `guess` is the last answer in the same frame, or null. At most one of them is a half-space.
Proximity find_closest_convex(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, const Proximity* guess);

/// The same with the roles of A and B exchanged: the pair (B, A) in the frame of B, told as (A, B) in the frame of A.
Proximity swap_roles(const Proximity& place_B, const Pose<double>& X_AB);

}  // namespace thenar::internal
