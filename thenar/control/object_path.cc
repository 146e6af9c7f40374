// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/object_path.h"

#include "thenar/spatial/rotation.h"

namespace thenar {

ObjectError calc_object_error(const Model& model, const Workspace<double>& workspace, BodyIndex object,
                              const PosePoint& want) {
  const Vec3<double> com_B(model.body(object).mass.com);
  const Placement<double> X_WB = calc_body_pose(model, workspace, object);
  const Motion<double> motion = calc_point_velocity(model, workspace, object, com_B);
  // The desired motion of the centre of mass, by that of the desired frame.
  const Vec3<double> arm = Mat3<double>(want.pose.R) * com_B;
  const Vec3<double> spin = cross(want.angular_velocity, arm);
  const Matrix3<double> R_WB = X_WB.R.eigen();
  ObjectError out;
  out.position = Vec3<double>(want.pose.p) + arm - (X_WB.p + X_WB.R * com_B);
  out.velocity = want.velocity + spin - motion.linear;
  out.turn = rotation_vector_from_quaternion<double>(quaternion_from_rotation(want.pose.R * R_WB.transpose()));
  out.angular_velocity = want.angular_velocity - motion.angular;
  out.acceleration = want.acceleration + cross(want.angular_acceleration, arm) + cross(want.angular_velocity, spin);
  out.angular_acceleration = want.angular_acceleration;
  return out;
}

double evaluate_force(const Expression& force, double t) {
  const std::array<double, 2> values{t, 0};
  return force.evaluate(values);
}

std::optional<ControlSwitch> find_force_switch(const Expression& force, double from, double to) {
  const std::array<double, 2> values{from, 0};
  const auto found = force.find_switch(values, 0, from, to);
  return found ? std::optional(ControlSwitch{found->before, found->after, true}) : std::nullopt;
}

std::optional<ControlSwitch> find_object_switch(const PoseTrajectory& path, const Expression& force, double from,
                                                double to) {
  std::optional<ControlSwitch> first = find_force_switch(force, from, to);
  const auto on_path = path.find_switch(from, first ? first->after : to);
  if (!on_path) return first;
  const ControlSwitch found{on_path->before, on_path->after, on_path->jumping <= 2};
  if (!first || found.after < first->after) return found;
  return first;
}

}  // namespace thenar
