// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Maps whose regions are known in closed form, over the square from −1 to 1.

#include <cmath>

#include "thenar/study/instant_map.h"

namespace thenar::known_maps {

inline const MapPoint kRoll{Verdict::unique, true, "RR"}, kSlide{Verdict::unique, true, "SS"},
    kSeveral{Verdict::several, false, "RR|SS"}, kNone{Verdict::none, false, ""};

inline constexpr double kRadius = 0.7;
inline MapPoint disc(double x, double y) { return std::hypot(x, y) < kRadius ? kRoll : kSlide; }
/// Three regions that meet in a point inside of a cell, with borders of any slope.
inline MapPoint wedge(double x, double y) {
  const double angle = std::atan2(y - 0.013, x + 0.127);
  return angle < -1.1 ? kRoll : angle < 0.9 ? kSlide : kSeveral;
}
inline MapPoint stripes(double x, double y) { return std::sin(9 * x + 4 * y) > 0 ? kRoll : kNone; }

inline MapFunctionMaker same_for_all(MapPoint (*function)(double, double)) {
  return [function] { return MapFunction(function); };
}

inline MapGrid make_grid(int nx, int ny) { return {{"x", -1, 1, nx}, {"y", -1, 1, ny}, {}}; }

}  // namespace thenar::known_maps
