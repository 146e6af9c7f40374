// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "thenar/base/text.h"
#include "thenar/io/drive_reader_internal.h"

namespace thenar::internal {
namespace {

/// A profile must at least have a value when the run starts; `level` is that of the joint it drives.
Expression read_profile(const Field& field, Dimension dimension, double level, const Parameters& parameters) {
  Expression profile = read::time_function(field, kProfileVariables, dimension, parameters);
  const std::array<double, 2> values{0.0, level};
  const double value = profile.evaluate(values);
  if (!std::isfinite(value)) {
    field.fail(fmt::format("gives {} at t = 0: {}", value, quote(trim(field.node().scalar))));
  }
  return profile;
}

/// Adds the torques of `control`, each degree of freedom once.
class TorqueReader {
 public:
  TorqueReader(const std::unordered_set<int>& objects, const Parameters& parameters, Scenario& scenario)
      : objects_(objects), parameters_(parameters), scenario_(scenario) {}

  void read(const NamedField& entry) {
    const std::vector<JointIndex> joints = find_joints(entry);
    for (const JointIndex joint : joints) drive(joint, entry);
  }

 private:
  std::vector<JointIndex> find_joints(const NamedField& entry) const {
    const Model& model = scenario_.model;
    const bool is_pattern = entry.name.find_first_of("*?") != std::string::npos;
    std::vector<JointIndex> found;
    std::vector<std::string> names;
    for (int i = 0; i < model.joint_count(); ++i) {
      const Joint& joint = model.joint(JointIndex(i));
      const bool is_object = objects_.contains(joint.child.value());
      if (joint.nv > 0 && !is_object) names.push_back(joint.spec.name);
      if (!(is_pattern ? matches_glob(entry.name, joint.spec.name) : entry.name == joint.spec.name)) continue;
      if (is_object && !is_pattern) {
        throw InputError(entry.mark, fmt::format("{} is an object, which has no actuators; push it by 'wrenches'",
                                                 quote(entry.name)));
      }
      if (joint.nv == 0 && !is_pattern)
        throw InputError(entry.mark, fmt::format("joint {} is fixed", quote(entry.name)));
      if (joint.nv > 0 && !is_object) found.push_back(JointIndex(i));
    }
    if (found.empty()) {
      throw InputError(entry.mark, fmt::format("no joint {} {}{}", is_pattern ? "fits" : "is named", quote(entry.name),
                                               list_known(entry.name, names, "joints")));
    }
    return found;
  }

  void drive(JointIndex index, const NamedField& entry) {
    const Joint& joint = scenario_.model.joint(index);
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
      scenario_.torques.push_back({joint.v_start + i, read_profile(is_list ? items[static_cast<std::size_t>(i)] : value,
                                                                   dimension, joint.level, parameters_)});
    }
  }

  const std::unordered_set<int>& objects_;
  const Parameters& parameters_;
  Scenario& scenario_;
  std::unordered_map<int, SourceMark> driven_;
};

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

std::array<Expression, 3> read_three_profiles(const Field& field, Dimension dimension, double level,
                                              const Parameters& parameters) {
  const std::vector<Field> items = read::items(field);
  if (items.size() != 3) field.fail(fmt::format("expects 3 expressions, found {}", items.size()));
  std::array<Expression, 3> out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = read_profile(items[i], dimension, level, parameters);
  return out;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
  // On a mismatch, go back to the last * and let it take one character more: quadratic at worst.
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void read_control(const Field& field, const std::unordered_set<int>& objects, const Parameters& parameters,
                  Scenario& scenario) {
  TorqueReader torques(objects, parameters, scenario);
  for (const Field& item : read::items(field)) {
    MapReader reader(item);
    const auto torque = reader.optional("torque");
    reader.finish();
    for (const NamedField& entry : read::entries(torque ? *torque : reader.required("torque"))) torques.read(entry);
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
