// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The quasistatic problem of a planar scenario (quasistatic_problem.h): what moves slowly, and what pushes.
///
/// Joints of hands are position-controlled, and their velocities are those of the state; those with a torque are
/// effort-controlled, with the effort it has at that time; locked ones stand still. Objects are passive: everything on
/// a planar joint that carries nothing. Contacts are those that touch in the state, each with its (kinetic) coefficient
/// of friction. Weight, wrenches and springs are loads; what depends on velocity, damping above all, is none here,
/// since velocities are small.

#include <string>
#include <vector>

#include "thenar/quasistatic/quasistatic_problem.h"
#include "thenar/simulate/scenario.h"

namespace thenar {

struct QuasistaticScene {
  QuasistaticProblem problem;
  std::vector<std::string> contacts;         ///< names, A/B
  std::vector<int> object_dofs, joint_dofs;  ///< of the rows of W and of the columns of J, in the model's velocities
};

/// Throws std::runtime_error where the scenario has no such problem: if it leaves the plane, has controllers or
/// couplings, or bodies overlap.
QuasistaticScene assemble_quasistatic(const Scenario& scenario, const State& state);

}  // namespace thenar
