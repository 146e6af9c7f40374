// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/trace_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "thenar/base/diagnostic.h"
#include "thenar/base/numbers.h"
#include "thenar/io/plot/plot_rows_internal.h"
#include "thenar/io/plot/svg_plot.h"
#include "thenar/io/trace/trace_reader.h"
#include "thenar/io/trace/trace_units.h"
#include "thenar/study/line_reduction.h"

namespace thenar {
namespace {

constexpr double kDegreesPerRadian = 180 / std::numbers::pi;
/// Series named one by one in the text alternative of a panel.
constexpr std::size_t kMostDescribed = 24;

/// A column that is drawn.
struct Line {
  std::size_t column = 0;
  std::string quantity, dof, unit;
  double scale = 1;
  LineBuilder builder;
};

/// The window of time, and the part of it in which there is a trace.
struct Window {
  double from = -kInfinity, to = kInfinity;
  double first = kInfinity, last = -kInfinity;

  bool is_empty() const { return first > last; }
  /// The range of the time axis.
  AxisRange range() const {
    if (is_empty()) return {};
    const double lo = std::isfinite(from) ? from : first, hi = std::isfinite(to) ? to : last;
    return widen_range(lo, hi, 0);
  }
};

bool asks_for_contacts(const TracePlotOptions& options) {
  return std::any_of(options.columns.begin(), options.columns.end(), internal::is_about_contacts);
}

/// The columns that the patterns ask for, as indices into the rows.
std::vector<std::size_t> select_columns(const TracePlotOptions& options, const internal::PlotRows& rows,
                                        const TraceFiles& files) {
  std::vector<std::size_t> selected;
  std::unordered_set<std::size_t> seen;
  for (const std::string& pattern : options.columns) {
    const bool is_contact = !rows.contact_columns().empty() && internal::is_about_contacts(pattern);
    const std::size_t first = is_contact ? rows.state_columns().size() : 0;
    for (const std::size_t column : find_columns(pattern, is_contact ? rows.contact_columns() : rows.state_columns(),
                                                 is_contact ? files.contacts : files.states)) {
      if (seen.insert(first + column).second) selected.push_back(first + column);
    }
  }
  if (selected.size() > TracePlotOptions::kMostColumns) {
    throw InputError({files.states.string(), 1, 0}, fmt::format("{} columns fit; at most {} can be plotted at once",
                                                                selected.size(), TracePlotOptions::kMostColumns));
  }
  return selected;
}

Line make_plot_line(const std::string& column, std::size_t index, MotionKind kind, const TracePlotOptions& options) {
  const auto [quantity, dof] = split_column(column);
  // At least one bin per pixel, so that nothing visible is lost.
  const int bins = options.width > 0 ? options.width : kDefaultChartWidth;
  Line line{index,
            std::string(quantity),
            std::string(dof),
            unit_of(quantity, kind),
            1,
            LineBuilder(static_cast<std::size_t>(bins))};
  if (kind == MotionKind::no_coordinate) line.unit = internal::unit_of_contacts(quantity);
  const bool is_angle = kind == MotionKind::turning || kind == MotionKind::not_known;
  if (options.degrees && is_angle && (quantity == "q" || quantity == "v")) {
    line.unit = quantity == "q" ? "deg" : "deg/s";
    line.scale = kDegreesPerRadian;
  }
  return line;
}

std::vector<Line> make_lines(const TracePlotOptions& options, const TraceFiles& files, const internal::PlotRows& rows) {
  std::vector<std::string> columns = rows.state_columns();
  columns.insert(columns.end(), rows.contact_columns().begin(), rows.contact_columns().end());
  const auto sliding = files.summary.empty() ? std::nullopt : read_sliding_joints(files.summary);
  const std::vector<MotionKind> kinds = find_motion_kinds(columns, sliding);
  const std::vector<std::size_t> selected = select_columns(options, rows, files);
  const bool is_any_unknown =
      std::any_of(selected.begin(), selected.end(), [&](std::size_t i) { return kinds[i] == MotionKind::not_known; });
  std::vector<Line> lines;
  for (const std::size_t i : selected) {
    // Joints that turn would stand apart from others that probably do too: rather name both units.
    const bool joins_unknown = is_any_unknown && kinds[i] == MotionKind::turning;
    lines.push_back(make_plot_line(columns[i], i, joins_unknown ? MotionKind::not_known : kinds[i], options));
  }
  return lines;
}

/// The product, or the largest number where it has none; what is not a number stays.
double scale(double value, double factor) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return std::clamp(value * factor, -kLargest, kLargest);
}

/// Takes the rows inside the window. At an end of the window that falls between two rows, it takes the point on the
/// line between them, so that the curves reach the edges of the plot.
class WindowFeeder {
 public:
  WindowFeeder(std::vector<Line>& lines, Window& window)
      : lines_(lines), window_(window), before_(lines.size()), values_(lines.size()) {}

