// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "thenar/base/text.h"
#include "thenar/io/part_reader_internal.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {
namespace {

constexpr double kQuaternionTolerance = 1e-6;

Vector4<double> normalised(const Field& field, const Vector4<double>& quaternion) {
  const double norm = quaternion.norm();
  if (!(std::abs(norm - 1) <= kQuaternionTolerance)) {
    field.fail(fmt::format("expects a unit quaternion [w, x, y, z], found one of norm {:.7g}", norm));
  }
  return quaternion / norm;
}

/// Semi-axes of an ellipsoid or sides of a box.
Vector3<double> read_three_lengths(const Field& field, const Parameters& parameters) {
  const Vector3<double> lengths = read::vector3(field, kLength, parameters);
  for (const Field& item : read::items(field)) read::positive(item, kLength, parameters);
  return lengths;
}

template <class RoundShape>
RoundShape read_round(const Field& field, const char* along, const Parameters& parameters) {
  MapReader reader(field);
  const auto radius = reader.optional("radius"), length = reader.optional(along);
  reader.finish();
  const double r = read::positive(radius ? *radius : reader.required("radius"), kLength, parameters);
  const double l = read::positive(length ? *length : reader.required(along), kLength, parameters);
  return RoundShape{r, l};
}

Symmetric3<double> read_inertia(const Field& field, const Parameters& parameters) {
  const VectorX<double> six = read::vector(field, read::kAnySize, kInertia, parameters);
  if (six.size() != 3 && six.size() != 6) {
    field.fail(fmt::format("expects [ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz], found {}",
                           count_numbers(static_cast<int>(six.size()))));
  }
  const bool full = six.size() == 6;
  return {six(0), six(1), six(2), full ? six(3) : 0, full ? six(4) : 0, full ? six(5) : 0};
}

/// Mass written out as numbers: mass, com, inertia.
MassProperties read_explicit_mass(const MapReader& reader, const std::optional<Field>& mass,
                                  const std::optional<Field>& com, const std::optional<Field>& inertia,
                                  const Parameters& parameters) {
  MassProperties out;
  if (mass) out.mass = read::non_negative(*mass, kMass, parameters);
  if (com) out.com = read::vector3(*com, kLength, parameters);
  if (inertia) {
    out.inertia = read_inertia(*inertia, parameters);
    if (!mass) inertia->fail("needs a 'mass' beside it");
    if (const auto fault = out.find_fault()) inertia->fail(fmt::format("is not that of a body: {}", *fault));
  }
  if (const auto fault = out.find_fault()) reader.fail(fmt::format("has bad mass properties: {}", *fault));
  return out;
}

/// Mass of a shape that is filled evenly.
MassProperties read_shape_mass(const Shape& shape, const std::optional<Field>& mass,
                               const std::optional<Field>& density, const Parameters& parameters) {
  if (mass) return mass_properties_from_mass(shape, read::positive(*mass, kMass, parameters));
  const double value = read::positive(*density, kDensity, parameters);
  if (std::holds_alternative<Rod>(shape))
    density->fail("makes no sense for a rod, a line without volume: give its 'mass'");
  return mass_properties_from_density(shape, value);
}

/// A list with one number per entry of `dimensions`; a lone number stands for a list of one, or, if `spread`, for that
/// number at every place.
template <class ReadNumber>
VectorX<double> read_list(const Field& field, int size, bool spread, const ReadNumber& read_number) {
  VectorX<double> out(size);
  if (size == 0) field.fail("is not possible: the joint is fixed");
  if (field.node().is_sequence()) {
    const std::vector<Field> items = read::items(field);
    if (static_cast<int>(items.size()) != size) {
      field.fail(fmt::format("expects {}, found {}", count_numbers(size), items.size()));
    }
    for (int i = 0; i < size; ++i) out(i) = read_number(items[static_cast<std::size_t>(i)], i);
    return out;
  }
  if (size > 1 && !spread)
    field.fail(fmt::format("expects a list of {}, found {}", count_numbers(size), describe(field.node())));
  for (int i = 0; i < size; ++i) out(i) = read_number(field, i);
  return out;
}

}  // namespace

std::string list_known(const std::string& word, const std::vector<std::string>& known, std::string_view what) {
  const auto close = closest_match(word, known);
  return fmt::format("; {}{}: {}", close ? fmt::format("did you mean '{}'? ", *close) : std::string(), what,
                     list_words(known));
}

std::string count_numbers(int count) { return fmt::format("{} number{}", count, count == 1 ? "" : "s"); }

Vector4<double> read_quaternion(const Field& field, const Parameters& parameters) {
  return normalised(field, read::vector(field, 4, kNumber, parameters));
}

WrittenPose read_pose(const Field& field, const Parameters& parameters) {
  MapReader reader(field);
  const auto xyz = reader.optional("xyz"), rpy = reader.optional("rpy"), quat = reader.optional("quat");
  reader.finish();
  WrittenPose out;
  if (xyz) out.pose.p = read::vector3(*xyz, kLength, parameters);
  if (rpy && quat) quat->fail("cannot stand beside 'rpy': give the orientation in one way");
  if (rpy) {
    out.rpy = read::vector3(*rpy, kAngle, parameters);
    out.pose.R = rotation_from_rpy(*out.rpy);
  }
  if (quat) {
    const Vector4<double> q = read_quaternion(*quat, parameters);
    out.pose.R = rotation_from_quaternion<double>(q(0), q(1), q(2), q(3)).eigen();
  }
  return out;
}

