// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/io/control_reader_internal.h"

namespace thenar::internal {

/// Reads `control` into the torques and controllers of the scenario.
void read_control(const Field& field, const ControlContext& context);

/// Reads `wrenches`.
void read_wrenches(const Field& field, const Parameters& parameters, Scenario& scenario);

/// True when the whole text fits the pattern, in which * stands for any characters and ? for one.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace thenar::internal
