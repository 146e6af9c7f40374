// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The front for constraint problems: picks the solver by what the problem has.
///
///   no contacts                       ExactSolver: the answer to rounding, or a certificate that there is none
///   contacts, sliding or not          ConeSolver, on the true cone
///   where these fail (A neither       Lemke's method on the problem as an LCP (constraint_reduction.h), if all cones
///   are symmetric nor semidefinite, …)    polyhedral
///
/// Every answer is graded by grade.h, whoever found it; `solved` means that the grade is at most kWorstGrade.

#include <memory>
#include <span>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/complementarity/exact_solver.h"
#include "thenar/complementarity/grade.h"

namespace thenar {

enum class ConstraintMethod : std::uint8_t { none, exact, cone, lemke };
const char* to_string(ConstraintMethod method);

struct ConstraintAnswer {
  SolveStatus status = SolveStatus::failed;
  ConstraintMethod method = ConstraintMethod::none;  ///< which one found it; none if all failed
  std::vector<double> z, w;
  ConstraintGrade grade;            ///< of z; solved
  std::vector<double> certificate;  ///< infeasible: as ConstraintSolution has it
};

class ConstraintFront {
 public:
  static constexpr double kWorstGrade = 1e-8;

  /// Memory for problems of up to max_rows rows. Exact and cone answers use no heap, Lemke's do.
  explicit ConstraintFront(int max_rows);
  ~ConstraintFront();
  ConstraintFront(ConstraintFront&&) noexcept;
  ConstraintFront& operator=(ConstraintFront&&) noexcept;

  /// Begins at the last answer if that had as many rows. The reference is valid until the next call. Throws
  /// std::invalid_argument for more than max_rows rows and for rows with a fault.
  const ConstraintAnswer& solve(const ConstraintProblem& problem);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace thenar
