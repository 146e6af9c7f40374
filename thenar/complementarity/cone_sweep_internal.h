// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One sweep of block Gauss–Seidel over a cone system, and the arguments that all solvers of contact problems share.

#include "thenar/complementarity/cone_system_internal.h"

namespace thenar::internal {

/// Gives each block in turn the force that meets its laws, and keeps w = A z + b up to date. Returns the largest change
/// of a force.
double sweep_blocks(const ConeSystem& system, Eigen::Ref<Eigen::VectorXd> z, Eigen::Ref<Eigen::VectorXd> w);

/// Whether sweeps that reached this ConeSystem::residual() may go on. With contacts that slide they can run away;
/// forces beyond have no digit in common with b, and would end as NaN.
inline bool is_bounded(double residual) { return residual < 1e100; }

/// w = A z + b.
void calc_system_motion(const ConeSystem& system, const Eigen::Ref<const Eigen::VectorXd>& z,
                        Eigen::Ref<Eigen::VectorXd> w);

/// Throws std::invalid_argument for more than max_rows rows, rows with a fault, or a warm start of another size (none
/// is allowed).
void demand_cone_problem(const ConstraintProblem& problem, int max_rows, std::span<const double> warm_start);

}  // namespace thenar::internal
