// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Rows of a run of slow motion, and extremes of what it has reached.

#include "thenar/contact/contact_finder.h"
#include "thenar/quasistatic_run/quasistatic_motion_internal.h"
#include "thenar/quasistatic_run/quasistatic_watch_internal.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

class QuasistaticSampler {
 public:
  /// All must outlive it.
  QuasistaticSampler(const Scenario& scenario, QuasistaticMotion& motion, const Tolerances& tolerances,
                     RunReport& report);

  /// A row where the motion was evaluated last; work and dissipation (J) are those since the last step. Velocities are
  /// those of its modes, or of the state where it has none.
  Sample make(const State& state, double work, double dissipated);
  /// The same at the state. Nothing that is looked at leaves a trace in the motion.
  Sample look(const State& state);
  /// And inside of the motion's step, whose place there it also takes for an extreme.
  Sample look_into(QuasistaticStep& step, const State& state);
  template <class Archive>
  void archive(Archive& a) {
    a(nearby_);
  }
  void note_extremes(const VectorX<double>& q);
  /// In gravity and in springs, J.
  double calc_potential(const VectorX<double>& q) const;

 private:
  Contact read_contact(std::size_t contact, const QuasistaticSolution& solution) const;

  const Scenario& scenario_;
  QuasistaticMotion& motion_;
  const Tolerances& tolerances_;
  RunReport& report_;
  ContactFinder nearby_;
  Workspace<double> workspace_;
  double margin_ = 0;  ///< m: pairs that are nearer are listed
};

}  // namespace thenar::internal
