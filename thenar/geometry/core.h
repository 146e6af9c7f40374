// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What distance is computed from: every shape is a core, grown by a ball of radius r ≥ 0.
///
/// | shape       | core (in the shape's frame S)        | r      | features of the core, by number               |
/// |-------------|--------------------------------------|--------|-----------------------------------------------|
/// | sphere      | point                                | radius | 0 surface                                     |
/// | capsule     | segment on z                         | radius | 0 line, 1 lower, 2 upper end                  |
/// | rod         | segment on z                         | 0      | the same                                      |
/// | box         | box                                  | 0      | 0–5 faces, 6–17 edges, 18–25 vertices         |
/// | rounded box | box of sides − 2 r                   | radius | the same                                      |
/// | ellipsoid   | ellipsoid                            | 0      | 0 surface                                     |
/// | cylinder    | cylinder around z                    | 0      | 0 side, 1 lower, 2 upper cap, 3, 4 their rims |
/// | cone        | cone around z, apex up               | 0      | 0 side, 1 base, 2 rim, 3 apex                 |
/// | ellipse     | plate: flat ellipse in the x-y plane | 0      | 0 lower, 1 upper side, 2 rim                  |
/// | torus       | circle in the x-y plane              | tube   | 0 surface                                     |
/// | plane       | half-space z ≤ 0                     | 0      | 0 face                                        |
/// | bowl        | half-space z ≤ 0 less a ball         | 0      | 0 flat, 1 rim, 2 hollow                       |
///
/// The distance of two grown cores is the distance of the cores less both radii, exactly and with the same witness
/// normal, as long as the cores do not overlap. All but circle and bowl are convex. Point, segment, plate and circle
/// have no inside: their distance is nowhere negative.
///
/// A box's faces are numbered 2 axis + (1 if positive); edge 6 + 4 axis + s₁ + 2 s₂ is parallel to `axis` and lies on
/// the positive side of the next axis (cyclic) if s₁ = 1 and of the one after if s₂ = 1; vertex 18 + sx + 2 sy + 4 sz.
/// A rounded box may leave a core without thickness along some axes. Then the pairs of edges and vertices across it
/// coincide, the faces between them are gone, and of a pair project() and support() name the positive one where both
/// would do.

#include <string>

#include "thenar/geometry/shape.h"
#include "thenar/spatial/pose.h"

namespace thenar {

enum class CoreKind { point, segment, box, ellipsoid, cylinder, cone, plate, half_space, circle, bowl };

struct Core {
  CoreKind kind = CoreKind::point;
  /// m. segment: z half its length. box: half its sides. ellipsoid: semi-axes. cylinder: x radius, z half its length.
  /// cone: x radius of the base at −z, apex at +z. plate: x, y semi-axes. circle: x radius. bowl: x radius of the ball,
  /// z its depth (0 < depth < 2 x), y radius of the rim, which follows.
  Vec3<double> size = Vec3<double>::zero();
};

/// A core grown by a ball.
struct GrownCore {
  Core core;
  double radius = 0;  ///< m
};

GrownCore make_core(const Shape& shape);

/// Whether the core is a convex set.
constexpr bool is_convex(CoreKind kind) { return kind != CoreKind::circle && kind != CoreKind::bowl; }
/// Whether the core fits into a ball: all but half-space and bowl.
constexpr bool is_bounded(CoreKind kind) { return kind != CoreKind::half_space && kind != CoreKind::bowl; }

/// The radius of a ball around the origin of S that contains the grown core, m; infinite if it is not bounded.
double calc_bounding_radius(const GrownCore& shape);

/// An element of a core's boundary.
struct BoundaryPoint {
  Vec3<double> p = Vec3<double>::zero();  ///< m, in S
  Vec3<double> n = Vec3<double>::zero();  ///< outward unit normal there
  int feature = 0;
  double distance = 0;  ///< m, of the point that was asked for; negative inside
};

/// The boundary point nearest to q, with its feature; n points from it to q if q is outside, and is the outward normal
/// of the nearest face if q is inside. Exact to a few ulp of |q| + size: closed form, or for ellipsoid and plate the
/// root of a monotonic function. Where several points are nearest, one of them is returned, always the same; where q is
/// so near to a rim or vertex that there is no direction, n is in the middle of its normals.
BoundaryPoint project(const Core& core, const Vec3<double>& q);

/// The point farthest along the unit vector d, with n = d and the feature that has d among its normals: a vertex or
/// rim, or a face if d is exactly its normal, or an edge if d is exactly across it (then p is in its middle).
/// `distance` is d · p. Only for bounded cores.
BoundaryPoint support(const Core& core, const Vec3<double>& d);

/// How far (p, n) is outside of the part of the element manifold that the feature owns: `length` (m) for the place
/// along faces and edges, `angle` (rad) between n and the nearest normal that the feature has at p. Both are 0 if it
/// belongs to it; neighbours share their limits. p is a point of the feature's surface without limits, such as snap()
/// gives, and not grown: how far it is above or below the surface is not looked at.
struct Outside {
  double length = 0, angle = 0;
};
Outside calc_outside(const Core& core, int feature, const Vec3<double>& p, const Vec3<double>& n);

int feature_count(CoreKind kind);

/// The word used in messages and files: "face 3", "rim 1", "vertex 7", "side".
std::string feature_name(CoreKind kind, int feature);

}  // namespace thenar
