// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// From a scenario and a state to the constraint problem of the instant (contact_instant.h).

#include "thenar/contact/contact_rows.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/instant_proof.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {

/// An Instant with all but its answers, and how its contacts move.
struct AssembledInstant {
  Instant instant;
  std::shared_ptr<InstantProof> proof;  ///< that of the instant, to be completed
  std::vector<ContactRows> rows;        ///< of each contact
};

/// Contacts at rest have the larger coefficient μ_s. Throws as solve_instant().
AssembledInstant assemble_instant(AssemblyContext& context, const State& state, double time);

}  // namespace thenar::internal
