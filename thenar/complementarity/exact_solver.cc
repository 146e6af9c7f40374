// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/exact_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "thenar/complementarity/unique_forces_internal.h"

namespace thenar {
namespace {

using internal::BoundQp;
using internal::Place;
using internal::QpOutcome;

/// A power of two near 1/√a: scaling with it is exact and brings the diagonal into [½, 2).
double row_scale(double a) {
  const int exponent = std::ilogb(a);
  return std::ldexp(1.0, -(exponent + (exponent & 1)) / 2);
}

SolveFailure failure_of(QpOutcome outcome) {
  switch (outcome) {
    case QpOutcome::solved:
    case QpOutcome::infeasible:
      return SolveFailure::none;
    case QpOutcome::indefinite:
      return SolveFailure::indefinite;
    case QpOutcome::ill_conditioned:
      return SolveFailure::ill_conditioned;
    case QpOutcome::pivot_limit:
      return SolveFailure::pivot_limit;
  }
  return SolveFailure::none;
}

Place guess_place(RowState state) {
  switch (state) {
    case RowState::held:
      return Place::held;
    case RowState::at_lower:
      return Place::at_lower;
    case RowState::at_upper:
      return Place::at_upper;
    case RowState::open:
    case RowState::redundant:
      break;
  }
  return Place::parked;
}

}  // namespace

const char* to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::solved:
      return "solved";
    case SolveStatus::infeasible:
      return "infeasible";
    case SolveStatus::failed:
      return "failed";
  }
  return "?";
}

const char* to_string(SolveFailure failure) {
  switch (failure) {
    case SolveFailure::none:
      return "none";
    case SolveFailure::not_finite:
      return "not finite";
    case SolveFailure::not_symmetric:
      return "not symmetric";
    case SolveFailure::indefinite:
      return "indefinite";
    case SolveFailure::ill_conditioned:
      return "ill conditioned";
    case SolveFailure::pivot_limit:
      return "pivot limit";
  }
  return "?";
}

/// Everything solve() writes. Rows with Aᵢᵢ = 0 cannot be moved and are answered one by one; the others, scaled, are
/// the rows of `qp`.
struct ExactSolver::Work {
  explicit Work(int max_rows);

  void read_warm_start(const ConstraintProblem& problem, std::span<const BasisEntry> warm_start);
  void clear_solution(int n);
  SolveFailure scale_rows(const ConstraintProblem& problem);
  SolveFailure load_matrix(const ConstraintProblem& problem);
  void solve_immovable_row(const ConstraintProblem& problem, int i);
  void solve_apart(const ConstraintProblem& problem);
  void solve_together(const ConstraintProblem& problem);
  void write_point(const ConstraintProblem& problem);
  void write_degeneracy();
  void write_certificate();

  int capacity;
  BoundQp qp;
  internal::UniqueForces unique;
  std::vector<double> scale;  ///< d of ẑ = z / d, ŵ = d w, by row of the problem; 0 for immovable rows
  std::vector<Place> guess;   ///< of the warm start
  std::vector<int> rows;      ///< rows of the problem that stand in qp
  bool diagonal = false;      ///< no two rows of qp act on each other
  ConstraintSolution solution;
};

ExactSolver::Work::Work(int max_rows) : capacity(max_rows), qp(max_rows), unique(max_rows) {
  const auto size = static_cast<std::size_t>(max_rows);
  for (auto* vector : {&scale, &solution.z, &solution.w, &solution.certificate}) vector->reserve(size);
  solution.state.reserve(size);
  solution.degenerate.reserve(size);
  solution.held.reserve(size);
  solution.basis.reserve(size);
  guess.reserve(size);
  rows.reserve(size);
}

ExactSolver::ExactSolver(int max_rows) : work_(std::make_unique<Work>(max_rows)) {}
ExactSolver::~ExactSolver() = default;
ExactSolver::ExactSolver(ExactSolver&&) noexcept = default;
ExactSolver& ExactSolver::operator=(ExactSolver&&) noexcept = default;

int ExactSolver::max_rows() const { return work_->capacity; }
const ConstraintSolution& ExactSolver::solution() const { return work_->solution; }

const ConstraintSolution& ExactSolver::solve(const ConstraintProblem& problem, std::span<const BasisEntry> warm_start) {
  Work& work = *work_;
  ConstraintSolution& s = work.solution;
  if (problem.size() > work.capacity) {
    throw std::invalid_argument(
        fmt::format("constraint problem has {} rows, the solver was made for {}", problem.size(), work.capacity));
  }
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("constraint problem: " + *fault);
  if (problem.has_contacts()) throw std::invalid_argument("constraint problem: contacts with friction need ConeSolver");
  // First, because it may point into the solution.
  work.read_warm_start(problem, warm_start);
  work.clear_solution(problem.size());
  s.failure = work.scale_rows(problem);
  if (s.failure == SolveFailure::none) s.failure = work.load_matrix(problem);
  if (s.failure != SolveFailure::none) {
    s.status = SolveStatus::failed;
    return s;
  }
  for (int i = 0; i < problem.size(); ++i) {
    if (work.scale[i] == 0) work.solve_immovable_row(problem, i);
  }
  if (s.status == SolveStatus::solved) work.diagonal ? work.solve_apart(problem) : work.solve_together(problem);
  for (int i = 0; i < problem.size(); ++i) {
    s.basis.push_back({problem.row(i).id, s.state[i]});
    if (s.state[i] == RowState::held) s.held.push_back(i);
  }
  if (s.status != SolveStatus::solved) s.forces_unique = false;
  return s;
}

