// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "thenar/base/text.h"
#include "thenar/io/scenario/part_reader_internal.h"
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

/// Semi-axes of an ellipsoid or an ellipse, sides of a box.
VectorX<double> read_lengths(const Field& field, int size, const Parameters& parameters) {
  const VectorX<double> lengths = read::vector(field, size, kLength, parameters);
  for (const Field& item : read::items(field)) read::positive(item, kLength, parameters);
  return lengths;
}

/// Reads the sizes of a shape, as it says itself (shape.h).
class SizeReader {
 public:
  SizeReader(const Field& field, const Parameters& parameters) : field_(field), parameters_(parameters) {}

  template <class S>
  Shape read() {
    S shape;
    bool stands_alone = false;
    S::visit(shape, [&](const char* name, auto&...) { stands_alone = *name == 0; });
    if (!stands_alone) {
      reader_.emplace(field_);
      S::visit(shape, [&](const char* name, auto&...) { fields_.emplace_back(name, reader_->optional(name)); });
      reader_->finish();
    }
    S::visit(shape, *this);
    return shape;
  }

  void operator()(const char* name, double& length) { length = read::positive(find(name), kLength, parameters_); }
  void operator()(const char* name, double& a, double& b) {
    const VectorX<double> both = read_lengths(find(name), 2, parameters_);
    a = both(0);
    b = both(1);
  }
  void operator()(const char* name, Vector3<double>& lengths) { lengths = read_lengths(find(name), 3, parameters_); }

 private:
  Field find(const char* name) {
    if (*name == 0) return field_;
    for (const auto& [known, field] : fields_) {
      if (known == name && field) return *field;
    }
    return reader_->required(name);
  }

  const Field& field_;
  const Parameters& parameters_;
  std::optional<MapReader> reader_;  ///< where sizes have names
  std::vector<std::pair<std::string_view, std::optional<Field>>> fields_;
};

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
MassProperties read_explicit_mass(const std::optional<Field>& mass, const std::optional<Field>& com,
                                  const std::optional<Field>& inertia, const Parameters& parameters) {
  MassProperties out;
  if (mass) out.mass = read::non_negative(*mass, kMass, parameters);
  if (com) out.com = read::vector3(*com, kLength, parameters);
  if (inertia) {
    out.inertia = read_inertia(*inertia, parameters);
    if (!mass) inertia->fail("needs a 'mass' beside it");
    if (const auto fault = out.find_fault()) inertia->fail(fmt::format("is not that of a body: {}", *fault));
  }
  return out;
}

/// Mass of shapes that are filled evenly, all with the same density.
MassProperties read_shape_mass(const std::vector<PlacedShape>& shapes, const std::optional<Field>& mass,
                               const std::optional<Field>& density, const Parameters& parameters) {
  if (mass && shapes.size() == 1) {
    const PlacedShape& only = shapes.front();
    return mass_properties_from_mass(only.shape, read::positive(*mass, kMass, parameters)).expressed_in(only.X_BS);
  }
  double value = mass ? read::positive(*mass, kMass, parameters) : read::positive(*density, kDensity, parameters);
  double volume = 0;
  for (const PlacedShape& placed : shapes) {
    const bool is_rod = std::holds_alternative<Rod>(placed.shape),
               is_ellipse = std::holds_alternative<Ellipse>(placed.shape);
    const char* what = is_rod ? "a rod, a line without volume" : "an ellipse, an area without volume";
    if ((is_rod || is_ellipse) && density) density->fail(fmt::format("makes no sense for {}: give its 'mass'", what));
    if (is_rod || is_ellipse) {
      mass->fail(fmt::format("needs an 'inertia' beside it: shapes share a mass by volume, and there is {}", what));
    }
    volume += calc_volume(placed.shape);
  }
  if (mass) value /= volume;
  MassProperties out;
  for (const PlacedShape& placed : shapes) {
    out = out + mass_properties_from_density(placed.shape, value).expressed_in(placed.X_BS);
  }
  return out;
}

