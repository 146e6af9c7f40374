// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_sampler_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/engine/contact_sampler.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/motion/state_energy.h"
#include "thenar/quasistatic_run/quasistatic_changes_internal.h"

namespace thenar::internal {
namespace {

using Vector = VectorX<double>;

/// Turns slower than this part of the usual speed are none.
constexpr double kTurnsNot = 1e-7;

}  // namespace

QuasistaticSampler::QuasistaticSampler(const Scenario& scenario, QuasistaticMotion& motion,
                                       const Tolerances& tolerances, RunReport& report)
    : scenario_(scenario),
      motion_(motion),
      tolerances_(tolerances),
      report_(report),
      nearby_(scenario.model, scenario.shapes, find_contact_rules(scenario)),
      workspace_(scenario.model) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  margin_ = ContactTolerances(nearby_.calc_size(workspace_)).default_margin();
  if (scenario.contacts) margin_ = scenario.contacts->margin.value_or(margin_);
}

double QuasistaticSampler::calc_potential(const Vector& q) const {
  return thenar::calc_energy(scenario_.model, {0, q, Vector::Zero(scenario_.model.velocity_count())});
}

void QuasistaticSampler::note_extremes(const Vector& q) {
  report_.q_min = report_.q_min.cwiseMin(q);
  report_.q_max = report_.q_max.cwiseMax(q);
  update_positions(scenario_.model, q.data(), workspace_);
  nearby_.update(workspace_, 0);
  for (const FoundContact& found : nearby_.contacts()) {
    report_.max_gap_violation = std::max(report_.max_gap_violation, -found.gap);
  }
  for (JointRow& stop : motion_.stops()) {
    report_.max_gap_violation = std::max(report_.max_gap_violation, -stop.calc_value(q.data()));
  }
}

Sample QuasistaticSampler::make(const State& state, double work, double dissipated) {
  const Vector& q = state.q;
  Sample sample;
  sample.state = state;
  sample.energy = {0, calc_potential(q), report_.energy.work + work, report_.energy.dissipated + dissipated};
  sample.tau = Vector::Zero(scenario_.model.velocity_count());
  const bool has_modes = motion_.labels().size() == motion_.contacts().size() + motion_.held_stops().size();
  if (has_modes) sample.state.v = motion_.v();
  const QuasistaticSolution solution = has_modes ? motion_.solution() : QuasistaticSolution{};
  const std::vector<int>& joints = motion_.assembler().joint_dofs();
  for (std::size_t k = 0; k < joints.size() && has_modes; ++k) {
    sample.tau(joints[k]) = solution.tau(static_cast<Eigen::Index>(k));
  }
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    sample.contacts.push_back(has_modes ? read_contact(i, solution) : describe_place(motion_.contacts()[i]));
    if (!has_modes) sample.contacts.back().mode = ContactMode::stick;
  }
  update_positions(scenario_.model, q.data(), workspace_);
  nearby_.update(workspace_, margin_);
  const auto is_near_only = [&](BodyIndex A, BodyIndex B) {
    const std::vector<HeldContact>& held = motion_.contacts();
    return std::none_of(held.begin(), held.end(), [&](const HeldContact& contact) {
      return contact.found().body_A == A && contact.found().body_B == B;
    });
  };
  list_free_pairs(scenario_.model, nearby_, is_near_only, sample.contacts);
  return sample;
}

Sample QuasistaticSampler::look(const State& state) {
  const QuasistaticMotion::Memory memory = motion_.remember();
  motion_.evaluate(state.t, state.q);
  Sample out = make(state, 0, 0);
  motion_.recall(memory);
  return out;
}

Sample QuasistaticSampler::look_into(QuasistaticStep& step, const State& state) {
  const QuasistaticMotion::Memory memory = motion_.remember();
  const double part = (state.t - step.t()) / step.h();
  step.interpolate(part);
  const StepPoint energy = step.calc_energy(part);
  Sample out = make(state, energy.work, energy.dissipated);
  motion_.recall(memory);
  note_extremes(state.q);
  return out;
}

Contact QuasistaticSampler::read_contact(std::size_t i, const QuasistaticSolution& solution) const {
  const HeldContact& contact = motion_.contacts()[i];
  const auto k = static_cast<Eigen::Index>(i);
  Contact out = describe_place(contact);
  const Eigen::Matrix<double, 6, 1> velocity = contact.J() * motion_.v();
  const double c_u = motion_.problem().is_spatial() ? solution.c_u(k) : 0, mu = motion_.problem().mu(k);
  out.force_on_A = {solution.c_n(k), solution.c_t(k), c_u, 0};
  out.slip = {velocity(1), velocity(2)};
  out.friction = mu;
  if (find_hold(motion_, i) == ContactMode::slide) {
    out.mode = ContactMode::slide;
    out.margin = mu > 0 ? -1 : 0;
    return out;
  }
  const bool turns =
      std::hypot(velocity(4), velocity(5)) * tolerances_.scales().length > kTurnsNot * motion_.speed_scale();
  out.mode = turns ? ContactMode::roll : ContactMode::stick;
  const double friction = std::hypot(solution.c_t(k), c_u);
  if (mu > 0 && solution.c_n(k) > 0) out.margin = std::clamp(1 - friction / (mu * solution.c_n(k)), 0.0, 1.0);
  return out;
}

}  // namespace thenar::internal
