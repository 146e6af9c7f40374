// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/complementarity/constraint_problem.h"

namespace thenar::internal {

/// Of all impulses that bring about the same motion w as z, a solution of the problem: those with the least sum of
/// squares (torsion in units of μ_τ/μ, in which its limit surface is round). They form a convex set, z + null space
/// within the cones, on which 0 is projected: by the null space alone where that suffices, else by Dykstra's method.
/// Returns z where nothing is redundant, or where the projection is not found to rounding.
VectorX<double> find_least_impulse(const ConstraintProblem& problem, const VectorX<double>& z,
                                   const VectorX<double>& w);

}  // namespace thenar::internal
