// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "thenar/scenario/scenario.h"

namespace thenar::internal {

/// What differs between two scenarios and cannot change in a motion that has begun, in words: places of joints (lengths
/// of links), shapes, numbers of bodies, joints and stops, which contacts there are, how the run proceeds. Empty if
/// there is nothing of that; masses, frictions, gains, targets, torques, springs and gravity may change.
std::string find_fixed_difference(const Scenario& before, const Scenario& after);

}  // namespace thenar::internal
