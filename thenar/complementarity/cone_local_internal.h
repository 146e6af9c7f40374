// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One contact alone: given its block B of A and the motion q without its own force, the force z with w = B z + q that
/// meets the contact's laws. For positive definite B there is one, found as follows.
///
/// Open (z = 0) if qₙ ≥ 0. Otherwise wₙ = 0, and friction opposes the slip: w_t = −α z_t for some α ≥ 0 (0: no slip),
/// so
///
///     (S + α I) z_t = c,   S = B_tt − B_tn B_nt / Bₙₙ,   c = B_tn qₙ / Bₙₙ − q_t,   zₙ = −(qₙ + B_nt z_t) / Bₙₙ. (1)
///
/// α = 0 is the answer if z_t lies in the cone. If not, g(α) = |z_t| − zₙ is positive there and tends to qₙ / Bₙₙ < 0,
/// so that a bracketed search for its zero cannot fail; one unknown instead of the quartic equation of the slip angle.
///
/// Contacts that slide have one row, whose diagonal may be 0 or negative: they get no force then, which is an answer
/// only if they open.
///
/// Polyhedral cones: every face of the section (inside, edges, vertices) gives linear equations; the face whose
/// solution violates least is taken.

#include "thenar/complementarity/cone_system_internal.h"

namespace thenar::internal {

/// The force of one block. B is its diagonal block of A, q = w − B z the motion without it.
BlockVector solve_block(const ConeBlock& block, const BlockMatrix& B, const BlockVector& q);

}  // namespace thenar::internal