/// The keys shape and shape_pose, or shapes.
std::vector<PlacedShape> read_placed_shapes(const std::optional<Field>& shape, const std::optional<Field>& shape_pose,
                                            const std::optional<Field>& shapes, const Parameters& parameters) {
  std::vector<PlacedShape> out;
  if (shape_pose && !shape) shape_pose->fail("needs a 'shape' beside it");
  if (shape) {
    if (shapes) shapes->fail("cannot stand beside 'shape': give one of the two");
    out.push_back({read_shape(*shape, parameters), {}});
    if (shape_pose) out.back().X_BS = read_pose(*shape_pose, parameters).pose;
  }
  if (!shapes) return out;
  for (const Field& item : read::items(*shapes)) {
    MapReader reader(item);
    const auto item_shape = reader.optional("shape"), pose = reader.optional("pose");
    reader.finish();
    out.push_back({read_shape(item_shape ? *item_shape : reader.required("shape"), parameters), {}});
    if (pose) out.back().X_BS = read_pose(*pose, parameters).pose;
  }
  if (out.empty()) shapes->fail("expects at least one shape, found an empty list");
  return out;
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
  for_each_shape([&]<class S>(const S&) { reader.optional(S::kName); });
  reader.finish();
  const std::size_t count = field.node().members.size();
  if (count != 1) field.fail(fmt::format("expects one shape, such as {{sphere: 0.02}}, found {}", count));
  const Field sizes = reader.required(field.node().members.front().name);
  Shape shape;
  for_each_shape([&]<class S>(const S&) {
    if (field.node().members.front().name == S::kName) shape = SizeReader(sizes, parameters).read<S>();
  });
  if (const auto fault = find_fault(shape)) sizes.fail(fmt::format("has bad sizes: {}", *fault));
  return shape;
}

WrittenMass read_mass(MapReader& reader, const Parameters& parameters) {
  const auto mass = reader.optional("mass"), density = reader.optional("density"), com = reader.optional("com"),
             inertia = reader.optional("inertia"), shape = reader.optional("shape"),
             shape_pose = reader.optional("shape_pose"), shapes = reader.optional("shapes");
  WrittenMass out;
  out.shapes = read_placed_shapes(shape, shape_pose, shapes, parameters);
  out.is_given = mass || density || inertia;
  const bool has_shape = !out.shapes.empty();
  if (density && !has_shape) density->fail("needs a 'shape' beside it, which has the volume");
  if (density && mass) density->fail("cannot stand beside 'mass': give one of the two");
  if (density && (com || inertia)) density->fail("cannot stand beside 'com' or 'inertia': give 'mass' instead");
  if (has_shape && com && !inertia) {
    com->fail(
        fmt::format("needs an 'inertia' beside it, or move the shape by '{}' instead", shape ? "shape_pose" : "pose"));
  }
  for (std::size_t i = 0; i < out.shapes.size() && !out.unbounded; ++i) {
    if (is_unbounded(out.shapes[i].shape)) out.unbounded = shape ? *shape : read::items(*shapes)[i];
  }
  if (out.unbounded) {
    for (const auto* given : {&mass, &density}) {
      if (*given) (*given)->fail("makes no sense: the shape fills half the world");
    }
  }
  if (has_shape && !inertia && out.is_given) {
    out.properties = read_shape_mass(out.shapes, mass, density, parameters);
  } else {
    out.properties = read_explicit_mass(mass, com, inertia, parameters);
  }
  if (const auto fault = out.properties.find_fault()) reader.fail(fmt::format("has bad mass properties: {}", *fault));
  return out;
}

void WrittenMass::refuse_unbounded() const {
  if (unbounded) unbounded->fail("fills half the world: only an object with 'joint: fixed' can have it");
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

VectorX<double> read_effort(const Field& field, JointKind kind, const Parameters& parameters) {
  return read_list(field, velocity_count(kind), true, [&](const Field& item, int i) {
    return read::positive(item, is_angular(kind, i) ? kTorque : kForce, parameters);
  });
}

VectorX<double> read_restitution(const Field& field, JointKind kind, const Parameters& parameters) {
  return read_list(field, velocity_count(kind), true,
                   [&](const Field& item, int) { return read::number_between(item, 0, 1, kNumber, parameters); });
}

}  // namespace thenar::internal
