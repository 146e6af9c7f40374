// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/map_lattice_internal.h"

#include <algorithm>
#include <utility>

namespace thenar::internal {
namespace {

double interpolate(const MapAxis& axis, double at, int parts) {
  const int i = std::min(static_cast<int>(at / parts), axis.count - 2);
  const double fraction = at / parts - i;
  if (fraction == 0) return axis.at(i);
  if (fraction == 1) return axis.at(i + 1);
  return axis.at(i) + (axis.at(i + 1) - axis.at(i)) * fraction;
}

}  // namespace

MapLattice::MapLattice(const MapGrid& grid, int parts) : grid_(grid), parts_(parts) {
  for (const MapPoint& point : grid.points) grid_numbers_.push_back(number(point));
}

int MapLattice::number(const MapPoint& point) {
  // Few kinds occur in a map.
  const auto found = std::find(kinds_.begin(), kinds_.end(), point);
  const auto index = static_cast<int>(found - kinds_.begin());
  if (found == kinds_.end()) kinds_.push_back(point);
  return index;
}

std::optional<int> MapLattice::find(LatticePoint place) const {
  if (is_grid_point(place)) {
    const auto column = static_cast<std::size_t>(place.x / parts_), row = static_cast<std::size_t>(place.y / parts_);
    return grid_numbers_[row * static_cast<std::size_t>(grid_.x.count) + column];
  }
  const auto found = numbers_.find(key(place));
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int> MapLattice::ask(LatticePoint place) {
  const std::optional<int> known = find(place);
  if (!known) questions_.push_back(place);
  return known;
}

std::vector<LatticePoint> MapLattice::take_questions() {
  std::sort(questions_.begin(), questions_.end());
  questions_.erase(std::unique(questions_.begin(), questions_.end()), questions_.end());
  return std::exchange(questions_, {});
}

void MapLattice::answer(LatticePoint place, const MapPoint& point) { numbers_[key(place)] = number(point); }

PlotPoint MapLattice::locate(double x, double y) const {
  return {interpolate(grid_.x, x, parts_), interpolate(grid_.y, y, parts_)};
}

}  // namespace thenar::internal
