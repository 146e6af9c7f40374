// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/foot_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/geometry/contact_element.h"
#include "thenar/geometry/core_internal.h"

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;

const double kCosine = std::cos(kPatchAngle), kSine = std::sin(kPatchAngle);

/// Sides of a core that are shorter than this, relative to the whole shape, are not there: a rounded box may be a grown
/// rectangle, line or point.
constexpr double kThin = 1e-9;

std::array<double, 3> components(const Vec& v) { return {v.x, v.y, v.z}; }

constexpr std::size_t next(std::size_t axis, std::size_t steps) { return (axis + steps) % 3; }

/// Grows an outline point by point.
void add_point(Outline& outline, int feature, int number, const Vec& p) {
  outline.points[static_cast<std::size_t>(outline.point_count++)] = {feature, number, p};
}
void add_straight(Outline& outline, int feature, bool is_edge, const FootPoint& from, const FootPoint& to) {
  FootCurve& curve = outline.curves[static_cast<std::size_t>(outline.curve_count++)];
  curve.feature = feature;
  curve.is_edge = is_edge;
  curve.ends = {from.feature, to.feature};
  curve.origin = from.p;
  curve.u = to.p - from.p;
}

/// A flat ellipse with semi-axes a, b along x, y at height z.
Outline make_round_outline(const PlacedShape& body, int feature, int rim, bool looks_up, double a, double b, double z,
                           const ArcPoints& arc) {
  Outline out;
  out.is_flat = true;
  out.feature = feature;
  out.radius = body.shape.radius;
  out.n = looks_up ? body.R.z : -body.R.z;
  out.centre = body.place({0, 0, z});
  FootCurve& curve = out.curves[0];
  out.curve_count = 1;
  curve.feature = rim;
  curve.is_rim = true;
  curve.origin = out.centre;
  curve.u = body.R.x * a;
  curve.v = body.R.y * b;
  add_point(out, rim, 1, out.centre + curve.u);
  add_point(out, rim, 2, out.centre + curve.v);
  add_point(out, rim, 3, out.centre - curve.u);
  add_point(out, rim, 4, out.centre - curve.v);
  for (int k = 0; k < ArcPoints::kSlots; ++k) {
    const double angle = arc.angles[static_cast<std::size_t>(k)];
    if (std::isnan(angle)) continue;
    add_point(out, rim, kFirstArcNumber + k, out.centre + curve.u * std::cos(angle) + curve.v * std::sin(angle));
  }
  return out;
}

/// The features and places of a box by the sides that they lie on.
class BoxFeet {
 public:
  BoxFeet(const PlacedShape& body, const Vec& d)
      : body_(body), half_(components(body.shape.core.size)), d_(components(d)) {
    const double size = body.shape.radius + *std::max_element(half_.begin(), half_.end());
    for (std::size_t i = 0; i < 3; ++i) {
      is_thin_[i] = half_[i] <= kThin * size;
      // Where both sides are one, always the same.
      side_[i] = d_[i] > 0 || is_thin_[i] ? 1 : -1;
    }
  }

  Foot find() const {
    Foot foot;
    const std::size_t axis = find_largest();
    const bool is_face = std::abs(d_[axis]) >= kCosine;
    const std::size_t i = next(axis, 1), j = next(axis, 2);
    if (is_face && !is_thin_[i] && !is_thin_[j]) foot.flat = make_face(axis);
    const bool is_i_first = std::abs(d_[i]) <= std::abs(d_[j]);
    std::size_t count = 0;
    for (const std::size_t along : {is_i_first ? i : j, is_i_first ? j : i}) {
      if (!is_thin_[along] && std::abs(d_[along]) <= kSine) foot.lines[count++] = make_edge(along);
    }
    return foot;
  }

 private:
  std::size_t find_largest() const {
    std::size_t axis = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (std::abs(d_[i]) > std::abs(d_[axis])) axis = i;
    }
    return axis;
  }

  using Sides = std::array<int, 3>;
  static int find_feature(const Sides& s) { return kBoxFeature[box_cell(s[0], s[1], s[2])]; }
  Vec place(const Sides& s) const { return body_.place({s[0] * half_[0], s[1] * half_[1], s[2] * half_[2]}); }

  Outline make_face(std::size_t axis) const {
    Outline out;
    out.is_flat = true;
    out.radius = body_.shape.radius;
    const std::size_t i = next(axis, 1), j = next(axis, 2);
    Sides sides{};
    sides[axis] = side_[axis];
    out.feature = find_feature(sides);
    out.centre = place(sides);
    const std::array<Vec, 3> axes{body_.R.x, body_.R.y, body_.R.z};
    out.n = axes[axis] * static_cast<double>(side_[axis]);
    // Counterclockwise about +axis; the edge between two corners has the side that they share.
    constexpr std::array<std::array<int, 2>, 4> kCorners{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
    constexpr std::array<std::array<int, 2>, 4> kEdges{{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}};
    const auto at = [&](const std::array<int, 2>& s) {
      Sides all = sides;
      all[i] = s[0];
      all[j] = s[1];
      return all;
    };
    for (std::size_t k = 0; k < 4; ++k) {
      const Sides corner = at(kCorners[k]);
      add_point(out, find_feature(corner), 0, place(corner));
    }
    for (std::size_t k = 0; k < 4; ++k) {
      add_straight(out, find_feature(at(kEdges[k])), true, out.points[k], out.points[(k + 1) % 4]);
    }
    return out;
  }

  FootLine make_edge(std::size_t axis) const {
    Sides sides = side_;
    const auto end = [&](int side) {
      sides[axis] = side;
      return FootLine::End{find_feature(sides), place(sides), 0};
    };
    const FootLine::End lower = end(-1), upper = end(1);
    sides[axis] = 0;
    return FootLine(find_feature(sides), body_.shape.radius, normalized(upper.p - lower.p), lower, upper);
  }

  const PlacedShape& body_;
  std::array<double, 3> half_, d_;
  std::array<bool, 3> is_thin_;
  Sides side_;
};

