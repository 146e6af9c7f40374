// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "thenar/io/plot/svg_plot.h"

namespace thenar::internal {

inline constexpr double kFontSize = 11, kTickFontSize = 10, kTitleFontSize = 13;
inline constexpr double kPadding = 10, kTickLength = 4, kLaneHeight = 13, kLegendRowHeight = 16;
inline constexpr double kSwatchWidth = 20, kSwatchGap = 5;

struct PlotBox {
  double x = 0, y = 0, width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

/// Entries of a legend in columns of equal width, read from top to bottom.
struct LegendLayout {
  PlotBox box;
  int columns = 1, rows = 0;
  double entry_width = 0;
  std::vector<const ChartSeries*> entries;
  int left_out = 0;  ///< entries for which there is no room
};

/// Where a panel is, and its axes.
struct PanelLayout {
  PlotBox plot;
  double title_y = 0;    ///< baseline of the title
  double y_title_x = 0;  ///< baseline of the title of the y axis, which runs upwards
  LegendLayout legend;
  AxisRange x_range, y_range;
  AxisTicks x_ticks, y_ticks;
  bool has_x_labels = true;
};

/// Places of everything in a chart.
struct ChartLayout {
  double width = 0, height = 0;
  double title_y = 0;   ///< baseline of the title
  LegendLayout legend;  ///< common to all panels; without rows when every panel has its own
  PlotBox lanes;
  std::vector<PanelLayout> panels;
};

/// Throws ChartTooSmall.
ChartLayout lay_out(const Chart& chart);

}  // namespace thenar::internal
