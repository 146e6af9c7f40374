// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The picture of a map (docs/plots.md): regions in colours by their modes, with a texture by their verdict; the border
/// of where the answer is determinate as a dashed line; a legend of all regions.
///
/// A colour belongs to its modes, so that maps can be compared: of one mode string, the letters R S B F count 0 1 2 3
/// with the first contact as the highest digit; of several, a hash of their text; modulo the eight colours. Single mode
/// strings choose first, and where two would have the same colour, the later in the order of the legend takes the next
/// that is free.

#include <string>
#include <vector>

#include "thenar/io/answer/scenario_map.h"
#include "thenar/study/map_regions.h"

namespace thenar {

struct MapPlotOptions {
  std::string title{};
  int width = 640, height = 560;  ///< px
};

/// What people call a region: "RR", "RR|SS (several)", "none".
std::string name_region(const MapRegion& region);

/// Colours of the regions, from 0 to 7, and their tints from 8 to 15; those without modes have 0.
std::vector<int> choose_colours(const std::vector<MapRegion>& regions);

/// The picture as the text of an SVG. The axes are those of the regions, for their names and units. Throws
/// ChartTooSmall.
std::string plot_map(const MapRegions& regions, const WrittenAxis& x, const WrittenAxis& y,
                     const MapPlotOptions& options = {});

}  // namespace thenar
