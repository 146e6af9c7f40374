// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A short step over what cannot be followed event by event: contacts that chatter, impacts that strike each other off
/// for ever, slip whose direction does not settle. Impulses p of contacts, stops and joint friction over the whole step
/// are found at once, as in Moreau's time stepping,
///
///     v⁺ = v + h v̇_free + M⁻¹ Jᵀ p        q⁺ = q ⊕ h v⁺
///     normals and stops   0 ≤ p ⊥ J v⁺ + gap/h ≥ 0         friction   in its cone, against the slip of v⁺
///
/// without restitution. Such a problem has a solution whatever the friction (the gap is not negative), where that of an
/// instant may have none. It is of order 1 in h, takes no energy from nowhere, and is used for as short a time as gets
/// the run past its trouble; every use of it is told.

#include <optional>
#include <string>

#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {

struct BridgedStep {
  double work = 0;         ///< J, of actuators and wrenches
  double energy_lost = 0;  ///< J, in contacts, stops, dampers and friction
};

/// The state becomes that after h (s), nothing inside anything else. Empty if it cannot be found, or would gain energy;
/// the state is unchanged then.
std::optional<BridgedStep> bridge(AssemblyContext& context, State& state, double h);

}  // namespace thenar::internal
