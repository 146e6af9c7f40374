// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Ways out of a bowl's body.
///
/// The body, the half-space z ≤ 0 less a ball with centre C and radius R, is the union of convex wedges
///
///     W(u) = { p : z ≤ 0 and u · (p − C) ≥ R },   |u| = 1
///
/// and the gap of a convex shape and the bowl is the least of its gaps with them: over all u, the largest separation
/// over the normals n of W(u), which turn from z to −u in their common plane,
///
///     gap = min  max  s(n),      s(n) = −h_A(−n) − n · e(u) − r        (h_A: support function of the core)
///            u    n
///
/// where e(u) is the wedge's edge. Where n = −u is the largest, A touches the hollow; n = z: the flat part; in between:
/// the rim.

#include "thenar/geometry/core_internal.h"
#include "thenar/geometry/distance.h"

namespace thenar::internal {

/// One wedge: its edge crosses the plane of the meridian at the distance `edge` (m) of the bowl's axis; its normals are
/// up, turned inwards by angles from 0 to `angle` (rad).
struct BowlWedge {
  Radial meridian;
  double edge, angle;
};

/// The wedge along the tangent plane at the rim.
BowlWedge make_rim_wedge(const Core& bowl, const Radial& meridian);

/// W(u), with u in the bowl's frame and not straight up or down.
BowlWedge make_wedge(const Core& bowl, const Vec3<double>& u);

/// The element of the wedge's edge along whose normal the convex shape A has the largest separation, in the frame of A;
/// feature_A is that of A's farthest point. Golden section: s(n) has one maximum near the best of some samples.
Proximity find_way_out(const GrownCore& A, const Pose<double>& X_AB, const BowlWedge& wedge);

}  // namespace thenar::internal
