// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unordered_set>

#include "thenar/io/part_reader_internal.h"
#include "thenar/simulate/scenario.h"

namespace thenar::internal {

/// Reads `control` into the torques of the scenario, whose model is complete. Joints of `objects` (by index of their
/// body) have no actuators.
void read_control(const Field& field, const std::unordered_set<int>& objects, const Parameters& parameters,
                  Scenario& scenario);

/// Reads `wrenches`.
void read_wrenches(const Field& field, const Parameters& parameters, Scenario& scenario);

/// True when the whole text fits the pattern, in which * stands for any characters and ? for one.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace thenar::internal
