// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Bodies and forces as what Foxglove's 3-D panel draws, in JSON: foxglove.SceneUpdate, foxglove.FrameTransforms.

#include <cstdint>
#include <string>
#include <vector>

#include "thenar/io/trace/trace_scene.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

/// About how large the scene is, m: half the diagonal of the box around its bodies, 1 if they have no size. Poses are
/// those of all bodies, by index.
double calc_scene_size(const TraceScene& scene, const std::vector<Pose<double>>& poses);

/// foxglove.SceneUpdate: every body with its shapes, in the frame of that name. What has no end (planes) is drawn as
/// far as `size` asks.
std::string scene_update_json(const TraceScene& scene, double size, double t);

/// foxglove.FrameTransforms: the frames of all bodies in "world".
std::string transforms_json(const TraceScene& scene, const std::vector<Pose<double>>& poses, double t);

/// foxglove.SceneUpdate: an arrow for every force, `per_newton` m/N long, in the colour of the contact's mode.
std::string forces_json(const std::vector<Contact>& contacts, double size, double per_newton, double t);

/// JSON schemas of these messages and of foxglove.Log.
std::string foxglove_schema(const std::string& name);

}  // namespace thenar::internal
