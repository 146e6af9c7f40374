// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/instant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace thenar {
namespace {

bool is_bilateral(const JointRow& row) {
  return row.kind() == JointRowKind::lock || row.kind() == JointRowKind::coupling;
}

}  // namespace

InstantSolver::InstantSolver(ConstrainedMotion& motion, const Tolerances& tolerances)
    : motion_(motion),
      tolerances_(tolerances),
      touching_(motion.rows().size(), 0),
      response_(motion.model(), motion.rows().size()),
      solver_(static_cast<int>(motion.rows().size())) {
  const std::size_t count = motion.rows().size();
  problem_.reserve(static_cast<int>(count));
  chosen_.reserve(count);
  strikes_.reserve(count);
  vdot_.setZero(motion.size());
}

void InstantSolver::find_touching(VectorX<double>& q, const VectorX<double>& v) {
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    JointRow& stop = motion_.rows()[i];
    touching_[i] = 0;
    if (stop.kind() != JointRowKind::stop) continue;
    const double gap = stop.calc_value(q.data()), bound = stop.calc_target(q.data());
    stop.update(q.data(), v.data());
    const double soon = std::max(0.0, -stop.multiply(v.data())) * tolerances_.simultaneous();
    if (gap > tolerances_.gap_rounding(stop.dof(), q(stop.coordinate()), bound) + soon) continue;
    touching_[i] = 1;
    q(stop.coordinate()) = bound;
  }
}

/// A, kinds and limits of the chosen rows at (q, v); b is left to the caller.
void InstantSolver::set_up_problem(const VectorX<double>& q, const VectorX<double>& v) {
  for (const int i : chosen_) row(i).update(q.data(), v.data());
  response_.update(motion_.model(), q.data(), motion_.rows(), chosen_);
  problem_.resize(static_cast<int>(chosen_.size()));
  problem_.A() = response_.A();
  for (int k = 0; k < problem_.size(); ++k) {
    const int i = chosen_[static_cast<std::size_t>(k)];
    problem_.row(k) = make_problem_row(row(i), static_cast<std::uint64_t>(i));
  }
}

const ConstraintSolution& InstantSolver::solve(const char* what) {
  const ConstraintSolution& solution = solver_.solve(problem_);
  fault_.clear();
  if (solution.status == SolveStatus::infeasible) {
    for (int k = 0; k < problem_.size(); ++k) {
      if (solution.certificate[static_cast<std::size_t>(k)] == 0) continue;
      const JointRow& r = row(chosen_[static_cast<std::size_t>(k)]);
      fault_ += fmt::format("{}{} of '{}'", fault_.empty() ? "" : ", ", r.side(), motion_.model().dof_name(r.dof()));
    }
    fault_ = fmt::format("no {} satisfies all of: {}", what, fault_);
  } else if (solution.status == SolveStatus::failed) {
    fault_ = fmt::format("the {} could not be found ({})", what, to_string(solution.failure));
  }
  return solution;
}

const std::vector<Strike>& InstantSolver::resolve_impact(const VectorX<double>& q, VectorX<double>& v,
                                                         const std::vector<StopResponse>& responses) {
  strikes_.clear();
  fault_.clear();
  energy_lost_ = 0;
  chosen_.clear();
  const auto response = [&](int i) { return responses[static_cast<std::size_t>(i)]; };
  bool jumps = false;
  for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
    if (!is_bilateral(row(i)) && !touches(i)) continue;
    chosen_.push_back(i);
    row(i).update(q.data(), v.data());
    const double rate = row(i).multiply(v.data()), nothing = tolerances_.speed_rounding(row(i).dof());
    jumps |= touches(i) && (rate < -nothing || (rate > nothing && response(i) == StopResponse::capture));
  }
  if (!jumps) return strikes_;
  set_up_problem(q, v);
  for (int k = 0; k < problem_.size(); ++k) {
    const int i = chosen_[static_cast<std::size_t>(k)];
    const double rate = row(i).multiply(v.data());
    const bool rebounds = rate < 0 && response(i) == StopResponse::elastic;
    problem_.b()(k) = rebounds ? rate + row(i).restitution() * rate : rate;
    if (response(i) == StopResponse::capture && touches(i)) problem_.row(k).kind = RowKind::bilateral;
  }
  const ConstraintSolution& solution = solve("impulse");
  if (!fault_.empty()) return strikes_;
  const Eigen::Map<const VectorX<double>> p(solution.z.data(), problem_.size());
  for (int k = 0; k < problem_.size(); ++k) {
    const int i = chosen_[static_cast<std::size_t>(k)];
    const double before = row(i).multiply(v.data());
    // Where p acts, w = 0 says J v⁺ = −e J v⁻.
    const double after = p(k) != 0 ? before - problem_.b()(k) : before;
    energy_lost_ -= 0.5 * p(k) * (before + after);
    if (touches(i) && p(k) != 0) strikes_.push_back({i, before, after, p(k)});
  }
  v.noalias() += response_.X() * p;
  for (const Strike& strike : strikes_) {
    // To the last bit, so that mirrored joints and joints at rest stay so.
    const JointRow& r = row(strike.row);
    if (r.is_constant()) v(r.dof()) = strike.rate_after == 0 ? 0 : strike.rate_after / r.gradient()[0];
  }
  return strikes_;
}

