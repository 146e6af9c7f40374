// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The units of the columns of a trace. states.csv has none, but its names nearly say them: a free body has x, qw and
/// wx, a planar one x and yaw, and a joint with several numbers only turns. What a name cannot tell is whether a joint
/// of one number turns or slides; `sliding_joints` of summary.json says so where it is given.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thenar/scenario/scenario.h"

namespace thenar {

/// What the coordinate of a degree of freedom measures.
enum class MotionKind {
  turning,       ///< rad, rad/s, N m
  sliding,       ///< m, m/s, N
  number,        ///< a part of a quaternion
  not_known,     ///< turning or sliding: "rad | m", "rad/s | m/s", "N m | N"
  no_coordinate  ///< the column is none of q, v, tau
};

/// The parts of a column's name: "tau" and "hand.wrist.0" of "tau.hand.wrist.0". Without a dot the latter is empty.
struct ColumnName {
  std::string_view quantity, dof;
};
ColumnName split_column(std::string_view column);

/// What each column is about, in the order of `columns`. `sliding_joints` are the names of the joints that slide, if
/// they are known.
std::vector<MotionKind> find_motion_kinds(std::span<const std::string> columns,
                                          const std::optional<std::vector<std::string>>& sliding_joints);

/// The SI unit of a quantity: "rad/s" for "v" of something that turns; empty for a pure number and for other columns.
std::string unit_of(std::string_view quantity, MotionKind kind);

/// `sliding_joints` of a summary.json; nothing when the file has no such entry or is no JSON, as after a crash.
std::optional<std::vector<std::string>> read_sliding_joints(const std::filesystem::path& summary);

/// The joints whose one coordinate is a length, for the entry `sliding_joints` of a summary.
std::vector<std::string> find_sliding_joints(const Scenario& scenario);

}  // namespace thenar
