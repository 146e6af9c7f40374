// SPDX-License-Identifier: BSD-3-Clause

// What a run is told in: words, energies, and a trace that is kept in memory.

#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/simulate/simulate.h"

namespace thenar {

const char* to_string(ContactMotion motion) {
  switch (motion) {
    case ContactMotion::free:
      return "free";
    case ContactMotion::fixed:
      return "fixed";
    case ContactMotion::roll:
      return "roll";
    case ContactMotion::slide:
      return "slide";
    case ContactMotion::spin:
      break;
  }
  return "spin";
}

const char* to_string(RunStatus status) { return status == RunStatus::done ? "done" : "failed"; }

double calc_energy(const Model& model, const State& state) {
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  return calc_kinetic_energy(model, workspace, state.v.data()) + calc_gravity_energy(model, workspace) +
         calc_spring_energy(model, state.q.data());
}

Trace record(const Scenario& scenario) {
  Trace trace;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    trace.samples.push_back(sample);
    return true;
  };
  callbacks.on_event = [&](const Event& event) { trace.events.push_back(event); };
  trace.report = simulate(scenario, callbacks);
  return trace;
}

}  // namespace thenar
