// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The algorithm of Gilbert, Johnson and Keerthi (1988) on two bounded convex cores: nearest points by support
/// functions alone. It needs no starting point and cannot be trapped, but is slow to become exact on curved surfaces
/// and blind where the cores overlap. So it only says where Newton's method begins, and overlapping cores are shrunk
/// first.

#include "thenar/geometry/core.h"

namespace thenar::internal {

enum class GjkStatus : char {
  apart,
  overlap,  ///< N is the shortest way out, roughly, and the points are what it has to part
  unclear   ///< touching as far as rounding tells, or flat sets in one plane: nothing is set
};

struct GjkResult {
  GjkStatus status = GjkStatus::unclear;
  Vec3<double> p_A = Vec3<double>::zero();
  Vec3<double> p_B = Vec3<double>::zero();  ///< nearest points of the shrunk cores, in the frame of A
  Vec3<double> N = Vec3<double>::zero();    ///< unit vector from B to A
};

/// Both cores are shrunk about the origins of their frames by the factor `shrink` in (0, 1]. Ends when the distance is
/// known to the relative `accuracy`.
GjkResult run_gjk(const Core& A, const Core& B, const Pose<double>& X_AB, double shrink, double accuracy);

}  // namespace thenar::internal
