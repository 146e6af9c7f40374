// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Newton's method on the normal of two convex features.
///
/// The planes that touch a feature of a convex core have outward normals n in a set of two dimensions (ellipsoid, rim,
/// vertex) or of one (edge, side of a cylinder or cone: n · u = const with the axis u). On all of them the support
/// function has one form,
///
///     h(n) = c · n + |A n| + ρ,   p(n) = c + A² n/|A n|                                                          (1)
///
/// with A = diag of an ellipsoid's semi-axes, (a, b, 0) on a rim, 0 else. Witnesses are where the separation
/// s(N) = N · w, w = p_A(−N) − p_B(N), is stationary over the normals that both features have. Since p · dn = 0,
/// ds = w · dN, so that with unit vectors x, y across N,
///
///     two dimensions:   (H_A + H_B + s 1) δ = [x y]ᵀ w,   N ← N + [x y] δ                                        (2)
///     one, at angle φ:  (e · w + k tᵀ H t) δφ = t · w,    N = (N · u) u + k e(φ),   t = u × e                    (3)
///
/// where H = [x y]ᵀ (∂p/∂n) [x y] is the curvature radius of (1); with the cofactors C = |A| A⁻¹,
///
///     xᵀ H x = |C y|²/|A n|³,   xᵀ H y = −(C x) · (C y)/|A n|³,   yᵀ H y = |C x|²/|A n|³,                        (4)
///
/// which has no differences of large numbers. Two sets of one dimension meet in points, without iteration. Since s is
/// concave, (2) with shorter steps where s would fall cannot miss the nearest place of shapes that are apart.
///
/// Normals are coordinates only where they tell points apart: not on the lines of conforming features, and badly on a
/// rim whose normal is along its axis. There, element_newton_internal.h does the work, at twice the cost.

#include "thenar/geometry/distance.h"

namespace thenar::internal {

/// Improves `place` (in the frame of A; its features, not flat, stay) to rounding. False when normals are no good
/// coordinates, or the features have no such place nearby; then `place` is as it was.
bool polish_normal(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, Proximity& place);

}  // namespace thenar::internal
