// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "thenar/io/scenario/model_reader.h"

namespace thenar::internal {

/// Where the initial position and velocity of each degree of freedom are written; empty where they are left to us.
struct StatePlaces {
  std::vector<std::optional<WrittenPlace>> q, v;
};

/// Makes the initial state one that the locks, couplings and stops of the model allow:
///
/// - A joint that follows a coupling takes its position and velocity from it. If they were written, they must agree.
/// - Positions must lie within the stops, whose lower bounds must not exceed the upper ones there. What is beyond by a
///   rounding is put onto the stop.
/// - A locked joint must be at rest.
///
/// Throws InputError where the state does not fit, at the place where it is written. The couplings of the model come
/// in an order in which each follows only joints that are settled before it (read_constraints).
void settle_initial_state(const Model& model, const AddedBodies& added, const StatePlaces& places, State& state);

}  // namespace thenar::internal
