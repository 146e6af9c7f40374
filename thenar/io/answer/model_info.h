// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "thenar/scenario/scenario.h"

namespace thenar {

/// What is in a scenario or model: the tree of bodies with their joints and masses, and what else is said about the
/// joints: limits, dry friction, locks, springs and couplings. For people.
std::string model_info_text(const Scenario& scenario);

/// The same as one JSON object (docs/formats.md), with a line end.
std::string model_info_json(const Scenario& scenario);

/// Things that are allowed but worth knowing, one per entry: springs that are not conservative.
std::vector<std::string> find_remarks(const Scenario& scenario);

}  // namespace thenar
