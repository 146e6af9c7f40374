// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "thenar/io/plot/svg_layout_internal.h"
#include "thenar/io/plot/svg_text_internal.h"

namespace thenar {
namespace {

using namespace internal;

constexpr std::array<const char*, 8> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#56B4E9", "#E69F00", "#000000", "#7F7F7F"};
constexpr std::array<const char*, 4> kDashes{"", "6 2.5", "1.8 2.2", "7 2 1.6 2"};
constexpr std::array<const char*, 16> kAreaColours{
    "#77AADD", "#EE8866", "#EEDD88", "#FFAABB", "#99DDFF", "#44BB99", "#BBCC33", "#AAAA00",
    // The same, lighter.
    "#C2D9F0", "#F7C9BA", "#F7F0C9", "#FFD9E0", "#D1F0FF", "#ABE0D1", "#E0E8A3", "#D9D98C"};
constexpr const char* kGreyArea = "#CCC";
constexpr const char* kDarkArea = "#444";
constexpr const char* kOutlineDash = "5 3";
/// Names of the patterns; longer than they need be, since a page with several pictures has them all.
constexpr const char* kHatchId = "thenar-hatch";
constexpr const char* kDotsId = "thenar-dots";
constexpr const char* kInk = "#222";
constexpr const char* kGridColour = "#E8E8E8";
constexpr const char* kZeroColour = "#BBB";
constexpr const char* kMarkColour = "#444";
constexpr std::size_t kMostThickLines = 8;
constexpr double kThickLine = 1.5, kThinLine = 1, kDot = 2.2, kMarkerRadius = 3.2;
constexpr double kLineTolerance = 0.05;  ///< px
/// With more marks than this, lines through the panels would hide what they mark.
constexpr std::size_t kMostMarkLines = 30;

const char* colour_of(int style) { return kColours[static_cast<std::size_t>(style) % kColours.size()]; }

std::string dash_attribute(int style) {
  const char* dash = kDashes[static_cast<std::size_t>(style) / kColours.size() % kDashes.size()];
  return *dash ? fmt::format(" stroke-dasharray=\"{}\"", dash) : std::string();
}

const char* area_colour(const ChartSeries& series) {
  if (series.texture == AreaTexture::grey) return kGreyArea;
  if (series.texture == AreaTexture::dark) return kDarkArea;
  return kAreaColours[static_cast<std::size_t>(series.style) % kAreaColours.size()];
}

/// The pattern that lies on an area, or null.
const char* pattern_of(const ChartSeries& series) {
  if (series.texture == AreaTexture::hatched) return kHatchId;
  return series.texture == AreaTexture::dotted ? kDotsId : nullptr;
}

bool has_points(const ChartSeries& series) { return !series.points.empty() || !series.loops.empty(); }

double map(double value, const AxisRange& range) {
  // Halves, since the range of the largest numbers is none.
  return (value / 2 - range.lo / 2) / (range.hi / 2 - range.lo / 2);
}

class SvgWriter {
 public:
  SvgWriter(const Chart& chart, const ChartLayout& layout) : chart_(chart), layout_(layout) {}

  std::string write() {
    open();
    if (!chart_.title.empty()) {
      add("<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"bold\">{}</text>\n", pixels(kPadding),
          pixels(layout_.title_y), kTitleFontSize,
          escape_xml(fit_text(chart_.title, 1.1 * kTitleFontSize, layout_.width - 2 * kPadding)));
    }
    draw_legend(layout_.legend);
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) draw_panel(chart_.panels[i], layout_.panels[i]);
    draw_lanes();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void open() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{2}\" fill=\"{3}\">\n",
        pixels(layout_.width), pixels(layout_.height), kFontSize, kInk);
    add("<title>{}</title>\n", escape_xml(chart_.name.empty() ? chart_.title : chart_.name));
    if (!chart_.description.empty()) add("<desc>{}</desc>\n", escape_xml(chart_.description));
    draw_patterns();
    add("<rect width=\"{}\" height=\"{}\" fill=\"#FFF\"/>\n", pixels(layout_.width), pixels(layout_.height));
  }

