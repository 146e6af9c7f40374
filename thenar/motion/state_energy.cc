// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/state_energy.h"

#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar {

double calc_energy(const Model& model, const State& state) {
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  return calc_kinetic_energy(model, workspace, state.v.data()) + calc_gravity_energy(model, workspace) +
         calc_spring_energy(model, state.q.data());
}

}  // namespace thenar
