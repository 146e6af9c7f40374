// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/modes/mode_solver.h"

namespace thenar {

/// The constraint problem of an instant (contact_instant.h) and its answer, in terms of the rows of the problem: all
/// that verify_modes(), or another solver, has to be given. It stands apart from Instant so that those who ask what
/// contacts do need not read how solvers prove it.
struct InstantProof {
  ConstraintProblem problem;
  VectorX<double> vdot_free;  ///< accelerations without the forces of the rows
  MatrixX<double> X;          ///< M⁻¹ Jᵀ: v̇ = v̇_free + X z
  ModeAnswer answer;          ///< cells and proof
};

}  // namespace thenar
