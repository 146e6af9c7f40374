// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/quasistatic_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/simulate/forces.h"
#include "thenar/simulate/row_assembly_internal.h"

namespace thenar {
namespace {

using Index = Eigen::Index;
using Vector = VectorX<double>;

void check_scenario(const Scenario& scenario) {
  if (!is_planar(scenario.model)) {
    throw std::runtime_error("slow motion is solved in the x-y plane, and something here can leave it");
  }
  if (!scenario.controls.empty()) {
    throw std::runtime_error(
        "slow motion takes joint velocities ('v' of the hand) or torques; controllers have neither at this instant");
  }
  if (!scenario.model.couplings().empty()) throw std::runtime_error("slow motion knows no couplings of joints");
}

/// Passive bodies: on a planar or free joint of the world that carries nothing, and not driven.
std::vector<bool> find_passive_dofs(const Scenario& scenario) {
  const Model& model = scenario.model;
  std::vector<bool> out(static_cast<std::size_t>(model.velocity_count()), false);
  for (const Joint& joint : model.joints()) {
    if (joint.spec.kind != JointKind::planar && joint.spec.kind != JointKind::free) continue;
    const bool carries = std::any_of(model.bodies().begin(), model.bodies().end(), [&](const Body& body) {
      return body.parent == joint.child && body.joint != model.body(joint.child).joint;
    });
    for (int k = 0; k < joint.nv && !carries; ++k) out[static_cast<std::size_t>(joint.v_start + k)] = true;
  }
  for (const TorqueProfile& torque : scenario.torques) out[static_cast<std::size_t>(torque.dof)] = false;
  return out;
}

/// Generalized forces other than those of contacts and actuators, at rest: −c + springs + wrenches; and the efforts.
struct Loads {
  Vector load, effort;
};

Loads calc_loads(const Scenario& scenario, const State& state) {
  const Model& model = scenario.model;
  const Vector rest = Vector::Zero(model.velocity_count());
  Workspace<double> workspace(model);
  ScenarioForces<double> forces(scenario);
  Loads out{rest, rest};
  Vector all = rest, bias = rest;
  std::span<const BodyWrench<double>> wrenches;
  forces.evaluate(state.t, state.q.data(), rest.data(), workspace, all.data(), wrenches);
  forces.actuation().calc_cut_efforts(state.t, state.q.data(), rest.data(), out.effort.data());
  inverse_dynamics<double>(model, state.q.data(), rest.data(), nullptr, wrenches, workspace, bias.data());
  out.load = all - out.effort - bias;
  return out;
}

}  // namespace

QuasistaticScene assemble_quasistatic(const Scenario& scenario, const State& state) {
  check_scenario(scenario);
  const Model& model = scenario.model;
  QuasistaticScene out;
  const std::vector<bool> is_passive = find_passive_dofs(scenario);
  for (int i = 0; i < model.velocity_count(); ++i) {
    (is_passive[static_cast<std::size_t>(i)] ? out.object_dofs : out.joint_dofs).push_back(i);
  }
  Workspace<double> workspace(model);
  const Vector rest = Vector::Zero(model.velocity_count());
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, rest.data(), workspace);
  internal::AssemblyContext context(scenario, state);
  const std::vector<internal::TouchingContact> touching = internal::find_touching_contacts(context, workspace);

  QuasistaticProblem& problem = out.problem;
  const auto n = static_cast<Index>(touching.size()), freedoms = static_cast<Index>(out.object_dofs.size()),
             joints = static_cast<Index>(out.joint_dofs.size());
  problem.W_n = problem.W_t = MatrixX<double>::Zero(freedoms, n);
  problem.J_n = problem.J_t = MatrixX<double>::Zero(n, joints);
  problem.mu = Vector::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const internal::TouchingContact& contact = touching[static_cast<std::size_t>(i)];
    out.contacts.push_back(contact.name);
    if (contact.law.fingertip != Fingertip::frictionless) problem.mu(i) = contact.law.friction;
    // v = J v of the model, with the object's part Wᵀ q̇ and the joints' −J θ̇.
    for (Index k = 0; k < freedoms; ++k) {
      problem.W_n(k, i) = contact.rows.J(0, out.object_dofs[static_cast<std::size_t>(k)]);
      problem.W_t(k, i) = contact.rows.J(1, out.object_dofs[static_cast<std::size_t>(k)]);
    }
    for (Index k = 0; k < joints; ++k) {
      problem.J_n(i, k) = -contact.rows.J(0, out.joint_dofs[static_cast<std::size_t>(k)]);
      problem.J_t(i, k) = -contact.rows.J(1, out.joint_dofs[static_cast<std::size_t>(k)]);
    }
  }
  const Loads loads = calc_loads(scenario, state);
  problem.g_obj.resize(freedoms);
  for (Index k = 0; k < freedoms; ++k) problem.g_obj(k) = loads.load(out.object_dofs[static_cast<std::size_t>(k)]);
  problem.theta_dot = problem.tau = problem.g_man = Vector::Zero(joints);
  for (Index k = 0; k < joints; ++k) {
    const int dof = out.joint_dofs[static_cast<std::size_t>(k)];
    const bool has_torque = std::any_of(scenario.torques.begin(), scenario.torques.end(),
                                        [&](const TorqueProfile& torque) { return torque.dof == dof; });
    problem.is_position_controlled.push_back(!has_torque || model.is_locked(dof));
    problem.theta_dot(k) = model.is_locked(dof) ? 0 : state.v(dof);
    problem.tau(k) = loads.effort(dof);
    problem.g_man(k) = -loads.load(dof);
  }
  return out;
}

}  // namespace thenar
