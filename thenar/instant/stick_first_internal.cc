// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/stick_first_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace thenar::internal {
namespace {

using Numbers = std::vector<std::size_t>;

/// Motions that differ by less, relative to the numbers that they are the sum of, are the same.
constexpr double kSameMotion = 1e-7;

/// Contacts at rest that have a larger coefficient than with slip.
std::vector<int> find_held(const Instant& instant) {
  std::vector<int> out;
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const InstantContact& contact = instant.contacts[i];
    const bool can_slip = contact.tangent_rows[0] >= 0 || contact.tangent_rows[1] >= 0;
    if (can_slip && !contact.slides && contact.friction > contact.law.friction) out.push_back(static_cast<int>(i));
  }
  return out;
}

bool slips(const Instant& instant, int contact, const ModeCell& cell) {
  const int part = instant.contacts[static_cast<std::size_t>(contact)].part;
  return cell.states[static_cast<std::size_t>(part)] == ContactState::slide;
}

/// Cells in which no held contact slips.
Numbers find_sticking_cells(const Instant& instant, const std::vector<int>& held) {
  Numbers out;
  for (std::size_t k = 0; k < instant.proof->answer.cells.size(); ++k) {
    const ModeCell& cell = instant.proof->answer.cells[k];
    const bool any_slips = std::any_of(held.begin(), held.end(), [&](int i) { return slips(instant, i, cell); });
    if (!any_slips) out.push_back(k);
  }
  return out;
}

/// Whether it is known that there are no answers but those of the cells found, or none with another motion.
bool knows_all_motions(const ModeAnswer& answer) {
  switch (answer.verdict) {
    case Verdict::unique:
    case Verdict::unique_motion:
    case Verdict::none:
      return true;
    case Verdict::several:
      return answer.is_list_complete;
    case Verdict::undecided:
      break;
  }
  return false;
}

/// Those of the held contacts that have to give way: they slip in all cells; if there are none, in some.
std::vector<int> find_giving_way(const Instant& instant, const std::vector<int>& held) {
  const std::vector<ModeCell>& cells = instant.proof->answer.cells;
  if (cells.empty()) return held;
  std::vector<int> in_all, in_some;
  for (const int i : held) {
    const auto count =
        std::count_if(cells.begin(), cells.end(), [&](const ModeCell& cell) { return slips(instant, i, cell); });
    if (count > 0) in_some.push_back(i);
    if (count == static_cast<std::ptrdiff_t>(cells.size())) in_all.push_back(i);
  }
  return in_all.empty() ? in_some : in_all;
}

void release(Instant& instant, InstantProof& proof, int number) {
  InstantContact& contact = instant.contacts[static_cast<std::size_t>(number)];
  contact.friction = contact.law.friction;
  for (const int row : {contact.tangent_rows[0], contact.tangent_rows[1]}) {
    if (row >= 0) proof.problem.row(row).limit = contact.friction;
  }
}

bool move_alike(const ConstraintProblem& problem, const ModeCell& a, const ModeCell& b) {
  // In the units of constraint_problem.h, in which rows of different units can be compared.
  const VectorX<double> unit = problem.A().diagonal().cwiseSqrt().cwiseMax(std::numeric_limits<double>::min());
  const VectorX<double> load =
      problem.b().cwiseAbs() + problem.A().cwiseAbs() * a.z.cwiseAbs().cwiseMax(b.z.cwiseAbs());
  const double scale = load.cwiseQuotient(unit).lpNorm<Eigen::Infinity>();
  return (a.w - b.w).cwiseQuotient(unit).lpNorm<Eigen::Infinity>() <= kSameMotion * scale;
}

/// A problem without rows has one answer, which moves as it likes.
ModeAnswer solve_rows(const ConstraintProblem& problem, const ModeSearchOptions& options) {
  if (problem.size() > 0) return solve_modes(problem, options);
  ModeNode root;
  root.kind = ModeNode::Kind::cell;
  root.cell = 0;
  ModeAnswer out;
  out.verdict = Verdict::unique;
  out.is_list_complete = true;
  out.cells.resize(1);
  out.tree.push_back(std::move(root));
  return out;
}

/// What some cells say if there are no others.
Verdict count_answers(const Instant& instant, const Numbers& some) {
  const std::vector<ModeCell>& cells = instant.proof->answer.cells;
  if (some.empty()) return Verdict::none;
  const ModeCell& first = cells[some.front()];
  const bool has_one_motion = std::all_of(some.begin(), some.end(), [&](std::size_t k) {
    return cells[k].motion_unique && move_alike(instant.proof->problem, first, cells[k]);
  });
  if (!has_one_motion) return Verdict::several;
  return some.size() == 1 && first.forces_unique ? Verdict::unique : Verdict::unique_motion;
}

/// The verdict of the rule, and the reason if it is undecided.
void judge(Instant& instant, const Numbers& kept) {
  const ModeAnswer& answer = instant.proof->answer;
  StickFirst& rule = *instant.stick_first;
  instant.verdict = answer.verdict;
  instant.reason = answer.reason;
  if (!rule.is_proved) {
    instant.verdict = Verdict::undecided;
    instant.reason = "that contacts slip in spite of their static friction was found but not proved";
  } else if (kept.size() < answer.cells.size()) {
    const Verdict verdict = count_answers(instant, kept);
    rule.is_proved = answer.is_list_complete || verdict == Verdict::several;
    instant.verdict = rule.is_proved ? verdict : Verdict::undecided;
    if (!rule.is_proved) instant.reason = "other answers in which no contact slips may have been missed";
  }
  instant.is_list_complete = answer.is_list_complete && rule.is_proved;
}

}  // namespace

std::vector<std::size_t> solve_stick_first(AssembledInstant& assembled, const ModeSearchOptions& options) {
  Instant& instant = assembled.instant;
  InstantProof& proof = *assembled.proof;
  StickFirst rule{.held = find_held(instant), .released = {}};
  const bool has_rule = !rule.held.empty();
  Numbers kept;
  while (true) {
    proof.answer = solve_rows(proof.problem, options);
    kept = find_sticking_cells(instant, rule.held);
    const bool is_nothing_found = proof.answer.cells.empty() && proof.answer.verdict == Verdict::undecided;
    if (!kept.empty() || rule.held.empty() || is_nothing_found) break;
    rule.is_proved = rule.is_proved && knows_all_motions(proof.answer);
    for (const int contact : find_giving_way(instant, rule.held)) {
      release(instant, proof, contact);
      std::erase(rule.held, contact);
      rule.released.push_back(contact);
    }
  }
  std::sort(rule.released.begin(), rule.released.end());
  rule.problem_verdict = proof.answer.verdict;
  instant.verdict = proof.answer.verdict;
  instant.reason = proof.answer.reason;
  instant.is_list_complete = proof.answer.is_list_complete;
  if (!has_rule) return kept;
  instant.stick_first = std::move(rule);
  judge(instant, kept);
  return kept;
}

}  // namespace thenar::internal
