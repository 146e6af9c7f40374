// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/map_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "thenar/io/plot/svg_plot.h"

namespace thenar {
namespace {

constexpr int kColourCount = 8;
/// With their lighter tints, which come second.
constexpr int kTintCount = 2 * kColourCount;

AreaTexture texture_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::unique:
      return AreaTexture::plain;
    case Verdict::unique_motion:
      return AreaTexture::dotted;
    case Verdict::several:
      return AreaTexture::hatched;
    case Verdict::none:
      return AreaTexture::dark;
    case Verdict::undecided:
      break;
  }
  return AreaTexture::grey;
}

/// What a name adds to the modes.
const char* remark_of(Verdict verdict) {
  if (verdict == Verdict::unique) return "";
  return verdict == Verdict::unique_motion ? "forces not unique" : to_string(verdict);
}

bool is_single(const std::string& modes) { return modes.find('|') == std::string::npos; }

/// The colour that modes would like, whatever else is in the map.
int favourite_colour(const std::string& modes) {
  if (is_single(modes)) {
    int number = 0;
    for (const char letter : modes) {
      number = (4 * number + static_cast<int>(std::string_view("RSBF").find(letter))) % kColourCount;
    }
    return number;
  }
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char letter : modes) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
  return static_cast<int>(hash % kColourCount);
}

PlotPoint to_units(PlotPoint point, const WrittenAxis& x, const WrittenAxis& y) {
  return {x.shown(point.x), y.shown(point.y)};
}

std::vector<std::vector<PlotPoint>> to_units(const std::vector<MapLoop>& loops, const WrittenAxis& x,
                                             const WrittenAxis& y) {
  std::vector<std::vector<PlotPoint>> out;
  for (const MapLoop& loop : loops) {
    auto& converted = out.emplace_back();
    for (const PlotPoint& point : loop) converted.push_back(to_units(point, x, y));
  }
  return out;
}

ChartAxis make_axis(const WrittenAxis& axis) {
  return {axis.axis.name, axis.unit, AxisRange{axis.shown(axis.axis.from), axis.shown(axis.axis.to)}};
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string describe(const MapRegions& regions, const WrittenAxis& x, const WrittenAxis& y) {
  const auto range = [](const WrittenAxis& axis) {
    return fmt::format("{} from {:.6g} to {:.6g}{}", axis.axis.name, axis.shown(axis.axis.from),
                       axis.shown(axis.axis.to), axis.unit.empty() ? "" : " " + axis.unit);
  };
  std::string out = fmt::format("Over {} and {}. Shares of the area:", range(x), range(y));
  for (const MapRegion& region : regions.regions) {
    out += fmt::format(" {}: {}.", name_region(region), percent(region.share));
  }
  return out + fmt::format(" Determinate: {}.", percent(regions.determinate_share));
}

}  // namespace

std::string name_region(const MapRegion& region) {
  const std::string remark = remark_of(region.verdict);
  if (region.modes.empty()) return remark.empty() ? "no contacts" : remark;
  return remark.empty() ? region.modes : fmt::format("{} ({})", region.modes, remark);
}

std::vector<int> choose_colours(const std::vector<MapRegion>& regions) {
  std::map<std::string, int> colours{{"", 0}};  // One for each set of modes.
  std::array<bool, kTintCount> is_taken{};
  const auto choose = [&](const std::string& modes) {
    if (colours.contains(modes)) return;
    const int favourite = favourite_colour(modes);
    int colour = favourite;
    for (int i = 1; i < kTintCount && is_taken[static_cast<std::size_t>(colour)]; ++i) {
      colour = (favourite + i) % kColourCount + i / kColourCount * kColourCount;
    }
    is_taken[static_cast<std::size_t>(colour)] = true;
    colours[modes] = colour;
  };
  // Single modes first, then large regions: with more of them than colours, small ones share.
  std::vector<const MapRegion*> by_size;
  for (const MapRegion& region : regions) by_size.push_back(&region);
  std::stable_sort(by_size.begin(), by_size.end(), [](const MapRegion* a, const MapRegion* b) {
    return std::pair(!is_single(a->modes), -a->share) < std::pair(!is_single(b->modes), -b->share);
  });
  for (const MapRegion* region : by_size) choose(region->modes);
  std::vector<int> out;
  for (const MapRegion& region : regions) out.push_back(colours[region.modes]);
  return out;
}

std::string plot_map(const MapRegions& regions, const WrittenAxis& x, const WrittenAxis& y,
                     const MapPlotOptions& options) {
  Chart chart{.title = options.title,
              .name = options.title.empty() ? "Map of contact modes" : options.title,
              .description = describe(regions, x, y),
              .width = options.width,
              .height = options.height};
  ChartPanel& panel = chart.panels.emplace_back();
  panel.x = make_axis(x);
  panel.y = make_axis(y);
  const std::vector<int> colours = choose_colours(regions.regions);
  for (std::size_t i = 0; i < regions.regions.size(); ++i) {
    const MapRegion& region = regions.regions[i];
    const std::string name = name_region(region);
    panel.series.push_back({.label = name,
                            .tooltip = fmt::format("{}: {} of the area", name, percent(region.share)),
                            .style = colours[i],
                            .shape = SeriesShape::area,
                            .loops = to_units(region.loops, x, y),
                            .texture = texture_of(region.verdict)});
    panel.texts.push_back({region.modes.empty() ? name : region.modes, to_units(region.middle, x, y),
                           x.shown(region.half_width), y.shown(region.half_height)});
  }
  if (!regions.determinate.empty()) {
    panel.series.push_back({.label = "determinate within",
                            .tooltip = fmt::format("determinate: {} of the area", percent(regions.determinate_share)),
                            .shape = SeriesShape::outline,
                            .loops = to_units(regions.determinate, x, y)});
  }
  return draw_svg(chart);
}

}  // namespace thenar
