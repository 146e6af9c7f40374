// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The contact problem of a step: solved, with friction that is static until a contact slips and against the slip of
/// the right time (StepRows, β), and graded by a judge that shares no arithmetic with the solver (grade.h).
///
/// Most steps do what the step before did: its modes are held, one linear system is solved, and the judge is asked
/// (StepHold). Where he does not agree the problem is solved anew.
///
/// The work is bounded: a few rounds of one problem each, whose solver has fixed numbers of sweeps and Newton steps.
/// Where the last answer is not as good as asked, it is taken all the same, and flagged.

#include <cstdint>
#include <memory>
#include <vector>

#include "thenar/complementarity/cone_solver.h"
#include "thenar/step/step_hold_internal.h"
#include "thenar/step/step_rows_internal.h"

namespace thenar::internal {

struct StepAnswer {
  VectorX<double> z, w;  ///< impulses, and motions of the rows as the problem has them
  double grade = 0;      ///< ConstraintGrade::worst
  bool is_flagged = false;
};

class StepSolver {
 public:
  /// An answer that is graded worse is flagged.
  static constexpr double kGoodGrade = 1e-8;

  /// b of the rows is set; rows and b change with what slips and what comes to rest.
  const StepAnswer& solve(StepRows& rows);
  const StepAnswer& answer() const { return answer_; }
  /// What each contact does in the answer, in their order.
  const std::vector<ContactState>& states() const { return states_; }
  /// Motion J v⁺ of a row at the end of the step.
  double rate_after(const StepRows& rows, int row) const {
    return answer_.w(row) - (rows.has_beta(row) ? rows.rate_before(row) : 0);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(known_ids_, known_z_, known_states_, hold_);
  }

 private:
  void solve_once(const ConstraintProblem& problem);
  bool settle_friction(StepRows& rows);
  bool hold_modes(const StepRows& rows);
  bool knows_rows(const ConstraintProblem& problem) const;
  void find_warm_start(const ConstraintProblem& problem);
  void read_states(const StepRows& rows, const ConeSolution& solution);

  std::unique_ptr<ConeSolver> solver_;
  StepAnswer answer_;
  std::vector<ContactState> states_;
  std::vector<double> warm_;
  std::vector<std::uint64_t> known_ids_;  ///< rows of the last answer, in its order
  std::vector<double> known_z_;
  std::vector<ContactState> known_states_;  ///< of its contacts
  StepHold hold_;
};

}  // namespace thenar::internal
