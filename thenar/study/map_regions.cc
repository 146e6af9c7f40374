// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/map_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <stdexcept>

#include "thenar/study/cell_cutter_internal.h"
#include "thenar/study/map_lattice_internal.h"
#include "thenar/study/map_outline_internal.h"
#include "thenar/study/region_middle_internal.h"

namespace thenar {
namespace {

using internal::CellCutter;
using internal::LatticeLoop;
using internal::LatticePoint;
using internal::MapLattice;
using internal::OutlineTracer;
using internal::Square;

constexpr std::size_t kLeastMostPoints = 10'000;
constexpr std::size_t kMostPointsPerGridPoint = 4;

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
    for (MapRegion& region : out.regions) internal::place_middle(grid_, region);
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
    const CellCutter::Draw draw = [&](int kind, const LatticeLoop& polygon) {
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
  void draw_uniform_cells(int row, const CellCutter::Draw& draw) const {
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
