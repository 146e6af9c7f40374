// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/feature_surface.h"

#include <cmath>

#include "thenar/base/assert.h"
#include "thenar/geometry/core_internal.h"

namespace thenar {
namespace {

using internal::BoxSides;

Pose<double> move_along_z(double z) { return Pose<double>::translation({0, 0, z}); }

/// The frame of a plane z = const that looks up, or down.
Pose<double> place_level(double z, bool looks_up) {
  Pose<double> X = move_along_z(z);
  if (!looks_up) X.R << 0, 1, 0, 1, 0, 0, 0, 0, -1;
  return X;
}

/// Axes of S in cyclic order, the given one last.
Matrix3<double> turn_z_to_axis(int axis) {
  Matrix3<double> R = Matrix3<double>::Zero();
  for (int i = 0; i < 3; ++i) R((axis + 1 + i) % 3, i) = 1;
  return R;
}

FeatureSurface make_segment_surface(const GrownCore& shape, int feature) {
  if (feature == 0) return {CylinderSurface{shape.radius}, {}};
  return {SphereSurface{shape.radius}, move_along_z(feature == 2 ? shape.core.size.z : -shape.core.size.z)};
}

FeatureSurface make_box_surface(const GrownCore& shape, int feature) {
  const BoxSides& sides = internal::kBoxSides[static_cast<std::size_t>(feature)];
  const Vec3<double>& half = shape.core.size;
  Pose<double> X;
  X.p = Vector3<double>(sides[0] * half.x, sides[1] * half.y, sides[2] * half.z);
  if (feature >= 18) return {SphereSurface{shape.radius}, X};
  if (feature >= 6) {
    X.R = turn_z_to_axis((feature - 6) / 4);
    return {CylinderSurface{shape.radius}, X};
  }
  X.R = turn_z_to_axis(feature / 2);
  if (feature % 2 == 0) {
    X.R.col(0).swap(X.R.col(1));
    X.R.col(2) *= -1;
  }
  X.p += shape.radius * X.R.col(2);
  return {PlaneSurface(), X};
}

FeatureSurface make_cylinder_surface(const GrownCore& shape, int feature) {
  const double radius = shape.core.size.x, half = shape.core.size.z;
  if (feature == 0) return {CylinderSurface{radius + shape.radius}, {}};
  const bool is_upper = feature == 2 || feature == 4;
  if (feature <= 2) {
    const double z = half + shape.radius;
    return {PlaneSurface(), place_level(is_upper ? z : -z, is_upper)};
  }
  return {RingSurface{radius, radius, shape.radius}, move_along_z(is_upper ? half : -half)};
}

FeatureSurface make_cone_surface(const GrownCore& shape, int feature) {
  const double radius = shape.core.size.x, half = shape.core.size.z;
  const internal::ConeProfile profile = internal::make_cone_profile(shape.core.size);
  if (feature == 0)
    return {ConeSurface{profile.sine, profile.cosine}, move_along_z(half + shape.radius / profile.sine)};
  if (feature == 1) return {PlaneSurface(), place_level(-half - shape.radius, false)};
  if (feature == 2) return {RingSurface{radius, radius, shape.radius}, move_along_z(-half)};
  return {SphereSurface{shape.radius}, move_along_z(half)};
}

FeatureSurface make_plate_surface(const GrownCore& shape, int feature) {
  if (feature == 2) return {RingSurface{shape.core.size.x, shape.core.size.y, shape.radius}, {}};
  return {PlaneSurface(), place_level(feature == 1 ? shape.radius : -shape.radius, feature == 1)};
}

FeatureSurface make_bowl_surface(const GrownCore& shape, int feature) {
  const Vec3<double>& size = shape.core.size;
  if (feature == 0) return {PlaneSurface(), move_along_z(shape.radius)};
  if (feature == 1) return {RingSurface{size.y, size.y, shape.radius}, {}};
  return {SphereSurface{shape.radius - size.x}, move_along_z(internal::bowl_centre(size))};
}

// --- snap(): the same without the detour over variant and rotation ------------------------------------------------

using Element = ContactElement<double>;

Element shifted(Element e, const Vec3<double>& by) {
  e.p += by;
  return e;
}

Element snap_on_sphere(const Vec3<double>& centre, double radius, const Vec3<double>& n) {
  return shifted(SphereSurface{radius}.snap(Vec3<double>::zero(), n), centre);
}

Element snap_on_level(double z, const Vec3<double>& p, bool looks_up) {
  return internal::make_diagonal<double>({p.x, p.y, z}, {0, 0, looks_up ? 1.0 : -1.0},
                                         looks_up ? Vec3<double>(1, 0, 0) : Vec3<double>(0, 1, 0),
                                         looks_up ? Vec3<double>(0, 1, 0) : Vec3<double>(1, 0, 0), 1, 1, 0, 0, 0);
}

/// The circle around z at height z₀, grown by r. With c the direction of the place, t the tangent and n = c₂ c + s₂ z
/// (RingSurface with a = b).
Element snap_on_circle(double circle, double z, double r, const Vec3<double>& near_p, const Vec3<double>& near_n) {
  const Vector2<double> c = internal::direction_of(near_p.x - r * near_n.x, near_p.y - r * near_n.y);
  const Vector2<double> d = internal::direction_of(near_n.x * c(0) + near_n.y * c(1), near_n.z);
  const double out = circle + r * d(0);
  return internal::make_diagonal<double>({out * c(0), out * c(1), z + r * d(1)}, {d(0) * c(0), d(0) * c(1), d(1)},
                                         {-c(1), c(0), 0}, {-d(1) * c(0), -d(1) * c(1), d(0)}, out, r, d(0), 1, d(1));
}

/// Renames the axes so that `axis` becomes z, in cyclic order, and back.
Vec3<double> make_last(int axis, const Vec3<double>& v) {
  return axis == 2 ? v : axis == 1 ? Vec3<double>(v.z, v.x, v.y) : Vec3<double>(v.y, v.z, v.x);
}
Vec3<double> make_last_back(int axis, const Vec3<double>& v) {
  return axis == 2 ? v : axis == 1 ? Vec3<double>(v.y, v.z, v.x) : Vec3<double>(v.z, v.x, v.y);
}
void make_last_back(int axis, Element& e) {
  e.p = make_last_back(axis, e.p);
  e.n = make_last_back(axis, e.n);
  e.x = make_last_back(axis, e.x);
  e.y = make_last_back(axis, e.y);
}

Element snap_on_segment(const GrownCore& shape, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  if (feature == 0) return CylinderSurface{shape.radius}.snap(p, n);
  const double half = shape.core.size.z;
  return snap_on_sphere({0, 0, feature == 2 ? half : -half}, shape.radius, n);
}

Element snap_on_box(const GrownCore& shape, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const BoxSides& sides = internal::kBoxSides[static_cast<std::size_t>(feature)];
  const Vec3<double>& half = shape.core.size;
  const Vec3<double> middle{sides[0] * half.x, sides[1] * half.y, sides[2] * half.z};
  if (feature >= 18) return snap_on_sphere(middle, shape.radius, n);
  const int axis = feature >= 6 ? (feature - 6) / 4 : feature / 2;
  Element e;
  if (feature >= 6) {
    e = CylinderSurface{shape.radius}.snap(make_last(axis, p), make_last(axis, n));
    e.p += make_last(axis, middle);
  } else {
    const bool looks_up = feature % 2 == 1;
    const double level = make_last(axis, middle).z + (looks_up ? shape.radius : -shape.radius);
    e = snap_on_level(level, make_last(axis, p), looks_up);
  }
  make_last_back(axis, e);
  return e;
}

Element snap_on_cylinder(const GrownCore& shape, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const double radius = shape.core.size.x, half = shape.core.size.z;
  if (feature == 0) return CylinderSurface{radius + shape.radius}.snap(p, n);
  const bool is_upper = feature == 2 || feature == 4;
  const double sign = is_upper ? 1 : -1;
  if (feature <= 2) return snap_on_level(sign * (half + shape.radius), p, is_upper);
  return snap_on_circle(radius, sign * half, shape.radius, p, n);
}

Element snap_on_cone(const GrownCore& shape, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const double radius = shape.core.size.x, half = shape.core.size.z;
  if (feature == 0) {
    const internal::ConeProfile profile = internal::make_cone_profile(shape.core.size);
    const Vec3<double> apex{0, 0, half + shape.radius / profile.sine};
    return shifted(ConeSurface{profile.sine, profile.cosine}.snap(p - apex, n), apex);
  }
  if (feature == 1) return snap_on_level(-half - shape.radius, p, false);
  if (feature == 2) return snap_on_circle(radius, -half, shape.radius, p, n);
  return snap_on_sphere({0, 0, half}, shape.radius, n);
}

Element snap_on_plate(const GrownCore& shape, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  if (feature == 2) return RingSurface{shape.core.size.x, shape.core.size.y, shape.radius}.snap(p, n);
  return snap_on_level(feature == 1 ? shape.radius : -shape.radius, p, feature == 1);
}

Element snap_on_bowl(const GrownCore& shape, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  const Vec3<double>& size = shape.core.size;
  if (feature == 0) return snap_on_level(shape.radius, p, true);
  if (feature == 1) return snap_on_circle(size.y, 0, shape.radius, p, n);
  return snap_on_sphere({0, 0, internal::bowl_centre(size)}, shape.radius - size.x, n);
}

}  // namespace

FeatureSurface make_feature_surface(const GrownCore& shape, int feature) {
  switch (shape.core.kind) {
    case CoreKind::point:
      return {SphereSurface{shape.radius}, {}};
    case CoreKind::segment:
      return make_segment_surface(shape, feature);
    case CoreKind::box:
      return make_box_surface(shape, feature);
    case CoreKind::ellipsoid:
      THENAR_ASSERT(shape.radius == 0);
      return {EllipsoidSurface{shape.core.size}, {}};
    case CoreKind::cylinder:
      return make_cylinder_surface(shape, feature);
    case CoreKind::cone:
      return make_cone_surface(shape, feature);
    case CoreKind::plate:
      return make_plate_surface(shape, feature);
    case CoreKind::half_space:
      return {PlaneSurface(), move_along_z(shape.radius)};
    case CoreKind::circle:
      return {RingSurface{shape.core.size.x, shape.core.size.x, shape.radius}, {}};
    case CoreKind::bowl:
      return make_bowl_surface(shape, feature);
  }
  return {};
}

ContactElement<double> snap(const GrownCore& shape, int feature, const Vec3<double>& p, const Vec3<double>& n) {
  switch (shape.core.kind) {
    case CoreKind::point:
      break;
    case CoreKind::segment:
      return snap_on_segment(shape, feature, p, n);
    case CoreKind::box:
      return snap_on_box(shape, feature, p, n);
    case CoreKind::ellipsoid:
      THENAR_ASSERT(shape.radius == 0);
      return EllipsoidSurface{shape.core.size}.snap(p, n);
    case CoreKind::cylinder:
      return snap_on_cylinder(shape, feature, p, n);
    case CoreKind::cone:
      return snap_on_cone(shape, feature, p, n);
    case CoreKind::plate:
      return snap_on_plate(shape, feature, p, n);
    case CoreKind::half_space:
      return snap_on_level(shape.radius, p, true);
    case CoreKind::circle:
      return snap_on_circle(shape.core.size.x, 0, shape.radius, p, n);
    case CoreKind::bowl:
      return snap_on_bowl(shape, feature, p, n);
  }
  return SphereSurface{shape.radius}.snap(p, n);
}

}  // namespace thenar
