// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// The boundary point of a core nearest to a given point.
///
/// Bodies of revolution are solved in the half-plane (ρ, z) through their axis and q. Normals never come from the
/// difference of two nearly equal points: on a face the normal is that of the face; on edges, rims and vertices the
/// direction to q is taken only while it is longer than the rounding of its two ends (kBlur).

#include <algorithm>
#include <cmath>

#include "thenar/geometry/core.h"
#include "thenar/geometry/core_internal.h"

namespace thenar {
namespace {

using internal::box_side;
using internal::make_radial;
using internal::place_radially;
using internal::Radial;

/// A distance below kBlur times the size has no direction any more: both ends are rounded to half an ulp or so.
constexpr double kBlur = 8 * kEpsilon;

/// An element at the end of the vector (r, z) in the half-plane of c: a rim. `middle` is taken where the vector is too
/// short to tell a direction.
BoundaryPoint make_rim_point(const Radial& c, double rim_radius, double rim_z, double r, double z, double middle_r,
                             double middle_z, int feature) {
  const double distance = std::sqrt(r * r + z * z);
  BoundaryPoint out{place_radially(c, rim_radius, rim_z), {}, feature, distance};
  if (distance > kBlur * (rim_radius + std::abs(rim_z))) {
    out.n = place_radially(c, r / distance, z / distance);
  } else {
    out.n = place_radially(c, middle_r, middle_z);
  }
  return out;
}

/// An element at a point that is exact, so that any d = q − p but zero tells the direction.
BoundaryPoint make_vertex_point(const Vec3<double>& p, const Vec3<double>& d, const Vec3<double>& middle, int feature) {
  const double distance = norm(d);
  if (!(distance > 0)) return {p, middle, feature, 0};
  return {p, {d.x / distance, d.y / distance, d.z / distance}, feature, distance};
}

BoundaryPoint project_on_segment(double half, const Vec3<double>& q) {
  const Vec3<double> p{0, 0, std::clamp(q.z, -half, half)};
  const Vec3<double> d = q - p;
  if (d.z > 0) return make_vertex_point(p, d, {0, 0, 1}, 2);
  if (d.z < 0) return make_vertex_point(p, d, {0, 0, -1}, 1);
  return make_vertex_point(p, d, {1, 0, 0}, 0);
}

/// The face nearest to a point in the box.
BoundaryPoint project_from_inside_box(const Vec3<double>& half, const Vec3<double>& q) {
  const Vec3<double> depth{half.x - std::abs(q.x), half.y - std::abs(q.y), half.z - std::abs(q.z)};
  BoundaryPoint out{q, Vec3<double>::zero(), 0, 0};
  const auto take = [&out](double q_axis, double half_axis, double& p_axis, double& n_axis, int axis) {
    const bool is_upper = q_axis >= 0;
    n_axis = is_upper ? 1 : -1;
    p_axis = is_upper ? half_axis : -half_axis;
    out.distance = std::abs(q_axis) - half_axis;
    out.feature = 2 * axis + (is_upper ? 1 : 0);
  };
  if (depth.x <= depth.y && depth.x <= depth.z) {
    take(q.x, half.x, out.p.x, out.n.x, 0);
  } else if (depth.y <= depth.z) {
    take(q.y, half.y, out.p.y, out.n.y, 1);
  } else {
    take(q.z, half.z, out.p.z, out.n.z, 2);
  }
  return out;
}

BoundaryPoint project_on_box(const Vec3<double>& half, const Vec3<double>& q) {
  const Vec3<double> p{std::clamp(q.x, -half.x, half.x), std::clamp(q.y, -half.y, half.y),
                       std::clamp(q.z, -half.z, half.z)};
  const Vec3<double> d = q - p;
  const int x = box_side(d.x, half.x), y = box_side(d.y, half.y), z = box_side(d.z, half.z);
  if (x == 0 && y == 0 && z == 0) return project_from_inside_box(half, q);
  const int feature = internal::kBoxFeature[internal::box_cell(x, y, z)];
  const double middle = 1 / std::sqrt(static_cast<double>(x * x + y * y + z * z));
  return make_vertex_point(p, d, Vec3<double>(x, y, z) * middle, feature);
}

Vec3<double> multiply(const Vec3<double>& a, const Vec3<double>& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Vec3<double> divide(const Vec3<double>& a, const Vec3<double>& b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }

/// The nearest point of an ellipsoid. The normal at p is along p_i/a_i². With q_i = p_i + t p_i/a_i² the point is
/// p_i = a_i z_i, and it lies on the surface where
///
///     |z(s)| = 1,   z_i = k_i/(c_i + s),   k_i = a_i q_i,   c_i = a_i² − a_min²,   s = t + a_min² ≥ 0
///
/// whose largest root is the nearest point (Eberly, Distance from a point to an ellipse, an ellipsoid, or a
/// hyperellipsoid, 2013). |z| falls with s, and 1/|z| is concave and nearly straight (the secular equation of trust
/// regions, Moré and Sorensen 1983), which makes Halley's method on 1/|z| = 1 end after two or three steps nearly
/// everywhere. Only near the focal curve, where many points are nearly nearest, more are needed: there the bracket of
/// the root is bisected in log s.
class EllipsoidProjector {
 public:
  EllipsoidProjector(const Vec3<double>& a, const Vec3<double>& q) : k_(multiply(a, q)) {
    const double a_min = std::min({a.x, a.y, a.z});
    const auto excess = [a_min](double a_i) { return (a_i - a_min) * (a_i + a_min); };
    c_ = {excess(a.x), excess(a.y), excess(a.z)};
    surface_ = a_min * a_min;
    least_ = 1e-100 * surface_;
    const Vec3<double> u = divide(q, a);
    set_bracket(dot(u, u));
  }

  /// A⁻¹ p, a unit vector.
  Vec3<double> find_nearest() {
    if (high_ <= surface_) {  // inside
      const Vec3<double> flat = calc_z(least_);
      const double flat2 = dot(flat, flat);
      if (flat2 < 1) return complete(flat, 1 - flat2);
    }
    const Vec3<double> z = calc_z(find_root());
    return z * (1.5 - 0.5 * dot(z, z));  // 1/|z|, since |z| is 1 nearly to rounding
  }

 private:
  Vec3<double> calc_z(double s) const { return {k_.x / (c_.x + s), k_.y / (c_.y + s), k_.z / (c_.z + s)}; }

  /// |z| ≥ |z_i| and |z| ≥ |k|/(c̄ + s), with c̄ the mean of c_i weighted with k_i² (Jensen), bound s from below;
  /// |z| ≤ |k|/s bounds it from above. At s = a_min², which is t = 0, |z|² = Σ (q_i/a_i)² = `height2`, more than 1 if q
  /// is outside.
  void set_bracket(double height2) {
    const Vec3<double> k2 = multiply(k_, k_);
    const double sum = k2.x + k2.y + k2.z, k = std::sqrt(sum);
    const double mean = sum > 0 ? dot(k2, c_) / sum : 0;
    low_ = std::max({least_, k - mean, std::abs(k_.x) - c_.x, std::abs(k_.y) - c_.y, std::abs(k_.z) - c_.z});
    if (height2 > 1) {
      low_ = std::max(low_, surface_);
      high_ = std::max(low_, k);
      start_ = low_;
    } else {
      high_ = std::max(low_, std::min(k, surface_));
      start_ = height2 > 0.5 ? high_ : low_;
    }
  }

  double find_root() {
    double s = start_;
    for (int iteration = 0; iteration < 100; ++iteration) {
      // f = |z|², f' = −2 slope, f'' = 6 bend.
      const Vec3<double> inverse{1 / (c_.x + s), 1 / (c_.y + s), 1 / (c_.z + s)};
      const Vec3<double> z = multiply(k_, inverse), z2 = multiply(z, z);
      const double f = dot(z, z), slope = dot(z2, inverse), bend = dot(z2, multiply(inverse, inverse));
      const double excess = std::sqrt(f) - 1;
      if (std::abs(excess) <= 2 * kEpsilon) return s;
      if (excess > 0) {
        low_ = s;
      } else {
        high_ = s;
        if (low_ >= s) low_ = least_;  // the bound was rounded up
      }
      // Newton's step, and its correction by the second derivative: with g = 1/|z|, −g''/g' = 3 (bend/slope − slope/f).
      const double inverse_slope = 1 / slope, newton = excess * f * inverse_slope;
      const double step = newton / std::max(0.2, 1 + 1.5 * (excess - newton * bend * inverse_slope));
      // What is left after the step is of the order of its cube.
      if (std::abs(step) <= 3e-6 * s) return s + step;
      const bool is_slow = iteration >= 6 && iteration % 2 == 0 && std::abs(step) > 0.1 * s;
      s += step;
      if (is_slow || !(s > low_ && s < high_)) s = std::sqrt(low_ * high_);
    }
    return s;
  }

  /// q is in the middle between the two sides that the shortest axis ends at (c = 0): the one on q's side, or the
  /// positive one, takes what is missing in |z|² = 1.
  Vec3<double> complete(Vec3<double> z, double missing) const {
    if (c_.x == 0) {
      z.x = std::copysign(std::sqrt(missing + z.x * z.x), k_.x);
    } else if (c_.y == 0) {
      z.y = std::copysign(std::sqrt(missing + z.y * z.y), k_.y);
    } else {
      z.z = std::copysign(std::sqrt(missing + z.z * z.z), k_.z);
    }
    return z;
  }

  Vec3<double> k_, c_;
  double surface_;  ///< s of a point on the surface
  double least_;    ///< below, s is as good as 0; it is not 0 itself for the sake of 0/s
  double low_, high_, start_;
};

BoundaryPoint project_on_ellipsoid(const Vec3<double>& a, const Vec3<double>& q) {
  const Vec3<double> z = EllipsoidProjector(a, q).find_nearest();
  const Vec3<double> p = multiply(a, z), n = normalized(divide(z, a));
  return {p, n, 0, dot(n, q - p)};
}

BoundaryPoint project_on_plate(double a, double b, const Vec3<double>& q) {
  const double u = q.x / a, v = q.y / b;
  if (u * u + v * v <= 1) {
    const bool is_upper = q.z >= 0;
    return {{q.x, q.y, 0}, {0, 0, is_upper ? 1.0 : -1.0}, is_upper ? 1 : 0, std::abs(q.z)};
  }
  // In the plane, the rim is as near as any ellipsoid through it.
  const double longest = std::max(a, b);
  const Vec3<double> z = EllipsoidProjector({a, b, longest}, {q.x, q.y, 0}).find_nearest();
  const Vec3<double> p{a * z.x, b * z.y, 0};
  // q lies in the half-plane of the rim's normal.
  const Radial m = make_radial({z.x / a, z.y / b, 0});
  const double across = std::max(0.0, m.cx * (q.x - p.x) + m.cy * (q.y - p.y));
  BoundaryPoint out = make_rim_point(m, longest, 0, across, q.z, 1, 0, 2);
  out.p = p;
  return out;
}

BoundaryPoint project_on_cylinder(double radius, double half, const Vec3<double>& q) {
  const Radial c = make_radial(q);
  const bool is_upper = q.z >= 0;
  const double sign = is_upper ? 1 : -1;
  const double across = c.rho - radius, along = std::abs(q.z) - half;
  if (across > 0 && along > 0) {
    const double middle = std::sqrt(0.5);
    return make_rim_point(c, radius, sign * half, across, sign * along, middle, sign * middle, is_upper ? 4 : 3);
  }
  if (across > along) return {place_radially(c, radius, q.z), {c.cx, c.cy, 0}, 0, across};
  return {{q.x, q.y, sign * half}, {0, 0, sign}, is_upper ? 2 : 1, along};
}

BoundaryPoint project_on_cone(const Vec3<double>& size, const Vec3<double>& q) {
  const double radius = size.x, half = size.z;
  const internal::ConeProfile profile = internal::make_cone_profile(size);
  const Radial c = make_radial(q);
  const double above = q.z - half, below = -half - q.z;  // the apex, the base
  const double beside = profile.cosine * c.rho + profile.sine * above;
  const double down = profile.sine * c.rho - profile.cosine * above;  // along the side, from the apex
  if (down < 0) return make_vertex_point({0, 0, half}, {q.x, q.y, above}, {0, 0, 1}, 3);
  const double past_base = c.rho - radius;
  const double past_side = profile.sine * past_base + profile.cosine * below;
  if (past_base > 0 && past_side > 0) {
    // The middle of the normals (cosine, sine) and (0, −1).
    const double r = profile.cosine, z = profile.sine - 1, length = std::sqrt(r * r + z * z);
    return make_rim_point(c, radius, -half, past_base, -below, r / length, z / length, 2);
  }
  if (below >= beside) return {{q.x, q.y, -half}, {0, 0, -1}, 1, below};
  const double w = std::min(down, profile.slant);
  return {place_radially(c, profile.sine * w, half - profile.cosine * w),
          place_radially(c, profile.cosine, profile.sine), 0, beside};
}

BoundaryPoint project_on_circle(double radius, const Vec3<double>& q) {
  const Radial c = make_radial(q);
  return make_rim_point(c, radius, 0, c.rho - radius, q.z, 1, 0, 0);
}

/// The free space is z > 0 and the ball; its boundary point nearest to q is the nearest of the body's boundary.
BoundaryPoint project_on_bowl(const Vec3<double>& size, const Vec3<double>& q) {
  const double ball = size.x, rim = size.y, centre = internal::bowl_centre(size);
  const Radial c = make_radial(q);
  const double g_z = q.z - centre, from_centre = std::sqrt(c.rho * c.rho + g_z * g_z);
  const double to_hollow = ball - from_centre;
  const auto on_flat = [&] { return BoundaryPoint{{q.x, q.y, 0}, {0, 0, 1}, 0, q.z}; };
  const auto on_hollow = [&] {
    const double e_r = from_centre > 0 ? c.rho / from_centre : 0, e_z = from_centre > 0 ? g_z / from_centre : -1;
    return BoundaryPoint{place_radially(c, ball * e_r, centre + ball * e_z), place_radially(c, -e_r, -e_z), 2,
                         to_hollow};
  };
  if (q.z <= 0 && to_hollow <= 0) return q.z >= to_hollow ? on_flat() : on_hollow();
  if (c.rho >= rim && q.z >= 0) return on_flat();
  // The hollow is seen from the centre below the rim's direction (rim, −centre).
  if (centre * c.rho + rim * g_z < 0 || from_centre == 0) return on_hollow();
  // The middle of the normals (0, 1) and (−rim, centre)/ball.
  const double r = -rim, z = centre + ball, length = std::sqrt(r * r + z * z);
  return make_rim_point(c, rim, 0, c.rho - rim, q.z, r / length, z / length, 1);
}

}  // namespace

BoundaryPoint project(const Core& core, const Vec3<double>& q) {
  switch (core.kind) {
    case CoreKind::point:
      return make_vertex_point(Vec3<double>::zero(), q, {0, 0, 1}, 0);
    case CoreKind::segment:
      return project_on_segment(core.size.z, q);
    case CoreKind::box:
      return project_on_box(core.size, q);
    case CoreKind::ellipsoid:
      return project_on_ellipsoid(core.size, q);
    case CoreKind::cylinder:
      return project_on_cylinder(core.size.x, core.size.z, q);
    case CoreKind::cone:
      return project_on_cone(core.size, q);
    case CoreKind::plate:
      return project_on_plate(core.size.x, core.size.y, q);
    case CoreKind::half_space:
      return {{q.x, q.y, 0}, {0, 0, 1}, 0, q.z};
    case CoreKind::circle:
      return project_on_circle(core.size.x, q);
    case CoreKind::bowl:
      return project_on_bowl(core.size, q);
  }
  return {};
}

}  // namespace thenar
