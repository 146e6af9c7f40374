// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/geometry/core.h"

namespace thenar {

/// A box with sides along the axes of the world, m.
struct Bounds {
  Vec3<double> low, high;
};

/// The smallest such box around a bounded shape, by its support in the six directions.
Bounds calc_bounds(const GrownCore& shape, const Pose<double>& X_WS);

/// The smallest box around two boxes.
Bounds join(const Bounds& a, const Bounds& b);

}  // namespace thenar
