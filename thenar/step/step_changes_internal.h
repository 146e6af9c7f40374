// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The events of a step: what contacts do otherwise than in the step before.

#include <vector>

#include "thenar/step/made_step_internal.h"

namespace thenar::internal {

/// Adds them to those of the step, whose contacts are known; `is_first`: what touches at the start is no event.
void add_contact_events(const std::vector<StepContactState>& before, bool is_first, MadeStep& step);

}  // namespace thenar::internal
