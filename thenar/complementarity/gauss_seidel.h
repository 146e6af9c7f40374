// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Projected Gauss–Seidel for constraint problems with contacts: one contact or row after the other gets the force that
/// meets its own laws exactly while all others keep theirs (nonlinear block Gauss–Seidel; Jourdan, Alart & Jean 1998),
/// until nothing changes. Simple, with little memory, never far from an answer, and slow where many contacts share few
/// degrees of freedom. ConeSolver is faster and more accurate; this is its starter, its fallback and its check.
///
/// Convergence is certain without friction and for symmetric positive definite A; with friction it is the rule. A
/// contact that slides and that its own force does not open (constraint_problem.h, after (10)) gets none here: where it
/// needs one the answer is `not_solved`, as it is where sweeps run away (then with z = 0).

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thenar/complementarity/cone_status.h"
#include "thenar/complementarity/constraint_problem.h"

namespace thenar {

struct GaussSeidelOptions {
  double tolerance = 1e-10;  ///< of GaussSeidelSolution::residual
  int most_sweeps = 10000;   ///< over all rows

  /// What is wrong, if anything.
  std::optional<std::string> find_fault() const;
};

struct GaussSeidelSolution {
  ConeStatus status = ConeStatus::not_solved;
  std::vector<double> z, w;  ///< in the order of the problem's rows; w = A z + b
  /// Largest |z − projection of (z − w)| on what a row or contact admits, over max |b|, in the units of the solver (A
  /// near 1 on the diagonal of normal rows, friction coefficients 1). grade.h judges in its own.
  double residual = 0;
  int sweeps = 0;
};

/// Memory for problems of up to max_rows rows; solve() uses no heap.
class ProjectedGaussSeidel {
 public:
  explicit ProjectedGaussSeidel(int max_rows, const GaussSeidelOptions& options = {});
  ~ProjectedGaussSeidel();
  ProjectedGaussSeidel(ProjectedGaussSeidel&&) noexcept;
  ProjectedGaussSeidel& operator=(ProjectedGaussSeidel&&) noexcept;

  int max_rows() const;

  /// Solves from z = 0, or from `warm_start` (a force per row, of a related problem). The reference is valid until the
  /// next call. Throws std::invalid_argument for more than max_rows rows, for rows with a fault and for a warm start of
  /// another size.
  const GaussSeidelSolution& solve(const ConstraintProblem& problem, std::span<const double> warm_start = {});

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace thenar
