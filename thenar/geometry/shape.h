// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Simple solids as values, with their volume and mass properties in closed form.
///
/// Every shape is described in a frame S of its own, with its origin at the middle of the shape's bounding box and, for
/// the round ones, z along the axis of revolution. So a cone has its base at z = −height/2 and its tip at +height/2
/// (its centre of mass lies at −height/4); all others have their centre of mass at the origin. Plane and bowl fill the
/// space below the x-y plane. Lengths in m.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "thenar/spatial/inertia.h"

namespace thenar {

// Each shape has its word and its sizes as files have them: visit(s, v) calls v(name, size) for every size, a length
// (double) or three of them (Vector3); v(name, a, b) for two that stand in a list. A size without a name stands by
// itself: {sphere: 0.02}.

struct Sphere {
  double radius = 0;

  static constexpr const char* kName = "sphere";
  static void visit(auto& s, auto&& v) { v("", s.radius); }
};
struct Ellipsoid {
  Vector3<double> semi_axes = Vector3<double>::Zero();  ///< along x, y, z

  static constexpr const char* kName = "ellipsoid";
  static void visit(auto& s, auto&& v) { v("", s.semi_axes); }
};
struct Cylinder {
  double radius = 0;
  double length = 0;

  static constexpr const char* kName = "cylinder";
  static void visit(auto& s, auto&& v) { v("radius", s.radius), v("length", s.length); }
};
/// A cylinder with half a ball on either end.
struct Capsule {
  double radius = 0;
  double length = 0;  ///< of the cylindrical part; the whole is 2 radius longer

  static constexpr const char* kName = "capsule";
  static void visit(auto& s, auto&& v) { v("radius", s.radius), v("length", s.length); }
};
struct Cone {
  double radius = 0;  ///< of the base
  double height = 0;

  static constexpr const char* kName = "cone";
  static void visit(auto& s, auto&& v) { v("radius", s.radius), v("height", s.height); }
};
struct Box {
  Vector3<double> sides = Vector3<double>::Zero();  ///< full lengths along x, y, z

  static constexpr const char* kName = "box";
  static void visit(auto& s, auto&& v) { v("", s.sides); }
};
/// A box whose edges and vertices are rounded: all points within `radius` of a smaller box.
struct RoundedBox {
  Vector3<double> sides = Vector3<double>::Zero();  ///< full lengths along x, y, z, of the whole
  double radius = 0;                                ///< at most half the shortest side

  static constexpr const char* kName = "rounded_box";
  static void visit(auto& s, auto&& v) { v("sides", s.sides), v("radius", s.radius); }
};
/// A ring: all points within `tube` of a circle in the x-y plane.
struct Torus {
  double radius = 0;  ///< of the circle
  double tube = 0;    ///< of the tube, less than `radius`

  static constexpr const char* kName = "torus";
  static void visit(auto& s, auto&& v) { v("radius", s.radius), v("tube", s.tube); }
};
/// A thin rod: a line with mass. It has no volume, so no density gives it a mass.
struct Rod {
  double length = 0;

  static constexpr const char* kName = "rod";
  static void visit(auto& s, auto&& v) { v("", s.length); }
};
/// A flat ellipse in the x-y plane, for planar objects. It has no volume either.
struct Ellipse {
  double a = 0, b = 0;  ///< semi-axes along x, y

  static constexpr const char* kName = "ellipse";
  static void visit(auto& s, auto&& v) { v("", s.a, s.b); }
};
/// The half-space below the x-y plane: a table, a wall. It fills half the world, so it has no mass and cannot move.
struct Plane {
  static constexpr const char* kName = "plane";
  static void visit(auto&, auto&&) {}
};
/// The half-space below the x-y plane less a ball with its centre on the z axis: a bowl. No mass, cannot move.
struct Bowl {
  double radius = 0;  ///< of the ball
  double depth = 0;   ///< of the lowest point below the x-y plane, less than the diameter

  static constexpr const char* kName = "bowl";
  static void visit(auto& s, auto&& v) { v("radius", s.radius), v("depth", s.depth); }
};

using Shape =
    std::variant<Sphere, Ellipsoid, Cylinder, Capsule, Cone, Box, RoundedBox, Torus, Rod, Ellipse, Plane, Bowl>;

/// Calls f with a shape of every kind, without sizes, in the order of the variant.
template <class Function>
void for_each_shape(Function&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (f(std::variant_alternative_t<I, Shape>{}), ...); }
  (std::make_index_sequence<std::variant_size_v<Shape>>());
}

/// The name used in files: "sphere", "box", …
const char* shape_name(const Shape& shape);

/// What is wrong with the sizes, or nothing: every length must be finite and greater than 0.
std::optional<std::string> find_fault(const Shape& shape);

/// Whether it fills half the world, so that only something fixed can have it.
bool is_unbounded(const Shape& shape);

/// Volume, m³; 0 for a rod and an ellipse. Only for bounded shapes.
double calc_volume(const Shape& shape);

/// Mass properties in S of the shape filled evenly with `mass` (kg). Only for bounded shapes.
MassProperties mass_properties_from_mass(const Shape& shape, double mass);

/// The same for a given density (kg/m³). Throws std::invalid_argument for a rod and an ellipse.
MassProperties mass_properties_from_density(const Shape& shape, double density);

}  // namespace thenar
