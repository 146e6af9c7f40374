// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_solver.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "thenar/complementarity/cone_interior_internal.h"
#include "thenar/complementarity/cone_newton_internal.h"
#include "thenar/complementarity/cone_sweep_internal.h"

namespace thenar {
namespace {

constexpr int kFirstSweeps = 3;
constexpr internal::NewtonPlan kFirstNewton{.rho = 1e-6, .most_steps = 8, .most_failures = 1};
constexpr internal::InteriorPlan kFirstPath{.friction_weight = 10};
constexpr internal::InteriorPlan kOtherPaths[] = {{.friction_weight = 1}, {.friction_weight = 100}};
constexpr double kFirstGoal = 1e-4, kLastGoal = 1e-10;  // of the interior-point method, before Newton's method
constexpr double kGoalRatio = 1e-2;                     // from one goal to the next
constexpr internal::NewtonPlan kFinishingNewton{.rho = 1e-7, .most_steps = 20, .most_failures = 3};
constexpr internal::NewtonPlan kPatientNewton{.rho = 1e-2, .most_steps = 60, .most_failures = 50};
constexpr int kLastSweeps = 2000;
constexpr internal::NewtonPlan kLastNewton{.rho = 1e-2, .most_steps = 600, .most_failures = 150};

}  // namespace

const char* to_string(ContactState state) {
  switch (state) {
    case ContactState::open:
      return "open";
    case ContactState::stick:
      return "stick";
    case ContactState::slide:
      return "slide";
  }
  return "?";
}

std::optional<std::string> ConeOptions::find_fault() const {
  if (!(tolerance > 0)) return fmt::format("tolerance is {}, must be positive", tolerance);
  if (!(zero_motion > 0)) return fmt::format("zero_motion is {}, must be positive", zero_motion);
  return std::nullopt;
}

struct ConeSolver::Work {
  Work(int max_rows, const ConeOptions& options_in);

  void start(std::span<const double> warm_start);
  bool try_newton(const internal::NewtonPlan& plan);
  bool try_path(const internal::InteriorPlan& plan);
  void try_sweeps();
  void keep_best();
  void restore_best();
  void run(std::span<const double> warm_start);
  void write_solution(const ConstraintProblem& problem);
  ContactState state_of(const ConstraintProblem& problem, const internal::ConeBlock& block) const;

