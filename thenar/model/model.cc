// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/model/model.h"

#include <fmt/format.h>

#include <stdexcept>

#include "thenar/base/text.h"

namespace thenar {
namespace {

[[noreturn]] void refuse_name(const char* what, std::string_view name, const std::vector<std::string>& names) {
  const auto near = closest_match(name, names);
  throw std::invalid_argument(fmt::format("there is no {} {}{}; there are: {}", what, quote(name),
                                          near ? fmt::format(", did you mean '{}'?", *near) : "", list_words(names)));
}

}  // namespace

Model::Model() : bodies_{Body{.name = "world"}}, links_{Link{}}, constants_(1) {
  constants_[0] = {Mat3<double>::identity(), Vec3<double>::zero(), RigidInertia<double>::zero()};
  body_by_name_["world"] = 0;
}

std::optional<BodyIndex> Model::find_body(std::string_view name) const {
  const auto found = body_by_name_.find(std::string(name));
  return found == body_by_name_.end() ? std::nullopt : std::optional(BodyIndex(found->second));
}

std::optional<JointIndex> Model::find_joint(std::string_view name) const {
  const auto found = joint_by_name_.find(std::string(name));
  return found == joint_by_name_.end() ? std::nullopt : std::optional(JointIndex(found->second));
}

std::string Model::dof_name(int i) const {
  const Joint& owner = joint(dof_joint(i));
  return owner.nv == 1 ? owner.spec.name : owner.spec.name + "." + std::to_string(i - owner.v_start);
}

std::optional<int> Model::find_dof(std::string_view name) const {
  for (int i = 0; i < nv_; ++i) {
    if (dof_name(i) == name) return i;
  }
  return std::nullopt;
}

int Model::dof(std::string_view name) const {
  if (const auto found = find_dof(name)) return *found;
  std::vector<std::string> names;
  for (int i = 0; i < nv_; ++i) names.push_back(dof_name(i));
  refuse_name("degree of freedom", name, names);
}

BodyIndex Model::body_of(std::string_view name) const {
  if (const auto found = find_body(name)) return *found;
  std::vector<std::string> names;
  for (const Body& body : bodies_) names.push_back(body.name);
  refuse_name("body", name, names);
}

double Model::total_mass() const {
  double sum = 0;
  for (const Body& body : bodies_) sum += body.mass.mass;
  return sum;
}

VectorX<double> Model::neutral_position() const {
  VectorX<double> q = VectorX<double>::Zero(nq_);
  for (const Joint& joint : joints_) {
    if (joint.spec.kind == JointKind::spherical) q(joint.q_start) = 1;
    if (joint.spec.kind == JointKind::free) q(joint.q_start + 3) = 1;
  }
  return q;
}

}  // namespace thenar
