// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/scenario/control_reader_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "thenar/base/text.h"
#include "thenar/control/grasp_control.h"
#include "thenar/control/joint_control.h"
#include "thenar/control/whole_arm.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/io/scenario/drive_reader_internal.h"
#include "thenar/io/scenario/glove_reader_internal.h"
#include "thenar/scenario/contact_margin.h"

namespace thenar::internal {
namespace {

constexpr Dimension kPerSecondSquared{.time = -2};

Interpolation read_interpolation(const std::optional<Field>& field, Interpolation otherwise) {
  if (!field) return otherwise;
  return read::choice<Interpolation>(*field, {{"hold", Interpolation::hold},
                                              {"linear", Interpolation::linear},
                                              {"quintic", Interpolation::quintic},
                                              {"via", Interpolation::via}});
}

std::optional<double> read_rate(const std::optional<Field>& field, const Parameters& parameters) {
  constexpr double kFastest = 1e6;  // Hz: beyond it a run does nothing but sample
  if (!field) return std::nullopt;
  const double rate = read::positive(*field, kFrequency, parameters);
  if (rate > kFastest)
    field->fail(fmt::format("is {} Hz, expected at most 1e6; without a rate it is continuous", rate));
  return rate;
}

/// One row of `targets`: a time and what is wanted then.
struct TargetRow {
  double t = 0;
  Field value;
};

std::vector<TargetRow> read_rows(const Field& field, const Parameters& parameters) {
  if (field.node().is_scalar()) field.fail("expects rows [[t, {…}], …] in this file, found " + describe(field.node()));
  std::vector<TargetRow> rows;
  for (const Field& item : read::items(field)) {
    const std::vector<Field> pair = read::items(item);
    if (pair.size() != 2) item.fail(fmt::format("expects a time and targets, [t, {{…}}], found {} items", pair.size()));
    const double t = read::number(pair[0], kTime, parameters);  // < 0: the run begins in the middle of the motion
    if (!rows.empty() && !(t > rows.back().t)) {
      pair[0].fail(fmt::format("is {} s, but the row before it is at {} s: times must grow", t, rows.back().t));
    }
    rows.push_back({t, pair[1]});
  }
  if (rows.empty()) field.fail("expects at least one row [t, {…}]");
  return rows;
}

/// Reads `pd`, `pd_gravity` and `computed_torque`.
class JointControlReader {
 public:
  JointControlReader(const Field& field, JointControlKind kind, const ControlContext& context)
      : reader_(field), kind_(kind), context_(context), model_(context.scenario.model) {}

  void read() {
    const auto joints = reader_.optional("joints"), kp = reader_.optional("kp"), kd = reader_.optional("kd"),
               targets = reader_.optional("targets"), glove = reader_.optional("glove"),
               interpolation = reader_.optional("interpolation"), rate = reader_.optional("rate");
    reader_.finish();
    find_servos(joints);
    if (kp) read_gains(*kp, &JointServo::kp);
    if (kd) read_gains(*kd, &JointServo::kd);
    for (JointServo& servo : servos_) servo.target = Trajectory(start_of(servo.dof));
    if (targets && glove) glove->fail("cannot stand beside 'targets': give the joints targets in one way");
    // A hand does not stop at every sample of a glove.
    const Interpolation between =
        read_interpolation(interpolation, glove ? Interpolation::via : Interpolation::quintic);
    if (targets) read_targets(*targets, between);
    if (glove) read_glove(*glove, between);
    const bool has_rows = glove || (targets && targets->node().is_sequence());
    if (interpolation && !has_rows) interpolation->fail("is for 'targets' given as rows [t, {…}]");
    context_.scenario.controls.push_back({make_law(), read_rate(rate, context_.parameters)});
  }

 private:
  static bool has_coordinates(const Joint& joint) {
    return joint.spec.kind == JointKind::revolute || joint.spec.kind == JointKind::prismatic ||
           joint.spec.kind == JointKind::universal;
  }

  void find_servos(const std::optional<Field>& field) {
    std::vector<JointIndex> joints;
    if (field) {
      const bool is_list = field->node().is_sequence();
      for (const Field& item : is_list ? read::items(*field) : std::vector<Field>{*field}) add_joints(item, joints);
    } else {
      for (int i = 0; i < model_.joint_count(); ++i) {
        const Joint& joint = model_.joint(JointIndex(i));
        if (has_coordinates(joint) && !context_.objects.contains(joint.child.value())) joints.push_back(JointIndex(i));
      }
      if (joints.empty()) reader_.fail("finds no joint to drive: the hands have none that turns or slides");
    }
    for (const JointIndex index : joints) {
      const Joint& joint = model_.joint(index);
      for (int i = 0; i < joint.nv; ++i) servos_.push_back({joint.v_start + i, 0, 0, {}});
    }
  }

