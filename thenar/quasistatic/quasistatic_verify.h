// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Checks of quasistatic answers that share nothing with their solvers: plain loops over the problem's matrices, in
/// long double. Solutions are graded (quasistatic_grade.h), what they say about being the only ones is found anew by
/// elimination, the tree (quasistatic_proof.h) is walked and the numbers at its ends are added up.
///
/// Velocities below 1e-6 of the usual one count as none here. Because numbers are rounded, sums that should vanish do
/// so to rounding; a velocity or force that slips through would have to be `reach` times as large as usual: 1e5 times,
/// or 100 times where no more is shown than that some velocity that should be positive counts as none.

#include "thenar/complementarity/verify.h"
#include "thenar/quasistatic/quasistatic_solver.h"

namespace thenar {

/// What somebody says about a problem.
struct QuasistaticClaim {
  QuasistaticVerdict verdict = QuasistaticVerdict::undecided;
  std::vector<QuasistaticSolution> solutions;
  bool is_list_complete = false;
  std::vector<QuasistaticNode> tree;
};

/// Claims: every solution is one, and is as unique as it says; the verdict; and that there are no others where the
/// list is said to be complete. Throws std::invalid_argument if the problem is not consistent.
Verification verify_quasistatic(const QuasistaticProblem& problem, const QuasistaticClaim& claim);

}  // namespace thenar
