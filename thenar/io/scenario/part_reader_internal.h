// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The pieces that model and scenario files share: poses, shapes, mass properties, and values that belong to the
/// degrees of freedom of a joint. Every function throws InputError at the offending value.

#include <optional>
#include <string>
#include <vector>

#include "thenar/geometry/shape.h"
#include "thenar/io/text/reader.h"
#include "thenar/model/joint.h"

namespace thenar::internal {

/// A pose as written: {xyz: [..], rpy: [..]} or {xyz: [..], quat: [w, x, y, z]}; every part may be missing.
struct WrittenPose {
  Pose<double> pose;
  std::optional<Vector3<double>> rpy;  ///< if written so: it tells yaw = 2π from yaw = 0
};

WrittenPose read_pose(const Field& field, const Parameters& parameters);

/// A unit quaternion (w, x, y, z): of norm 1 to 1e-6, then normalised.
Vector4<double> read_quaternion(const Field& field, const Parameters& parameters);

/// {box: [..]}, {sphere: r}, …
Shape read_shape(const Field& field, const Parameters& parameters);

/// A shape and where it sits on its body.
struct PlacedShape {
  Shape shape;
  Pose<double> X_BS;
};

/// The keys mass, density, com, inertia, shape, shape_pose and shapes of a body or an object.
struct WrittenMass {
  MassProperties properties;
  bool is_given = false;  ///< whether anything but a shape was said
  std::vector<PlacedShape> shapes;
  std::optional<Field> unbounded;  ///< the first shape that fills half the world; then there is no mass

  /// For what can move: throws InputError at a shape that fills half the world.
  void refuse_unbounded() const;
};

WrittenMass read_mass(MapReader& reader, const Parameters& parameters);

/// What a degree of freedom of a joint is measured in, m or rad.
bool is_angular(JointKind kind, int dof);
/// Whether a degree of freedom has a coordinate whose rate it is; a rotation in space has none.
bool has_coordinate(JointKind kind, int dof);

/// Position of a joint: a number, a list, or a quaternion inside the list (see joint.h for the order).
VectorX<double> read_position(const Field& field, JointKind kind, const Parameters& parameters);
/// Velocity of a joint: a number or a list, one per degree of freedom.
VectorX<double> read_velocity(const Field& field, JointKind kind, const Parameters& parameters);
/// One number for all degrees of freedom or a list with one for each, not negative.
VectorX<double> read_damping(const Field& field, JointKind kind, const Parameters& parameters);
VectorX<double> read_armature(const Field& field, JointKind kind, const Parameters& parameters);
VectorX<double> read_friction(const Field& field, JointKind kind, const Parameters& parameters);
/// The same, greater than 0.
VectorX<double> read_effort(const Field& field, JointKind kind, const Parameters& parameters);
/// The same, from 0 to 1.
VectorX<double> read_restitution(const Field& field, JointKind kind, const Parameters& parameters);

/// The end of a message about an unknown name: "; did you mean 'hinge'? joints: hinge, wrist", where `what` is
/// "joints".
std::string list_known(const std::string& word, const std::vector<std::string>& known, std::string_view what);

/// "1 number" or "3 numbers".
std::string count_numbers(int count);

}  // namespace thenar::internal
