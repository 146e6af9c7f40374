// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/sample_maker_internal.h"

#include <algorithm>

#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/motion/forces.h"
#include "thenar/scenario/state_check.h"

namespace thenar::internal {

std::string find_bad_effort(const Scenario& scenario, Actuation& actuation, double t, const State& state) {
  const std::string bad = find_bad_profile(scenario, t);
  return bad.empty() ? actuation.find_bad_law(t, state.q.data(), state.v.data()) : bad;
}

SampleMaker::SampleMaker(const Scenario& scenario, ConstrainedMotion& motion, Stepper& stepper, RunReport& report)
    : scenario_(scenario), motion_(motion), stepper_(stepper), report_(report), workspace_(scenario.model) {
  sample_.tau.setZero(scenario.model.velocity_count());
}

class SampleMaker::Undisturbed {
 public:
  Undisturbed(ConstrainedMotion& motion, std::optional<ConstrainedMotion::Memory>& memory)
      : motion_(motion), memory_(memory) {
    motion_.remember(memory_);
  }
  ~Undisturbed() { motion_.recall(*memory_); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  ConstrainedMotion& motion_;
  std::optional<ConstrainedMotion::Memory>& memory_;
};

State SampleMaker::look_inside(double t) {
  const Undisturbed guard(motion_, memory_);
  const Stepper::Point& point = stepper_.interpolate(std::clamp((t - stepper_.t()) / stepper_.h(), 0.0, 1.0));
  return {t, point.q, point.v, point.inner};
}

const Sample* SampleMaker::make_inside(double t) {
  // A jump of a target moves the start of a step to the next number, which may be that behind a row.
  const Undisturbed guard(motion_, memory_);
  const double inside_step = std::clamp((t - stepper_.t()) / stepper_.h(), 0.0, 1.0);
  const Stepper::Point& point = stepper_.interpolate(inside_step);
  const State inside{t, point.q, point.v, point.inner};
  if (!is_good(inside)) {
    fault_ = find_bad_entry(scenario_.model, inside);
    return nullptr;
  }
  note_extremes(inside);
  set_energy(report_.energy.work + point.work, report_.energy.dissipated + point.dissipated, report_.energy.switched);
  if (sampler_ != nullptr) {
    stepper_.evaluate(inside_step);
    sampler_->fill(inside, sample_.contacts);
    layer_energy_ = motion_.calc_layer_energy();
  }
  return complete(inside);
}

const Sample* SampleMaker::make(const State& state) {
  const Undisturbed guard(motion_, memory_);
  if (sampler_ != nullptr && has_contacts_) {
    stepper_.evaluate_state();
    sampler_->fill(state, sample_.contacts);
    layer_energy_ = motion_.calc_layer_energy();
  }
  set_energy(report_.energy.work, report_.energy.dissipated, report_.energy.switched);
  return complete(state);
}

const Sample* SampleMaker::make_before(const State& state, double energy_lost, double energy_switched) {
  sample_.contacts = contacts_before_;
  layer_energy_ = layer_energy_before_;
  set_energy(report_.energy.work, report_.energy.dissipated - energy_lost, report_.energy.switched - energy_switched);
  return complete(state);
}

double SampleMaker::calc_layer_energy(const State& state) {
  if (motion_.layer_contacts().empty()) return 0;
  const Undisturbed guard(motion_, memory_);
  return motion_.follow_layer_contacts(state) ? motion_.calc_layer_energy() : 0;
}

void SampleMaker::note_contacts(double theta) {
  if (sampler_ == nullptr) return;
  stepper_.evaluate(theta);
  const Stepper::Point& point = stepper_.interpolate(theta);
  sampler_->fill({stepper_.t() + theta * stepper_.h(), point.q, point.v, point.inner}, contacts_before_);
  layer_energy_before_ = motion_.calc_layer_energy();
}

void SampleMaker::set_energy(double work, double dissipated, double switched) {
  sample_.energy.work = work;
  sample_.energy.dissipated = dissipated;
  sample_.energy.switched = switched;
}

/// A sample, whose contacts and work are known.
const Sample* SampleMaker::complete(const State& state) {
  update_positions(scenario_.model, state.q.data(), workspace_);
  update_velocities(scenario_.model, state.v.data(), workspace_);
  sample_.energy.kinetic = calc_kinetic_energy(scenario_.model, workspace_, state.v.data());
  sample_.energy.potential =
      calc_gravity_energy(scenario_.model, workspace_) + calc_spring_energy(scenario_.model, state.q.data());
  sample_.energy.layers = layer_energy_;
  motion_.actuation().calc_cut_efforts(state.t, state.q.data(), state.v.data(), sample_.tau.data());
  if (!sample_.tau.allFinite()) {
    fault_ = find_bad_effort(scenario_, motion_.actuation(), state.t, state);
    return nullptr;
  }
  sample_.state = state;
  return &sample_;
}

void SampleMaker::note_extremes(const State& state) {
  report_.q_min = report_.q_min.cwiseMin(state.q);
  report_.q_max = report_.q_max.cwiseMax(state.q);
  if (sampler_ != nullptr) {
    report_.max_gap_violation = std::max(report_.max_gap_violation, sampler_->calc_penetration(state));
  }
  for (JointRow& r : motion_.rows()) {
    if (r.kind() != JointRowKind::stop || r.calc_least_value(state.q.data()) >= 0) continue;
    report_.max_gap_violation = std::max(report_.max_gap_violation, -r.calc_value(state.q.data()));
  }
}

}  // namespace thenar::internal
