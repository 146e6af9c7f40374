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
#include "thenar/step/made_step_internal.h"
#include "thenar/step/step_solver_internal.h"
#include "thenar/trace/run_report.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

/// A step's problem and its answer.
struct AnsweredStep {
  const Scenario& scenario;
  const Tolerances& tolerances;
  const StepRows& rows;
  const StepSolver& solver;
};
/// The contacts of an answer that touch at the end of a step of length h. Where they are those of `before`, in their
/// order, they have the names of these.
std::vector<StepContactState> read_contacts(const AnsweredStep& step, double h,
                                            const std::vector<StepContactState>& before, ContactNames& names);

class StepSampler {
 public:
  /// The scenario must outlive it.
  explicit StepSampler(const Scenario& scenario);

  /// A row at the state. nullptr if an effort is not finite: fault() names it.
  const Sample* make(const State& state, const std::vector<StepContactState>& contacts, const EnergyBalance& energy,
                     Actuation& actuation);
  const std::string& fault() const { return fault_; }

 private:
  const Scenario& scenario_;
  ContactFinder nearby_;
  Workspace<double> workspace_;
  double margin_ = 0;  ///< m: pairs that are nearer are listed
  Sample sample_;
  std::string fault_;
};

}  // namespace thenar::internal
