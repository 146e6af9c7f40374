// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/study/map_regions.h"

namespace thenar::internal {

/// Sets the middle of a region of a complete grid, and half the sides of the largest box around it (MapRegion).
void place_middle(const MapGrid& grid, MapRegion& region);

}  // namespace thenar::internal
