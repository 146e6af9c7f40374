// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/model/model.h"

namespace thenar {

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
