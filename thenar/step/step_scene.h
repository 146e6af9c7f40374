// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "thenar/scenario/scenario.h"

namespace thenar {

/// What of a scenario the step engine does not honour, by name; empty if it honours all.
std::string find_step_fault(const Scenario& scenario);

}  // namespace thenar
