// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a step engine's samples say: contacts as the last step had them, energies, efforts, and pairs that are near.

#include <string>
#include <vector>

#include "thenar/contact/contact_finder.h"
#include "thenar/instant/contact_names.h"
#include "thenar/motion/actuation.h"
#include "thenar/scenario/scenario.h"
#include "thenar/scenario/tolerances.h"
#include "thenar/spatial/state_archive.h"
#include "thenar/step/step_solver_internal.h"
#include "thenar/trace/run_report.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

/// A contact in a step, with its mean force.
struct StepContactState {
  std::uint64_t id = 0;
  Contact contact;
};

template <class Archive>
void archive_state(Archive& a, StepContactState& x) {
  Contact& c = x.contact;
  a(x.id, c.id, c.name, c.body_A, c.body_B, c.mode, c.gap, c.force_on_A.normal, c.force_on_A.along_T,
    c.force_on_A.along_U, c.force_on_A.torsion, c.slip, c.u_A, c.u_B, c.psi, c.margin, c.point_A, c.N, c.T, c.friction);
}

class StepSampler {
 public:
  /// All must outlive it.
  StepSampler(const Scenario& scenario, const Tolerances& tolerances);

  /// The contacts of an answer that touch at the end of the step. Where they are those of `before`, in their order,
  /// they have the names of these.
  std::vector<StepContactState> read_contacts(const StepRows& rows, const StepSolver& solver, double h,
                                              const std::vector<StepContactState>& before, ContactNames& names) const;

  /// A row at the state. nullptr if an effort is not finite: fault() names it.
  const Sample* make(const State& state, const std::vector<StepContactState>& contacts, const EnergyBalance& energy,
                     Actuation& actuation);
  const std::string& fault() const { return fault_; }

 private:
  const Scenario& scenario_;
  const Tolerances& tolerances_;
  ContactFinder nearby_;
  Workspace<double> workspace_;
  double margin_ = 0;  ///< m: pairs that are nearer are listed
  Sample sample_;
  std::string fault_;
};

}  // namespace thenar::internal
