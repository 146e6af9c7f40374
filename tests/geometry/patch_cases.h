// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Pairs of shapes that lie on each other, with the normal of their nearest place known by construction.

#include <string>
#include <vector>

#include "placed_vector.h"
#include "thenar/geometry/patch_internal.h"
#include "thenar/spatial/rotation.h"

namespace thenar::test {

using Vec = Vec3<double>;

struct PatchCase {
  std::string name;
  GrownCore A, B;
  Pose<double> X_AB;
  Vec N = Vec::zero();  ///< of the nearest place, from B into A
};

inline Pose<double> make_pose(const Matrix3<double>& R, const Vector3<double>& p) { return {R, p}; }
inline Matrix3<double> turn(const Vector3<double>& axis, double angle) {
  return rotation_about_axis(axis.normalized(), angle);
}
inline Vec place(const Pose<double>& X, const Vec& p) { return Vec(Vector3<double>(X * p.eigen())); }
inline Vec unplace(const Pose<double>& X, const Vec& p) { return place(X.inverse(), p); }
inline Vec unrotate(const Pose<double>& X, const Vec& v) { return Vec(Vector3<double>(X.R.transpose() * v.eigen())); }

/// The shape's point farthest along d, in the frame that X places it in.
inline BoundaryPoint find_farthest(const GrownCore& shape, const Pose<double>& X, const Vec& d) {
  if (!is_bounded(shape.core.kind)) return {place(X, Vec::zero()), d, 0, 0};
  BoundaryPoint out = support(shape.core, unrotate(X, d));
  out.p = place(X, out.p) + d * shape.radius;
  return out;
}

/// The feature of a shape (placed by X) that has p, on its boundary, and the outward normal n.
inline int find_feature(const GrownCore& shape, const Pose<double>& X, const Vec& p, const Vec& n) {
  return project(shape.core, unplace(X, p + n * 0.01)).feature;
}

/// The nearest place, given its normal: A's farthest point along −N (B's along N if A is a half-space) and what faces
/// it.
inline Proximity make_nearest(const PatchCase& c) {
  const Vec a = find_farthest(c.A, {}, -c.N).p, b = find_farthest(c.B, c.X_AB, c.N).p;
  Proximity out;
  out.N = c.N;
  out.gap = dot(c.N, a - b);
  const bool is_led_by_A = is_bounded(c.A.core.kind);
  out.p_A = is_led_by_A ? a : b + c.N * out.gap;
  out.p_B = is_led_by_A ? a - c.N * out.gap : b;
  out.feature_A = find_feature(c.A, {}, out.p_A, -c.N);
  out.feature_B = find_feature(c.B, c.X_AB, out.p_B, c.N);
  return out;
}

inline ContactList find_patch(const PatchCase& c, double margin) {
  ContactList out;
  internal::add_patch_points(c.A, c.B, c.X_AB, make_nearest(c), margin, out);
  return out;
}

/// One of each kind of pair that has patches; gaps of some 0.1 mm on shapes of some 0.1 m, turned and shifted so that
/// no two borders coincide. B lies below A, with N = z up to the small tilt that A has.
inline std::vector<PatchCase> make_patch_cases() {
  const GrownCore plane = make_core(Plane{}), box = make_core(Box{{0.1, 0.16, 0.06}});
  const GrownCore rounded = make_core(RoundedBox{{0.12, 0.1, 0.08}, 0.02}), table = make_core(Box{{0.3, 0.2, 0.04}});
  const GrownCore cylinder = make_core(Cylinder{0.05, 0.12}), wide = make_core(Cylinder{0.08, 0.05});
  const GrownCore capsule = make_core(Capsule{0.02, 0.14}), rod = make_core(Rod{0.15});
  const GrownCore cone = make_core(Cone{0.04, 0.1}), plate = make_core(Ellipse{0.09, 0.05});
  const GrownCore slab = make_core(Ellipse{0.05, 0.1});
  const Vector3<double> x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  const Matrix3<double> lie = turn(y, std::acos(-1.0) / 2);  // z axis to x
  const double slope = std::atan2(0.04, 0.1);                // of the cone's side against its axis
  // B under A; X_BA is easier to tell.
  const auto put = [&](const char* name, const GrownCore& A, const GrownCore& B, const Matrix3<double>& R_BA,
                       const Vector3<double>& p, double tilt = 0) {
    const Pose<double> X_BA{turn(x + 0.4 * y, tilt) * R_BA, p};
    PatchCase out{name, A, B, X_BA.inverse(), Vec::zero()};
    out.N = rotate(out.X_AB, {0, 0, 1});
    // A's lowest point to a gap of 0.1 mm.
    const double gap = make_nearest(out).gap;
    out.X_AB = (Pose<double>::translation(z * (1e-4 - gap)) * X_BA).inverse();
    return out;
  };
  return {
      put("box on plane", box, plane, turn(z, 0.3), {0.1, 0.2, 0}),
      put("tilted box on plane", box, plane, turn(z, 0.3), {0.1, 0.2, 0}, 2e-3),
      put("rounded box on plane", rounded, plane, turn(z, 0.3), {0.1, 0.2, 0}),
      put("box on box", box, table, turn(z, 0.3), {0.1, 0.07, 0}),
      put("tilted box on box", box, table, turn(z, 0.3), {0.02, 0.01, 0}, 2e-3),
      put("rounded box on box", rounded, table, turn(z, 0.5), {0.13, 0.07, 0}),
      put("capsule on plane", capsule, plane, turn(z, 0.3) * lie, {0.1, 0.2, 0}),
      put("capsule on box", capsule, table, turn(z, 0.4) * lie, {0.11, 0.02, 0}),
      put("tilted capsule on box", capsule, table, turn(z, 0.4) * lie, {0.02, 0.02, 0}, 2e-3),
      put("rod on box", rod, table, turn(z, 0.4) * lie, {0.11, 0.02, 0}),
      put("cylinder lying on plane", cylinder, plane, turn(z, 0.3) * lie, {0.1, 0.2, 0}),
      put("cylinder lying on box", cylinder, table, turn(z, 0.3) * lie, {0.12, 0.02, 0}),
      put("cylinder lying on cylinder", cylinder, wide, turn(z, 0.3) * lie, {0.06, 0.01, 0}),
      put("cylinder standing on plane", cylinder, plane, turn(z, 0.3), {0.1, 0.2, 0}),
      put("tilted cylinder on plane", cylinder, plane, turn(z, 0.3), {0.1, 0.2, 0}, 2e-3),
      put("cylinder standing on box", cylinder, table, turn(z, 0.3), {0.13, 0.03, 0}),
      put("tilted cylinder on box", cylinder, table, turn(z, 0.3), {0.05, 0.03, 0}, 2e-3),
      put("cylinder standing on cylinder", cylinder, wide, turn(z, 0.3), {0.06, 0.03, 0}),
      put("cone standing on box", cone, table, turn(z, 0.3), {0.14, 0.02, 0}),
      put("cone lying on plane", cone, plane, turn(z, 0.3) * turn(y, std::acos(-1.0) / 2 + slope), {0.1, 0.2, 0}),
      put("cone lying on box", cone, table, turn(z, 0.3) * turn(y, std::acos(-1.0) / 2 + slope), {0.12, 0.02, 0}),
      put("plate on plane", plate, plane, turn(z, 0.3), {0.1, 0.2, 0}),
      put("plate on box", plate, table, turn(z, 0.3), {0.1, 0.02, 0}),
      put("plate on plate", plate, slab, turn(z, 0.2), {0.01, 0.005, 0}),
  };
}

}  // namespace thenar::test