  void add_joints(const Field& item, std::vector<JointIndex>& joints) const {
    const std::string name = read::text(item);
    const std::size_t before = joints.size();
    for (const JointIndex index : find_actuated_joints(name, item.node().mark, context_)) {
      const Joint& joint = model_.joint(index);
      if (!has_coordinates(joint)) {
        if (is_glob(name)) continue;
        item.fail(
            fmt::format("names joint '{}', which is {}: revolute, prismatic and universal joints can be driven to "
                        "targets",
                        name, to_string(joint.spec.kind)));
      }
      if (std::find(joints.begin(), joints.end(), index) != joints.end()) {
        item.fail(fmt::format("names joint '{}' a second time", joint.spec.name));
      }
      joints.push_back(index);
    }
    if (joints.size() == before) item.fail(fmt::format("is {}, which fits no joint that turns or slides", quote(name)));
  }

  /// One number for all joints, or numbers by name or pattern, the last that fits; else 0.
  void read_gains(const Field& field, double JointServo::*gain) {
    if (!field.node().is_mapping()) {
      for (JointServo& servo : servos_) servo.*gain = read_gain(field, gain, servo.dof);
      return;
    }
    for (const NamedField& entry : read::entries(field)) {
      for (JointServo* servo : find_named(entry)) servo->*gain = read_gain(entry.value, gain, servo->dof);
    }
  }

  double read_gain(const Field& field, double JointServo::*gain, int dof) const {
    const bool is_stiffness = gain == &JointServo::kp, turns = model_.is_angular(dof);
    Dimension dimension =
        is_stiffness ? (turns ? kAngularStiffness : kLinearStiffness) : (turns ? kAngularDamping : kLinearDamping);
    if (kind_ == JointControlKind::computed_torque) dimension = is_stiffness ? kPerSecondSquared : kFrequency;
    return read::non_negative(field, dimension, context_.parameters);
  }

  /// The servos of the joints that the entry names.
  std::vector<JointServo*> find_named(const NamedField& entry) {
    std::vector<JointServo*> found;
    for (const JointIndex index : find_actuated_joints(entry.name, entry.mark, context_)) {
      for (JointServo& servo : servos_) {
        if (model_.dof_joint(servo.dof) == index) found.push_back(&servo);
      }
    }
    if (found.empty()) {
      throw InputError(entry.mark,
                       fmt::format("{} is not among the joints that {} drives", quote(entry.name), reader_.context()));
    }
    return found;
  }

  double start_of(int dof) const { return context_.scenario.initial.q(model_.dof_coordinate(dof)); }

  void read_targets(const Field& field, Interpolation interpolation) {
    if (field.node().is_mapping()) return read_functions(field);
    std::map<int, std::vector<Waypoint>> waypoints;  // by degree of freedom
    for (const TargetRow& row : read_rows(field, context_.parameters)) {
      for (const NamedField& entry : read::entries(row.value)) {
        for (const JointServo* servo : find_named(entry)) {
          std::vector<Waypoint>& path = waypoints[servo->dof];
          const Dimension dimension = model_.is_angular(servo->dof) ? kAngle : kLength;
          const double value = read::number(part_for(entry.value, servo->dof), dimension, context_.parameters);
          if (path.empty() && row.t > 0) path.push_back({0, start_of(servo->dof)});
          if (!path.empty() && path.back().t == row.t) path.pop_back();  // the last that fits
          path.push_back({row.t, value});
        }
      }
    }
    for (JointServo& servo : servos_) {
      if (const auto found = waypoints.find(servo.dof); found != waypoints.end()) {
        servo.target = Trajectory(found->second, interpolation);
      }
    }
  }

  void read_functions(const Field& field) {
    for (const NamedField& entry : read::entries(field)) {
      for (JointServo* servo : find_named(entry)) {
        const Dimension dimension = model_.is_angular(servo->dof) ? kAngle : kLength;
        const double level = model_.joint(model_.dof_joint(servo->dof)).level;
        servo->target =
            Target(read_profile(part_for(entry.value, servo->dof), dimension, level, context_.parameters), level);
      }
    }
  }

  void read_glove(const Field& field, Interpolation interpolation) {
    const GloveReader glove(field, context_);
    for (const NamedField& entry : glove.entries()) {
      for (JointServo* servo : find_named(entry)) {
        const Dimension dimension = model_.is_angular(servo->dof) ? kAngle : kLength;
        servo->target = Trajectory(glove.calc_path(part_for(entry.value, servo->dof), dimension), interpolation);
      }
    }
  }

