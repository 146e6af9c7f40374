// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What happened in a run, in a paragraph of words: which bodies met, what their contacts did and when, what was known
/// of it, and where objects are in the end. Only what the trace says, with its numbers; long runs are summed up.

#include <string>
#include <vector>

#include "thenar/io/report/report_data_internal.h"
#include "thenar/spatial/pose.h"

namespace thenar::internal {

/// A body and where it was: in the first and in the last row, and at times between, if they are known.
struct StoryBody {
  std::string name;
  Pose<double> first, last;
  std::vector<std::pair<double, Pose<double>>> way{};
};

/// A coordinate of a joint in the first and in the last row.
struct StoryJoint {
  std::string name;
  bool is_angle = true;
  double first = 0, last = 0;  ///< rad or m
};

/// The paragraph; empty if there is nothing to tell. `objects` are the bodies whose way is told, in their order; of the
/// joints that which has gone farthest is.
std::string tell_story(const ReportData& data, const std::vector<StoryBody>& objects,
                       const std::vector<StoryJoint>& joints = {});

/// "turned by 32° about z", "turned by 10° about (0.6, 0.8, 0)"; empty if it has not turned.
std::string describe_turn(const Matrix3<double>& R);

}  // namespace thenar::internal