  /// Those in use. The lines of the hatch run over the corners of their tile, so that no seam is seen.
  void draw_patterns() {
    const auto is_used = [&](const char* pattern) {
      return std::any_of(chart_.panels.begin(), chart_.panels.end(), [&](const ChartPanel& panel) {
        return std::any_of(panel.series.begin(), panel.series.end(),
                           [&](const ChartSeries& series) { return pattern_of(series) == pattern; });
      });
    };
    constexpr const char* kOpen =
        "<defs><pattern id=\"{}\" patternUnits=\"userSpaceOnUse\" width=\"{}\" height=\"{}\">";
    if (is_used(kHatchId)) {
      add(kOpen, kHatchId, 8, 8);
      add("<path stroke=\"{}\" stroke-width=\"1.1\" d=\"M-2 2L2 -2M0 8L8 0M6 10L10 6\"/></pattern></defs>\n", kInk);
    }
    if (is_used(kDotsId)) {
      add(kOpen, kDotsId, 6, 6);
      out_ += "<circle cx=\"3\" cy=\"3\" r=\"1.3\" fill=\"#FFF\"/></pattern></defs>\n";
    }
  }

  void draw_legend(const LegendLayout& legend) {
    if (legend.rows == 0) return;
    out_ += "<g class=\"legend\">\n";
    const double text_room = legend.entry_width - kSwatchWidth - kSwatchGap;
    const int count = static_cast<int>(legend.entries.size());
    for (int i = 0; i < count + (legend.left_out > 0 ? 1 : 0); ++i) {
      const double x = legend.box.x + i / legend.rows * legend.entry_width;
      const double y = legend.box.y + (i % legend.rows + 0.5) * kLegendRowHeight;
      const double text_x = x + kSwatchWidth + kSwatchGap, text_y = y + 0.35 * kFontSize;
      if (i == count) {
        add("<text x=\"{}\" y=\"{}\">and {} more</text>\n", pixels(text_x), pixels(text_y), legend.left_out);
        break;
      }
      const ChartSeries& series = *legend.entries[static_cast<std::size_t>(i)];
      draw_swatch(series, x, y, count);
      const std::string shown = fit_text(series.label, kFontSize, text_room);
      add("<text x=\"{}\" y=\"{}\">{}", pixels(text_x), pixels(text_y), escape_xml(shown));
      if (shown != series.label) add("<title>{}</title>", escape_xml(series.label));
      out_ += "</text>\n";
    }
    out_ += "</g>\n";
  }

