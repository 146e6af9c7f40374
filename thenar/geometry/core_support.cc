// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Farthest points of cores along a direction, and which part of the element manifold belongs to which feature.

#include <algorithm>
#include <cmath>

#include "thenar/base/assert.h"
#include "thenar/geometry/core.h"
#include "thenar/geometry/core_internal.h"

namespace thenar {
namespace {

using internal::box_side;
using internal::make_radial;
using internal::place_radially;
using internal::Radial;

/// A place and its feature; the rest of a BoundaryPoint follows from the direction.
struct Place {
  Vec3<double> p;
  int feature;
};

Place find_end_of_segment(double half, const Vec3<double>& d) {
  if (d.z > 0) return {{0, 0, half}, 2};
  if (d.z < 0) return {{0, 0, -half}, 1};
  return {Vec3<double>::zero(), 0};
}

/// Along an axis that d has no part of, the middle of the feature, unless both ends are one.
Place find_corner_of_box(const Vec3<double>& half, const Vec3<double>& d) {
  const int x = box_side(d.x, half.x), y = box_side(d.y, half.y), z = box_side(d.z, half.z);
  return {{x * half.x, y * half.y, z * half.z}, internal::kBoxFeature[internal::box_cell(x, y, z)]};
}

Place find_far_point_of_ellipsoid(const Vec3<double>& a, const Vec3<double>& d) {
  const Vec3<double> s = normalized(Vec3<double>(a.x * d.x, a.y * d.y, a.z * d.z));
  return {{a.x * s.x, a.y * s.y, a.z * s.z}, 0};
}

Place find_far_point_of_cylinder(double radius, double half, const Vec3<double>& d) {
  const Radial c = make_radial(d);
  if (d.z == 0) return {place_radially(c, radius, 0), 0};
  const bool is_upper = d.z > 0;
  const double z = is_upper ? half : -half;
  if (c.rho == 0) return {{0, 0, z}, is_upper ? 2 : 1};
  return {place_radially(c, radius, z), is_upper ? 4 : 3};
}

Place find_far_point_of_cone(const Vec3<double>& size, const Vec3<double>& d) {
  const Radial c = make_radial(d);
  // Along the side from the rim to the apex, d gains this (times the slant); a few ulp are the side's own normal.
  const double up = 2 * size.z * d.z, in = size.x * c.rho;
  if (std::abs(up - in) <= 4 * kEpsilon * in) return {place_radially(c, size.x / 2, 0), 0};
  if (up > in) return {{0, 0, size.z}, 3};
  if (c.rho == 0) return {{0, 0, -size.z}, 1};
  return {place_radially(c, size.x, -size.z), 2};
}

Place find_far_point_of_plate(double a, double b, const Vec3<double>& d) {
  const Radial s = make_radial({a * d.x, b * d.y, 0});
  if (s.rho == 0) return {Vec3<double>::zero(), d.z > 0 ? 1 : 0};
  return {{a * s.cx, b * s.cy, 0}, 2};
}

Place find_far_point(const Core& core, const Vec3<double>& d) {
  const Vec3<double>& size = core.size;
  switch (core.kind) {
    case CoreKind::point:
      break;
    case CoreKind::segment:
      return find_end_of_segment(size.z, d);
    case CoreKind::box:
      return find_corner_of_box(size, d);
    case CoreKind::ellipsoid:
      return find_far_point_of_ellipsoid(size, d);
    case CoreKind::cylinder:
      return find_far_point_of_cylinder(size.x, size.z, d);
    case CoreKind::cone:
      return find_far_point_of_cone(size, d);
    case CoreKind::plate:
      return find_far_point_of_plate(size.x, size.y, d);
    case CoreKind::circle:
      return {place_radially(make_radial(d), size.x, 0), 0};
    case CoreKind::half_space:
    case CoreKind::bowl:
      THENAR_ASSERT(is_bounded(core.kind));
      break;
  }
  return {Vec3<double>::zero(), 0};
}

// --- calc_outside -------------------------------------------------------------------------------------------------

/// The angle whose tangent is |opposite|/adjacent, in [0, π]. Most calls ask for 0, or what rounding leaves of it,
/// where the tangent will do (next term: a third of its cube).
double angle_of(double opposite, double adjacent) {
  const double height = std::abs(opposite);
  if (height <= 1e-8 * adjacent) return adjacent > 0 ? height / adjacent : 0;
  return std::atan2(height, adjacent);
}

double beyond(double x, double limit) { return std::max(0.0, x - limit); }

/// Between n and ±z.
double angle_to_z(const Vec3<double>& n, double sign) { return angle_of(std::sqrt(n.x * n.x + n.y * n.y), sign * n.z); }

/// n in the half-plane that p lies in, for rims: radial, tangential and axial part.
struct RimNormal {
  double r, t, z;
};
RimNormal resolve(const Vec3<double>& n, const Radial& c) {
  return {n.x * c.cx + n.y * c.cy, n.y * c.cx - n.x * c.cy, n.z};
}

/// The angle between n and the flat cone of directions that lie, in the half-plane of a rim, counterclockwise (r to z)
/// after `first` and before `last`, two unit vectors (r, z) less than 180° apart.
double angle_to_fan(const RimNormal& n, double first_r, double first_z, double last_r, double last_z) {
  const bool is_after = first_r * n.z - first_z * n.r >= 0, is_before = last_z * n.r - last_r * n.z >= 0;
  if (is_after && is_before) return angle_of(n.t, std::sqrt(n.r * n.r + n.z * n.z));
  const auto angle_to = [&n](double r, double z) {
    const double off = r * n.z - z * n.r;
    return angle_of(std::sqrt(off * off + n.t * n.t), r * n.r + z * n.z);
  };
  return std::min(angle_to(first_r, first_z), angle_to(last_r, last_z));
}

Outside calc_outside_of_segment(double half, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  if (feature == 0) return {beyond(std::abs(p.z), half), angle_of(n.z, std::sqrt(n.x * n.x + n.y * n.y))};
  const double out = feature == 2 ? n.z : -n.z;
  return {0, out >= 0 ? 0 : angle_of(out, std::sqrt(n.x * n.x + n.y * n.y))};
}

/// The normals of a feature are all sums of the normals of its faces: those parts of n that are not, form an angle with
/// those that are.
Outside calc_outside_of_box(const Vec3<double>& half, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const internal::BoxSides& sides = internal::kBoxSides[static_cast<std::size_t>(feature)];
  double length2 = 0, on2 = 0, off2 = 0;
  const auto add = [&](int side, double p_axis, double n_axis, double half_axis) {
    if (side == 0) {
      const double out = beyond(std::abs(p_axis), half_axis);
      length2 += out * out;
    }
    (side * n_axis > 0 ? on2 : off2) += n_axis * n_axis;
  };
  add(sides[0], p.x, n.x, half.x);
  add(sides[1], p.y, n.y, half.y);
  add(sides[2], p.z, n.z, half.z);
  return {std::sqrt(length2), angle_of(std::sqrt(off2), std::sqrt(on2))};
}

Outside calc_outside_of_cylinder(double radius, double half, int feature, const Vec3<double>& p,
                                 const Vec3<double>& n) {
  if (feature == 0) return {beyond(std::abs(p.z), half), angle_of(n.z, std::sqrt(n.x * n.x + n.y * n.y))};
  const Radial c = make_radial(p);
  if (feature <= 2) return {beyond(c.rho, radius), angle_to_z(n, feature == 2 ? 1 : -1)};
  const RimNormal rim = resolve(n, c);
  return {0, feature == 4 ? angle_to_fan(rim, 1, 0, 0, 1) : angle_to_fan(rim, 0, -1, 1, 0)};
}

Outside calc_outside_of_cone(const Vec3<double>& size, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const internal::ConeProfile profile = internal::make_cone_profile(size);
  if (feature == 0 || feature == 3) {
    const Radial c = make_radial(n);
    const double off = n.z * profile.cosine - c.rho * profile.sine, on = c.rho * profile.cosine + n.z * profile.sine;
    if (feature == 3) return {0, off >= 0 ? 0 : angle_of(off, on)};
    const double down = profile.sine * (p.x * c.cx + p.y * c.cy) - profile.cosine * (p.z - size.z);
    return {std::max(beyond(down, profile.slant), -std::min(0.0, down)), angle_of(off, on)};
  }
  const Radial c = make_radial(p);
  if (feature == 1) return {beyond(c.rho, size.x), angle_to_z(n, -1)};
  return {0, angle_to_fan(resolve(n, c), 0, -1, profile.cosine, profile.sine)};
}

Outside calc_outside_of_plate(const Core& core, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const double a = core.size.x, b = core.size.y, u = p.x / a, v = p.y / b;
  if (feature < 2) {
    const double length = u * u + v * v <= 1 ? 0 : project(core, {p.x, p.y, 0}).distance;
    return {length, angle_to_z(n, feature == 1 ? 1 : -1)};
  }
  // The rim's normals are the half circle from −z over its normal in the plane to z.
  const RimNormal rim = resolve(n, make_radial({u / a, v / b, 0}));
  if (rim.r >= 0) return {0, angle_of(rim.t, std::sqrt(rim.r * rim.r + rim.z * rim.z))};
  return {0, angle_of(std::sqrt(rim.r * rim.r + rim.t * rim.t), std::abs(rim.z))};
}

Outside calc_outside_of_bowl(const Vec3<double>& size, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const double ball = size.x, rim = size.y, centre = internal::bowl_centre(size);
  const Radial c = make_radial(p);
  if (feature == 0) return {beyond(rim, c.rho), angle_to_z(n, 1)};
  if (feature == 1) return {0, angle_to_fan(resolve(n, c), 0, 1, -rim / ball, centre / ball)};
  // From the centre, the direction of p is above the rim's direction (rim, −centre) by an angle.
  const Vec3<double> g{p.x, p.y, p.z - centre};
  const double above = centre * c.rho + rim * g.z, along = rim * c.rho - centre * g.z;
  const double length = above > 0 ? ball * angle_of(above, along) : 0;
  return {length, angle_of(norm(cross(n, g)), -dot(n, g))};
}

}  // namespace

BoundaryPoint support(const Core& core, const Vec3<double>& d) {
  const Place place = find_far_point(core, d);
  return {place.p, d, place.feature, dot(d, place.p)};
}

Outside calc_outside(const Core& core, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const Vec3<double>& size = core.size;
  switch (core.kind) {
    case CoreKind::point:
    case CoreKind::ellipsoid:
    case CoreKind::circle:
      break;
    case CoreKind::segment:
      return calc_outside_of_segment(size.z, feature, p, n);
    case CoreKind::box:
      return calc_outside_of_box(size, feature, p, n);
    case CoreKind::cylinder:
      return calc_outside_of_cylinder(size.x, size.z, feature, p, n);
    case CoreKind::cone:
      return calc_outside_of_cone(size, feature, p, n);
    case CoreKind::plate:
      return calc_outside_of_plate(core, feature, p, n);
    case CoreKind::half_space:
      return {0, angle_to_z(n, 1)};
    case CoreKind::bowl:
      return calc_outside_of_bowl(size, feature, p, n);
  }
  return {};
}

}  // namespace thenar
