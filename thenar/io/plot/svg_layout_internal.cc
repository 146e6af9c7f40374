// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/svg_layout_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "thenar/io/plot/svg_text_internal.h"

namespace thenar::internal {
namespace {

constexpr double kTitleHeight = 22, kPanelTitleHeight = 17, kAxisTitleHeight = 17, kTickLabelHeight = 17;
constexpr double kPanelGap = 14, kLegendGap = 6, kLaneGap = 6;
constexpr double kLeastPlotWidth = 80, kLeastPlotHeight = 50;
constexpr double kTickSpacingX = 45, kTickSpacingY = 24, kLabelGap = 12;
constexpr int kMostTicks = 10;
constexpr double kLegendColumnGap = 16;
constexpr double kMargin = 0.05;  ///< of the range of y, above and below the points
constexpr std::size_t kMostLegendEntries = 64;

bool is_same_entry(const ChartSeries& a, const ChartSeries& b) {
  return a.label == b.label && a.style == b.style && a.shape == b.shape && a.texture == b.texture;
}

bool has_same_legend(const ChartPanel& a, const ChartPanel& b) {
  return std::equal(a.series.begin(), a.series.end(), b.series.begin(), b.series.end(), is_same_entry);
}

bool shares_legend(const Chart& chart) {
  return std::all_of(chart.panels.begin(), chart.panels.end(),
                     [&](const ChartPanel& panel) { return has_same_legend(panel, chart.panels.front()); });
}

/// The legend of a panel across `width`; its place is found later.
LegendLayout lay_out_legend(const ChartPanel& panel, double width) {
  LegendLayout legend;
  double widest = 0;
  for (const ChartSeries& series : panel.series) {
    if (legend.entries.size() == kMostLegendEntries) break;
    legend.entries.push_back(&series);
    widest = std::max(widest, text_width(series.label, kFontSize));
  }
  legend.left_out = static_cast<int>(panel.series.size() - legend.entries.size());
  const int count = static_cast<int>(legend.entries.size()) + (legend.left_out > 0 ? 1 : 0);
  if (count == 0) return legend;
  legend.entry_width = std::min(kSwatchWidth + kSwatchGap + widest + kLegendColumnGap, width);
  legend.columns = std::max(1, static_cast<int>(width / legend.entry_width));
  legend.rows = (count + legend.columns - 1) / legend.columns;
  legend.columns = (count + legend.rows - 1) / legend.rows;
  legend.box = {0, 0, width, legend.rows * kLegendRowHeight + kLegendGap};
  return legend;
}

/// The range of an axis: as given, or that of its coordinate over all points of the panel.
AxisRange find_range(const ChartPanel& panel, const ChartAxis& axis, double PlotPoint::*coordinate) {
  if (axis.range) return widen_range(axis.range->lo, axis.range->hi, 0);
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  const auto include = [&](const std::vector<PlotPoint>& points) {
    for (const PlotPoint& point : points) {
      lo = std::min(lo, point.*coordinate);
      hi = std::max(hi, point.*coordinate);
    }
  };
  for (const ChartSeries& series : panel.series) {
    include(series.points);
    for (const std::vector<PlotPoint>& loop : series.loops) include(loop);
  }
  return lo > hi ? AxisRange{} : widen_range(lo, hi, kMargin);
}

int tick_count(double length, double spacing) { return std::clamp(static_cast<int>(length / spacing), 2, kMostTicks); }

double widest_label(const AxisTicks& ticks) {
  double widest = 0;
  for (const std::string& label : ticks.labels) widest = std::max(widest, text_width(label, kTickFontSize));
  return widest;
}

/// As many ticks as fit without their labels touching.
AxisTicks find_x_ticks(const AxisRange& range, double width) {
  for (int most = tick_count(width, kTickSpacingX);; --most) {
    AxisTicks ticks = find_ticks(range.lo, range.hi, most);
    const double spacing = ticks.at.size() < 2 ? width : width * (ticks.at[1] - ticks.at[0]) / (range.hi - range.lo);
    if (most <= 1 || widest_label(ticks) + kLabelGap <= spacing) return ticks;
  }
}

/// Finds the places from top to bottom, then from left to right: the heights follow from the size of the chart and its
/// legends, the ticks of y from the heights, the left margins from the labels of those, the ticks of x from what is
/// left.
class LayoutBuilder {
 public:
  explicit LayoutBuilder(const Chart& chart) : chart_(chart) {
    layout_.width = chart.width > 0 ? chart.width : kDefaultChartWidth;
    layout_.panels.resize(chart.panels.size());
    grid_rows_ = (static_cast<int>(chart.panels.size()) + chart.columns - 1) / chart.columns;
  }

  ChartLayout build() {
    place_legends();
    place_rows();
    place_columns();
    return layout_;
  }

 private:
  double inner_width() const { return layout_.width - 2 * kPadding; }
  double cell_width() const { return inner_width() / chart_.columns; }
  std::size_t panel_index(int row, int column) const { return static_cast<std::size_t>(row * chart_.columns + column); }
  bool has_x_labels(int row) const { return !chart_.shares_x || row == grid_rows_ - 1; }

  void place_legends() {
    if (chart_.panels.empty()) return;
    if (shares_legend(chart_)) {
      layout_.legend = lay_out_legend(chart_.panels.front(), inner_width());
      return;
    }
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) {
      layout_.panels[i].legend = lay_out_legend(chart_.panels[i], cell_width());
    }
  }