  void draw_swatch(const ChartSeries& series, double x, double y, int series_count) {
    const double middle = x + kSwatchWidth / 2;
    switch (series.shape) {
      case SeriesShape::line:
        add("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", pixels(x),
            pixels(y), pixels(x + kSwatchWidth), pixels(y), colour_of(series.style),
            line_width(static_cast<std::size_t>(series_count)), dash_attribute(series.style));
        break;
      case SeriesShape::region:
        add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"8\" fill=\"{}\" fill-opacity=\"0.12\" stroke=\"{}\"/>\n",
            pixels(x + 1), pixels(y - 4), pixels(kSwatchWidth - 2), colour_of(series.style), colour_of(series.style));
        break;
      case SeriesShape::dots:
        for (const double shift : {-5.0, 0.0, 5.0}) draw_circle(middle + shift, y, kDot / 2, series.style);
        break;
      case SeriesShape::marker:
        draw_circle(middle, y, kMarkerRadius, series.style);
        break;
      case SeriesShape::area:
        fill_area(series, fmt::format("M{} {}h{}v11h{}z", pixels(x + 1), pixels(y - 5.5), pixels(kSwatchWidth - 2),
                                      pixels(2 - kSwatchWidth)));
        break;
      case SeriesShape::outline:
        add("<path stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\" d=\"M{} {}h{}\"/>\n", kInk, kThickLine,
            kOutlineDash, pixels(x), pixels(y), pixels(kSwatchWidth));
        break;
    }
  }

  /// A path in the colour of an area, and again in its pattern.
  void fill_area(const ChartSeries& series, const std::string& path) {
    add("<path fill=\"{}\" fill-rule=\"evenodd\" stroke=\"{}\" stroke-width=\"0.6\" stroke-linejoin=\"round\" "
        "d=\"{}\">",
        area_colour(series), kInk, path);
    add("<title>{}</title></path>\n", escape_xml(tooltip_of(series)));
    if (const char* pattern = pattern_of(series)) {
      add("<path fill=\"url(#{})\" fill-rule=\"evenodd\" pointer-events=\"none\" d=\"{}\"/>\n", pattern, path);
    }
  }

  static const std::string& tooltip_of(const ChartSeries& series) {
    return series.tooltip.empty() ? series.label : series.tooltip;
  }

  void draw_circle(double x, double y, double radius, int style) {
    add("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", pixels(x), pixels(y), pixels(radius), colour_of(style));
  }

  void draw_panel(const ChartPanel& panel, const PanelLayout& place) {
    out_ += "<g class=\"panel\">\n";
    if (!panel.title.empty()) {
      add("<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n", pixels(place.plot.x), pixels(place.title_y),
          escape_xml(fit_text(panel.title, 1.1 * kFontSize, place.plot.width)));
    }
    draw_legend(place.legend);
    draw_grid(place);
    draw_mark_lines(place);
    if (std::none_of(panel.series.begin(), panel.series.end(), has_points)) {
      add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#777\">no data</text>\n",
          pixels(place.plot.x + place.plot.width / 2), pixels(place.plot.y + place.plot.height / 2));
    }
    for (const ChartSeries& series : panel.series) draw_series(series, panel, place);
    for (const ChartText& text : panel.texts) draw_text(text, place);
    draw_axes(panel, place);
    out_ += "</g>\n";
  }

  static double x_of(double value, const PanelLayout& place) {
    return place.plot.x + place.plot.width * map(value, place.x_range);
  }
  static double y_of(double value, const PanelLayout& place) {
    return place.plot.bottom() - place.plot.height * map(value, place.y_range);
  }

  void draw_grid(const PanelLayout& place) {
    const PlotBox& plot = place.plot;
    add("<path fill=\"none\" stroke=\"{}\" d=\"", kGridColour);
    for (const double x : place.x_ticks.at)
      add("M{} {}V{}", pixels(x_of(x, place)), pixels(plot.y), pixels(plot.bottom()));
    for (const double y : place.y_ticks.at)
      add("M{} {}H{}", pixels(plot.x), pixels(y_of(y, place)), pixels(plot.right()));
    out_ += "\"/>\n";
    if (place.y_range.lo < 0 && place.y_range.hi > 0) {
      add("<path stroke=\"{}\" d=\"M{} {}H{}\"/>\n", kZeroColour, pixels(plot.x), pixels(y_of(0, place)),
          pixels(plot.right()));
    }
  }

  /// Faint lines at the marks of all lanes.
  void draw_mark_lines(const PanelLayout& place) {
    std::size_t count = 0;
    for (const MarkLane& lane : chart_.lanes) count += lane.marks.size();
    if (count == 0 || count > kMostMarkLines) return;
    add("<path stroke=\"{}\" stroke-opacity=\"0.45\" stroke-width=\"0.8\" stroke-dasharray=\"2 2\" d=\"", kMarkColour);
    for (const MarkLane& lane : chart_.lanes) {
      for (const MarkLane::Mark& mark : lane.marks) {
        add("M{} {}V{}", pixels(x_of(mark.x, place)), pixels(place.plot.y), pixels(place.plot.bottom()));
      }
    }
    out_ += "\"/>\n";
  }

  static double line_width(std::size_t series_count) { return series_count > kMostThickLines ? kThinLine : kThickLine; }

  void draw_series(const ChartSeries& series, const ChartPanel& panel, const PanelLayout& place) {
    if (!has_points(series)) return;
    if (series.shape == SeriesShape::area || series.shape == SeriesShape::outline) {
      draw_loops(series, place);
      return;
    }
    const std::vector<PlotPoint> points = to_pixels(series.points, place);
    const char* colour = colour_of(series.style);
    const char* tag = "path";
    switch (series.shape) {
      case SeriesShape::line:
        draw_line(points, series, line_width(panel.series.size()));
        return;
      case SeriesShape::region:
        tag = "polygon";
        add("<polygon fill=\"{0}\" fill-opacity=\"0.12\" stroke=\"{0}\" stroke-linejoin=\"round\" points=\"", colour);
        add_line_points(points);
        break;
      case SeriesShape::dots:
        add("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" d=\"", colour, kDot);
        add_dots(points);
        break;
      case SeriesShape::marker:
        add("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" d=\"", colour,
            2 * kMarkerRadius);
        add_dots(points);
        break;
      case SeriesShape::area:
      case SeriesShape::outline:
        return;
    }
    add("\"><title>{}</title></{}>\n", escape_xml(tooltip_of(series)), tag);
  }

  /// Each piece of it by itself.
  void draw_line(const std::vector<PlotPoint>& points, const ChartSeries& series, double width) {
    std::vector<PlotPoint> piece;
    const auto draw_piece = [&] {
      if (piece.empty()) return;
      add("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" "
          "stroke-linecap=\"round\"{} points=\"",
          colour_of(series.style), width, dash_attribute(series.style));
      add_line_points(piece);
      add("\"><title>{}</title></polyline>\n", escape_xml(tooltip_of(series)));
      piece.clear();
    };
    for (const PlotPoint& point : points) {
      if (std::isnan(point.y)) {
        draw_piece();
      } else {
        piece.push_back(point);
      }
    }
    draw_piece();
  }

  static std::vector<PlotPoint> to_pixels(const std::vector<PlotPoint>& points, const PanelLayout& place) {
    std::vector<PlotPoint> out;
    for (const PlotPoint& point : points) out.push_back({x_of(point.x, place), y_of(point.y, place)});
    return out;
  }

  void draw_loops(const ChartSeries& series, const PanelLayout& place) {
    std::string path;
    for (const std::vector<PlotPoint>& loop : series.loops) append_loop(to_pixels(loop, place), path);
    if (series.shape == SeriesShape::area) {
      fill_area(series, path);
      return;
    }
    add("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\" stroke-linejoin=\"round\" "
        "d=\"{}\">",
        kInk, kThickLine, kOutlineDash, path);
    add("<title>{}</title></path>\n", escape_xml(tooltip_of(series)));
  }

  static void append_loop(std::vector<PlotPoint> loop, std::string& path) {
    if (loop.empty()) return;
    loop.push_back(loop.front());
    std::vector<PlotPoint> line = simplify_line(loop, kLineTolerance);
    line.pop_back();
    char command = 'M';
    for (const PlotPoint& point : line) {
      path += command;
      append_pixels(point.x, path);
      path += ' ';
      append_pixels(point.y, path);
      command = 'L';
    }
    path += 'z';
  }

  /// On a white rim, since it may stand on any colour and texture.
  void draw_text(const ChartText& text, const PanelLayout& place) {
    const double x = x_of(text.middle.x, place), y = y_of(text.middle.y, place);
    const double room_x = 2 * (x_of(text.middle.x + text.half_width, place) - x);
    const double room_y = 2 * (y - y_of(text.middle.y + text.half_height, place));
    if (text_width(text.text, kFontSize) + 6 > room_x || kFontSize + 6 > room_y) return;
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-weight=\"bold\" stroke=\"#FFF\" stroke-width=\"3\" "
        "stroke-linejoin=\"round\" paint-order=\"stroke\" pointer-events=\"none\">{}</text>\n",
        pixels(x), pixels(y + 0.35 * kFontSize), escape_xml(text.text));
  }

  void add_line_points(const std::vector<PlotPoint>& points) {
    std::vector<PlotPoint> line = simplify_line(points, kLineTolerance);
    if (line.size() == 1) line.push_back(line.front());  // With round ends, a line of no length is a dot.
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (i > 0) out_ += ' ';
      append_pixels(line[i].x, out_);
      out_ += ',';
      append_pixels(line[i].y, out_);
    }
  }

  void add_dots(const std::vector<PlotPoint>& points) {
    for (const PlotPoint& point : points) {
      out_ += 'M';
      append_pixels(point.x, out_);
      out_ += ' ';
      append_pixels(point.y, out_);
      out_ += "h0";
    }
  }

  void draw_axes(const ChartPanel& panel, const PanelLayout& place) {
    const PlotBox& plot = place.plot;
    add("<path fill=\"none\" stroke=\"{}\" d=\"M{} {}V{}H{}", kInk, pixels(plot.x), pixels(plot.y),
        pixels(plot.bottom()), pixels(plot.right()));
    for (const double x : place.x_ticks.at)
      add("M{} {}v{}", pixels(x_of(x, place)), pixels(plot.bottom()), kTickLength);
    for (const double y : place.y_ticks.at) add("M{} {}h{}", pixels(plot.x), pixels(y_of(y, place)), -kTickLength);
    out_ += "\"/>\n";
    draw_y_labels(panel, place);
    if (place.has_x_labels) draw_x_labels(panel, place);
  }

  void draw_y_labels(const ChartPanel& panel, const PanelLayout& place) {
    const PlotBox& plot = place.plot;
    add("<g font-size=\"{}\" text-anchor=\"end\">\n", kTickFontSize);
    for (std::size_t i = 0; i < place.y_ticks.at.size(); ++i) {
      add("<text x=\"{}\" y=\"{}\">{}</text>\n", pixels(plot.x - kTickLength - 3),
          pixels(y_of(place.y_ticks.at[i], place) + 0.35 * kTickFontSize), place.y_ticks.labels[i]);
    }
    out_ += "</g>\n";
    const std::string title = axis_title(panel.y.name, panel.y.unit, place.y_ticks);
    add("<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n", pixels(place.y_title_x),
        pixels(plot.y + plot.height / 2), escape_xml(fit_text(title, kFontSize, plot.height + 20)));
  }

  void draw_x_labels(const ChartPanel& panel, const PanelLayout& place) {
    const PlotBox& plot = place.plot;
    add("<g font-size=\"{}\" text-anchor=\"middle\">\n", kTickFontSize);
    for (std::size_t i = 0; i < place.x_ticks.at.size(); ++i) {
      add("<text x=\"{}\" y=\"{}\">{}</text>\n", pixels(x_of(place.x_ticks.at[i], place)),
          pixels(plot.bottom() + kTickLength + 2 + kTickFontSize), place.x_ticks.labels[i]);
    }
    out_ += "</g>\n";
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", pixels(plot.x + plot.width / 2),
        pixels(plot.bottom() + kTickLength + 2 + kTickFontSize + 4 + kFontSize),
        escape_xml(fit_text(axis_title(panel.x.name, panel.x.unit, place.x_ticks), kFontSize, plot.width)));
  }

  void draw_lanes() {
    if (chart_.lanes.empty() || chart_.panels.empty()) return;
    const PlotBox& box = layout_.lanes;
    out_ += "<g class=\"events\">\n";
    for (std::size_t i = 0; i < chart_.lanes.size(); ++i) {
      const double top = box.y + static_cast<double>(i) * kLaneHeight, middle = top + kLaneHeight / 2;
      add("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"end\">{}</text>\n", pixels(box.x - kTickLength - 3),
          pixels(middle + 0.35 * kTickFontSize), kTickFontSize, escape_xml(chart_.lanes[i].label));
      add("<path stroke=\"{}\" d=\"M{} {}H{}\"/>\n", kGridColour, pixels(box.x), pixels(middle), pixels(box.right()));
      for (const MarkLane::Mark& mark : chart_.lanes[i].marks) {
        add("<path stroke=\"{}\" stroke-width=\"1.6\" d=\"M{} {}v{}\"><title>{}</title></path>\n", kMarkColour,
            pixels(x_of(mark.x, layout_.panels[0])), pixels(top + 2), pixels(kLaneHeight - 4),
            escape_xml(mark.tooltip));
      }
    }
    out_ += "</g>\n";
  }

  const Chart& chart_;
  const ChartLayout& layout_;
  std::string out_;
};

}  // namespace

std::string draw_svg(const Chart& chart) {
  const ChartLayout layout = lay_out(chart);
  return SvgWriter(chart, layout).write();
}

}  // namespace thenar
