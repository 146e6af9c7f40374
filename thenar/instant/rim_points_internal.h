// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Points of flat rims (flat_rim_internal.h) that an instant or an impact has to have among its contacts.
///
/// A solution over some points of a rim overlooks others that would go into the face. The lowest of them is asked for
/// (ArcPoints) and the problem is solved again, until none is left: a cutting-plane method. Where the disc tips, two
/// points bracket the true one, and the centre of their pressure, being nearly where a single point would press, is
/// asked for beside the lowest.
///
/// All of these ask for points of rims that are among the contacts of the context's finder at its last update, at the
/// positions of the workspace, and say whether there are new ones.

#include <vector>

#include "thenar/instant/contact_impact.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/flat_rim_internal.h"

namespace thenar::internal {

/// Fixed points of rims that have been held until now, with their forces.
struct PressedPoint {
  FoundContact place;  ///< with its points where it is now
  double force = 0;    ///< N, along its normal
};
std::vector<PressedPoint> list_pressed_points(const ConstrainedMotion& motion);
/// Those that the centre of pressure lies towards, where it is too far out for the points that are always there. Others
/// that were asked for before are given up unless they have been held.
void ask_for_pressed(AssemblyContext& context, const Workspace<double>& workspace,
                     const std::vector<PressedPoint>& pressed);

/// Those that would go into their faces in the first answer of an instant.
bool ask_for_missed_points(AssemblyContext& context, const State& state, const Instant& instant);

/// An impact and its answer, if anything is struck, with the points of rims that it needs: those that are struck
/// fastest, and those that would go into their faces after it. The workspace has the positions of the state; its
/// velocities change.
struct ImpactOnRims {
  ImpactInstant instant;
  ImpactAnswer answer{};
};
ImpactOnRims solve_impact_on_rims(AssemblyContext& context, Workspace<double>& workspace, const State& state);

}  // namespace thenar::internal
