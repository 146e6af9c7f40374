// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/io/text/reader.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

/// Reads the `run` of a scenario. A `step` without an `integrator` asks for fixed steps, of rk8.
RunOptions read_run(const Field& field, const Parameters& parameters);

}  // namespace thenar::internal
