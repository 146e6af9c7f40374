// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The outline of a union of polygons that do not overlap, on a lattice of integers.
///
/// Every polygon runs counterclockwise. Where two polygons of one union touch, they pass the common piece in opposite
/// directions, and these cancel; what is left bounds the union. Sides along the axes are summed up along their line, so
/// that a long side cancels against several short ones; other sides cancel as a whole.

#include <compare>
#include <map>
#include <utility>
#include <vector>

namespace thenar::internal {

struct LatticePoint {
  int x = 0, y = 0;

  friend auto operator<=>(const LatticePoint&, const LatticePoint&) = default;
};

using LatticeLoop = std::vector<LatticePoint>;

class OutlineTracer {
 public:
  /// Adds a polygon, counterclockwise.
  void add(const LatticeLoop& polygon);

  /// The outline as closed loops with the union on their left, without points in the middle of straight pieces.
  std::vector<LatticeLoop> trace() const;

 private:
  using Ends = std::multimap<LatticePoint, LatticePoint>;  ///< sides by their start
  /// Along a line, by how much the sum of passes (+1 forwards, −1 backwards) changes at a coordinate.
  using Line = std::map<int, int>;

  void add_side(LatticePoint from, LatticePoint to);
  Ends collect_sides() const;

  std::map<int, Line> rows_, columns_;                                ///< by y, by x
  std::map<std::pair<LatticePoint, LatticePoint>, int> other_sides_;  ///< passes from the lesser point to the greater
};

/// The area inside, holes subtracted.
double calc_area(const std::vector<LatticeLoop>& loops);

}  // namespace thenar::internal
