// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_solver.h"

#include <algorithm>

#include "thenar/modes/mode_cells_internal.h"

namespace thenar {
namespace {

/// What the cells say, if they are all there are.
Verdict count_answers(const ConstraintProblem& problem, const std::vector<ModeCell>& cells) {
  if (cells.empty()) return Verdict::none;
  const internal::ScaledProblem scaled(problem);
  bool has_one_motion = true, has_one_force = cells.size() == 1;
  for (const ModeCell& cell : cells) {
    const VectorX<double> difference = (cell.w - cells.front().w).cwiseQuotient(scaled.motion_unit);
    const double size = 1 + cell.z.cwiseQuotient(scaled.force_unit).lpNorm<Eigen::Infinity>();
    const bool moves_alike = difference.lpNorm<Eigen::Infinity>() <= internal::kModeZero * size;
    has_one_motion = has_one_motion && cell.motion_unique && moves_alike;
    has_one_force = has_one_force && cell.forces_unique;
  }
  if (!has_one_motion) return Verdict::several;
  return has_one_force ? Verdict::unique : Verdict::unique_motion_indeterminate_forces;
}

}  // namespace

ModeAnswer solve_modes(const ConstraintProblem& problem, const ModeSearchOptions& options) {
  ModeSearchResult found = search_modes(problem, options);
  const Verdict verdict = count_answers(problem, found.cells);
  const bool can_claim = found.is_complete || verdict == Verdict::several;
  ModeClaim claim{can_claim ? verdict : Verdict::undecided, std::move(found.cells), std::move(found.tree)};
  const ModeVerification verification = verify_modes(problem, claim);
  ModeAnswer out;
  out.verdict = verification.holds() ? claim.verdict : Verdict::undecided;
  out.is_list_complete = found.is_complete && verification.holds() && verification.is_list_proved;
  out.reason = found.is_complete ? verification.reason : found.reason;
  out.cells = std::move(claim.cells);
  out.tree = std::move(claim.tree);
  out.programs = found.programs;
  return out;
}

}  // namespace thenar
