// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/scenario_check_internal.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/quasistatic_run/quasistatic_scene.h"

namespace thenar::internal {

void check_scenario(const Scenario& s) {
  if (const std::string fault = s.run.find_fault(); !fault.empty()) throw std::invalid_argument(fault);
  if (s.initial.q.size() != s.model.position_count() || s.initial.v.size() != s.model.velocity_count()) {
    throw std::invalid_argument(
        fmt::format("the initial state has {} positions and {} velocities, the model needs {} and {}",
                    s.initial.q.size(), s.initial.v.size(), s.model.position_count(), s.model.velocity_count()));
  }
  if (!s.initial.q.allFinite() || !s.initial.v.allFinite()) {
    throw std::invalid_argument("the initial state must consist of finite numbers");
  }
  for (const TorqueProfile& torque : s.torques) {
    if (torque.dof < 0 || torque.dof >= s.model.velocity_count()) {
      throw std::invalid_argument(fmt::format("there is no degree of freedom {} to drive", torque.dof));
    }
  }
  for (const ControlEntry& entry : s.controls) {
    if (!entry.law) throw std::invalid_argument("a control has no law");
    if (entry.rate && (!(*entry.rate > 0) || !std::isfinite(*entry.rate))) {
      throw std::invalid_argument(
          fmt::format("control '{}': the rate must be greater than 0 Hz, found {} Hz", entry.law->kind(), *entry.rate));
    }
  }
  for (const WrenchProfile& wrench : s.wrenches) {
    if (wrench.body.value() >= s.model.body_count())
      throw std::invalid_argument("a wrench acts on a body that is not there");
  }
  if (s.contacts && s.run.integrator == IntegratorKind::symplectic) {
    throw std::invalid_argument(
        "the symplectic method does not know contacts: take another integrator, such as 'auto'");
  }
  if (s.run.engine == EngineKind::quasistatic) {
    if (const std::string fault = find_quasistatic_fault(s); !fault.empty()) throw std::invalid_argument(fault);
    return;  // what does not accelerate needs no inertia
  }
  if (const auto fault = find_inertia_fault(s.model, s.initial.q)) throw std::invalid_argument(fault->message);
}

}  // namespace thenar::internal
