// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "thenar/base/text.h"
#include "thenar/io/scenario/drive_reader_internal.h"

namespace thenar::internal {

/// A profile must at least have a value when the run starts.
Expression read_profile(const Field& field, Dimension dimension, double level, const Parameters& parameters) {
  Expression profile = read::time_function(field, kProfileVariables, dimension, parameters);
  const std::array<double, 2> values{0.0, level};
  const double value = profile.evaluate(values);
  if (!std::isfinite(value)) {
    field.fail(fmt::format("gives {} at t = 0: {}", value, quote(trim(field.node().scalar))));
  }
  return profile;
}

std::vector<JointIndex> find_actuated_joints(const std::string& name, const SourceMark& mark,
                                             const ControlContext& context) {
  const Model& model = context.scenario.model;
  const bool by_pattern = is_glob(name);
  std::vector<JointIndex> found;
  std::vector<std::string> names;
  for (int i = 0; i < model.joint_count(); ++i) {
    const Joint& joint = model.joint(JointIndex(i));
    const bool is_object = context.objects.contains(joint.child.value());
    if (joint.nv > 0 && !is_object) names.push_back(joint.spec.name);
    if (!(by_pattern ? matches_glob(name, joint.spec.name) : name == joint.spec.name)) continue;
    if (is_object && !by_pattern) {
      throw InputError(mark,
                       fmt::format("{} is an object, which has no actuators; push it by 'wrenches'", quote(name)));
    }
    if (joint.nv == 0 && !by_pattern) throw InputError(mark, fmt::format("joint {} is fixed", quote(name)));
    if (joint.nv > 0 && !is_object) found.push_back(JointIndex(i));
  }
  if (found.empty()) {
    throw InputError(mark, fmt::format("no joint {} {}{}", by_pattern ? "fits" : "is named", quote(name),
                                       list_known(name, names, "joints")));
  }
  return found;
}

BodyIndex find_body(const Field& field, const Model& model) {
  const std::string name = read::text(field);
  const auto found = model.find_body(name);
  if (found && *found != kWorld) return *found;
  std::vector<std::string> names;
  for (const Body& body : model.bodies()) names.push_back(body.name);
  names.erase(names.begin());  // the world
  field.fail(
      fmt::format("is {}, which is not a body of this scenario{}", quote(name), list_known(name, names, "bodies")));
}

namespace {

/// Adds the torques of `control`, each degree of freedom once.
class TorqueReader {
 public:
  explicit TorqueReader(const ControlContext& context) : context_(context) {}

  void read(const NamedField& entry) {
    for (const JointIndex joint : find_actuated_joints(entry.name, entry.mark, context_)) drive(joint, entry);
  }

 private:
  void drive(JointIndex index, const NamedField& entry) {
    const Joint& joint = context_.scenario.model.joint(index);
    const auto [other, is_new] = driven_.emplace(index.value(), entry.mark);
    if (!is_new) {
      throw InputError(entry.mark, fmt::format("joint '{}' is already driven (line {}, column {})", joint.spec.name,
                                               other->second.line, other->second.column));
    }
    const Field& value = entry.value;
    const bool is_list = value.node().is_sequence();
    const std::vector<Field> items = is_list ? read::items(value) : std::vector<Field>();
    if (is_list && static_cast<int>(items.size()) != joint.nv) {
      value.fail(fmt::format("expects {} expression{} for joint '{}', found {}", joint.nv, joint.nv == 1 ? "" : "s",
                             joint.spec.name, items.size()));
    }
    for (int i = 0; i < joint.nv; ++i) {
      const Dimension dimension = is_angular(joint.spec.kind, i) ? kTorque : kForce;
      const Field& item = is_list ? items[static_cast<std::size_t>(i)] : value;
      context_.scenario.torques.push_back(
          {joint.v_start + i, read_profile(item, dimension, joint.level, context_.parameters)});
    }
  }

  const ControlContext& context_;
  std::unordered_map<int, SourceMark> driven_;
};

std::array<Expression, 3> read_three_profiles(const Field& field, Dimension dimension, double level,
                                              const Parameters& parameters) {
  const std::vector<Field> items = read::items(field);
  if (items.size() != 3) field.fail(fmt::format("expects 3 expressions, found {}", items.size()));
  std::array<Expression, 3> out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = read_profile(items[i], dimension, level, parameters);
  return out;
}

}  // namespace

void read_control(const Field& field, const ControlContext& context) {
  TorqueReader torques(context);
  for (const Field& item : read::items(field)) {
    MapReader reader(item);
    const auto torque = reader.optional("torque"), pd_gravity = reader.optional("pd_gravity"),
               pd = reader.optional("pd"), computed_torque = reader.optional("computed_torque"),
               squeeze = reader.optional("squeeze"), object = reader.optional("object"),
               whole_arm = reader.optional("whole_arm");
    reader.finish();
    const std::size_t kinds = item.node().members.size();
    if (kinds == 0) {
      reader.fail("needs a kind of control: torque, pd_gravity, pd, computed_torque, squeeze, object or whole_arm");
    }
    if (kinds > 1) reader.fail(fmt::format("has {} kinds of control: begin a new item of the list for each", kinds));
    if (torque) {
      for (const NamedField& entry : read::entries(*torque)) torques.read(entry);
    }
    if (pd_gravity) read_joint_control(*pd_gravity, JointControlKind::pd_gravity, context);
    if (pd) read_joint_control(*pd, JointControlKind::pd, context);
    if (computed_torque) read_joint_control(*computed_torque, JointControlKind::computed_torque, context);
    if (squeeze) read_squeeze(*squeeze, context);
    if (object) read_object_control(*object, context);
    if (whole_arm) read_whole_arm(*whole_arm, context);
  }
}

void read_wrenches(const Field& field, const Parameters& parameters, Scenario& scenario) {
  for (const Field& item : read::items(field)) {
    MapReader reader(item);
    const auto body = reader.optional("body"), force = reader.optional("force"), torque = reader.optional("torque"),
               at = reader.optional("at"), axes = reader.optional("axes");
    reader.finish();
    WrenchProfile wrench;
    wrench.body = find_body(body ? *body : reader.required("body"), scenario.model);
    const double level = scenario.model.joint(scenario.model.body(wrench.body).joint).level;
    if (!force && !torque) reader.fail("needs a 'force' or a 'torque'");
    if (force) wrench.force = read_three_profiles(*force, kForce, level, parameters);
    if (torque) wrench.torque = read_three_profiles(*torque, kTorque, level, parameters);
    if (at) wrench.point_B = read::vector3(*at, kLength, parameters);
    if (axes) wrench.in_world_axes = read::choice<bool>(*axes, {{"world", true}, {"body", false}});
    scenario.wrenches.push_back(std::move(wrench));
  }
}

}  // namespace thenar::internal