  /// Height above the plots of a row of the grid, and below them.
  double head_height(int row) const {
    double title = 0, legend = 0;
    for (int column = 0; column < chart_.columns; ++column) {
      const std::size_t i = panel_index(row, column);
      if (i >= chart_.panels.size()) break;
      if (!chart_.panels[i].title.empty()) title = kPanelTitleHeight;
      legend = std::max(legend, layout_.panels[i].legend.box.height);
    }
    return title + legend;
  }
  double foot_height(int row) const {
    return (has_x_labels(row) ? kTickLabelHeight + kAxisTitleHeight : 0) + (row < grid_rows_ - 1 ? kPanelGap : 0);
  }

  double top_height() const {
    const double title = chart_.title.empty() ? 0 : kTitleHeight;
    const double lanes = static_cast<double>(chart_.lanes.size()) * kLaneHeight + (chart_.lanes.empty() ? 0 : kLaneGap);
    return kPadding + title + layout_.legend.box.height + lanes;
  }

  /// The height that each plot gets; sets that of the chart if it is free.
  double find_plot_height() {
    double fixed = top_height() + kPadding;
    for (int row = 0; row < grid_rows_; ++row) fixed += head_height(row) + foot_height(row);
    if (chart_.height == 0) {
      const double wanted = grid_rows_ == 1 ? 240 : chart_.shares_x ? 150 : 130;
      layout_.height = std::ceil(fixed + grid_rows_ * wanted);
      return wanted;
    }
    layout_.height = chart_.height;
    const double left = (layout_.height - fixed) / std::max(grid_rows_, 1);
    if (left < kLeastPlotHeight) {
      throw ChartTooSmall(fmt::format("a height of {} is too little for {} row{} of panels; it takes at least {}",
                                      chart_.height, grid_rows_, grid_rows_ == 1 ? "" : "s",
                                      std::ceil(fixed + grid_rows_ * kLeastPlotHeight)));
    }
    return left;
  }

  void place_rows() {
    const double plot_height = find_plot_height();
    double y = kPadding;
    if (!chart_.title.empty()) {
      layout_.title_y = y + kTitleFontSize;
      y += kTitleHeight;
    }
    layout_.legend.box.x = kPadding;
    layout_.legend.box.y = y;
    y += layout_.legend.box.height;
    layout_.lanes.y = y;
    layout_.lanes.height = static_cast<double>(chart_.lanes.size()) * kLaneHeight;
    y = top_height();
    for (int row = 0; row < grid_rows_; ++row) {
      place_row(row, y, plot_height);
      y += head_height(row) + plot_height + foot_height(row);
    }
  }

  void place_row(int row, double y, double plot_height) {
    for (int column = 0; column < chart_.columns; ++column) {
      const std::size_t i = panel_index(row, column);
      if (i >= chart_.panels.size()) return;
      const ChartPanel& panel = chart_.panels[i];
      PanelLayout& place = layout_.panels[i];
      place.title_y = y + kFontSize;
      place.legend.box.y = y + (panel.title.empty() ? 0 : kPanelTitleHeight);
      place.plot.y = y + head_height(row);
      place.plot.height = plot_height;
      place.has_x_labels = has_x_labels(row);
      place.x_range = find_range(panel, panel.x, &PlotPoint::x);
      place.y_range = find_range(panel, panel.y, &PlotPoint::y);
      place.y_ticks = find_ticks(place.y_range.lo, place.y_range.hi, tick_count(plot_height, kTickSpacingY));
    }
  }

  /// Room for the labels of y, the same in all panels of a column so that their axes and titles stand in line.
  double label_room(int column) const {
    double widest = 0;
    for (int row = 0; row < grid_rows_; ++row) {
      const std::size_t i = panel_index(row, column);
      if (i < layout_.panels.size()) widest = std::max(widest, widest_label(layout_.panels[i].y_ticks));
    }
    return widest + kTickLength + 3;
  }

  /// Room for the labels of y and their title, and for the names of the lanes.
  double left_margin(int column) const {
    double margin = kAxisTitleHeight + label_room(column);
    for (const MarkLane& lane : chart_.lanes) {
      margin = std::max(margin, text_width(lane.label, kTickFontSize) + kTickLength + 3);
    }
    return margin;
  }

  void place_columns() {
    for (int column = 0; column < chart_.columns; ++column) {
      const double margin = left_margin(column), x = kPadding + column * cell_width();
      // The last label of the x axis reaches beyond it.
      const double width = cell_width() - margin - kTickFontSize;
      if (width < kLeastPlotWidth) {
        throw ChartTooSmall(fmt::format("a width of {} is too little; it takes at least {}", layout_.width,
                                        std::ceil(layout_.width + chart_.columns * (kLeastPlotWidth - width))));
      }
      for (int row = 0; row < grid_rows_; ++row) {
        const std::size_t i = panel_index(row, column);
        if (i >= layout_.panels.size()) break;
        PanelLayout& place = layout_.panels[i];
        place.legend.box.x = x;
        place.plot.x = x + margin;
        place.y_title_x = place.plot.x - label_room(column) - 6;
        place.plot.width = width;
        place.x_ticks = find_x_ticks(place.x_range, width);
        if (i == 0) layout_.lanes.x = place.plot.x, layout_.lanes.width = width;
      }
    }
  }

  const Chart& chart_;
  ChartLayout layout_;
  int grid_rows_ = 0;
};

}  // namespace

ChartLayout lay_out(const Chart& chart) { return LayoutBuilder(chart).build(); }

}  // namespace thenar::internal
