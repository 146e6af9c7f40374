// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_sampler_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/engine/contact_sampler.h"
#include "thenar/engine/sample_maker_internal.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {
namespace {

/// Turns slower than this, as a part of what belongs to the scenario, are none.
constexpr double kTurnsHardly = 1e-7;

double calc_margin(const StepContact& contact, const FrictionCone& cone, const ContactForce& force) {
  const double mu = contact.law.static_friction;
  double friction = calc_cone_size(cone, force.along_T, force.along_U) / mu;
  if (contact.law.fingertip == Fingertip::soft && contact.law.torsion > 0) {
    const double torsion = std::abs(force.torsion) / contact.law.torsion;
    friction = cone.kind == FrictionCone::Kind::circular ? std::hypot(friction, torsion) : std::max(friction, torsion);
  }
  return force.normal > 0 ? std::clamp(1 - friction / force.normal, 0.0, 1.0) : 0;
}

}  // namespace

StepSampler::StepSampler(const Scenario& scenario)
    : scenario_(scenario),
      nearby_(scenario.model, scenario.shapes, find_contact_rules(scenario)),
      workspace_(scenario.model) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  margin_ = ContactTolerances(nearby_.calc_size(workspace_)).default_margin();
  if (scenario.contacts) margin_ = scenario.contacts->margin.value_or(margin_);
  sample_.tau.setZero(scenario.model.velocity_count());
}

namespace {

void give_names(const StepRows& rows, const StepSolver& solver, const std::vector<StepContactState>& before,
                ContactNames& names, std::vector<StepContactState>& out) {
  const auto is_same = [](const StepContactState& a, const StepContactState& b) { return a.id == b.id; };
  if (std::equal(out.begin(), out.end(), before.begin(), before.end(), is_same)) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i].contact.name = before[i].contact.name;
    return;
  }
  std::vector<FoundContact> places;
  for (std::size_t i = 0; i < rows.contacts().size(); ++i) {
    if (solver.states()[i] != ContactState::open) places.push_back(rows.contacts()[i].place);
  }
  const std::vector<std::string> called = names.update(places);
  for (std::size_t i = 0; i < out.size(); ++i) out[i].contact.name = called[i];
}

}  // namespace

std::vector<StepContactState> read_contacts(const AnsweredStep& step, double h,
                                            const std::vector<StepContactState>& before, ContactNames& names) {
  const auto& [scenario, tolerances, rows, solver] = step;
  const StepAnswer& answer = solver.answer();
  std::vector<StepContactState> out;
  out.reserve(rows.contacts().size());
  for (std::size_t i = 0; i < rows.contacts().size(); ++i) {
    if (solver.states()[i] == ContactState::open) continue;
    const StepContact& from = rows.contacts()[i];
    const FoundContact& place = from.place;
    StepContactState& state = out.emplace_back();
    state.id = rows.problem().row(from.row).id;
    Contact& contact = state.contact;
    contact.id = {place.shape_A, place.shape_B, place.id};
    contact.body_A = place.body_A;
    contact.body_B = place.body_B;
    contact.gap = place.gap;
    contact.point_A = place.p_A;
    contact.N = place.N;
    contact.T = place.T;
    std::array<double, 4> force{answer.z(from.row) / h, 0, 0, 0};
    for (int k = 0; k < from.tangent_count; ++k) {
      force[static_cast<std::size_t>(from.directions[static_cast<std::size_t>(k)])] = answer.z(from.row + 1 + k) / h;
      if (from.directions[static_cast<std::size_t>(k)] == 3) continue;
      contact.slip[static_cast<std::size_t>(from.directions[static_cast<std::size_t>(k)] - 1)] =
          solver.rate_after(rows, from.row + 1 + k);
    }
    contact.force_on_A = {force[0], force[1], force[2], force[3]};
    const bool slides = solver.states()[i] == ContactState::slide;
    contact.friction = slides || from.slips ? from.law.friction : from.law.static_friction;
    if (from.tangent_count == 0) contact.friction = 0;
    const double turn = std::hypot(from.rows.velocity(4), from.rows.velocity(5));
    const bool turns = turn > kTurnsHardly / tolerances.scales().time;
    contact.mode = slides ? ContactMode::slide : turns ? ContactMode::roll : ContactMode::stick;
    if (from.tangent_count > 0) {
      contact.margin = slides ? -1 : calc_margin(from, scenario.contacts->cone, contact.force_on_A);
    }
  }
  give_names(rows, solver, before, names, out);
  return out;
}

const Sample* StepSampler::make(const State& state, const std::vector<StepContactState>& contacts,
                                const EnergyBalance& energy, Actuation& actuation) {
  const Model& model = scenario_.model;
  update_positions(model, state.q.data(), workspace_);
  update_velocities(model, state.v.data(), workspace_);
  sample_.energy = {.kinetic = calc_kinetic_energy(model, workspace_, state.v.data()),
                    .potential = calc_gravity_energy(model, workspace_) + calc_spring_energy(model, state.q.data()),
                    .work = energy.work,
                    .dissipated = energy.dissipated,
                    .layers = 0,
                    .switched = energy.switched,
                    .corrected = energy.corrected};
  actuation.calc_cut_efforts(state.t, state.q.data(), state.v.data(), sample_.tau.data());
  if (!sample_.tau.allFinite()) {
    fault_ = find_bad_effort(scenario_, actuation, state.t, state);
    return nullptr;
  }
  sample_.contacts.clear();
  for (const StepContactState& contact : contacts) sample_.contacts.push_back(contact.contact);
  if (scenario_.contacts) {
    nearby_.update(workspace_, margin_);
    const auto is_near_only = [&](BodyIndex A, BodyIndex B) {
      return std::none_of(contacts.begin(), contacts.end(), [&](const StepContactState& contact) {
        return contact.contact.body_A == A && contact.contact.body_B == B;
      });
    };
    list_free_pairs(model, nearby_, is_near_only, sample_.contacts);
  }
  sample_.state = state;
  return &sample_;
}

}  // namespace thenar::internal