void ExactSolver::Work::read_warm_start(const ConstraintProblem& problem, std::span<const BasisEntry> warm_start) {
  guess.assign(static_cast<std::size_t>(problem.size()), Place::parked);
  if (warm_start.empty()) return;
  for (int i = 0; i < problem.size(); ++i) {
    const std::uint64_t id = problem.row(i).id;
    const auto same = static_cast<std::size_t>(i);
    // Mostly the rows are those of the last problem.
    if (same < warm_start.size() && warm_start[same].id == id) {
      guess[i] = guess_place(warm_start[same].state);
      continue;
    }
    const auto found = std::find_if(warm_start.begin(), warm_start.end(), [&](const auto& e) { return e.id == id; });
    if (found != warm_start.end()) guess[i] = guess_place(found->state);
  }
}

void ExactSolver::Work::clear_solution(int n) {
  const auto size = static_cast<std::size_t>(n);
  solution.status = SolveStatus::solved;
  solution.z.assign(size, 0);
  solution.w.assign(size, 0);
  solution.state.assign(size, RowState::redundant);
  solution.degenerate.assign(size, false);
  solution.held.clear();
  solution.forces_unique = true;
  solution.certificate.clear();
  solution.basis.clear();
  solution.residual = 0;
  solution.pivots = 0;
}

/// Finds `scale` and `rows`, and fills the vectors of qp.
SolveFailure ExactSolver::Work::scale_rows(const ConstraintProblem& problem) {
  const int n = problem.size();
  const auto A = problem.A();
  scale.assign(static_cast<std::size_t>(n), 0);
  rows.clear();
  for (int i = 0; i < n; ++i) {
    const double a = A(i, i);
    if (!std::isfinite(a)) return SolveFailure::not_finite;
    if (a < 0) return SolveFailure::indefinite;
    if (a > 0) scale[i] = row_scale(a), rows.push_back(i);
  }
  qp.reset(static_cast<int>(rows.size()));
  qp.rounding = 2 * n * std::numeric_limits<double>::epsilon();
  qp.epsilon = std::max(problem.accuracy, qp.rounding);
  qp.pivot_limit = kPivotLimit;
  for (int r = 0; r < qp.size(); ++r) {
    const int i = rows[r];
    const ConstraintRow& row = problem.row(i);
    const ForceBounds bounds = force_bounds(row);
    qp.b[r] = problem.b()[i] * scale[i];
    qp.b_error[r] = row.b_error * scale[i];
    qp.lower[r] = bounds.lower / scale[i];
    qp.upper[r] = bounds.upper / scale[i];
    qp.place[r] = guess[i];
  }
  return SolveFailure::none;
}

/// Scales A into qp, and checks on the way that everything is finite, that A is symmetric and that no pair of rows is
/// indefinite, |Aᵢⱼ|² ≤ Aᵢᵢ Aⱼⱼ.
SolveFailure ExactSolver::Work::load_matrix(const ConstraintProblem& problem) {
  const auto A = problem.A();
  const double slack = 1 + 8 * qp.epsilon;
  diagonal = true;
  if (!problem.b().allFinite()) return SolveFailure::not_finite;
  for (int i = 0; i < problem.size(); ++i) {
    if (scale[i] != 0) continue;
    if (!A.col(i).allFinite() || !A.row(i).allFinite()) return SolveFailure::not_finite;
    if (!A.col(i).isZero(0) || !A.row(i).isZero(0)) return SolveFailure::indefinite;
  }
  for (int c = 0; c < qp.size(); ++c) {
    const int j = rows[c];
    qp.A(c, c) = A(j, j) * scale[j] * scale[j];
    if (!std::isfinite(qp.b[c])) return SolveFailure::not_finite;
    for (int r = 0; r < c; ++r) {
      const int i = rows[r];
      const double above = A(i, j) * scale[i] * scale[j], below = A(j, i) * scale[i] * scale[j];
      const double mean = 0.5 * (above + below);
      if (!std::isfinite(mean)) return SolveFailure::not_finite;
      if (std::abs(above - below) > 8 * qp.epsilon) return SolveFailure::not_symmetric;
      if (mean * mean > qp.A(r, r) * qp.A(c, c) * slack) return SolveFailure::indefinite;
      qp.A(r, c) = qp.A(c, r) = mean;
      diagonal = diagonal && mean == 0;
    }
  }
  return SolveFailure::none;
}

