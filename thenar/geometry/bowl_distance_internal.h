// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A bounded shape against a bowl, a half-space less a ball.
///
/// The gap of a convex shape is the least of its gaps with the convex wedges that the bowl's body is the union of
/// (bowl_wedge_internal.h). When they are apart that is their distance; it is continuous for all poses and changes by
/// no more than the shapes move. With S the signed distance from the bowl or from A's core, and r the radius that A is
/// grown by, it is
///
///     gap = min( min S_bowl(x) over points x of A's core,  min S_A(e) over points e of the rim ) − r              (1)
///
/// as long as the core is not in the body. A circle is not convex: for it (1) without the rim's term is the definition.
///
/// S_bowl is R − |x − C| below the rim's direction as seen from the ball's centre C, z above and outside of the rim,
/// and the distance from the rim in between, with continuous derivatives. So local minima are, each where it belongs to
/// that part of the bowl:
/// - hollow: local maxima of |x − C|: corners, ends, far points of rims and ellipsoids (far_points_internal.h);
/// - flat: the lowest point;
/// - rim: minima of the distance between a circle and A (ring_distance_internal.h), made exact by Newton's method.
///
/// A core in the body (only that of a shape without a ball around it can be, when penetration is shallow) gets out by
/// the hollow, by the flat part or over the rim, whichever of the wedges' normals has the largest separation. Within
/// some multiples of the depth around the rim they compete, and A may leave the body on the side where it is not
/// nearest. When a core is deeper than a hundredth of the pair's size, the gap is an upper bound, below −r.
///
/// Where A lies along the bowl to within kPatchAngle (foot_internal.h), points that are fixed in A are added, each with
/// its own gap (core_marks_internal.h); and for a ball that fills the hollow, points of the bowl spread over it.

#include "thenar/geometry/local_minima_internal.h"

namespace thenar::internal {

/// A is bounded, B a bowl. Fills `out`, in the frame of A: the nearest place always, and all others with gap ≤ margin
/// (m).
void find_bowl_minima(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin,
                      LocalMinima& out);

}  // namespace thenar::internal
