// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/cell_cutter_internal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "thenar/base/assert.h"

namespace thenar::internal {
namespace {

/// Lines shorter than this many parts of the lattice are straight.
constexpr int kShortLine = 6;

LatticePoint middle_of(LatticePoint a, LatticePoint b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

}  // namespace

/// A place on an edge where the kind changes, in halves of the lattice, so that it can lie between two of its points.
struct CellCutter::Change {
  LatticePoint twice;
  bool is_single = true;   ///< nothing else is known to change on the edge
  bool is_located = true;  ///< false: points on the way are missing
};

/// What is found of the sides of a square.
struct CellCutter::Border {
  std::array<LatticePoint, 4> corners;
  std::array<int, 4> kinds;                      ///< of the corners
  std::array<std::optional<Change>, 4> changes;  ///< on the side from a corner to the next

  int change_count() const {
    return static_cast<int>(std::count_if(changes.begin(), changes.end(), [](const auto& c) { return c.has_value(); }));
  }
};

void CellCutter::cut(const Square& square, const Draw& draw) {
  const Border border = find_border(square);
  if (square.size > least_size_ && !is_settled(square, border) && are_middles_known(square)) {
    const int half = square.size / 2;
    for (const int y : {0, half}) {
      for (const int x : {0, half}) cut(Square{{square.corner.x + x, square.corner.y + y}, half}, draw);
    }
    return;
  }
  draw_parts(border, draw);
}

int CellCutter::kind_at(LatticePoint place) const {
  const std::optional<int> kind = lattice_.find(place);
  THENAR_DEMAND(kind.has_value());
  return *kind;
}

CellCutter::Border CellCutter::find_border(const Square& square) {
  Border border{square.corners(), {}, {}};
  for (std::size_t i = 0; i < 4; ++i) border.kinds[i] = kind_at(border.corners[i]);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t next = (i + 1) % 4;
    if (border.kinds[i] != border.kinds[next]) border.changes[i] = find_change(border.corners[i], border.corners[next]);
  }
  return border;
}

/// Bisects an edge whose ends differ, as far as its points are known. Both squares at an edge find the same.
CellCutter::Change CellCutter::find_change(LatticePoint a, LatticePoint b) {
  if (b < a) std::swap(a, b);
  const int first = kind_at(a);
  int last = kind_at(b);
  Change change;
  while (std::max(b.x - a.x, b.y - a.y) > 1) {
    const LatticePoint middle = middle_of(a, b);
    const std::optional<int> kind = lattice_.ask(middle);
    if (!kind) {
      change.is_located = false;
      break;
    }
    if (*kind == first) {
      change.is_single = change.is_single && !has_hidden_change(a, middle);
      a = middle;
    } else {
      change.is_single = change.is_single && *kind == last && !has_hidden_change(middle, b);
      last = *kind;
      b = middle;
    }
  }
  change.twice = {a.x + b.x, a.y + b.y};
  return change;
}

/// Whether an edge whose ends agree is known to have something else between them.
bool CellCutter::has_hidden_change(LatticePoint a, LatticePoint b) const {
  if (std::max(std::abs(b.x - a.x), std::abs(b.y - a.y)) < 2) return false;
  const LatticePoint middle = middle_of(a, b);
  const std::optional<int> kind = lattice_.find(middle);
  if (!kind) return false;
  return *kind != kind_at(a) || has_hidden_change(a, middle) || has_hidden_change(middle, b);
}

/// Whether a square need not be divided: it is uniform, or a straight line cuts it in two. That is not looked into
/// before the ends of the line are known.
bool CellCutter::is_settled(const Square& square, const Border& border) {
  bool is_located = true;
  for (std::size_t i = 0; i < 4; ++i) {
    if (border.changes[i] && !border.changes[i]->is_single) return false;
    if (border.changes[i] && !border.changes[i]->is_located) is_located = false;
    if (!border.changes[i] && has_hidden_change(border.corners[i], border.corners[(i + 1) % 4])) return false;
  }
  const int count = border.change_count();
  // With two changes the corners between them are of one kind, and so are the others.
  return count == 0 || (count == 2 && (!is_located || is_straight(square, border)));
}

/// Compares the two points of the lattice beside the middle of the line with the corners on their sides of it.
bool CellCutter::is_straight(const Square& square, const Border& border) {
  std::array<LatticePoint, 2> ends;  // In halves.
  std::size_t found = 0;
  for (const auto& change : border.changes) {
    if (change) ends[found++] = change->twice;
  }
  const auto [p, q] = ends;
  const int width = std::abs(q.x - p.x), height = std::abs(q.y - p.y);
  if (std::max(width, height) < 2 * kShortLine) return true;
  const double x = (p.x + q.x) / 4.0, y = (p.y + q.y) / 4.0;
  bool is_confirmed = true;
  for (const double side : {-1.0, 1.0}) {
    // Beside the line across its longer direction, a whole part away at least.
    const auto shifted = [&](double middle) {
      return static_cast<int>(side < 0 ? std::floor(middle - 1) : std::ceil(middle + 1));
    };
    const LatticePoint place = width >= height ? LatticePoint{static_cast<int>(std::lround(x)), shifted(y)}
                                               : LatticePoint{shifted(x), static_cast<int>(std::lround(y))};
    is_confirmed = is_as_expected(place, p, q, square, border) && is_confirmed;
  }
  return is_confirmed;
}

/// Whether a place has the kind of the corners on its side of the line from p to q (in halves), as far as is known.
bool CellCutter::is_as_expected(LatticePoint place, LatticePoint p, LatticePoint q, const Square& square,
                                const Border& border) {
  const auto side_of = [p, q](LatticePoint at) {
    const long long cross =
        static_cast<long long>(q.x - p.x) * (2 * at.y - p.y) - static_cast<long long>(q.y - p.y) * (2 * at.x - p.x);
    return (cross > 0) - (cross < 0);
  };
  const auto is_inside = [](int at, int from, int size) { return at > from && at < from + size; };
  const int side = side_of(place);
  if (side == 0 || !is_inside(place.x, square.corner.x, square.size) ||
      !is_inside(place.y, square.corner.y, square.size)) {
    return true;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    if (side_of(border.corners[i]) != side) continue;
    const std::optional<int> kind = lattice_.ask(place);
    return !kind || *kind == border.kinds[i];
  }
  return true;
}

/// Asks for what the quarters of a square need.
bool CellCutter::are_middles_known(const Square& square) {
  const auto corners = square.corners();
  bool is_known = lattice_.ask(square.middle()).has_value();
  for (std::size_t i = 0; i < 4; ++i) {
    is_known = lattice_.ask(middle_of(corners[i], corners[(i + 1) % 4])).has_value() && is_known;
  }
  return is_known;
}

/// Goes around the border: each run of corners between two changes is a part. Two parts share a line; more meet in
/// the middle of the changes.
void CellCutter::draw_parts(const Border& border, const Draw& draw) {
  const auto twice = [](LatticePoint p) { return LatticePoint{2 * p.x, 2 * p.y}; };
  const int count = border.change_count();
  if (count == 0) {
    LatticeLoop loop;
    for (const LatticePoint corner : border.corners) loop.push_back(twice(corner));
    draw(border.kinds[0], loop);
    return;
  }
  LatticePoint sum;
  for (const auto& change : border.changes) {
    if (change) sum = {sum.x + change->twice.x, sum.y + change->twice.y};
  }
  const LatticePoint meeting{sum.x / count, sum.y / count};
  for (std::size_t start = 0; start < 4; ++start) {
    if (!border.changes[start]) continue;
    LatticeLoop loop{border.changes[start]->twice};
    std::size_t i = start;
    do {
      i = (i + 1) % 4;
      loop.push_back(twice(border.corners[i]));
    } while (!border.changes[i]);
    loop.push_back(border.changes[i]->twice);
    if (count > 2) loop.push_back(meeting);
    draw(border.kinds[i], loop);
  }
}

}  // namespace thenar::internal
