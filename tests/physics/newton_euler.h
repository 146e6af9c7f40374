// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Whether the answer of an instant obeys the equations of motion, by a way that knows neither Jacobians nor mass
/// matrices: contact forces are laid on both bodies as wrenches, and inverse dynamics has to find the efforts of the
/// scenario. For scenarios whose joints have neither stops that hold nor dry friction.

#include <vector>

#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/motion/forces.h"

namespace thenar::test {

/// The wrenches of a contact's force on A and of its opposite on B. Needs update_positions.
inline void add_contact_wrenches(const Model& model, const Workspace<double>& workspace, const FoundContact& place,
                                 const std::array<double, 4>& force, std::vector<BodyWrench<double>>& out) {
  const Vec3<double> f = place.N * force[0] + place.T * force[1] + place.U * force[2];
  const Vec3<double> torsion = place.N * force[3];
  const auto add = [&](BodyIndex body, const Vec3<double>& point, double sign) {
    if (body == kWorld) return;
    const Vec3<double> lever = point - calc_body_pose(model, workspace, body).p;
    out.push_back({body, Wrench<double>{torsion * sign, f * sign}.moved_by(lever)});
  };
  add(place.body_A, place.p_A, 1);
  add(place.body_B, place.p_B, -1);
}

/// Largest |τ needed − τ of the scenario| at its start, in parts of what the efforts, gravity and contacts amount to.
inline double calc_momentum_residual(const Scenario& scenario, const Instant& instant, const InstantCell& cell) {
  const Model& model = scenario.model;
  const VectorX<double>&q = scenario.initial.q, &v = scenario.initial.v;
  Workspace<double> workspace(model);
  VectorX<double> applied(model.velocity_count()), needed(model.velocity_count()), rest(model.velocity_count());
  ScenarioForces<double> forces(scenario);
  std::span<const BodyWrench<double>> given;
  forces.evaluate(0, q.data(), v.data(), workspace, applied.data(), given);
  std::vector<BodyWrench<double>> wrenches(given.begin(), given.end());
  inverse_dynamics<double>(model, q.data(), v.data(), nullptr, wrenches, workspace, rest.data());
  update_positions(model, q.data(), workspace);
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    add_contact_wrenches(model, workspace, instant.contacts[i].place, cell.forces[i], wrenches);
  }
  inverse_dynamics<double>(model, q.data(), v.data(), cell.vdot.data(), wrenches, workspace, needed.data());
  double scale = applied.lpNorm<Eigen::Infinity>() + rest.lpNorm<Eigen::Infinity>();
  for (const auto& force : cell.forces) scale += std::abs(force[0]);
  return (needed - applied).lpNorm<Eigen::Infinity>() / scale;
}

}  // namespace thenar::test
