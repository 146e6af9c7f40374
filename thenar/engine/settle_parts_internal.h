// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What the classes that settle an instant share: the motion, the finder of contacts, names, and scratch memory.

#include <span>
#include <utility>
#include <vector>

#include "thenar/instant/contact_instant.h"
#include "thenar/instant/contact_names.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/motion/stepper.h"

namespace thenar::internal {

struct SettleParts {
  /// All must outlive it.
  SettleParts(const Scenario& scenario, ConstrainedMotion& motion, JointRest& joints, Stepper& stepper,
              const Tolerances& tolerances);

  const Scenario& scenario;
  ConstrainedMotion& motion;
  JointRest& joints;
  Stepper& stepper;
  const Tolerances& tolerances;
  AssemblyContext context;
  ContactNames names;
  Workspace<double> workspace;
  double size = 0;  ///< of the scene, m

  /// Positions and velocities of the state go into the workspace.
  void look_at(const State& state);
  /// A contact that holds at the positions and velocities of the workspace.
  HeldContact make_contact(const FoundContact& found, const ContactLaw& law, ContactHold hold,
                           double no_slip = 0) const {
    return {scenario.model, workspace, context.finder(), found, law, hold, no_slip};
  }
  /// Puts q and v on these joint rows and contacts.
  void project(std::span<const int> held, std::vector<HeldContact> contacts, VectorX<double>& q, VectorX<double>& v) {
    context.projection().project(motion.rows(), held, std::move(contacts), q, v);
  }
  JointRow& row(int i) { return motion.rows()[static_cast<std::size_t>(i)]; }
  int row_count() const { return static_cast<int>(motion.rows().size()); }
};

}  // namespace thenar::internal
