// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A bounded shape against a bowl, a half-space less a ball.
///
/// With S the signed distance from the bowl or from the core of A, and r the radius that A is grown by,
///
///     gap = min( min S_bowl(x) over points x of A's core,  min S_A(e) over points e of the rim ) − r              (1)
///
/// Apart, both are the distance or more; the first counts the points of A that are in the bowl's body, the second the
/// rim where it cuts into a face of A. Both are continuous for all poses and change by no more than the shapes move.
///
/// S_bowl is R − |x − C| below the rim's direction as seen from the ball's centre C, z above and outside of the rim,
/// and the distance from the rim in between, with continuous derivatives. So local minima of (1) are, each where it
/// belongs to that part of the bowl:
/// - hollow: local maxima of |x − C|: corners, ends, the far points of rims and of an ellipsoid (at most two, see
///   FarPoints in the source), all in closed form or roots of secular equations;
/// - flat: the lowest point;
/// - rim: minima of the distance between a circle and A (ring_distance_internal.h).
///
/// A circle as A is not convex: then the rim counts as a curve, at distances ≥ 0 from it.
///
/// Where A lies along the bowl to within kPatchAngle (foot_internal.h), points that are fixed in A are added, each with
/// its own gap: corners, four points of a rim, four around an oblate ellipsoid; and for a ball that fills the hollow,
/// points of the bowl spread over it.

#include "thenar/geometry/local_minima_internal.h"

namespace thenar::internal {

/// A is bounded, B a bowl. Fills `out`, in the frame of A: the nearest place always, and all others with gap ≤ margin
/// (m).
void find_bowl_minima(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin,
                      LocalMinima& out);

}  // namespace thenar::internal
