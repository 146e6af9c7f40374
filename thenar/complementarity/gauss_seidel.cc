// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/gauss_seidel.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "thenar/complementarity/cone_sweep_internal.h"

namespace thenar {

std::optional<std::string> GaussSeidelOptions::find_fault() const {
  if (!(tolerance > 0)) return fmt::format("tolerance is {}, must be positive", tolerance);
  if (most_sweeps < 1) return fmt::format("most_sweeps is {}, must be 1 or more", most_sweeps);
  return std::nullopt;
}

struct ProjectedGaussSeidel::Work {
  Work(int max_rows, const GaussSeidelOptions& options_in)
      : capacity(max_rows), options(options_in), system(max_rows), z(max_rows), w(max_rows) {
    solution.z.reserve(static_cast<std::size_t>(max_rows));
    solution.w.reserve(static_cast<std::size_t>(max_rows));
  }

  void run(std::span<const double> warm_start);
  void write_solution(const ConstraintProblem& problem);

  int capacity;
  GaussSeidelOptions options;
  internal::ConeSystem system;
  Eigen::VectorXd z, w;  ///< in the units of the system
  GaussSeidelSolution solution;
};

void ProjectedGaussSeidel::Work::run(std::span<const double> warm_start) {
  auto forces = z.head(system.size());
  auto motions = w.head(system.size());
  forces.setZero();
  if (!warm_start.empty()) system.read_forces(warm_start, forces);
  internal::calc_system_motion(system, forces, motions);
  for (;;) {
    solution.residual = system.residual(forces, motions);
    if (solution.sweeps > 0 && !internal::is_bounded(solution.residual)) {  // they ran away: no force is as good
      forces.setZero();
      internal::calc_system_motion(system, forces, motions);
      solution.residual = system.residual(forces, motions);
      return;
    }
    if (solution.residual <= options.tolerance) {
      // The sweeps' sums drift; what is called solved has been computed anew.
      internal::calc_system_motion(system, forces, motions);
      solution.residual = system.residual(forces, motions);
      if (solution.residual <= options.tolerance) solution.status = ConeStatus::solved;
    }
    if (solution.status == ConeStatus::solved || solution.sweeps == options.most_sweeps) return;
    internal::sweep_blocks(system, forces, motions);
    ++solution.sweeps;
  }
}

void ProjectedGaussSeidel::Work::write_solution(const ConstraintProblem& problem) {
  system.write_forces(z.head(system.size()), solution.z);
  Eigen::Map<VectorX<double>> motion(solution.w.data(), problem.size());
  motion = problem.b();
  for (int j = 0; j < problem.size(); ++j) motion += solution.z[static_cast<std::size_t>(j)] * problem.A().col(j);
}

ProjectedGaussSeidel::ProjectedGaussSeidel(int max_rows, const GaussSeidelOptions& options) {
  if (const auto fault = options.find_fault()) throw std::invalid_argument("GaussSeidelOptions: " + *fault);
  work_ = std::make_unique<Work>(max_rows, options);
}
ProjectedGaussSeidel::~ProjectedGaussSeidel() = default;
ProjectedGaussSeidel::ProjectedGaussSeidel(ProjectedGaussSeidel&&) noexcept = default;
ProjectedGaussSeidel& ProjectedGaussSeidel::operator=(ProjectedGaussSeidel&&) noexcept = default;

int ProjectedGaussSeidel::max_rows() const { return work_->capacity; }

const GaussSeidelSolution& ProjectedGaussSeidel::solve(const ConstraintProblem& problem,
                                                       std::span<const double> warm_start) {
  Work& work = *work_;
  internal::demand_cone_problem(problem, work.capacity, warm_start);
  GaussSeidelSolution& s = work.solution;
  const bool is_finite = work.system.load(problem);
  if (is_finite) {
    // The warm start may be this solver's own solution: it is read before anything is written.
    s.status = ConeStatus::not_solved;
    s.sweeps = 0;
    work.run(warm_start);
  }
  s.z.assign(static_cast<std::size_t>(problem.size()), 0);
  s.w.assign(static_cast<std::size_t>(problem.size()), 0);
  if (is_finite) {
    work.write_solution(problem);
  } else {
    s.status = ConeStatus::not_finite;
    s.residual = std::numeric_limits<double>::infinity();
    s.sweeps = 0;
  }
  return s;
}

}  // namespace thenar
