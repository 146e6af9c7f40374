// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/scenario/scenario.h"

namespace thenar {

/// Distance (m) within which the contacts of a scenario, which has some, are looked for: as it says, or else a tenth of
/// the size of the scene at its start (ContactTolerances).
double find_contact_margin(const Scenario& scenario);

}  // namespace thenar
