// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The size of forces below which contacts without load have nothing but rounding.

#include "thenar/scenario/scenario.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::test {

/// N. Margins of forces are parts of the largest force, or of 1e-6 of what belongs to the scenario where nothing acts
/// (contact_reactions_internal.cc).
inline double find_least_load(const Scenario& scenario) {
  const Scales scales = find_scales(scenario.model, scenario.initial);
  return 1e-6 * scales.mass * scales.length / (scales.time * scales.time);
}

}  // namespace thenar::test