Shape read_shape(const Field& field, const Parameters& parameters) {
  MapReader reader(field);
  const auto sphere = reader.optional("sphere"), ellipsoid = reader.optional("ellipsoid"),
             cylinder = reader.optional("cylinder"), capsule = reader.optional("capsule"),
             cone = reader.optional("cone"), box = reader.optional("box"), rod = reader.optional("rod");
  reader.finish();
  if (field.node().members.size() != 1) {
    field.fail(fmt::format("expects one shape, such as {{sphere: 0.02}}, found {}", field.node().members.size()));
  }
  if (sphere) return Sphere{read::positive(*sphere, kLength, parameters)};
  if (ellipsoid) return Ellipsoid{read_three_lengths(*ellipsoid, parameters)};
  if (cylinder) return read_round<Cylinder>(*cylinder, "length", parameters);
  if (capsule) return read_round<Capsule>(*capsule, "length", parameters);
  if (cone) return read_round<Cone>(*cone, "height", parameters);
  if (box) return Box{read_three_lengths(*box, parameters)};
  return Rod{read::positive(*rod, kLength, parameters)};
}

WrittenMass read_mass(MapReader& reader, const Parameters& parameters) {
  const auto mass = reader.optional("mass"), density = reader.optional("density"), com = reader.optional("com"),
             inertia = reader.optional("inertia"), shape = reader.optional("shape"),
             shape_pose = reader.optional("shape_pose");
  WrittenMass out;
  if (shape) out.shape = read_shape(*shape, parameters);
  if (shape_pose) {
    if (!shape) shape_pose->fail("needs a 'shape' beside it");
    out.X_BS = read_pose(*shape_pose, parameters).pose;
  }
  out.is_given = mass || density || inertia;
  if (density && !shape) density->fail("needs a 'shape' beside it, which has the volume");
  if (density && mass) density->fail("cannot stand beside 'mass': give one of the two");
  if (density && (com || inertia)) density->fail("cannot stand beside 'com' or 'inertia': give 'mass' instead");
  if (shape && com && !inertia) com->fail("needs an 'inertia' beside it, or move the shape by 'shape_pose' instead");
  if (shape && !inertia && out.is_given) {
    out.properties = read_shape_mass(*out.shape, mass, density, parameters).expressed_in(out.X_BS);
  } else {
    out.properties = read_explicit_mass(reader, mass, com, inertia, parameters);
  }
  return out;
}

bool is_angular(JointKind kind, int dof) {
  switch (kind) {
    case JointKind::prismatic:
      return false;
    case JointKind::planar:
      return dof == 2;
    case JointKind::free:
      return dof < 3;
    default:
      return true;
  }
}

bool has_coordinate(JointKind kind, int dof) {
  return kind != JointKind::spherical && !(kind == JointKind::free && is_angular(kind, dof));
}

VectorX<double> read_position(const Field& field, JointKind kind, const Parameters& parameters) {
  const auto dimension = [kind](int i) {
    if (kind == JointKind::spherical || (kind == JointKind::free && i >= 3)) return kNumber;
    return kind == JointKind::free || !is_angular(kind, i) ? kLength : kAngle;
  };
  VectorX<double> q = read_list(field, position_count(kind), false,
                                [&](const Field& item, int i) { return read::number(item, dimension(i), parameters); });
  if (kind == JointKind::spherical) q = normalised(field, q);
  if (kind == JointKind::free) q.tail<4>() = normalised(field, q.tail<4>());
  return q;
}

VectorX<double> read_velocity(const Field& field, JointKind kind, const Parameters& parameters) {
  return read_list(field, velocity_count(kind), false, [&](const Field& item, int i) {
    return read::number(item, is_angular(kind, i) ? kAngularVelocity : kVelocity, parameters);
  });
}

VectorX<double> read_damping(const Field& field, JointKind kind, const Parameters& parameters) {
  return read_list(field, velocity_count(kind), true, [&](const Field& item, int i) {
    return read::non_negative(item, is_angular(kind, i) ? kAngularDamping : kLinearDamping, parameters);
  });
}

VectorX<double> read_armature(const Field& field, JointKind kind, const Parameters& parameters) {
  return read_list(field, velocity_count(kind), true, [&](const Field& item, int i) {
    return read::non_negative(item, is_angular(kind, i) ? kInertia : kMass, parameters);
  });
}

VectorX<double> read_friction(const Field& field, JointKind kind, const Parameters& parameters) {
  return read_list(field, velocity_count(kind), true, [&](const Field& item, int i) {
    return read::non_negative(item, is_angular(kind, i) ? kTorque : kForce, parameters);
  });
}

VectorX<double> read_restitution(const Field& field, JointKind kind, const Parameters& parameters) {
  return read_list(field, velocity_count(kind), true,
                   [&](const Field& item, int) { return read::number_between(item, 0, 1, kNumber, parameters); });
}

}  // namespace thenar::internal
