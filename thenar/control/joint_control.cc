// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/joint_control.h"

#include <fmt/format.h>

#include <stdexcept>

#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
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
  for (std::size_t i = 0; i < servos_.size(); ++i) {
    if (set_targets_[i]) continue;
    const auto found = servos_[i].target.find_switch(from, first ? first->after : to);
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

bool JointControl::set_target(int dof, std::optional<double> target) {
  bool any = false;
  for (std::size_t i = 0; i < servos_.size(); ++i) {
    if (servos_[i].dof != dof) continue;
    set_targets_[i] = target;
    any = true;
  }
  return any;
}

JointControl::Error JointControl::calc_error(std::size_t i, int coordinate, double t, const double* q,
                                             const double* v) const {
  const JointServo& servo = servos_[i];
  const PathPoint target = set_targets_[i] ? PathPoint{.value = *set_targets_[i]} : servo.target.evaluate(t);
  return {target.value - q[coordinate], target.rate - v[servo.dof], target.acceleration};
}

void PdControl::prepare(const Model& model) {
  JointControl::prepare(model);
  q_shifted_.setZero(model.position_count());
  for (VectorX<double>* vector : {&increment_, &shifted_}) vector->setZero(model.velocity_count());
}

void PdControl::add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) {
  if (compensates_gravity_) gravity_forces(model, q, workspace_.front(), effort_.data());
  for (std::size_t i = 0; i < servos_.size(); ++i) {
    const JointServo& servo = servos_[i];
    const Error error = calc_error(i, model.dof_coordinate(servo.dof), t, q, v);
    tau[servo.dof] += servo.kp * error.position + servo.kd * error.rate;
    if (compensates_gravity_) tau[servo.dof] += effort_(servo.dof);
  }
}

bool PdControl::add_derivatives(const Model& model, double, const double* q, const double*,
                                Eigen::Ref<MatrixX<double>> dq, Eigen::Ref<MatrixX<double>> dv) {
  for (const JointServo& servo : servos_) {
    dq(servo.dof, servo.dof) -= servo.kp;
    dv(servo.dof, servo.dof) -= servo.kd;
  }
  if (compensates_gravity_) add_gravity_derivatives(model, q, dq);
  return true;
}

/// By differences: good to half the digits.
void PdControl::add_gravity_derivatives(const Model& model, const double* q, Eigen::Ref<MatrixX<double>> dq) {
  constexpr double kShift = 1e-7;  // rad or m
  gravity_forces(model, q, workspace_.front(), effort_.data());
  for (int j = 0; j < model.velocity_count(); ++j) {
    increment_(j) = kShift;
    integrate_position(model, q, increment_.data(), q_shifted_.data());
    increment_(j) = 0;
    gravity_forces(model, q_shifted_.data(), workspace_.front(), shifted_.data());
    for (const JointServo& servo : servos_) {
      dq(servo.dof, j) += (shifted_(servo.dof) - effort_(servo.dof)) / kShift;
    }
  }
}

void ComputedTorque::add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) {
  VectorX<double>& acceleration = velocity_;
  acceleration.setZero();
  for (std::size_t i = 0; i < servos_.size(); ++i) {
    const JointServo& servo = servos_[i];
    const Error error = calc_error(i, model.dof_coordinate(servo.dof), t, q, v);
    acceleration(servo.dof) = error.acceleration + servo.kd * error.rate + servo.kp * error.position;
  }
  inverse_dynamics<double>(model, q, v, acceleration.data(), {}, workspace_.front(), effort_.data());
  passive_.setZero();
  add_passive_forces(model, q, v, passive_.data());
  for (const JointServo& servo : servos_) tau[servo.dof] += effort_(servo.dof) - passive_(servo.dof);
}

}  // namespace thenar
