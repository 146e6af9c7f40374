// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/region_middle_internal.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace thenar::internal {
namespace {

/// Distances on the grid, a step to any of the eight neighbours counting 1, from the points of other regions and from
/// the frame (two passes, Rosenfeld and Pfaltz 1968).
std::vector<int> calc_distances(const MapGrid& grid, const MapRegion& region) {
  const int columns = grid.x.count, rows = grid.y.count;
  std::vector<int> distance(grid.point_count());
  const auto at = [&](int row, int column) -> std::size_t {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
  };
  const auto least_neighbour = [&](int row, int column, int towards) {
    const int other = row + towards;
    return std::min({distance[at(other, column - 1)], distance[at(other, column)], distance[at(other, column + 1)],
                     distance[at(row, column + towards)]});
  };
  for (int row = 1; row < rows - 1; ++row) {
    for (int column = 1; column < columns - 1; ++column) {
      const MapPoint& point = grid.points[at(row, column)];
      const bool is_inside = point.modes == region.modes && point.verdict == region.verdict;
      if (is_inside) distance[at(row, column)] = 1 + least_neighbour(row, column, -1);
    }
  }
  for (int row = rows - 2; row > 0; --row) {
    for (int column = columns - 2; column > 0; --column) {
      int& d = distance[at(row, column)];
      if (d > 0) d = std::min(d, 1 + least_neighbour(row, column, 1));
    }
  }
  return distance;
}

}  // namespace

/// Of the points farthest from other regions and from the frame, the one nearest to their mean is the middle.
void place_middle(const MapGrid& grid, MapRegion& region) {
  const std::vector<int> distance = calc_distances(grid, region);
  const int greatest = *std::max_element(distance.begin(), distance.end());
  if (greatest == 0) return;  // Nowhere but on the frame or between the points of the grid.
  const auto columns = static_cast<std::size_t>(grid.x.count);
  double mean_x = 0, mean_y = 0;
  std::vector<std::size_t> farthest;
  for (std::size_t i = 0; i < distance.size(); ++i) {
    if (distance[i] != greatest) continue;
    farthest.push_back(i);
    mean_x += static_cast<double>(i % columns);
    mean_y += static_cast<double>(i / columns);
  }
  mean_x /= static_cast<double>(farthest.size());
  mean_y /= static_cast<double>(farthest.size());
  const auto from_mean = [&](std::size_t i) {
    return std::hypot(static_cast<double>(i % columns) - mean_x, static_cast<double>(i / columns) - mean_y);
  };
  const std::size_t middle = *std::min_element(
      farthest.begin(), farthest.end(), [&](std::size_t a, std::size_t b) { return from_mean(a) < from_mean(b); });
  region.middle = grid.place(middle);
  region.half_width = (greatest - 0.5) * (grid.x.to - grid.x.from) / (grid.x.count - 1);
  region.half_height = (greatest - 0.5) * (grid.y.to - grid.y.from) / (grid.y.count - 1);
}

}  // namespace thenar::internal
