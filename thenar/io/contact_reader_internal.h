// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/io/part_reader_internal.h"
#include "thenar/simulate/scenario.h"

namespace thenar::internal {

/// Reads the `contacts` of a scenario, whose model and shapes are complete.
ContactRules read_contacts(const Field& field, const Parameters& parameters, const Scenario& scenario);

}  // namespace thenar::internal
