// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_solver.h"

#include <algorithm>
#include <stdexcept>

#include "thenar/modes/known_answer_internal.h"
#include "thenar/modes/motion_form_internal.h"
#include "thenar/spatial/decompositions.h"

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
  return has_one_force ? Verdict::unique : Verdict::unique_motion;
}

/// A tree that is one node: no motion but that of cell 0.
std::vector<ModeNode> make_short_proof(const VectorX<double>& weights) {
  ModeNode root;
  root.kind = ModeNode::Kind::one_motion;
  root.y = weights;
  root.cell = 0;
  return {root};
}

/// Forces that depend on each other to this part are redundant: rounding of A.
constexpr double kForceRank = 1e-11;
/// Contacts on smooth cones that a brief search is tried with.
constexpr int kFewContacts = 2;

int count_smooth_contacts(const ConstraintProblem& problem) {
  int out = 0;
  for (int i = 0; i < problem.size(); ++i) {
    const ConstraintRow& row = problem.row(i);
    out +=
        row.kind == RowKind::normal && row.faces == 0 && !problem.is_sliding_contact(i) && problem.tangent_count(i) > 1;
  }
  return out;
}

/// The smallest forces that let nothing move, or as little as can be: where to begin if what is at rest is to stay.
VectorX<double> find_rest_forces(const internal::ScaledProblem& scaled) {
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> factor;
  factor.setThreshold(kForceRank);
  factor.compute(scaled.A);
  const VectorX<double> forces = factor.solve(VectorX<double>(-scaled.b));
  return forces.cwiseProduct(scaled.force_unit);
}

/// The smallest forces with the motion of z, if they are a solution: the proof has most to say where friction is least.
VectorX<double> find_least_forces(const internal::AnswerFinder& finder, const internal::ScaledProblem& scaled,
                                  const VectorX<double>& z) {
  const VectorX<double> scaled_z = z.cwiseQuotient(scaled.force_unit);
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> factor;
  factor.setThreshold(kForceRank);
  factor.compute(scaled.A);
  if (factor.rank() == scaled_z.size()) return z;
  const VectorX<double> motion = scaled.A * scaled_z, forces = factor.solve(motion),
                        least = forces.cwiseProduct(scaled.force_unit);
  return finder.is_solution(least) ? least : z;
}

/// A solution that alone proves that there is no other motion, or else the search.
ModeSearchResult find_answers(const ConstraintProblem& problem, const ModeSearchOptions& options) {
  const internal::ScaledProblem scaled(problem);
  const bool has_parts = has_mode_parts(problem), is_exact = has_exact_mode_parts(problem);
  const ModeParts parts = has_parts ? make_mode_parts(problem) : make_normals(problem);
  internal::AnswerFinder finder(problem, scaled, parts, options.most_generators);
  ModeSearchResult out;
  const VectorX<double> start = options.is_brief ? find_rest_forces(scaled) : VectorX<double>();
  auto z = finder.find_forces({start.data(), static_cast<std::size_t>(start.size())});
  if (!z && start.size() > 0) z = finder.find_forces();
  if (z && options.is_brief) z = find_least_forces(finder, scaled, *z);
  if (z) {
    const internal::MotionForm form(problem, scaled, *z);
    if (const auto weights = form.find_few_weights(form.find_differences())) {
      out.cells.push_back(finder.make_point(*z));
      out.tree = make_short_proof(*weights);
    } else {
      out.cells.push_back(options.is_brief ? finder.make_span(*z) : finder.make_answer(*z));
      const ModeCell& cell = out.cells.front();
      // With straight edges the search takes less time than all weights, unless it meets many cells with this motion.
      if (!is_exact || !cell.forces_unique) {
        const internal::MotionForm of_cell(problem, scaled, cell.z);
        const auto all = of_cell.find_weights(of_cell.find_differences(), internal::MotionForm::Effort::all);
        if (all) out.tree = make_short_proof(*all);
      }
    }
  }
  out.is_complete = !out.tree.empty();
  if (out.is_complete) return out;
  if (options.is_brief && !out.cells.empty() && count_smooth_contacts(problem) > kFewContacts) {
    out.reason = "the short proof does not decide, and contacts are too many to search for other answers in a run";
    return out;
  }
  // With straight edges a node takes less time than a test with known answers.
  if (is_exact) return search_modes(problem, options);
  if (has_parts) return search_modes(problem, options, out.cells);
  out.reason = "soft fingers: the short proof does not decide, and the search needs faces (cone: 4 and the like)";
  return out;
}

/// Without rows there is nothing to decide: one cell, a point without coordinates.
ModeAnswer make_empty_answer() {
  ModeAnswer out;
  out.verdict = Verdict::unique;
  out.is_list_complete = true;
  out.cells.resize(1);
  out.cells.front().vertices.resize(1);
  out.tree.resize(1);
  out.tree.front().kind = ModeNode::Kind::one_motion;
  out.tree.front().cell = 0;
  return out;
}

/// What the search says, as far as verify_modes() confirms it.
ModeAnswer confirm(const ConstraintProblem& problem, ModeSearchResult found) {
  const Verdict verdict = count_answers(problem, found.cells);
  const bool can_claim = found.is_complete || verdict == Verdict::several;
  ModeClaim claim{can_claim ? verdict : Verdict::undecided, std::move(found.cells), std::move(found.tree)};
  const ModeVerification verification = verify_modes(problem, claim);
  ModeAnswer out;
  out.verdict = verification.holds() ? claim.verdict : Verdict::undecided;
  out.is_list_complete =
      has_exact_mode_parts(problem) && found.is_complete && verification.holds() && verification.is_list_proved;
  out.reason = found.is_complete ? verification.reason : found.reason;
  out.cells = std::move(claim.cells);
  out.tree = std::move(claim.tree);
  out.programs = found.programs;
  return out;
}

}  // namespace

ModeAnswer solve_modes(const ConstraintProblem& problem, const ModeSearchOptions& options) {
  check_problem(problem);
  if (problem.size() == 0) return make_empty_answer();
  ModeAnswer out = confirm(problem, find_answers(problem, options));
  if (out.verdict != Verdict::undecided || !has_exact_mode_parts(problem) || options.is_brief) return out;
  // Where inequalities leave a motion one force, that is seen only when everything is decided: without the short
  // proofs.
  ModeAnswer longer = confirm(problem, search_modes(problem, options));
  return longer.verdict != Verdict::undecided ? longer : out;
}

}  // namespace thenar