Foot find_foot_of_segment(const PlacedShape& body, const Vec& d) {
  Foot foot;
  const double half = body.shape.core.size.z;
  if (std::abs(d.z) <= kSine) {
    foot.lines[0].emplace(0, body.shape.radius, body.R.z, FootLine::End{1, body.place({0, 0, -half}), 0},
                          FootLine::End{2, body.place({0, 0, half}), 0});
  }
  return foot;
}

Foot find_foot_of_cylinder(const PlacedShape& body, const Vec& d, const ArcPoints& arc) {
  Foot foot;
  const double radius = body.shape.core.size.x, half = body.shape.core.size.z;
  const bool is_upper = d.z > 0;
  if (std::abs(d.z) >= kCosine) {
    foot.flat = make_round_outline(body, is_upper ? 2 : 1, is_upper ? 4 : 3, is_upper, radius, radius,
                                   is_upper ? half : -half, arc);
  } else if (std::abs(d.z) <= kSine) {
    foot.lines[0].emplace(0, body.shape.radius, body.R.z, FootLine::End{3, body.place({0, 0, -half}), radius},
                          FootLine::End{4, body.place({0, 0, half}), radius});
  }
  return foot;
}

Foot find_foot_of_cone(const PlacedShape& body, const Vec& d, const ArcPoints& arc) {
  Foot foot;
  const Vec& size = body.shape.core.size;
  if (-d.z >= kCosine) {
    foot.flat = make_round_outline(body, 1, 2, false, size.x, size.x, -size.z, arc);
    return foot;
  }
  // In the half-plane of d through the axis, the side's normal is (cosine, sine).
  const ConeProfile profile = make_cone_profile(size);
  if (profile.cosine * make_radial(d).rho + profile.sine * d.z >= kCosine) {
    foot.lines[0].emplace(0, body.shape.radius, body.R.z, FootLine::End{2, body.place({0, 0, -size.z}), size.x},
                          FootLine::End{3, body.place({0, 0, size.z}), 0});
  }
  return foot;
}

Foot find_foot_of_plate(const PlacedShape& body, const Vec& d, const ArcPoints& arc) {
  Foot foot;
  const Vec& size = body.shape.core.size;
  const bool is_upper = d.z > 0;
  if (std::abs(d.z) >= kCosine) {
    foot.flat = make_round_outline(body, is_upper ? 1 : 0, 2, is_upper, size.x, size.y, 0, arc);
  }
  return foot;
}

Foot find_foot_of_half_space(const PlacedShape& body) {
  Foot foot;
  foot.flat.emplace();
  foot.flat->is_flat = true;
  foot.flat->n = body.R.z;
  foot.flat->centre = body.p;
  return foot;
}

}  // namespace

Outline FootLine::make_outline(const Vec& d) const {
  Outline out;
  out.feature = feature_;
  out.radius = radius_;
  Vec across = d - axis_ * dot(d, axis_);
  const double length = norm(across);
  if (length > 0) {
    across = across * (1 / length);
  } else {
    Vec other;
    complete_frame(axis_, across, other);  // every ruling faces d alike
  }
  for (const End& end : ends_) add_point(out, end.feature, 0, end.p + across * end.rim_radius);
  const bool is_edge = ends_[0].rim_radius == 0 && ends_[1].rim_radius == 0;
  add_straight(out, feature_, is_edge, out.points[0], out.points[1]);
  return out;
}

Foot find_foot(const PlacedShape& body, const Vec& d_A, const ArcPoints& arc) {
  const Vec d = body.unturn(d_A);
  switch (body.shape.core.kind) {
    case CoreKind::segment:
      return find_foot_of_segment(body, d);
    case CoreKind::box:
      return BoxFeet(body, d).find();
    case CoreKind::cylinder:
      return find_foot_of_cylinder(body, d, arc);
    case CoreKind::cone:
      return find_foot_of_cone(body, d, arc);
    case CoreKind::plate:
      return find_foot_of_plate(body, d, arc);
    case CoreKind::half_space:
      return find_foot_of_half_space(body);
    case CoreKind::point:
    case CoreKind::ellipsoid:
    case CoreKind::circle:
    case CoreKind::bowl:
      break;
  }
  return {};
}

bool is_rim(CoreKind kind, int feature) {
  switch (kind) {
    case CoreKind::cylinder:
      return feature >= 3;
    case CoreKind::cone:
    case CoreKind::plate:
      return feature == 2;
    default:
      return false;
  }
}

Vec calc_tangent(const Core& core, int feature, const Vec& p) {
  const Vec z{0, 0, 1}, none = Vec::zero();
  if (is_rim(core.kind, feature)) {
    const double a = core.size.x, b = core.kind == CoreKind::plate ? core.size.y : a;
    return normalized(Vec(-p.y / (b * b), p.x / (a * a), 0));
  }
  switch (core.kind) {
    case CoreKind::segment:
    case CoreKind::cylinder:
      return feature == 0 ? z : none;
    case CoreKind::box: {
      if (feature < 6 || feature >= 18) return none;
      const int axis = (feature - 6) / 4;
      return {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    }
    case CoreKind::cone: {
      if (feature != 0) return none;
      const ConeProfile profile = make_cone_profile(core.size);
      const Radial c = make_radial(p);
      return place_radially(c, -profile.sine, profile.cosine);
    }
    default:
      return none;
  }
}

}  // namespace thenar::internal
