// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/complementarity/constraint_problem.h"

namespace thenar::internal {

/// A solution of the problem (bilateral, unilateral, normal and tangent rows on smooth cones) to rounding, from one to
/// some digits: what is open, sticks and slides is read off it and kept, and Newton's method solves the equations that
/// are left, w = 0 and z_t = −z_N μ² w_t / |μ w_t|. Returns z itself where that does not come out better, by grade.h.
VectorX<double> refine_impulse(const ConstraintProblem& problem, const VectorX<double>& z);

}  // namespace thenar::internal
