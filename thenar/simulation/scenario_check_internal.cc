// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/scenario_check_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/quasistatic_run/quasistatic_scene.h"
#include "thenar/step/step_scene.h"

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
    if (entry.law->sees_contacts() && !entry.rate) {
      throw std::invalid_argument(
          fmt::format("control '{}' sees contacts: give it a rate, at which it looks at them", entry.law->kind()));
    }
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
  if (s.run.engine == EngineKind::step) {
    if (const std::string fault = find_step_fault(s); !fault.empty()) throw std::invalid_argument(fault);
  }
  if (const auto fault = find_inertia_fault(s.model, s.initial.q)) throw std::invalid_argument(fault->message);
}

namespace {

bool has_target(const Scenario& s, int dof) {
  for (const ControlEntry& entry : s.controls) {
    if (entry.law->clone()->set_target(dof, 0.0)) return true;
  }
  return false;
}

void check_wrench(const Scenario& s, const AppliedWrench& wrench) {
  if (wrench.body.value() >= s.model.body_count()) {
    throw std::invalid_argument(fmt::format("there is no body {} for a wrench to act on", wrench.body.value()));
  }
  for (const Vec3<double>* vector : {&wrench.point_B, &wrench.force, &wrench.torque}) {
    if (vector->eigen().allFinite()) continue;
    throw std::invalid_argument(
        fmt::format("a wrench on body '{}' must consist of finite numbers", s.model.body(wrench.body).name));
  }
  if (std::isnan(wrench.until)) throw std::invalid_argument("a wrench needs a time at which it ends, or infinity");
}

/// Slow motion knows no inertia: what moves joints there is what the scenario says.
void check_slow_loads(const Scenario& s, const ExternalLoads& loads) {
  if (!loads.targets.empty()) {
    throw std::invalid_argument("slow motion follows the targets of its scenario: a target that jumps is no motion");
  }
  for (int dof = 0; dof < s.model.velocity_count(); ++dof) {
    if (!loads.sets_effort(dof)) continue;
    const bool is_driven = std::any_of(s.torques.begin(), s.torques.end(),
                                       [dof](const TorqueProfile& torque) { return torque.dof == dof; });
    if (is_driven) continue;
    throw std::invalid_argument(
        fmt::format("'{}' is position-controlled in slow motion: give it a torque in the scenario to set its effort",
                    s.model.dof_name(dof)));
  }
}

}  // namespace

void check_loads(const Scenario& s, const ExternalLoads& loads) {
  for (const AppliedWrench& wrench : loads.wrenches) check_wrench(s, wrench);
  for (int dof = 0; dof < static_cast<int>(loads.targets.size()); ++dof) {
    if (!loads.targets[static_cast<std::size_t>(dof)] || has_target(s, dof)) continue;
    throw std::invalid_argument(
        fmt::format("no controller of the scenario has a target for '{}'", s.model.dof_name(dof)));
  }
  if (s.run.engine == EngineKind::quasistatic) check_slow_loads(s, loads);
}

}  // namespace thenar::internal
