// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/joint_rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/complementarity/exact_solver.h"

namespace thenar {

JointRest::JointRest(ConstrainedMotion& motion, const Tolerances& tolerances)
    : motion_(motion), tolerances_(tolerances), touching_(motion.rows().size(), 0) {
  chosen_.reserve(motion.rows().size());
}

void JointRest::find_touching(VectorX<double>& q, const VectorX<double>& v) {
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

/// The rows that take part in the next motion without a rate of their own; speeds lost in rounding become zero.
void JointRest::choose_rows_at_rest(VectorX<double>& v) {
  chosen_.clear();
  slip_.assign(motion_.rows().size(), 0);
  for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
    const JointRow& r = row(i);
    const double nothing = tolerances_.speed_rounding(r.dof());
    if (r.kind() == JointRowKind::stop) {
      if (!touches(i) || r.multiply(v.data()) > nothing) continue;
      if (r.is_constant()) v(r.dof()) = 0;
    } else if (r.kind() == JointRowKind::friction) {
      const double speed = v(r.dof());
      if (std::abs(speed) > nothing) {
        slip_[static_cast<std::size_t>(i)] = speed > 0 ? 1 : -1;
        continue;
      }
      v(r.dof()) = 0;
    }
    chosen_.push_back(i);
  }
}

const std::vector<int>& JointRest::find_rows_at_rest(double t, const VectorX<double>& q, VectorX<double>& v,
                                                     VectorX<double>& vdot) {
  choose_rows_at_rest(v);
  motion_.calc_free_acceleration(t, q.data(), v.data(), slip_, vdot.data());
  return chosen_;
}

std::string JointRest::explain_contradiction(double t, const VectorX<double>& q, VectorX<double> v) {
  const Model& model = motion_.model();
  VectorX<double> vdot = VectorX<double>::Zero(motion_.size());
  find_rows_at_rest(t, q, v, vdot);
  for (const int i : chosen_) row(i).update(q.data(), v.data());
  RowResponse response(model, motion_.rows().size());
  response.update(model, q.data(), motion_.rows(), chosen_);
  ConstraintProblem problem(static_cast<int>(chosen_.size()));
  problem.A() = response.A();
  for (int k = 0; k < problem.size(); ++k) {
    const int i = chosen_[static_cast<std::size_t>(k)];
    problem.row(k) = make_problem_row(row(i), static_cast<std::uint64_t>(i));
    problem.b()(k) = row(i).multiply(vdot.data()) + row(i).bias();
  }
  ExactSolver solver(problem.size());
  const ConstraintSolution& solution = solver.solve(problem);
  if (solution.status != SolveStatus::infeasible) return {};
  std::string names;
  for (int k = 0; k < problem.size(); ++k) {
    if (solution.certificate[static_cast<std::size_t>(k)] == 0) continue;
    const JointRow& r = row(chosen_[static_cast<std::size_t>(k)]);
    names += fmt::format("{}{} of '{}'", names.empty() ? "" : ", ", r.side(), model.dof_name(r.dof()));
  }
  return fmt::format("no motion satisfies all of: {}", names);
}

}  // namespace thenar
