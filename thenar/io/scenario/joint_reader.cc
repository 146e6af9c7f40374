// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "thenar/base/text.h"
#include "thenar/io/scenario/joint_reader_internal.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {
namespace {

constexpr double kParallelSine = 1e-6;

/// The keys of a joint, all asked for at once so that an unknown key is told before anything else.
struct JointFields {
  explicit JointFields(MapReader& reader)
      : name(reader.optional("name")),
        type(reader.optional("type")),
        axis(reader.optional("axis")),
        second_axis(reader.optional("second_axis")),
        offset(reader.optional("offset")),
        frame(reader.optional("frame")),
        dh(reader.optional("dh")),
        damping(reader.optional("damping")),
        armature(reader.optional("armature")),
        friction(reader.optional("friction")),
        effort(reader.optional("effort")),
        spring(reader.optional("spring")),
        limits(reader.optional("limits")),
        locked(reader.optional("locked")) {
    reader.finish();
  }

  std::optional<Field> name, type, axis, second_axis, offset, frame, dh, damping, armature, friction, effort, spring,
      limits, locked;
};

JointKind read_kind(const Field& field) {
  return read::choice<JointKind>(field, {{"fixed", JointKind::fixed},
                                         {"revolute", JointKind::revolute},
                                         {"prismatic", JointKind::prismatic},
                                         {"universal", JointKind::universal},
                                         {"spherical", JointKind::spherical},
                                         {"planar", JointKind::planar},
                                         {"free", JointKind::free}});
}

Vector3<double> read_axis(const Field& field, const Parameters& parameters) {
  const Vector3<double> axis = read::vector3(field, kNumber, parameters);
  if (!(axis.norm() > 0)) field.fail("expects a direction, found a vector of length 0");
  return axis;
}

void read_axes(const JointFields& fields, JointSpec& spec, const Parameters& parameters) {
  const bool is_universal = spec.kind == JointKind::universal;
  const bool has_axis = is_universal || spec.kind == JointKind::revolute || spec.kind == JointKind::prismatic;
  if (fields.axis && !has_axis) {
    fields.axis->fail(
        fmt::format("is for revolute, prismatic and universal joints; this one is {}", to_string(spec.kind)));
  }
  for (const auto* field : {&fields.second_axis, &fields.offset}) {
    if (*field && !is_universal) {
      (*field)->fail(fmt::format("is for universal joints; this one is {}", to_string(spec.kind)));
    }
  }
  if (fields.axis) spec.axis = read_axis(*fields.axis, parameters);
  if (fields.second_axis) spec.second_axis = read_axis(*fields.second_axis, parameters);
  if (fields.offset) spec.offset = read::vector3(*fields.offset, kLength, parameters);
  if (!is_universal) return;
  if (spec.axis.normalized().cross(spec.second_axis.normalized()).norm() < kParallelSine) {
    const Field& culprit = fields.second_axis ? *fields.second_axis : fields.axis ? *fields.axis : *fields.type;
    culprit.fail("makes the two axes of the joint parallel; they must span a plane");
  }
}

Pose<double> rotate_by(const Vector3<double>& axis, double angle) {
  return Pose<double>::rotation(rotation_about_axis(axis, angle));
}

Pose<double> shift(const Vector3<double>& axis, double distance) { return Pose<double>::translation(axis * distance); }

/// One row of a Denavit–Hartenberg table: where the joint sits when q = 0. A turn or slide by q about or along z
/// commutes with Rz(θ) Tz(d), so q adds to θ (revolute) or to d (prismatic).
void read_dh(const Field& field, DhConvention convention, JointSpec& spec, const Parameters& parameters) {
  if (convention == DhConvention::none) {
    field.fail("needs the file to say which convention it follows: 'dh: standard' or 'dh: modified' beside 'bodies'");
  }
  if (spec.kind != JointKind::revolute && spec.kind != JointKind::prismatic && spec.kind != JointKind::fixed) {
    field.fail(fmt::format("is for revolute, prismatic and fixed joints; this one is {}", to_string(spec.kind)));
  }
  MapReader reader(field);
  const auto a = reader.optional("a"), alpha = reader.optional("alpha"), d = reader.optional("d"),
             theta = reader.optional("theta");
  reader.finish();
  const auto value = [&](const std::optional<Field>& f, Dimension unit) {
    return f ? read::number(*f, unit, parameters) : 0.0;
  };
  const Vector3<double> x = Vector3<double>::UnitX(), z = Vector3<double>::UnitZ();
  const Pose<double> along_x = shift(x, value(a, kLength)) * rotate_by(x, value(alpha, kAngle));
  const Pose<double> along_z = rotate_by(z, value(theta, kAngle)) * shift(z, value(d, kLength));
  spec.axis = z;
  if (convention == DhConvention::standard) {
    spec.X_BM = (along_z * along_x).inverse();  // A = Rz(θ) Tz(d) Tx(a) Rx(α), all of it beyond the joint
  } else {
    spec.X_PF = along_x * along_z;  // A = Rx(α) Tx(a) Rz(θ) Tz(d), all of it before the joint
  }
}

JointSpring read_spring(const Field& field, JointKind kind, const Parameters& parameters) {
  MapReader reader(field);
  const auto stiffness = reader.optional("stiffness"), rest = reader.optional("rest");
  reader.finish();
  if (velocity_count(kind) == 0) field.fail("is not possible: the joint is fixed");
  JointSpring spring;
  spring.stiffness = read_stiffness(stiffness ? *stiffness : reader.required("stiffness"), {kind}, parameters);
  if (rest) {
    spring.rest = read_position(*rest, kind, parameters);
  } else {
    spring.rest = VectorX<double>::Zero(position_count(kind));
    if (kind == JointKind::spherical) spring.rest(0) = 1;
    if (kind == JointKind::free) spring.rest(3) = 1;
  }
  return spring;
}

/// What entry (row, column) of a stiffness is measured in: an effort over a displacement.
Dimension stiffness_dimension(bool angular_row, bool angular_column) {
  Dimension out = angular_row ? kTorque : kForce;
  (angular_column ? out.angle : out.length) -= 1;
  return out;
}

}  // namespace