/// A row with A_ii = 0: w = b whatever z is.
void ExactSolver::Work::solve_immovable_row(const ConstraintProblem& problem, int i) {
  const ConstraintRow& row = problem.row(i);
  const ForceBounds bounds = force_bounds(row);
  const double b = problem.b()[i];
  solution.w[i] = b;
  if (std::abs(b) <= row.b_error && bounds.lower < bounds.upper) {
    solution.state[i] = RowState::redundant;
    solution.degenerate[i] = row.kind == RowKind::unilateral;
    solution.forces_unique = false;
    return;
  }
  // z as far against w as it may go.
  const double z = b < 0 ? bounds.upper : bounds.lower;
  if (std::isfinite(z)) {
    solution.z[i] = z;
    solution.state[i] = row.kind == RowKind::unilateral ? RowState::open
                        : b < 0                         ? RowState::at_upper
                                                        : RowState::at_lower;
  } else if (solution.status == SolveStatus::solved) {
    solution.status = SolveStatus::infeasible;
    solution.certificate.assign(solution.z.size(), 0);
    solution.certificate[i] = b < 0 ? 1 : -1;
  }
}

/// Rows that do not act on each other: z = −b / a, or the bound before it.
void ExactSolver::Work::solve_apart(const ConstraintProblem& problem) {
  for (int r = 0; r < qp.size(); ++r) {
    const int i = rows[r];
    const RowKind kind = problem.row(i).kind;
    const double a = qp.A(r, r), free = -qp.b[r] / a;
    const double z = std::clamp(free, qp.lower[r], qp.upper[r]);
    const bool held = qp.is_movable(r) && (free == z ? kind != RowKind::unilateral || free > 0 : false);
    const double w = held ? 0 : qp.b[r] + a * z;
    solution.z[i] = z * scale[i];
    solution.w[i] = w / scale[i];
    solution.state[i] = held                          ? RowState::held
                        : kind == RowKind::unilateral ? RowState::open
                        : free < z                    ? RowState::at_lower
                                                      : RowState::at_upper;
    const double room = std::min(z - qp.lower[r], qp.upper[r] - z);
    const double error = qp.epsilon * std::abs(qp.b[r]) + qp.b_error[r];
    solution.degenerate[i] = qp.is_movable(r) && a * room <= error && std::abs(w) <= error;
    solution.pivots += held;
  }
}

void ExactSolver::Work::solve_together(const ConstraintProblem& problem) {
  const QpOutcome outcome = qp.run();
  solution.pivots = qp.pivots;
  solution.residual = qp.residual;
  write_point(problem);
  if (outcome == QpOutcome::solved) {
    write_degeneracy();
    solution.forces_unique = solution.forces_unique && unique.check(qp);
  } else if (outcome == QpOutcome::infeasible) {
    solution.status = SolveStatus::infeasible;
    write_certificate();
  } else {
    solution.status = SolveStatus::failed;
    solution.failure = failure_of(outcome);
  }
}

void ExactSolver::Work::write_point(const ConstraintProblem& problem) {
  for (int r = 0; r < qp.size(); ++r) {
    const int i = rows[r];
    const Place place = qp.place[r];
    solution.z[i] = qp.z[r] * scale[i];
    solution.w[i] = place == Place::held ? 0 : qp.w[r] / scale[i];
    if (place == Place::held) {
      solution.state[i] = RowState::held;
    } else if (place == Place::parked) {
      solution.state[i] = RowState::redundant;
    } else if (problem.row(i).kind == RowKind::unilateral) {
      solution.state[i] = RowState::open;
    } else {
      // Both bounds are one if f = 0.
      const bool lower = qp.is_movable(r) ? place == Place::at_lower : qp.w[r] >= 0;
      solution.state[i] = lower ? RowState::at_lower : RowState::at_upper;
    }
  }
}

void ExactSolver::Work::write_degeneracy() {
  for (int r = 0; r < qp.size(); ++r) {
    const int i = rows[r];
    if (qp.place[r] == Place::held || qp.place[r] == Place::parked || !qp.is_movable(r)) continue;
    if (!qp.is_motion_zero(r)) continue;
    solution.degenerate[i] = true;
    if (solution.state[i] == RowState::open && qp.calc_direction(r).dependent) solution.state[i] = RowState::redundant;
  }
  for (int p = 0; p < qp.factor().size(); ++p) {
    solution.degenerate[rows[qp.factor().rows()[p]]] = qp.is_held_at_bound(p);
  }
}

void ExactSolver::Work::write_certificate() {
  solution.certificate.assign(solution.z.size(), 0);
  for (int r = 0; r < qp.size(); ++r) solution.certificate[rows[r]] = qp.ray[r] * scale[rows[r]];
}

}  // namespace thenar
