// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The impacts of a step, half-way: what has closed and is approached, by the scenario's law (impact_problem.h).

#include <string>

#include "thenar/instant/contact_impact.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/step/made_step_internal.h"
#include "thenar/step/step_rows_internal.h"

namespace thenar::internal {

class StepImpacts {
 public:
  /// Both must outlive it. `start`: positions at which locked joints stay.
  StepImpacts(const Scenario& scenario, const VectorX<double>& start, const Tolerances& tolerances);

  std::vector<JointRow>& joint_rows() { return motion_.rows(); }
  const std::vector<JointRow>& joint_rows() const { return motion_.rows(); }

  /// `v` becomes the velocity after all of them; events, and what they take and put in, go to the step, which ends at
  /// t_end. What approaches more slowly than `slowest` (m/s) does not strike, and what is nearer than `touch` (m)
  /// touches. Empty, or why there is no answer.
  std::string resolve(const StepRows& rows, const VectorX<double>& q_mid, double touch, double slowest,
                      VectorX<double>& v, MadeStep& step);

  template <class Archive>
  void archive(Archive& a) {
    a(joints_, context_);
  }

 private:
  bool is_struck(const StepRows& rows) const;
  bool is_struck(const ImpactInstant& impact) const;
  void tell(const ImpactInstant& impact, const VectorX<double>& v, MadeStep& step) const;

  const Scenario& scenario_;
  ConstrainedMotion motion_;  ///< for its joint rows
  JointRest joints_;
  AssemblyContext context_;
};

}  // namespace thenar::internal
