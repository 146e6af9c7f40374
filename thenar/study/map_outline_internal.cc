// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/map_outline_internal.h"

#include <cstddef>

#include "thenar/base/assert.h"

namespace thenar::internal {
namespace {

/// Whether b lies on the straight way from a to c. Differences are below 2^25, their products below 2^50.
bool is_between(LatticePoint a, LatticePoint b, LatticePoint c) {
  const long long abx = b.x - a.x, aby = b.y - a.y, bcx = c.x - b.x, bcy = c.y - b.y;
  return abx * bcy == aby * bcx && abx * bcx + aby * bcy > 0;
}

LatticeLoop drop_middle_points(const LatticeLoop& loop) {
  LatticeLoop out;
  const std::size_t n = loop.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_between(loop[(i + n - 1) % n], loop[i], loop[(i + 1) % n])) out.push_back(loop[i]);
  }
  return out;
}

}  // namespace

void OutlineTracer::add(const LatticeLoop& polygon) {
  for (std::size_t i = 0; i < polygon.size(); ++i) add_side(polygon[i], polygon[(i + 1) % polygon.size()]);
}

void OutlineTracer::add_side(LatticePoint from, LatticePoint to) {
  const bool is_forward = from < to;
  const LatticePoint low = is_forward ? from : to, high = is_forward ? to : from;
  const int passes = is_forward ? 1 : -1;
  if (from.x != to.x && from.y != to.y) {
    other_sides_[{low, high}] += passes;
    return;
  }
  const bool is_row = from.y == to.y;
  Line& line = is_row ? rows_[from.y] : columns_[from.x];
  line[is_row ? low.x : low.y] += passes;
  line[is_row ? high.x : high.y] -= passes;
}

OutlineTracer::Ends OutlineTracer::collect_sides() const {
  Ends ends;
  const auto add = [&](LatticePoint low, LatticePoint high, int passes) {
    for (; passes > 0; --passes) ends.emplace(low, high);
    for (; passes < 0; ++passes) ends.emplace(high, low);
  };
  const auto add_line = [&](const Line& line, auto point_at) {
    int start = 0, passes = 0;
    for (const auto& [coordinate, change] : line) {
      if (change == 0) continue;
      if (passes != 0) add(point_at(start), point_at(coordinate), passes);
      start = coordinate;
      passes += change;
    }
  };
  for (const auto& row : rows_) add_line(row.second, [&](int x) { return LatticePoint{x, row.first}; });
  for (const auto& column : columns_) add_line(column.second, [&](int y) { return LatticePoint{column.first, y}; });
  for (const auto& [side, passes] : other_sides_) add(side.first, side.second, passes);
  return ends;
}

std::vector<LatticeLoop> OutlineTracer::trace() const {
  // As many sides end in a point as start there, so that any walk returns to its start.
  std::vector<LatticeLoop> loops;
  Ends ends = collect_sides();
  while (!ends.empty()) {
    LatticeLoop loop;
    const LatticePoint start = ends.begin()->first;
    LatticePoint at = start;
    do {
      const auto side = ends.find(at);
      THENAR_DEMAND(side != ends.end());
      loop.push_back(at);
      at = side->second;
      ends.erase(side);
    } while (at != start);
    loops.push_back(drop_middle_points(loop));
  }
  return loops;
}

double calc_area(const std::vector<LatticeLoop>& loops) {
  double twice = 0;
  for (const LatticeLoop& loop : loops) {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const LatticePoint a = loop[i], b = loop[(i + 1) % loop.size()];
      twice += static_cast<double>(a.x) * b.y - static_cast<double>(a.y) * b.x;
    }
  }
  return twice / 2;
}

}  // namespace thenar::internal
