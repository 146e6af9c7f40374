// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/settle_parts_internal.h"

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar::internal {

SettleParts::SettleParts(const Scenario& s, ConstrainedMotion& m, JointRest& j, Stepper& stepper_in,
                         const Tolerances& t)
    : scenario(s),
      motion(m),
      joints(j),
      stepper(stepper_in),
      tolerances(t),
      context(s, m, j, t),
      names(s.model),
      workspace(s.model) {
  update_positions(s.model, s.initial.q.data(), workspace);
  size = context.finder().calc_size(workspace);
  if (!(size > 0)) size = t.scales().length;
  const ContactTolerances contact_tolerances(size);
  context.touch = contact_tolerances.touch();
  context.overlap = contact_tolerances.touch();
}

void SettleParts::look_at(const State& state) {
  update_positions(scenario.model, state.q.data(), workspace);
  update_velocities(scenario.model, state.v.data(), workspace);
}

}  // namespace thenar::internal
