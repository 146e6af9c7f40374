// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_solver.h"

#include <algorithm>
#include <stdexcept>

#include "thenar/complementarity/grade.h"
#include "thenar/modes/mode_cells_internal.h"

namespace thenar {
namespace {

void check_problem(const ConstraintProblem& problem) {
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("solve_modes: " + *fault);
  if (!problem.A().allFinite() || !problem.b().allFinite()) {
    throw std::invalid_argument("solve_modes: A or b has a number that is not finite");
  }
}

/// The normal parts alone.
ModeParts make_normals(const ConstraintProblem& problem) {
  ModeParts out;
  for (int i = 0; i < problem.size(); ++i) {
    const RowKind kind = problem.row(i).kind;
    if (kind == RowKind::unilateral || kind == RowKind::normal) out.normals.push_back({i});
  }
  return out;
}

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

/// Answers on the true cone: from nothing, and from what the search left.
std::vector<ModeCell> find_smooth_answers(const ConstraintProblem& problem, const std::vector<ModeCell>& seeds) {
  const internal::ScaledProblem scaled(problem);
  ConeSolver solver(problem.size());
  std::vector<ModeCell> out;
  const auto add = [&](const VectorX<double>& z) {
    const std::span<const double> forces(z.data(), static_cast<std::size_t>(z.size()));
    if (!(grade_solution(problem, forces).worst() <= 1e-9)) return false;
    ModeCell cell;
    cell.z = z;
    cell.w = problem.A() * z + problem.b();
    const double size = 1 + z.cwiseQuotient(scaled.force_unit).lpNorm<Eigen::Infinity>();
    const auto moves_alike = [&](const ModeCell& other) {
      const VectorX<double> difference = (cell.w - other.w).cwiseQuotient(scaled.motion_unit);
      return difference.lpNorm<Eigen::Infinity>() <= internal::kModeZero * size;
    };
    if (std::any_of(out.begin(), out.end(), moves_alike)) return true;
    cell.states = internal::find_states(problem, make_normals(problem), cell.w.cwiseQuotient(scaled.motion_unit),
                                        internal::kModeZero * size);
    cell.vertices.push_back(z);
    out.push_back(std::move(cell));
    return true;
  };
  const auto solve_from = [&](std::span<const double> start) {
    const ConeSolution& solution = solver.solve(problem, start);
    if (solution.status != ConeStatus::solved) return;
    add(Eigen::Map<const VectorX<double>>(solution.z.data(), problem.size()));
  };
  // The smallest forces of a polygon are those of the cone inside it, if they are forces of that at all.
  for (const ModeCell& seed : seeds) {
    if (!add(seed.z)) solve_from({seed.z.data(), static_cast<std::size_t>(seed.z.size())});
  }
  solve_from({});
  return out;
}

/// Gives the answers on the true cone the decisions and the room of the cells around them.
void adopt_cells(std::vector<ModeCell>& answers, const std::vector<ModeCell>& around) {
  for (ModeCell& answer : answers) {
    for (const ModeCell& cell : around) {
      if (cell.states != answer.states) continue;
      answer.choice = cell.choice;
      answer.forces_unique = cell.forces_unique;
      answer.motion_unique = cell.motion_unique;
      answer.span = cell.span;
      answer.is_listed = cell.forces_unique;
      if (!cell.forces_unique) answer.vertices.clear();
    }
  }
}

}  // namespace

ModeAnswer solve_modes(const ConstraintProblem& problem, const ModeSearchOptions& options) {
  check_problem(problem);
  const bool is_exact = has_exact_mode_parts(problem);
  ModeSearchResult found;
  if (has_mode_parts(problem)) {
    found = search_modes(problem, options);
  } else {
    found.reason = "the limit surface of a soft finger has no proof yet; cone: 4 and the like have";
  }
  if (!is_exact) {
    std::vector<ModeCell> answers = find_smooth_answers(problem, found.cells);
    adopt_cells(answers, found.cells);
    const bool are_all_found = found.is_complete && answers.size() == found.cells.size();
    if (found.is_complete && !are_all_found)
      found.reason = "an answer to the polygons around the cones is none to these";
    found.is_complete = are_all_found;
    found.cells = std::move(answers);
  }
  const Verdict verdict = count_answers(problem, found.cells);
  const bool can_claim = found.is_complete || verdict == Verdict::several;
  ModeClaim claim{can_claim ? verdict : Verdict::undecided, std::move(found.cells), std::move(found.tree)};
  const ModeVerification verification = verify_modes(problem, claim);
  ModeAnswer out;
  out.verdict = verification.holds() ? claim.verdict : Verdict::undecided;
  out.is_list_complete = is_exact && found.is_complete && verification.holds() && verification.is_list_proved;
  out.reason = found.is_complete ? verification.reason : found.reason;
  out.cells = std::move(claim.cells);
  out.tree = std::move(claim.tree);
  out.programs = found.programs;
  return out;
}

}  // namespace thenar
