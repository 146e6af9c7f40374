// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/motion/external_loads.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

/// Throws std::invalid_argument with a message for the user if a scenario cannot start.
void check_scenario(const Scenario& s);

/// The same for what a program sets besides.
void check_loads(const Scenario& s, const ExternalLoads& loads);

}  // namespace thenar::internal
