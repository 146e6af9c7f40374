// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The answer of a step's contact problem in which everything does what it did in the last one: rows that hold have
/// w = 0, contacts that slide have friction against their slip, what is open has no force. With B = A F over the rows
/// that hold (F: friction of a slider goes with its normal force),
///
///     B z = −b,   z = z₀ + B⁺ (−b − B z₀)                                                                          (1)
///
/// the forces of redundant contacts stay as near to the last ones z₀ as they can, inside their cones. Where something
/// slides, its direction follows from the answer, which is found again, a few times.

#include <vector>

#include "thenar/complementarity/cone_solver.h"
#include "thenar/motion/least_solver_internal.h"
#include "thenar/step/step_rows_internal.h"

namespace thenar::internal {

class StepHold {
 public:
  /// The modes of this answer are held from here on.
  void begin(const StepRows& rows, const std::vector<ContactState>& states, const VectorX<double>& z,
             const VectorX<double>& w);
  /// Of a problem with the same rows, from the last forces. False if there is none. Whether it is one is for a judge.
  bool solve(const StepRows& rows, const std::vector<double>& last);
  const VectorX<double>& z() const { return z_; }
  const VectorX<double>& w() const { return w_; }

  template <class Archive>
  void archive(Archive& a) {
    a(roles_, slides_, w_, solver_);
  }

 private:
  enum class Role : std::uint8_t {
    held,      ///< w = 0
    open,      ///< z = 0
    friction,  ///< z = r z of its normal row
    upper,
    lower  ///< dry friction of a joint that slips
  };
  void set_directions(const ConstraintProblem& problem);
  void set_system(const ConstraintProblem& problem, const std::vector<double>& last);

  std::vector<Role> roles_;   ///< by row
  std::vector<char> slides_;  ///< by row: a normal row of a contact that slides
  std::vector<Eigen::Index> held_;
  VectorX<double> ratio_;  ///< by row: r
  VectorX<double> z_, w_, right_;
  MatrixX<double> system_;
  LeastSolver solver_;
};

}  // namespace thenar::internal
