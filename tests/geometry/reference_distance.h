// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The distance of two shapes in long double, slowly and by other means than the library: what find_closest() is
/// compared with.
///
/// A global search gives starts (reference_search.h), Newton on the first-order conditions of the bodies' constraints
/// makes them exact (reference_polish.h), and bounds certify the result:
/// - convex and apart: cone program; the points are in the bodies, so their distance is an upper bound of the gap, and
///   the separation s(N) is a lower one: their difference, the duality gap, is reported;
/// - convex, touching or overlapping: the gap is the largest s(n); branch and bound over the sphere of directions
/// leaves
///   no other place for it, but for directions whose bounds it cannot tell apart: there it climbs from several starts;
/// - with a circle (torus) or a bowl: the least over local minima, none of which branch and bound over the circle's
///   angle, or over the directions from the middle of the hollow, leaves out.

#include "thenar/geometry/shape.h"
#include "thenar/spatial/pose.h"

namespace thenar::reference {

struct Result {
  long double gap = 0;                                    ///< m
  Vector3<long double> N = Vector3<long double>::Zero();  ///< unit normal from B into A, world
  Vector3<long double> p_A = N, p_B = N;                  ///< m, p_A − p_B = gap N
  long double duality_gap = 0;                            ///< m, for convex pairs
  /// Whether a search or Newton failed: then nothing here can be relied on.
  bool is_certified = false;
  /// How far the next best local optimum is from the gap, m; infinite if there is none nearby, 0 if that is not known.
  /// Where it is of the size of rounding, N is one of several.
  long double lead = 0;
  /// Change of N (rad/m) and of the points (m/m) with the place of one shape: how rounding of the poses is amplified.
  long double normal_sensitivity = 0, point_sensitivity = 0;
};

/// At most one of the shapes may be unbounded. Rotations may be rounded to double: the nearest exact ones are taken.
/// Penetration must be shallow
/// (thenar/geometry/distance.h).
Result calc_distance(const Shape& A, const Pose<long double>& X_WA, const Shape& B, const Pose<long double>& X_WB);

/// s(N) for bounded convex shapes, m: no direction separates them by more than the gap.
long double calc_separation(const Shape& A, const Pose<long double>& X_WA, const Shape& B,
                            const Pose<long double>& X_WB, const Vector3<long double>& N);

}  // namespace thenar::reference
