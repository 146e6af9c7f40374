// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// How well a quasistatic solution meets the problem, by sums over the problem's own matrices: PTL (2) to (10) one by
/// one, each violation in parts of what it is compared with. No solver owns it.

#include "thenar/quasistatic/quasistatic_problem.h"

namespace thenar {

struct QuasistaticGrade {
  double given = 0;        ///< θ̇ of α and τ of ᾱ against the inputs
  double balance = 0;      ///< of the object, PTL (2), and of the joints, PTL (3); in parts of the largest term
  double penetration = 0;  ///< −v_n, in parts of the largest known contact velocity
  double cone = 0;         ///< |c_t| − μ c_n, −c_n; in parts of the largest force
  double motion = 0;       ///< velocities that the labels say are zero, or of another sign
  double law = 0;          ///< forces that the labels forbid

  double worst() const;
};

/// Throws std::invalid_argument if a size does not fit.
QuasistaticGrade grade_quasistatic(const QuasistaticProblem& problem, const QuasistaticSolution& solution);

/// What solutions are accepted with.
inline constexpr double kQuasistaticGrade = 1e-7;

}  // namespace thenar