  /// What a value says about a degree of freedom: itself, or the item of a list with one per degree of freedom.
  Field part_for(const Field& value, int dof) const {
    if (!value.node().is_sequence()) return value;
    const Joint& joint = model_.joint(model_.dof_joint(dof));
    const std::vector<Field> items = read::items(value);
    if (static_cast<int>(items.size()) != joint.nv) {
      value.fail(
          fmt::format("expects {} for joint '{}', found {}", count_numbers(joint.nv), joint.spec.name, items.size()));
    }
    return items[static_cast<std::size_t>(dof - joint.v_start)];
  }

  std::shared_ptr<const Controller> make_law() {
    if (kind_ == JointControlKind::computed_torque) return std::make_shared<ComputedTorque>(std::move(servos_));
    return std::make_shared<PdControl>(std::move(servos_), kind_ == JointControlKind::pd_gravity);
  }

  MapReader reader_;
  JointControlKind kind_;
  const ControlContext& context_;
  const Model& model_;
  std::vector<JointServo> servos_;
};

/// A body that belongs to a hand.
BodyIndex read_fingertip_body(const Field& name, const ControlContext& context) {
  const BodyIndex body = find_body(name, context.scenario.model);
  if (context.objects.contains(body.value())) name.fail("is an object, not a link of a hand");
  return body;
}

/// A fingertip: the name of a body, whose origin it is, or {body: .., at: [..]}.
BodyPoint<double> read_fingertip(const Field& field, const ControlContext& context) {
  BodyPoint<double> tip{kWorld, Vec3<double>::zero()};
  Field name = field;
  if (field.node().is_mapping()) {
    MapReader reader(field);
    const auto body = reader.optional("body"), at = reader.optional("at");
    reader.finish();
    name = body ? *body : reader.required("body");
    if (at) tip.p_B = Vec3<double>(read::vector3(*at, kLength, context.parameters));
  }
  tip.body = read_fingertip_body(name, context);
  return tip;
}

Pose<double> find_start(const Scenario& scenario, BodyIndex body) {
  Workspace<double> workspace(scenario.model);
  update_positions(scenario.model, scenario.initial.q.data(), workspace);
  const Placement<double> X = calc_body_pose(scenario.model, workspace, body);
  return {X.R.eigen(), X.p.eigen()};
}

PoseTrajectory read_path(const Field& field, Interpolation interpolation, const Pose<double>& start,
                         const Parameters& parameters) {
  std::vector<PoseTrajectory::Waypoint> waypoints;
  for (const TargetRow& row : read_rows(field, parameters)) {
    if (waypoints.empty() && row.t > 0) waypoints.push_back({0, start});
    waypoints.push_back({row.t, read_pose(row.value, parameters).pose});
  }
  return {waypoints, interpolation};
}

/// What laws that move an object along a path have in common.
class ObjectPathFields {
 public:
  explicit ObjectPathFields(MapReader& reader)
      : body_(reader.optional("body")),
        targets_(reader.optional("targets")),
        interpolation_(reader.optional("interpolation")) {}

  Field body(MapReader& reader) const { return body_ ? *body_ : reader.required("body"); }

  BodyIndex read_object(MapReader& reader, const ControlContext& context) const {
    const Field name = body(reader);
    const Model& model = context.scenario.model;
    const BodyIndex object = find_body(name, model);
    if (!context.objects.contains(object.value())) name.fail("is no object of this scenario");
    if (model.joint(model.body(object).joint).nv == 0) name.fail("is a fixed object, which cannot move");
    return object;
  }

  PoseTrajectory read_path(BodyIndex object, const ControlContext& context) const {
    const Interpolation between = read_interpolation(interpolation_, Interpolation::quintic);
    if (between == Interpolation::via) {
      interpolation_->fail("is for joints; poses are joined by hold, linear or quintic");
    }
    if (interpolation_ && !targets_) interpolation_->fail("is for 'targets', which are not given");
    const Pose<double> start = find_start(context.scenario, object);
    if (!targets_) return {std::vector<PoseTrajectory::Waypoint>{{0, start}}, between};
    return internal::read_path(*targets_, between, start, context.parameters);
  }