  /// False once the window has passed.
  bool take(std::span<const double> row) {
    const double t = row[0];
    for (std::size_t i = 0; i < lines_.size(); ++i) values_[i] = scale(row[lines_[i].column], lines_[i].scale);
    const bool enters = has_before_ && t_before_ < window_.from && t > window_.from;
    if (enters) add_between(window_.from, t);
    const bool leaves = t > window_.to;
    if (leaves && has_before_ && t_before_ < window_.to) add_between(window_.to, t);
    if (!leaves && t >= window_.from) add(t, values_);
    before_.swap(values_);
    t_before_ = t;
    has_before_ = true;
    return !leaves;
  }

 private:
  void add(double t, const std::vector<double>& values) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (std::isnan(values[i])) {
        lines_[i].builder.break_line();
      } else {
        lines_[i].builder.add(t, values[i]);
      }
    }
    window_.first = std::min(window_.first, t);
    window_.last = std::max(window_.last, t);
  }

  void add_between(double at, double t) {
    const double share = (at - t_before_) / (t - t_before_);
    std::vector<double> between(values_.size());
    for (std::size_t i = 0; i < between.size(); ++i) between[i] = std::lerp(before_[i], values_[i], share);
    add(at, between);
  }

  std::vector<Line>& lines_;
  Window& window_;
  std::vector<double> before_, values_;
  double t_before_ = 0;
  bool has_before_ = false;
};

void read_lines(internal::PlotRows& reader, std::vector<Line>& lines, Window& window, const TraceFiles& files) {
  WindowFeeder feeder(lines, window);
  bool has_rows = false;
  double first = 0;
  while (reader.next()) {
    if (!has_rows) first = reader.t();
    has_rows = true;
    if (!feeder.take(reader.row())) break;
  }
  if (has_rows && window.is_empty()) {
    throw InputError({files.states.string(), 0, 0},
                     fmt::format("there are no rows between t = {} s and {} s; the trace {}", window.from, window.to,
                                 first > window.to ? fmt::format("starts at {} s", first)
                                                   : fmt::format("ends at {} s", reader.t())));
  }
}

/// The name that people give a quantity.
std::string symbol_of(const std::string& quantity) { return quantity == "tau" ? "τ" : quantity; }

/// A colour for every degree of freedom, the same in all panels.
class Styles {
 public:
  int find(const std::string& dof) { return styles_.emplace(dof, static_cast<int>(styles_.size())).first->second; }

 private:
  std::unordered_map<std::string, int> styles_;
};

ChartPanel& find_panel(Chart& chart, const Line& line, const AxisRange& time) {
  const std::string symbol = symbol_of(line.quantity);
  for (ChartPanel& panel : chart.panels) {
    if (panel.y.name == symbol && panel.y.unit == line.unit) return panel;
  }
  chart.panels.push_back({"", {"time", "s", time}, {symbol, line.unit, {}}, {}});
  return chart.panels.back();
}

void add_panels(const std::vector<Line>& lines, const AxisRange& time, Chart& chart) {
  Styles styles;
  for (const Line& line : lines) {
    ChartPanel& panel = find_panel(chart, line, time);
    const std::string name = line.dof.empty() ? line.quantity : line.dof;
    const std::string column = line.dof.empty() ? line.quantity : line.quantity + "." + line.dof;
    panel.series.push_back({name, column, styles.find(name), SeriesShape::line, line.builder.points()});
  }
}

/// Marks of one kind that fall on the same pixel.
struct MarkGroup {
  TraceEvent first;
  double last = 0;
  long long count = 0;
};

std::string describe(const MarkGroup& group) {
  const TraceEvent& event = group.first;
  std::string text = fmt::format("{} at t = {:.9g} s", event.kind, event.t);
  if (!event.where.empty()) text += ", " + event.where;
  if (!event.cause.empty()) text += ": " + event.cause;
  if (group.count > 1) text += fmt::format("; and {} more until t = {:.9g} s", group.count - 1, group.last);
  return text;
}

/// Gathers events as lanes of marks, one lane per kind in the order of their first appearance.
class LaneBuilder {
 public:
  LaneBuilder(const AxisRange& time, int width) : time_(time), pixel_((time.hi - time.lo) / width) {}

