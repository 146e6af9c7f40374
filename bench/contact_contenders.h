// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A scene with contacts carried through time by Thenar or by a peer, in one form: the path of the first body.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contact_scenes.h"
#include "measure.h"
#include "peers/scene_peer.h"

namespace thenar::bench {

struct PathPoint {
  double t = 0;  ///< s
  Numbers3 p{}, v{};
};

struct Path {
  std::vector<PathPoint> points;  ///< the first at t = 0
  bool is_done = false;
  long long steps = 0, evaluations = 0;

  std::uint64_t hash_of_end() const;
  /// The last point not after t, which must not be before the first.
  const PathPoint& at(double t) const;
};

/// Who moves a scene, and how. Preparing it (models, memory) is not timed.
struct SceneMover {
  std::string name, setting;
  bool is_peer = false;
  double step = 0;  ///< of a peer, s
  /// Makes everything ready for one run from the start. Throws where the scene cannot be moved.
  std::function<std::function<Path()>()> prepare;
};

/// All peers of a folder in all their settings.
std::vector<ScenePeer> open_scene_peers(const std::string& folder);

/// Points every `sample` seconds, a multiple of h. The scene must outlive it.
SceneMover scene_peer_mover(const ScenePeer& peer, const ContactScene& scene, double h, double sample);

SceneMover scene_thenar_mover(const ContactScene& scene, double tolerance, double sample);

/// A mover's answer and its time; or why there is none.
struct MeasuredPath {
  SceneMover mover;
  std::optional<Path> path{};
  std::string why_not{};
  std::vector<double> seconds{};  ///< of CPU per simulated second, one for each round

  double median() const;
};

/// Moves once for the answer, then in turns for the time; every run must end in the same bits.
std::vector<MeasuredPath> measure_scene_movers(std::vector<SceneMover> movers, int rounds);

}  // namespace thenar::bench