MatrixX<double> read_stiffness(const Field& field, const std::vector<JointKind>& kinds, const Parameters& parameters) {
  std::vector<bool> angular;
  for (const JointKind kind : kinds) {
    for (int i = 0; i < velocity_count(kind); ++i) angular.push_back(is_angular(kind, i));
  }
  const auto n = static_cast<int>(angular.size());
  const auto entry = [&](const Field& f, int row, int column) {
    return read::number(
        f, stiffness_dimension(angular[static_cast<std::size_t>(row)], angular[static_cast<std::size_t>(column)]),
        parameters);
  };
  MatrixX<double> K = MatrixX<double>::Zero(n, n);
  if (!field.node().is_sequence()) {
    for (int i = 0; i < n; ++i) K(i, i) = entry(field, i, i);
    return K;
  }
  const std::vector<Field> rows = read::items(field);
  const bool is_matrix = !rows.empty() && rows[0].node().is_sequence();
  if (static_cast<int>(rows.size()) != n) {
    field.fail(fmt::format("expects {}, one per degree of freedom, found {}",
                           is_matrix ? fmt::format("{} row{}", n, n == 1 ? "" : "s") : count_numbers(n), rows.size()));
  }
  for (int i = 0; i < n; ++i) {
    const Field& row = rows[static_cast<std::size_t>(i)];
    if (!is_matrix) {
      K(i, i) = entry(row, i, i);
      continue;
    }
    const std::vector<Field> items = read::items(row);
    if (static_cast<int>(items.size()) != n)
      row.fail(fmt::format("expects {}, found {}", count_numbers(n), items.size()));
    for (int j = 0; j < n; ++j) K(i, j) = entry(items[static_cast<std::size_t>(j)], i, j);
  }
  return K;
}

WrittenJoint read_joint(const Field& field, const std::string& body_name, DhConvention convention,
                        const Parameters& parameters) {
  MapReader reader(field);
  const Node* written_name = field.node().find("name");
  reader.set_context(
      fmt::format("joint {}", quote(written_name && written_name->is_scalar() ? written_name->scalar : body_name)));
  const JointFields fields(reader);
  JointSpec spec;
  spec.name = fields.name ? read::identifier(*fields.name) : body_name;
  spec.kind = read_kind(fields.type ? *fields.type : reader.required("type"));
  read_axes(fields, spec, parameters);
  if (fields.dh) {
    if (fields.frame) fields.dh->fail("cannot stand beside 'frame': give the joint's place in one way");
    if (fields.axis) fields.dh->fail("cannot stand beside 'axis': a Denavit-Hartenberg joint moves about z");
    read_dh(*fields.dh, convention, spec, parameters);
  }
  if (fields.frame) spec.X_PF = read_pose(*fields.frame, parameters).pose;
  if (fields.damping) spec.damping = read_damping(*fields.damping, spec.kind, parameters);
  if (fields.armature) spec.armature = read_armature(*fields.armature, spec.kind, parameters);
  if (fields.friction) spec.friction = read_friction(*fields.friction, spec.kind, parameters);
  if (fields.effort) spec.effort = read_effort(*fields.effort, spec.kind, parameters);
  if (fields.spring) spec.spring = read_spring(*fields.spring, spec.kind, parameters);
  if (fields.locked) spec.locked = read::boolean(*fields.locked);
  if (spec.locked && spec.kind == JointKind::fixed) fields.locked->fail("is not possible: the joint is fixed");
  return {spec, fields.limits};
}

}  // namespace thenar::internal
