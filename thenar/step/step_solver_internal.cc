// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_solver_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/complementarity/grade.h"

namespace thenar::internal {
namespace {

/// Problems of one step: slip that comes to rest and static friction that gives way are known after the first.
constexpr int kMostRounds = 4;
/// Held modes that are graded worse are given up.
constexpr double kHeldGrade = 1e-10;
/// A solver is made for so many rows more than asked for.
constexpr int kSpareRows = 16;

}  // namespace

const StepAnswer& StepSolver::solve(StepRows& rows) {
  ConstraintProblem& problem = rows.problem();
  const auto count = static_cast<Eigen::Index>(problem.size());
  answer_.z.setZero(count);
  answer_.w = problem.b();
  answer_.grade = 0;
  answer_.is_flagged = false;
  states_.assign(rows.contacts().size(), ContactState::open);
  if (count == 0) {
    known_ids_.clear();
    known_z_.clear();
    known_states_.clear();
    return answer_;
  }
  find_warm_start(problem);
  if (hold_modes(rows)) return answer_;
  for (int round = 0; round < kMostRounds; ++round) {
    solve_once(problem);
    read_states(rows, solver_->solution());
    if (!settle_friction(rows)) break;
    warm_.assign(answer_.z.begin(), answer_.z.end());
  }
  const std::span<const double> z(answer_.z.data(), static_cast<std::size_t>(count));
  answer_.w = problem.A() * answer_.z + problem.b();
  answer_.grade = grade_solution(problem, z).worst();
  answer_.is_flagged = !(answer_.grade <= kGoodGrade);
  known_ids_.clear();
  for (int i = 0; i < problem.size(); ++i) known_ids_.push_back(problem.row(i).id);
  known_z_.assign(answer_.z.begin(), answer_.z.end());
  known_states_ = states_;
  hold_.begin(rows, states_, answer_.z, answer_.w);
  return answer_;
}

/// The answer with the modes of the last step, if the judge agrees.
bool StepSolver::hold_modes(const StepRows& rows) {
  const ConstraintProblem& problem = rows.problem();
  if (!knows_rows(problem) || !hold_.solve(rows, known_z_)) return false;
  const double grade = grade_solution(problem, std::span(hold_.z().data(), known_z_.size())).worst();
  if (!(grade <= kHeldGrade)) return false;
  answer_ = {hold_.z(), hold_.w(), grade, false};
  states_ = known_states_;
  known_z_.assign(answer_.z.begin(), answer_.z.end());
  return true;
}

bool StepSolver::knows_rows(const ConstraintProblem& problem) const {
  if (known_ids_.size() != static_cast<std::size_t>(problem.size())) return false;
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.row(i).id != known_ids_[static_cast<std::size_t>(i)]) return false;
  }
  return true;
}

void StepSolver::solve_once(const ConstraintProblem& problem) {
  if (!solver_ || solver_->max_rows() < problem.size()) {
    solver_ = std::make_unique<ConeSolver>(problem.size() + kSpareRows);
  }
  const ConeSolution& solution = solver_->solve(problem, warm_);
  answer_.z = Eigen::Map<const VectorX<double>>(solution.z.data(), problem.size());
  answer_.w = Eigen::Map<const VectorX<double>>(solution.w.data(), problem.size());
}

/// Rows mostly stand where they stood.
void StepSolver::find_warm_start(const ConstraintProblem& problem) {
  warm_.assign(static_cast<std::size_t>(problem.size()), 0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < warm_.size() && !known_ids_.empty(); ++i) {
    const std::uint64_t id = problem.row(static_cast<int>(i)).id;
    for (std::size_t tried = 0; tried < known_ids_.size(); ++tried, next = (next + 1) % known_ids_.size()) {
      if (known_ids_[next] != id) continue;
      warm_[i] = known_z_[next];
      break;
    }
  }
}

void StepSolver::read_states(const StepRows& rows, const ConeSolution& solution) {
  std::size_t cone = 0;
  for (std::size_t i = 0; i < rows.contacts().size(); ++i) {
    const StepContact& contact = rows.contacts()[i];
    const bool is_cone = rows.problem().row(contact.row).kind == RowKind::normal;
    if (is_cone) {
      states_[i] = solution.contact[cone++];
    } else {
      states_[i] = answer_.z(contact.row) > 0 ? ContactState::slide : ContactState::open;
    }
  }
}

/// Slip that ends in the step does so at its end, and static friction that gives way becomes kinetic. Whether anything
/// has changed.
bool StepSolver::settle_friction(StepRows& rows) {
  bool any = false;
  ConstraintProblem& problem = rows.problem();
  for (std::size_t k = 0; k < rows.joints().size(); ++k) {
    const int i = static_cast<int>(k);
    if (!rows.has_beta(i) || rate_after(rows, i) * rows.rate_before(i) > 0) continue;
    rows.drop_beta(i);
    any = true;
  }
  for (std::size_t k = 0; k < rows.contacts().size(); ++k) {
    const StepContact& contact = rows.contacts()[k];
    if (contact.tangent_count == 0 || states_[k] == ContactState::open) continue;
    const int first = contact.row + 1;
    if (rows.has_beta(first)) {
      double along = 0;
      for (int t = first; t < first + contact.tangent_count; ++t) along += rate_after(rows, t) * rows.rate_before(t);
      if (states_[k] != ContactState::stick && along > 0) continue;
      for (int t = first; t < first + contact.tangent_count; ++t) rows.drop_beta(t);
      any = true;
    } else if (states_[k] == ContactState::slide && !contact.slips) {
      const double ratio = contact.law.friction / contact.law.static_friction;
      if (problem.row(first).limit <= contact.law.friction) continue;
      for (int t = first; t < first + contact.tangent_count; ++t) problem.row(t).limit *= ratio;
      any = true;
    }
  }
  return any;
}

}  // namespace thenar::internal