/// The rows that take part in the next motion without a rate of their own; speeds lost in rounding become zero.
void InstantSolver::choose_rows_at_rest(VectorX<double>& v) {
  chosen_.clear();
  mode_.held.clear();
  mode_.slip.assign(motion_.rows().size(), 0);
  for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
    const JointRow& r = row(i);
    const double nothing = tolerances_.speed_rounding(r.dof());
    if (r.kind() == JointRowKind::stop) {
      if (!touches(i) || r.multiply(v.data()) > nothing) continue;
      if (r.is_constant()) v(r.dof()) = 0;
    } else if (r.kind() == JointRowKind::friction) {
      const double speed = v(r.dof());
      if (std::abs(speed) > nothing) {
        mode_.slip[static_cast<std::size_t>(i)] = speed > 0 ? 1 : -1;
        continue;
      }
      v(r.dof()) = 0;
    }
    chosen_.push_back(i);
  }
}

const std::vector<int>& InstantSolver::find_rows_at_rest(double t, const VectorX<double>& q, VectorX<double>& v,
                                                         VectorX<double>& vdot) {
  choose_rows_at_rest(v);
  motion_.set_mode(mode_);
  PowerFlow<double> power;
  motion_.calc_free_acceleration(t, q.data(), v.data(), vdot.data(), power);
  return chosen_;
}

const Mode& InstantSolver::resolve_mode(double t, const VectorX<double>& q, VectorX<double>& v, Trigger trigger) {
  choose_rows_at_rest(v);
  if (chosen_.empty()) {
    motion_.set_mode(mode_);
    fault_.clear();
    return motion_.mode();
  }
  find_rows_at_rest(t, q, v, vdot_);
  set_up_problem(q, v);
  for (int k = 0; k < problem_.size(); ++k) {
    const JointRow& r = row(chosen_[static_cast<std::size_t>(k)]);
    problem_.b()(k) = r.multiply(vdot_.data()) + r.bias();
  }
  const ConstraintSolution& solution = solve("motion");
  if (fault_.empty()) read_mode(solution, trigger);
  motion_.set_mode(mode_);
  return motion_.mode();
}

void InstantSolver::read_mode(const ConstraintSolution& solution, Trigger trigger) {
  for (int k = 0; k < problem_.size(); ++k) {
    const int i = chosen_[static_cast<std::size_t>(k)];
    const bool is_friction = row(i).kind() == JointRowKind::friction;
    switch (solution.state[static_cast<std::size_t>(k)]) {
      case RowState::held:
        if (i != trigger.row || !(trigger.insists || solution.degenerate[static_cast<std::size_t>(k)])) {
          mode_.held.push_back(i);
        } else if (is_friction) {
          mode_.slip[static_cast<std::size_t>(i)] = trigger.at_upper ? -1 : 1;
        }
        break;
      case RowState::at_lower:
        mode_.slip[static_cast<std::size_t>(i)] = 1;
        break;
      case RowState::at_upper:
        mode_.slip[static_cast<std::size_t>(i)] = -1;
        break;
      case RowState::open:
      case RowState::redundant:
        break;
    }
  }
}

}  // namespace thenar