  void add(const TraceEvent& event) {
    if (event.t < time_.lo || event.t > time_.hi) return;
    const std::size_t lane = indices_.emplace(event.kind, indices_.size()).first->second;
    if (lane == lanes_.size()) lanes_.emplace_back();
    MarkGroup& group = lanes_[lane][static_cast<long long>((event.t - time_.lo) / pixel_)];
    if (group.count++ == 0) group.first = event;
    group.last = event.t;
  }

  std::vector<MarkLane> build() const {
    std::vector<MarkLane> out;
    for (const auto& groups : lanes_) {
      out.push_back({groups.begin()->second.first.kind, {}});
      for (const auto& [pixel, group] : groups) out.back().marks.push_back({group.first.t, describe(group)});
    }
    return out;
  }

 private:
  AxisRange time_;
  double pixel_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<std::map<long long, MarkGroup>> lanes_;
};

std::string describe(const ChartSeries& series) {
  double least = kInfinity, greatest = -kInfinity;
  for (const PlotPoint& point : series.points) {  // Those that part the line are not numbers, and change neither.
    least = std::min(least, point.y);
    greatest = std::max(greatest, point.y);
  }
  if (least > greatest) return series.label + " without data";
  return fmt::format("{} from {} to {}", series.label, format_number(least, 6), format_number(greatest, 6));
}

/// The picture in words: what each panel shows and between which values each line lies.
std::string describe(const Chart& chart, const AxisRange& time) {
  std::string text = fmt::format("Against time from {:.6g} s to {:.6g} s.", time.lo, time.hi);
  for (const ChartPanel& panel : chart.panels) {
    text += fmt::format(" {}{}:", panel.y.name, panel.y.unit.empty() ? "" : " in " + panel.y.unit);
    for (std::size_t i = 0; i < std::min(panel.series.size(), kMostDescribed); ++i) {
      text += fmt::format("{} {}", i > 0 ? ";" : "", describe(panel.series[i]));
    }
    if (panel.series.size() > kMostDescribed)
      text += fmt::format("; and {} more", panel.series.size() - kMostDescribed);
    text += '.';
  }
  for (const MarkLane& lane : chart.lanes) {
    text += fmt::format(" {}: {} mark{}.", lane.label, lane.marks.size(), lane.marks.size() == 1 ? "" : "s");
  }
  return text;
}

std::string name_chart(const Chart& chart, const TraceFiles& files) {
  if (!chart.title.empty()) return chart.title;
  std::string quantities;
  for (const ChartPanel& panel : chart.panels) {
    if (quantities.find(panel.y.name) == std::string::npos) {
      quantities += (quantities.empty() ? "" : ", ") + panel.y.name;
    }
  }
  const std::string run = std::filesystem::absolute(files.states).parent_path().filename().string();
  return fmt::format("{} against time, {}", quantities, run);
}

void check_window(const TracePlotOptions& options) {
  for (const auto& [name, value] : {std::pair("--from", options.from), std::pair("--to", options.to)}) {
    if (value && !std::isfinite(*value))
      throw InputError({name, 0, 0}, fmt::format("expects a time, found {}", *value));
  }
  if (options.from && options.to && !(*options.from < *options.to)) {
    throw InputError({"--to", 0, 0}, fmt::format("{} s is not after --from {} s", *options.to, *options.from));
  }
}

}  // namespace

TracePlot plot_trace(const TracePlotOptions& options) {
  check_window(options);
  const TraceFiles files = find_trace(options.trace);
  internal::PlotRows reader(files, asks_for_contacts(options));
  std::vector<Line> lines = make_lines(options, files, reader);
  Window window{options.from.value_or(-kInfinity), options.to.value_or(kInfinity)};
  read_lines(reader, lines, window, files);

  TracePlot plot;
  const auto note_cut_end = [&](const std::filesystem::path& file) {
    plot.notes.push_back(fmt::format("{}: note: the last line is cut and was left out", file.string()));
  };
  if (reader.has_cut_states()) note_cut_end(files.states);
  if (reader.has_cut_contacts()) note_cut_end(files.contacts);
  Chart chart{.title = options.title, .width = options.width, .height = options.height, .shares_x = true};
  const AxisRange time = window.range();
  add_panels(lines, time, chart);
  if (options.events && !files.events.empty()) {
    LaneBuilder lanes(time, options.width > 0 ? options.width : kDefaultChartWidth);
    if (!read_events(files.events, [&](const TraceEvent& event) { lanes.add(event); })) note_cut_end(files.events);
    chart.lanes = lanes.build();
  }
  chart.name = name_chart(chart, files);
  chart.description = describe(chart, time);
  try {
    plot.svg = draw_svg(chart);
  } catch (const ChartTooSmall& error) {
    throw InputError({"--size", 0, 0}, error.what());
  }
  return plot;
}

}  // namespace thenar
