// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The regions of a map: where the modes and the verdict are the same, with outlines finer than the grid.
///
/// Every cell of the grid carries a lattice of n × n parts (n = `parts`, 64). Points of a lattice are computed only
/// where they are needed:
///
///   - an edge whose ends differ is bisected until the change lies between two neighbours of the lattice; the outline
///     goes through their middle, so that it is right there to half of 1/n of a cell;
///   - a cell that two such edges leave in two parts is cut by a straight line, if the two points of the lattice that
///     lie one part beside the middle of the line confirm it;
///   - any other cell with a change (curved outlines, three regions, a region that enters and leaves by one edge) is
///     divided into four, up to `depth` times; what is still unclear then is drawn as a star around its middle.
///
/// Cells whose corners and known border points agree are taken to be uniform: a region that fits between the points of
/// the grid is not seen.
///
/// All points that are known to be needed are computed together, in parallel, before the cells are looked at again.
/// Which those are depends on the map alone, so that the regions are the same for any number of threads, and so is the
/// moment when `most_points` ends the refinement; cells are then drawn with what is known.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "thenar/study/instant_map.h"

namespace thenar {

struct MapRefinement {
  int parts = 64;  ///< of an edge, a power of two from 1 to 1024
  int depth = 4;   ///< divisions of a cell, each part still having a lattice: 2^depth ≤ parts
  std::optional<std::size_t> most_points{};  ///< computed beyond the grid; default 4 times the grid's, at least 10,000

  /// Throws std::invalid_argument with what is wrong.
  void validate() const;
};

/// A closed outline with the region on its left; the last point is joined to the first. In the units of the axes.
using MapLoop = std::vector<PlotPoint>;

struct MapRegion {
  Verdict verdict = Verdict::undecided;
  std::string modes{};
  std::vector<MapLoop> loops{};  ///< all outlines, those of holes too (which run clockwise)
  double share = 0;              ///< of the area of the map

  /// The middle of the largest box of the map's proportions in the region, up to the grid's spacing, and half its
  /// sides.
  PlotPoint middle{};
  double half_width = 0, half_height = 0;
};

struct MapRegions {
  MapAxis x{}, y{};
  std::vector<MapRegion> regions{};    ///< sorted by modes, then verdict
  std::vector<MapLoop> determinate{};  ///< outlines of where the answer is determinate
  double determinate_share = 0;
  std::size_t points = 0;  ///< computed beyond the grid
  bool is_refined = true;  ///< false: `most_points` ended the refinement, or an interruption did
};

/// Of a complete grid.
MapRegions find_regions(const MapGrid& grid, MapWorkers& workers, const MapRefinement& refinement = {});

}  // namespace thenar
