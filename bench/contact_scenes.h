// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Scenes with contacts whose motion is known in closed form, in one description for everybody: bodies for the peers,
/// the text of a scenario for Thenar.

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "peers/scene_peer.h"

namespace thenar::bench {

using Numbers3 = std::array<double, 3>;

struct ContactScene {
  std::string name;
  std::vector<SceneBody> bodies;  ///< the first is watched; it is free
  double friction = 0;
  double until = 1;  ///< s
  /// Where the motion is known: how far the first body has moved at `known_at`, m.
  Numbers3 travel{};
  double known_at = 1;   ///< s
  Numbers3 up{0, 0, 1};  ///< away from what it moves on, of length 1; 0 if it hangs

  /// Refers to the bodies of this scene.
  SceneDescription description() const;
  /// The scenario in the syntax of docs/formats.md, with the options of its run. The first body is called b0.
  std::string scenario_text(const std::string& run) const;
};

/// How far from the truth after one second: a ball rolls down an incline, a box slides down one, a disc and a ball go
/// over from sliding to rolling, a box slides and stops.
std::vector<ContactScene> make_precision_scenes();

/// What must stay where it is: a ball and a capsule between two pads, a cube pressed on a wall, a fast cube that stops,
/// a cube that is pushed and let go. `known_at` is when it rests.
std::vector<ContactScene> make_rest_scenes(double until);

}  // namespace thenar::bench
