// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a program that holds a simulation sets besides what the scenario says: constant until it is set anew.

#include <limits>
#include <optional>
#include <vector>

#include "thenar/model/model.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

/// A force and a torque that act on a body for a while.
struct AppliedWrench {
  BodyIndex body;
  Vec3<double> point_B = Vec3<double>::zero();             ///< where the force acts, in the body's frame, m
  Vec3<double> force = Vec3<double>::zero();               ///< N
  Vec3<double> torque = Vec3<double>::zero();              ///< N m
  bool in_world_axes = true;                               ///< else both are in the axes of the body
  double until = std::numeric_limits<double>::infinity();  ///< s
};

struct ExternalLoads {
  /// Per degree of freedom: an effort (N m or N) that takes the place of its torque profile. Empty, or nv of them.
  std::vector<std::optional<double>> efforts;
  /// Per degree of freedom: a target (rad or m) that takes the place of those of its controllers. Empty, or nv of them.
  std::vector<std::optional<double>> targets;
  std::vector<AppliedWrench> wrenches;

  bool sets_effort(int dof) const { return !efforts.empty() && efforts[static_cast<std::size_t>(dof)].has_value(); }
  bool empty() const { return efforts.empty() && targets.empty() && wrenches.empty(); }
};

template <class Archive>
void archive_state(Archive& a, AppliedWrench& wrench) {
  a(wrench.body, wrench.point_B, wrench.force, wrench.torque, wrench.in_world_axes, wrench.until);
}

template <class Archive>
void archive_state(Archive& a, ExternalLoads& loads) {
  a(loads.efforts, loads.targets, loads.wrenches);
}

}  // namespace thenar
