// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Convex pairs whose nearest points have a closed form: balls against anything, two segments, anything above a
/// half-space. All in the frame of A.

#include "thenar/geometry/distance.h"

namespace thenar::internal {

/// A ball against any convex core A.
Proximity put_ball_on(const GrownCore& A, const GrownCore& ball, const Vec3<double>& centre);

/// Two segments, grown or not. The normal is across both where they cross, and across the one that an end of the other
/// is beside, exactly, however near they are.
Proximity put_segments_together(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB);

/// B above the half-space A.
Proximity put_on_half_space(const GrownCore& B, const Pose<double>& X_AB);

}  // namespace thenar::internal
