// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The regions inside one cell of a map's grid: it is cut along a line, or divided (map_regions.h says when), as far as
/// the points of its lattice are known.

#include <array>
#include <functional>

#include "thenar/study/map_lattice_internal.h"
#include "thenar/study/map_outline_internal.h"

namespace thenar::internal {

/// A cell of the grid or a part of it.
struct Square {
  LatticePoint corner;  ///< the lower left
  int size = 0;

  /// Counterclockwise from the lower left.
  std::array<LatticePoint, 4> corners() const {
    const auto [x, y] = corner;
    return {{{x, y}, {x + size, y}, {x + size, y + size}, {x, y + size}}};
  }
  LatticePoint middle() const { return {corner.x + size / 2, corner.y + size / 2}; }
};

/// Looks at cells, asks for the points it misses, and tells the polygons of a cell by kind.
class CellCutter {
 public:
  /// Cells are divided up to `depth` times. The lattice must outlive it.
  CellCutter(MapLattice& lattice, int depth) : lattice_(lattice), least_size_(lattice.parts() >> depth) {}

  /// Gets the kind of a part of a square, and the part as a polygon in halves of the lattice.
  using Draw = std::function<void(int kind, const LatticeLoop& polygon)>;
  /// Draws the parts of a square. Where points are missing they are asked for, and the parts are what can be told
  /// without them.
  void cut(const Square& square, const Draw& draw);

 private:
  struct Change;
  struct Border;

  int kind_at(LatticePoint place) const;
  Border find_border(const Square& square);
  Change find_change(LatticePoint a, LatticePoint b);
  bool has_hidden_change(LatticePoint a, LatticePoint b) const;
  bool is_settled(const Square& square, const Border& border);
  bool is_straight(const Square& square, const Border& border);
  bool is_as_expected(LatticePoint place, LatticePoint p, LatticePoint q, const Square& square, const Border& border);
  bool are_middles_known(const Square& square);
  static void draw_parts(const Border& border, const Draw& draw);

  MapLattice& lattice_;
  int least_size_;
};

}  // namespace thenar::internal
