// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/map_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "thenar/base/assert.h"
#include "thenar/study/map_lattice_internal.h"
#include "thenar/study/map_outline_internal.h"

namespace thenar {
namespace {

using internal::LatticeLoop;
using internal::LatticePoint;
using internal::MapLattice;
using internal::OutlineTracer;

constexpr std::size_t kLeastMostPoints = 10'000;
constexpr std::size_t kMostPointsPerGridPoint = 4;
/// Lines shorter than this many parts of the lattice are straight.
constexpr int kShortLine = 6;

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

LatticePoint middle_of(LatticePoint a, LatticePoint b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

/// A place on an edge where the kind changes, in halves of the lattice, so that it can lie between two of its points.
struct Change {
  LatticePoint twice;
  bool is_single = true;   ///< nothing else is known to change on the edge
  bool is_located = true;  ///< false: points on the way are missing
};

/// What is found of the sides of a square.
struct Border {
  std::array<LatticePoint, 4> corners;
  std::array<int, 4> kinds;                      ///< of the corners
  std::array<std::optional<Change>, 4> changes;  ///< on the side from a corner to the next

  int change_count() const {
    return static_cast<int>(std::count_if(changes.begin(), changes.end(), [](const auto& c) { return c.has_value(); }));
  }
};

/// Looks at cells, asks for the points it misses, and tells the polygons of a cell by kind.
class CellCutter {
 public:
  CellCutter(MapLattice& lattice, int depth) : lattice_(lattice), least_size_(lattice.parts() >> depth) {}

  /// Calls draw(kind, polygon in halves of the lattice) for the parts of a square. Where points are missing they are
  /// asked for, and the parts are what can be told without them.
  template <class Draw>
  void cut(const Square& square, const Draw& draw) {
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

 private:
  int kind_at(LatticePoint place) const {
    const std::optional<int> kind = lattice_.find(place);
    THENAR_DEMAND(kind.has_value());
    return *kind;
  }

  Border find_border(const Square& square) {
    Border border{square.corners(), {}, {}};
    for (std::size_t i = 0; i < 4; ++i) border.kinds[i] = kind_at(border.corners[i]);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t next = (i + 1) % 4;
      if (border.kinds[i] != border.kinds[next])
        border.changes[i] = find_change(border.corners[i], border.corners[next]);
    }
    return border;
  }

  /// Bisects an edge whose ends differ, as far as its points are known. Both squares at an edge find the same.
  Change find_change(LatticePoint a, LatticePoint b) {
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
  bool has_hidden_change(LatticePoint a, LatticePoint b) const {
    if (std::max(std::abs(b.x - a.x), std::abs(b.y - a.y)) < 2) return false;
    const LatticePoint middle = middle_of(a, b);
    const std::optional<int> kind = lattice_.find(middle);
    if (!kind) return false;
    return *kind != kind_at(a) || has_hidden_change(a, middle) || has_hidden_change(middle, b);
  }

  /// Whether a square need not be divided: it is uniform, or a straight line cuts it in two. That is not looked into
  /// before the ends of the line are known.
  bool is_settled(const Square& square, const Border& border) {
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
  bool is_straight(const Square& square, const Border& border) {
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
  bool is_as_expected(LatticePoint place, LatticePoint p, LatticePoint q, const Square& square, const Border& border) {
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
  bool are_middles_known(const Square& square) {
    const auto corners = square.corners();
    bool is_known = lattice_.ask(square.middle()).has_value();
    for (std::size_t i = 0; i < 4; ++i) {
      is_known = lattice_.ask(middle_of(corners[i], corners[(i + 1) % 4])).has_value() && is_known;
    }
    return is_known;
  }

  /// Goes around the border: each run of corners between two changes is a part. Two parts share a line; more meet in
  /// the middle of the changes.
  template <class Draw>
  static void draw_parts(const Border& border, const Draw& draw) {
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

  MapLattice& lattice_;
  int least_size_;
};

/// Refines the cells of a map and finds its regions.
class RegionFinder {
 public:
  RegionFinder(const MapGrid& grid, MapWorkers& workers, const MapRefinement& refinement)
      : grid_(grid),
        workers_(workers),
        lattice_(grid, refinement.parts),
        cutter_(lattice_, refinement.depth),
        most_points_(
            refinement.most_points.value_or(std::max(kLeastMostPoints, kMostPointsPerGridPoint * grid.point_count()))) {
  }

  MapRegions find() {
    refine();
    MapRegions out{grid_.x, grid_.y, {}, {}, 0, points_, is_refined_};
    collect_outlines(out);
    for (MapRegion& region : out.regions) place_middle(region);
    return out;
  }

 private:
  /// Cells by their place in the grid: row, column.
  using Cell = std::pair<int, int>;

  Square square_of(Cell cell) const {
    const int parts = lattice_.parts();
    return {{cell.second * parts, cell.first * parts}, parts};
  }

  bool has_equal_corners(Cell cell) const {
    const auto corners = square_of(cell).corners();
    return std::all_of(corners.begin(), corners.end(),
                       [&](LatticePoint corner) { return lattice_.find(corner) == lattice_.find(corners[0]); });
  }

  void refine() {
    for (int row = 0; row < lattice_.rows(); ++row) {
      for (int column = 0; column < lattice_.columns(); ++column) {
        if (!has_equal_corners({row, column})) cut_cells_.insert({row, column});
      }
    }
    // The cells that a new point may concern; after the first time around only those that asked for one.
    std::set<Cell> open = cut_cells_;
    while (is_refined_ && !open.empty()) {
      for (const Cell& cell : open) {
        cutter_.cut(square_of(cell), [](int, const LatticeLoop&) {});
      }
      open = answer(lattice_.take_questions());
    }
  }

  /// Computes the points asked for and returns the cells they belong to.
  std::set<Cell> answer(const std::vector<LatticePoint>& questions) {
    std::set<Cell> cells;
    if (points_ + questions.size() > most_points_) {
      is_refined_ = false;
      return cells;
    }
    std::vector<PlotPoint> places;
    for (const LatticePoint question : questions) places.push_back(lattice_.locate(question));
    std::size_t next = 0;
    workers_.compute(places, [&](std::span<const MapPoint> points) {
      for (const MapPoint& point : points) lattice_.answer(questions[next++], point);
    });
    points_ += next;
    is_refined_ = next == questions.size();
    for (const LatticePoint question : questions) add_cells_at(question, cells);
    cut_cells_.insert(cells.begin(), cells.end());
    return cells;
  }

  /// A place on a line of the grid belongs to the cells on both sides.
  void add_cells_at(LatticePoint place, std::set<Cell>& cells) const {
    const int parts = lattice_.parts();
    for (const int y : {place.y - 1, place.y}) {
      for (const int x : {place.x - 1, place.x}) {
        if (x < 0 || y < 0) continue;
        const Cell cell{y / parts, x / parts};
        if (cell.first < lattice_.rows() && cell.second < lattice_.columns()) cells.insert(cell);
      }
    }
  }

  /// The kinds of points that make one region.
  using RegionKey = std::pair<std::string, Verdict>;

  void collect_outlines(MapRegions& out) {
    std::map<RegionKey, OutlineTracer> tracers;
    OutlineTracer determinate;
    const auto draw = [&](int kind, const LatticeLoop& polygon) {
      const MapPoint& point = lattice_.kinds()[static_cast<std::size_t>(kind)];
      tracers[{point.modes, point.verdict}].add(polygon);
      if (point.determinate) determinate.add(polygon);
    };
    for (const Cell& cell : cut_cells_) cutter_.cut(square_of(cell), draw);
    for (int row = 0; row < lattice_.rows(); ++row) draw_uniform_cells(row, draw);
    const double total = 4.0 * lattice_.columns() * lattice_.rows() * lattice_.parts() * lattice_.parts();
    for (const auto& [key, tracer] : tracers) {
      const std::vector<LatticeLoop> loops = tracer.trace();
      out.regions.push_back({key.second, key.first, to_axes(loops), calc_area(loops) / total, {}, 0, 0});
    }
    const std::vector<LatticeLoop> loops = determinate.trace();
    out.determinate = to_axes(loops);
    out.determinate_share = calc_area(loops) / total;
  }

  /// Cells that were never cut, as rectangles of neighbours of one kind.
  template <class Draw>
  void draw_uniform_cells(int row, const Draw& draw) const {
    const int parts = lattice_.parts();
    const auto kind_of = [&](int column) { return *lattice_.find({column * parts, row * parts}); };
    for (int first = 0; first < lattice_.columns(); ++first) {
      if (cut_cells_.contains({row, first})) continue;
      int end = first + 1;
      while (end < lattice_.columns() && !cut_cells_.contains({row, end}) && kind_of(end) == kind_of(first)) ++end;
      const int left = 2 * parts * first, right = 2 * parts * end, low = 2 * parts * row, high = low + 2 * parts;
      draw(kind_of(first), {{left, low}, {right, low}, {right, high}, {left, high}});
      first = end - 1;
    }
  }

  std::vector<MapLoop> to_axes(const std::vector<LatticeLoop>& loops) const {
    std::vector<MapLoop> out;
    for (const LatticeLoop& loop : loops) {
      MapLoop& converted = out.emplace_back();
      for (const LatticePoint twice : loop) converted.push_back(lattice_.locate(twice.x / 2.0, twice.y / 2.0));
    }
    return out;
  }

  /// Distances on the grid, a step to any of the eight neighbours counting 1, from the points of other regions and from
  /// the frame (two passes, Rosenfeld and Pfaltz 1968). Of the points farthest from those, the one nearest to their
  /// mean is the middle.
  void place_middle(MapRegion& region) const {
    const int columns = grid_.x.count, rows = grid_.y.count;
    std::vector<int> distance(grid_.point_count());
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
        const MapPoint& point = grid_.points[at(row, column)];
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
    set_middle(distance, region);
  }

  void set_middle(const std::vector<int>& distance, MapRegion& region) const {
    const int greatest = *std::max_element(distance.begin(), distance.end());
    if (greatest == 0) return;  // Nowhere but on the frame or between the points of the grid.
    const auto columns = static_cast<std::size_t>(grid_.x.count);
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
    region.middle = grid_.place(middle);
    region.half_width = (greatest - 0.5) * (grid_.x.to - grid_.x.from) / (grid_.x.count - 1);
    region.half_height = (greatest - 0.5) * (grid_.y.to - grid_.y.from) / (grid_.y.count - 1);
  }

  const MapGrid& grid_;
  MapWorkers& workers_;
  MapLattice lattice_;
  CellCutter cutter_;
  std::size_t most_points_, points_ = 0;
  bool is_refined_ = true;
  std::set<Cell> cut_cells_;  ///< those that may have more than one kind
};

}  // namespace

void MapRefinement::validate() const {
  const bool has_good_parts = parts >= 1 && parts <= 1024 && std::has_single_bit(static_cast<unsigned>(parts));
  if (!has_good_parts) {
    throw std::invalid_argument(fmt::format("parts expects a power of two from 1 to 1024, found {}", parts));
  }
  if (depth < 0 || depth > 10 || (parts >> depth) < 1) {
    throw std::invalid_argument(fmt::format("depth expects a number from 0 to log2 of parts ({}), found {}",
                                            std::bit_width(static_cast<unsigned>(parts)) - 1, depth));
  }
}

MapRegions find_regions(const MapGrid& grid, MapWorkers& workers, const MapRefinement& refinement) {
  validate(grid.x, grid.y);
  refinement.validate();
  if (!grid.is_complete()) throw std::invalid_argument("the grid of the map is not complete");
  return RegionFinder(grid, workers, refinement).find();
}

}  // namespace thenar
