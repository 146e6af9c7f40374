// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "thenar/dynamics/workspace.h"
#include "thenar/scenario/scenario.h"
#include "thenar/simulation/simulation.h"

namespace thenar::internal {

/// Of each pair, the least gap of their shapes; pairs without shapes, or of unbounded ones only, are left out. Needs
/// update_positions. Throws std::invalid_argument for bodies that are not there.
std::vector<BodyGap> find_gaps(const Scenario& scenario, const Workspace<double>& workspace,
                               std::span<const std::pair<BodyIndex, BodyIndex>> pairs);

}  // namespace thenar::internal
