// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The points of a map on a lattice with `parts` × `parts` places in each cell of the grid, known or asked for.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "thenar/study/instant_map.h"
#include "thenar/study/map_outline_internal.h"

namespace thenar::internal {

class MapLattice {
 public:
  MapLattice(const MapGrid& grid, int parts);

  int parts() const { return parts_; }
  int columns() const { return grid_.x.count - 1; }  ///< cells of the grid
  int rows() const { return grid_.y.count - 1; }

  /// Points are told apart by numbers: equal points have equal ones.
  const std::vector<MapPoint>& kinds() const { return kinds_; }

  /// The number of the point at a place, if it is known.
  std::optional<int> find(LatticePoint place) const;
  /// The same, and remembers the place if it is not known.
  std::optional<int> ask(LatticePoint place);

  /// The places asked for since the last answer, sorted, each once.
  std::vector<LatticePoint> take_questions();
  void answer(LatticePoint place, const MapPoint& point);

  /// A place, also between those of the lattice, in the units of the axes. The grid's own are exact.
  PlotPoint locate(double x, double y) const;
  PlotPoint locate(LatticePoint place) const { return locate(place.x, place.y); }

 private:
  static std::uint64_t key(LatticePoint place) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(place.x)) << 32 | static_cast<std::uint32_t>(place.y);
  }
  int number(const MapPoint& point);
  bool is_grid_point(LatticePoint place) const { return place.x % parts_ == 0 && place.y % parts_ == 0; }

  const MapGrid& grid_;
  int parts_;
  std::vector<MapPoint> kinds_;
  std::vector<int> grid_numbers_;
  std::unordered_map<std::uint64_t, int> numbers_;  ///< of places that are none of the grid's
  std::vector<LatticePoint> questions_;
};

}  // namespace thenar::internal
