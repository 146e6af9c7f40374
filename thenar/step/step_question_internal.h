// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "thenar/instant/row_assembly_internal.h"
#include "thenar/step/made_step_internal.h"

namespace thenar::internal {

/// What presses is on its contacts, and does not approach, to the error of a step; a question about an instant needs it
/// exactly: positions and velocities are projected. `reach`: how near what presses may be, m; `stops`: joint rows that
/// press.
void put_in_touch(AssemblyContext& context, const std::vector<StepContactState>& contacts,
                  const std::vector<char>& stops, double reach, State& state);

}  // namespace thenar::internal
