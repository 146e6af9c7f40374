// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/spatial/pose.h"

namespace thenar::test {

using Vec = Vec3<double>;

/// A free vector of the frame that X places, in the frame that X is in.
inline Vec rotate(const Pose<double>& X, const Vec& v) { return Vec(Vector3<double>(X.R * v.eigen())); }

}  // namespace thenar::test
