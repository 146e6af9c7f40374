// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The bodies of a run, `scene.json` (docs/formats.md): names, joints and shapes, as far as it takes to tell from a row
/// of states.csv where every body is and what it looks like. There are no masses and no laws in it.
///
///     const TraceScene scene = read_trace_scene(folder / "scene.json");
///     TracePoses poses(scene, reader.columns(), "states.csv");
///     while (reader.next()) { poses.update(reader.row()); … poses.pose(body) … }
///
/// States tell poses of free bodies in the world, whatever joint they hang on; so free bodies hang on the world here.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thenar/contact/body_shape.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

struct TraceScene {
  std::string name;
  bool is_planar = false;  ///< nothing leaves the x-y plane
  Model model;             ///< for kinematics: bodies have no mass
  std::vector<BodyShape> shapes;
};

/// The file's text, with a line end.
std::string scene_json(const Scenario& scenario);

/// Reads it back. Throws InputError.
TraceScene read_trace_scene(const std::filesystem::path& file);

/// Poses of all bodies in the rows of a states.csv.
class TracePoses {
 public:
  /// The scene must outlive it. Throws InputError in the name of `states` if the columns are not those of the scene.
  TracePoses(const TraceScene& scene, std::span<const std::string> columns, const std::filesystem::path& states);

  /// Takes the positions of a row.
  void update(std::span<const double> row);

  /// X_WB in the last row taken.
  Pose<double> pose(BodyIndex body) const;

 private:
  const TraceScene* scene_;
  Workspace<double> workspace_;
};

/// Links of hands are named hand.link; objects have names without dots.
inline bool is_link_name(std::string_view body) { return body.find('.') != std::string_view::npos; }

/// Whether a body can move at all.
bool is_moving(const Model& model, BodyIndex body);

}  // namespace thenar
