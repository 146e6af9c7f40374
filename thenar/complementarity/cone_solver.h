// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Contact problems with friction on the true cone (constraint_problem.h): smooth cones, limit surfaces of soft fingers
/// and polyhedral cones, contacts that slide, mixed with bilateral, unilateral and boxed rows; A of any rank, symmetric
/// or nearly so. Made for a hand that holds an object with up to some tens of contacts, more than its freedoms can tell
/// apart.
///
/// No single method is both quick and certain here, so solve() tries one after the other:
///
///   1. A few sweeps of block Gauss–Seidel (or the warm start), then Newton's method (cone_newton_internal.h). Where
///      contacts are about as many as freedoms, this ends after two to five linear solves.
///   2. An interior-point method, which redistributes forces inside their cones and does not mind the rank of A
///      (cone_interior_internal.h), to a few digits, then Newton for the rest. Where its path breaks off, Newton
///      through a sequence of proximal problems, with patience.
///   3. The same along two other paths.
///   4. Two thousand sweeps of Gauss–Seidel from the start, then Newton with more patience.
///
/// Measured on hands (tests/complementarity/grasp_problems.h): 1 or 2 solve all of 2000 problems each with 4, 5 and 8
/// contacts, and 995 of 1000 or more with 12 and 20. Of 12000 each with 12 and 20 contacts, 1 and 6 came to 4; one,
/// with 20 contacts, was not solved (residual 4e-5). With four of ten contacts sliding in random directions: 14998 of
/// 15000, 2 to 20 contacts with smooth, box and six-sided cones. With twice the friction one problem in ten or twenty
/// is not solved; of those with two or five contacts and faces, nearly all have no solution (all_solutions.h).
///
/// Forces of redundant contacts are not unique; the answer is one of them. With friction not even the motion has to be:
/// the answer is then one solution of several, and a warm start selects the one near it. Whether there is a solution at
/// all is not decided here: `not_solved` is not a proof that there is none.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thenar/complementarity/cone_status.h"
#include "thenar/complementarity/constraint_problem.h"

namespace thenar {

/// What a contact does, told by its motion: force or not, a contact that neither opens nor slips sticks.
enum class ContactState : std::uint8_t {
  open,   ///< wₙ > 0
  stick,  ///< w = 0 (rolling contacts too)
  slide   ///< wₙ = 0, w_t ≠ 0, or the contact has sliding rows
};
const char* to_string(ContactState state);

struct ConeOptions {
  double tolerance = 1e-10;   ///< of ConeSolution::residual
  double zero_motion = 1e-8;  ///< of max |b|, in the solver's units: slower is at rest, for ContactState

  /// What is wrong, if anything.
  std::optional<std::string> find_fault() const;
};

struct ConeSolution {
  ConeStatus status = ConeStatus::not_solved;
  std::vector<double> z, w;           ///< in the order of the problem's rows; w = A z + b
  std::vector<ContactState> contact;  ///< of each contact, in the order of the normal rows
  /// Largest |z − projection of (z − w)| on what a row or contact admits, over max |b|, in the units of the solver (A
  /// near 1 on the diagonal of normal rows, friction coefficients 1). grade.h judges in its own.
  double residual = 0;
  int steps = 0;   ///< linear systems solved
  int method = 0;  ///< which of the four found the answer, or was the last to try
};

/// Memory for problems of up to max_rows rows; solve() uses no heap.
class ConeSolver {
 public:
  explicit ConeSolver(int max_rows, const ConeOptions& options = {});
  ~ConeSolver();
  ConeSolver(ConeSolver&&) noexcept;
  ConeSolver& operator=(ConeSolver&&) noexcept;

  int max_rows() const;

  /// Solves the problem, from `warm_start` if given: a force per row, of a related problem; it may be z of this
  /// solver's own solution. The reference is valid until the next call. Throws std::invalid_argument for more than
  /// max_rows rows, for rows with a fault and for a warm start of another size; what A and b hold is answered with a
  /// status.
  const ConeSolution& solve(const ConstraintProblem& problem, std::span<const double> warm_start = {});

  const ConeSolution& solution() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace thenar
