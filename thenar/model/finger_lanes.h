// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Fingers side by side. A hand is a trunk (forearm, wrist, palm) from which several chains of revolute links hang on
/// one link. The dynamics of such chains are the same arithmetic on other numbers, so up to four of them go through
/// the lanes of a pack together: step s of a group holds the s-th link of every finger.
///
/// Fingers of unequal length share a group: past its tip a finger goes on with links that have no mass, do not move
/// their parent and are never read. Spare lanes hold such links only.

#include <array>
#include <span>
#include <vector>

#include "thenar/base/pack.h"
#include "thenar/model/link.h"

namespace thenar {

struct FingerGroup {
  static constexpr int kLanes = Pack4::kLanes;

  struct Step {
    LinkConstants<Pack4> constants;
    Pack4 armature;
    std::array<int, kLanes> link;  ///< 0 where the lane is spare
    std::array<int, kLanes> q, v;  ///< where to read; spare lanes read what their neighbour reads
  };

  int parent = 0;  ///< the link that carries the fingers; 0 for the world
  int first_step = 0;
  std::vector<Step> steps{};
};

struct FingerLanes {
  /// Where a link is computed: in a lane of a step, or in the trunk.
  struct Place {
    int step = -1;
    int lane = 0;
    bool is_trunk() const { return step < 0; }
  };

  std::vector<FingerGroup> groups;
  std::vector<Place> place;  ///< per link
  std::vector<int> trunk;    ///< the links in no group, in order
  int step_count = 0;
};

/// Groups the fingers of a tree, at least `min_fingers` to a group.
FingerLanes find_finger_lanes(std::span<const Link> links, std::span<const LinkConstants<double>> constants,
                              const VectorX<double>& armature, int min_fingers);

}  // namespace thenar
