// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_dynamics_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar::internal {
namespace {

/// What springs add to the diagonal of K, by degree of freedom; turns count as if their coordinates were angles.
VectorX<double> list_spring_stiffness(const Model& model) {
  VectorX<double> out = VectorX<double>::Zero(model.velocity_count());
  for (const Spring& spring : model.springs()) {
    Eigen::Index entry = 0;
    for (const JointIndex joint : spring.joints) {
      const Joint& of = model.joint(joint);
      for (int k = 0; k < of.nv; ++k, ++entry) out(of.v_start + k) += std::max(0.0, spring.stiffness(entry, entry));
    }
  }
  return out;
}

/// The weight of the end of a step in a damper's mean speed; x = h D/M.
double calc_damper_weight(double x) {
  constexpr double kSmall = 1e-3;  // below it the next term of the series is rounding
  return x < kSmall ? 0.5 + x / 12 : 1 / -std::expm1(-x) - 1 / x;
}

}  // namespace

StepDynamics::StepDynamics(const Scenario& scenario)
    : scenario_(scenario),
      forces_(scenario),
      workspace_(scenario.model),
      scratch_(scenario.model),
      spring_stiffness_(list_spring_stiffness(scenario.model)) {
  const int nv = scenario.model.velocity_count();
  q_mid_.setZero(scenario.model.position_count());
  for (VectorX<double>* vector : {&v_free_, &guess_, &drive_K_, &drive_D_, &inertia_, &theta_, &added_, &effort_,
                                  &bias_, &change_, &drive_, &mean_}) {
    vector->setZero(nv);
  }
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  factorize_articulated(scenario.model, workspace_);
  for (int j = 0; j < nv; ++j) inertia_(j) = 1 / workspace_.dof[static_cast<std::size_t>(j)].inverse_d;
  if (scenario.controls.empty()) return;
  effort_dq_.setZero(nv, nv);
  effort_dv_.setZero(nv, nv);
}

void StepDynamics::place(const State& start, double h, double t_mid) {
  const Model& model = scenario_.model;
  h_ = h;
  t_mid_ = t_mid;
  change_ = 0.5 * h * start.v;
  integrate_position(model, start.q.data(), change_.data(), q_mid_.data());
  update_positions(model, q_mid_.data(), workspace_);
  guess_ = start.v;
  find_stiffness();
  for (int j = 0; j < theta_.size(); ++j) {
    const double D = model.damping()(j) + drive_D_(j);
    theta_(j) = calc_damper_weight(h * D / inertia_(j));
    added_(j) = theta_(j) * h * D + 0.25 * h * h * (spring_stiffness_(j) + drive_K_(j));
  }
  factorize_articulated(model, added_.data(), workspace_);
}

/// Only what resists: a gain that drives stays explicit.
void StepDynamics::find_stiffness() {
  if (!actuation().has_feedback()) return;
  actuation().calc_derivatives(t_mid_, q_mid_.data(), guess_.data(), effort_dq_, effort_dv_);
  drive_K_ = (-effort_dq_.diagonal()).cwiseMax(0);
  drive_D_ = (-effort_dv_.diagonal()).cwiseMax(0);
}

void StepDynamics::push(const VectorX<double>& v, const VectorX<double>& guess) {
  const Model& model = scenario_.model;
  guess_ = guess;
  forces_.evaluate(t_mid_, q_mid_.data(), guess_.data(), scratch_, effort_.data(), wrenches_);
  inverse_dynamics<double>(model, q_mid_.data(), guess_.data(), nullptr, wrenches_, scratch_, bias_.data());
  effort_ -= bias_;
  effort_ += (model.damping() + drive_D_).cwiseProduct(guess_ - v);
  effort_ *= h_;
  solve(effort_.data(), v_free_.data());
  v_free_ += v;
}

void StepDynamics::solve(const double* tau, double* x) { solve_articulated(scenario_.model, tau, workspace_, x); }

double StepDynamics::calc_jump_work(const VectorX<double>& before, const VectorX<double>& after) {
  gravity_forces(scenario_.model, q_mid_.data(), scratch_, effort_.data());
  effort_ = -effort_;
  add_spring_forces(scenario_.model, q_mid_.data(), true, effort_.data());
  return 0.5 * h_ * effort_.dot(after - before);
}

PowerFlow<double> StepDynamics::calc_flow(const VectorX<double>& v, const VectorX<double>& v_next) {
  const Model& model = scenario_.model;
  mean_ = 0.5 * (v + v_next);
  change_ = v + theta_.cwiseProduct(v_next - v);  // what dampers see
  actuation().calc_efforts(t_mid_, q_mid_.data(), guess_.data(), drive_.data());
  add_spring_forces(model, q_mid_.data(), false, drive_.data());
  drive_ -= drive_D_.cwiseProduct(change_ - guess_) + 0.5 * h_ * drive_K_.cwiseProduct(mean_ - v);
  PowerFlow<double> out{drive_.dot(mean_), model.damping().dot(change_.cwiseProduct(mean_))};
  if (!wrenches_.empty()) {
    update_positions(model, q_mid_.data(), scratch_);
    update_velocities(model, mean_.data(), scratch_);
    for (const BodyWrench<double>& wrench : wrenches_) {
      out.work += dot(calc_point_velocity(model, scratch_, wrench.body, Vec3<double>::zero()), wrench.wrench);
    }
  }
  out.work *= h_;
  out.dissipated *= h_;
  return out;
}

}  // namespace thenar::internal
