// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/joint_control.h"

#include <fmt/format.h>

#include <stdexcept>

#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar {

void JointControl::prepare(const Model& model) {
  for (const JointServo& servo : servos_) {
    if (servo.dof < 0 || servo.dof >= model.velocity_count()) {
      throw std::invalid_argument(fmt::format("{}: there is no degree of freedom {} to drive", kind(), servo.dof));
    }
    if (model.dof_coordinate(servo.dof) < 0) {
      throw std::invalid_argument(fmt::format("{}: '{}' is a rotation in space, which has no coordinate to aim at",
                                              kind(), model.dof_name(servo.dof)));
    }
  }
  workspace_.assign(1, Workspace<double>(model));
  for (VectorX<double>* vector : {&velocity_, &effort_, &passive_}) vector->setZero(model.velocity_count());
}

std::optional<ControlSwitch> JointControl::find_switch(double from, double to) const {
  std::optional<ControlSwitch> first;
  for (const JointServo& servo : servos_) {
    const auto found = servo.target.find_switch(from, first ? first->after : to);
    if (!found) continue;
    const bool is_jump = found->jumping <= jumping_;
    if (!first || found->after < first->after) {
      first = ControlSwitch{found->before, found->after, is_jump};
    } else {
      first->is_jump = first->is_jump || is_jump;
    }
  }
  return first;
}

JointControl::Error JointControl::calc_error(const JointServo& servo, int coordinate, double t, const double* q,
                                             const double* v) {
  const PathPoint target = servo.target.evaluate(t);
  return {target.value - q[coordinate], target.rate - v[servo.dof], target.acceleration};
}

void PdControl::add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) {
  if (compensates_gravity_) {
    // velocity_ is zero, so what is left of the bias force is gravity.
    inverse_dynamics<double>(model, q, velocity_.data(), nullptr, {}, workspace_.front(), effort_.data());
  }
  for (const JointServo& servo : servos_) {
    const Error error = calc_error(servo, model.dof_coordinate(servo.dof), t, q, v);
    tau[servo.dof] += servo.kp * error.position + servo.kd * error.rate;
    if (compensates_gravity_) tau[servo.dof] += effort_(servo.dof);
  }
}

void ComputedTorque::add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) {
  VectorX<double>& acceleration = velocity_;
  acceleration.setZero();
  for (const JointServo& servo : servos_) {
    const Error error = calc_error(servo, model.dof_coordinate(servo.dof), t, q, v);
    acceleration(servo.dof) = error.acceleration + servo.kd * error.rate + servo.kp * error.position;
  }
  inverse_dynamics<double>(model, q, v, acceleration.data(), {}, workspace_.front(), effort_.data());
  passive_.setZero();
  add_passive_forces(model, q, v, passive_.data());
  for (const JointServo& servo : servos_) tau[servo.dof] += effort_(servo.dof) - passive_(servo.dof);
}

}  // namespace thenar