  int capacity;
  ConeOptions options;
  internal::ConeSystem system;
  internal::ConeNewton newton;
  internal::ConeInterior interior;
  Eigen::VectorXd z, w, best_z;  ///< in the units of the system
  double residual = 0;           ///< of z
  double best_residual = 0;      ///< of best_z
  ConeSolution solution;
};

ConeSolver::Work::Work(int max_rows, const ConeOptions& options_in)
    : capacity(max_rows),
      options(options_in),
      system(max_rows),
      newton(max_rows),
      interior(max_rows),
      z(max_rows),
      w(max_rows),
      best_z(max_rows) {
  const auto size = static_cast<std::size_t>(max_rows);
  solution.z.reserve(size);
  solution.w.reserve(size);
  solution.contact.reserve(size);
}

void ConeSolver::Work::start(std::span<const double> warm_start) {
  auto forces = z.head(system.size());
  auto motions = w.head(system.size());
  forces.setZero();
  if (!warm_start.empty()) system.read_forces(warm_start, forces);
  internal::calc_system_motion(system, forces, motions);
  for (int sweep = 0; sweep < kFirstSweeps && warm_start.empty(); ++sweep) {
    internal::sweep_blocks(system, forces, motions);
  }
  residual = system.residual(forces, motions);
}

void ConeSolver::Work::keep_best() {
  if (!(residual < best_residual)) return;
  best_residual = residual;
  best_z.head(system.size()) = z.head(system.size());
}

void ConeSolver::Work::restore_best() {
  z.head(system.size()) = best_z.head(system.size());
  internal::calc_system_motion(system, z.head(system.size()), w.head(system.size()));
  residual = best_residual;
}

bool ConeSolver::Work::try_newton(const internal::NewtonPlan& plan) {
  const int n = system.size();
  residual = newton.run(system, options.tolerance, plan, z.head(n), w.head(n));
  solution.steps += newton.steps();
  keep_best();
  return best_residual <= options.tolerance;
}

/// Newton's method needs the right states: the nearer the path comes to its end, the clearer they are. Where the path
/// breaks off, Newton's method has to find them from there.
bool ConeSolver::Work::try_path(const internal::InteriorPlan& plan) {
  const int n = system.size();
  if (!interior.fits(system)) return try_newton(kPatientNewton);
  interior.start(system, plan);
  bool is_solved = false, is_near = true;
  for (double goal = kFirstGoal; !is_solved && is_near && goal >= kLastGoal; goal *= kGoalRatio) {
    residual = interior.advance(goal, z.head(n), w.head(n));
    keep_best();
    is_near = residual <= goal;
    is_solved = is_near && try_newton(kFinishingNewton);
  }
  solution.steps += interior.steps();
  return is_solved || try_newton(kPatientNewton);
}

void ConeSolver::Work::try_sweeps() {
  auto forces = z.head(system.size());
  auto motions = w.head(system.size());
  for (int sweep = 0; sweep < kLastSweeps && residual > options.tolerance; ++sweep) {
    internal::sweep_blocks(system, forces, motions);
    residual = system.residual(forces, motions);
    if (!internal::is_bounded(residual)) return restore_best();
  }
  keep_best();
}

void ConeSolver::Work::run(std::span<const double> warm_start) {
  best_residual = std::numeric_limits<double>::infinity();
  best_z.head(system.size()).setZero();
  start(warm_start);
  keep_best();
  solution.method = 1;
  if (try_newton(kFirstNewton)) return;
  solution.method = 2;
  if (try_path(kFirstPath)) return;
  solution.method = 3;
  for (const internal::InteriorPlan& path : kOtherPaths) {
    if (try_path(path)) return;
  }
  solution.method = 4;
  start({});
  try_sweeps();
  try_newton(kLastNewton);
}

ContactState ConeSolver::Work::state_of(const ConstraintProblem& problem, const internal::ConeBlock& block) const {
  const double zero = options.zero_motion * system.b_scale();
  if (w[block.first] > zero) return ContactState::open;
  if (problem.is_sliding_contact(block.row)) return ContactState::slide;
  return w.segment(block.first + 1, block.tangents()).norm() > zero ? ContactState::slide : ContactState::stick;
}

void ConeSolver::Work::write_solution(const ConstraintProblem& problem) {
  restore_best();
  solution.residual = system.residual(z.head(system.size()), w.head(system.size()));
  solution.status = solution.residual <= options.tolerance ? ConeStatus::solved : ConeStatus::not_solved;
  system.write_forces(z.head(system.size()), solution.z);
  Eigen::Map<VectorX<double>> motion(solution.w.data(), problem.size());
  motion = problem.b();
  for (int j = 0; j < problem.size(); ++j) motion += solution.z[static_cast<std::size_t>(j)] * problem.A().col(j);
  for (const internal::ConeBlock& block : system.blocks()) {
    if (problem.row(block.row).kind == RowKind::normal) solution.contact.push_back(state_of(problem, block));
  }
}

ConeSolver::ConeSolver(int max_rows, const ConeOptions& options) {
  if (const auto fault = options.find_fault()) throw std::invalid_argument("ConeOptions: " + *fault);
  work_ = std::make_unique<Work>(max_rows, options);
}
ConeSolver::~ConeSolver() = default;
ConeSolver::ConeSolver(ConeSolver&&) noexcept = default;
ConeSolver& ConeSolver::operator=(ConeSolver&&) noexcept = default;

int ConeSolver::max_rows() const { return work_->capacity; }
const ConeSolution& ConeSolver::solution() const { return work_->solution; }

const ConeSolution& ConeSolver::solve(const ConstraintProblem& problem, std::span<const double> warm_start) {
  Work& work = *work_;
  internal::demand_cone_problem(problem, work.capacity, warm_start);
  ConeSolution& s = work.solution;
  s.steps = s.method = 0;
  const bool is_finite = work.system.load(problem);
  if (is_finite) work.run(warm_start);  // before anything is written: the warm start may be s.z
  s.z.assign(static_cast<std::size_t>(problem.size()), 0);
  s.w.assign(static_cast<std::size_t>(problem.size()), 0);
  s.contact.clear();
  if (is_finite) {
    work.write_solution(problem);
  } else {
    s.status = ConeStatus::not_finite;
    s.residual = std::numeric_limits<double>::infinity();
  }
  return s;
}

}  // namespace thenar
