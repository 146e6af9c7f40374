// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/io/scenario/control_reader_internal.h"

namespace thenar::internal {

/// Reads `control` into the torques and controllers of the scenario.
void read_control(const Field& field, const ControlContext& context);

/// Reads `wrenches`.
void read_wrenches(const Field& field, const Parameters& parameters, Scenario& scenario);

}  // namespace thenar::internal
