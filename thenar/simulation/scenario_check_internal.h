// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/scenario/scenario.h"

namespace thenar::internal {

/// Throws std::invalid_argument with a message for the user if a scenario cannot start.
void check_scenario(const Scenario& s);

}  // namespace thenar::internal