 private:
  std::optional<Field> body_, targets_, interpolation_;
};

double read_gain(const std::optional<Field>& field, Dimension dimension, const ControlContext& context) {
  return field ? read::non_negative(*field, dimension, context.parameters) : 0.0;
}

void require_shape(const Field& field, BodyIndex body, const Scenario& scenario) {
  const bool has_shape = std::any_of(scenario.shapes.begin(), scenario.shapes.end(),
                                     [&](const BodyShape& shape) { return shape.body == body; });
  if (!has_shape) field.fail("has no shape, so that nothing can touch it");
}

/// One function of time for all links, or functions by link or pattern, the last that fits; else 0.
void read_grasp(const Field& field, const ControlContext& context, std::vector<WholeArm::Arm>& arms) {
  if (!field.node().is_mapping()) {
    for (WholeArm::Arm& arm : arms) arm.grasp = read_profile(field, kForce, 0, context.parameters);
    return;
  }
  for (const NamedField& entry : read::entries(field)) {
    const Expression force = read_profile(entry.value, kForce, 0, context.parameters);
    bool fits = false;
    for (WholeArm::Arm& arm : arms) {
      if (!matches_glob(entry.name, context.scenario.model.body(arm.link).name)) continue;
      arm.grasp = force;
      fits = true;
    }
    if (!fits) throw InputError(entry.mark, fmt::format("{} is not among 'links'", quote(entry.name)));
  }
}

}  // namespace

void read_joint_control(const Field& field, JointControlKind kind, const ControlContext& context) {
  JointControlReader(field, kind, context).read();
}

void read_squeeze(const Field& field, const ControlContext& context) {
  MapReader reader(field);
  const auto between = reader.optional("between"), force = reader.optional("force"), rate = reader.optional("rate");
  reader.finish();
  const Field pair = between ? *between : reader.required("between");
  const std::vector<Field> tips = read::items(pair);
  if (tips.size() != 2) pair.fail(fmt::format("expects two fingertips, found {}", tips.size()));
  const BodyPoint<double> a = read_fingertip(tips[0], context), b = read_fingertip(tips[1], context);
  if (a.body == b.body) tips[1].fail("is on the same body as the first: nothing is between them");
  Expression function = read_profile(force ? *force : reader.required("force"), kForce, 0, context.parameters);
  context.scenario.controls.push_back(
      {std::make_shared<Squeeze>(a, b, std::move(function)), read_rate(rate, context.parameters)});
}

void read_object_control(const Field& field, const ControlContext& context) {
  MapReader reader(field);
  const ObjectPathFields path(reader);
  const auto fingertips = reader.optional("fingertips"), kp = reader.optional("kp"), kd = reader.optional("kd"),
             kp_turn = reader.optional("kp_turn"), kd_turn = reader.optional("kd_turn"),
             squeeze = reader.optional("squeeze"), rate = reader.optional("rate");
  reader.finish();
  ObjectControl::Options options;
  options.object = path.read_object(reader, context);
  const Field tips = fingertips ? *fingertips : reader.required("fingertips");
  for (const Field& item : read::items(tips)) options.fingertips.push_back(read_fingertip(item, context));
  if (options.fingertips.empty()) tips.fail("expects at least one fingertip");
  options.kp = read_gain(kp, kLinearStiffness, context);
  options.kd = read_gain(kd, kLinearDamping, context);
  options.kp_turn = read_gain(kp_turn, kAngularStiffness, context);
  options.kd_turn = read_gain(kd_turn, kAngularDamping, context);
  options.path = path.read_path(options.object, context);
  if (squeeze) options.squeeze = read_profile(*squeeze, kForce, 0, context.parameters);
  context.scenario.controls.push_back(
      {std::make_shared<ObjectControl>(std::move(options)), read_rate(rate, context.parameters)});
}

void read_whole_arm(const Field& field, const ControlContext& context) {
  MapReader reader(field);
  const ObjectPathFields path(reader);
  const auto links = reader.optional("links"), kp = reader.optional("kp"), kd = reader.optional("kd"),
             grasp = reader.optional("grasp"), friction = reader.optional("friction"), rate = reader.optional("rate");
  reader.finish();
  Scenario& scenario = context.scenario;
  if (!scenario.contacts) reader.fail("needs 'contacts': links hold the object by touching it");
  WholeArm::Options options;
  options.object = path.read_object(reader, context);
  require_shape(path.body(reader), options.object, scenario);
  const Field list = links ? *links : reader.required("links");
  const LawTable laws(scenario.model, *scenario.contacts);
  for (const Field& item : read::items(list)) {
    const BodyIndex link = read_fingertip_body(item, context);
    require_shape(item, link, scenario);
    for (const WholeArm::Arm& arm : options.arms) {
      if (arm.link == link) item.fail("is named a second time");
    }
    options.arms.push_back({link, laws.find_law(options.object, link).friction, {}});
  }
  if (options.arms.empty()) list.fail("expects at least one link");
  if (friction) {
    const double mu = read::non_negative(*friction, kNumber, context.parameters);
    for (WholeArm::Arm& arm : options.arms) arm.friction = mu;
  }
  options.shapes = scenario.shapes;
  options.margin = find_contact_margin(scenario);
  options.kp = read_gain(kp, kPerSecondSquared, context);
  options.kd = read_gain(kd, kFrequency, context);
  options.path = path.read_path(options.object, context);
  read_grasp(grasp ? *grasp : reader.required("grasp"), context, options.arms);
  scenario.controls.push_back({std::make_shared<WholeArm>(std::move(options)), read_rate(rate, context.parameters)});
}

}  // namespace thenar::internal
