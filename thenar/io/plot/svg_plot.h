// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A small writer of charts as SVG, without dependencies: panels in a grid, each with lines, dots, regions or markers
/// on linear axes; round ticks; a legend; lanes of event marks above; a text alternative for those who cannot see the
/// picture.
///
/// Colours are those of Okabe and Ito (2008), which people with any common colour blindness can tell apart, without the
/// yellow, which is faint on white. Styles beyond the eighth repeat the colours with other dashes. A panel with more
/// than eight lines has thinner ones. Areas have the eight light colours of Tol (2021, "light" without its grey), which
/// keep texts on them legible.
///
/// The file says everything by attributes, so that browsers, vector editors and typesetters show the same. Lines are
/// simplified within a twentieth of a pixel. Texts are set in Helvetica or the like.

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "thenar/io/plot/axis_ticks.h"
#include "thenar/study/line_reduction.h"

namespace thenar {

enum class SeriesShape {
  line,    ///< a polyline, parted by points whose y is not a number
  dots,    ///< a small dot at every point
  region,  ///< a closed outline, lightly filled
  marker,  ///< a large dot at every point
  area,    ///< what the loops enclose (by the even-odd rule), filled, with a fine outline
  outline  ///< the loops as dashed lines
};

/// How an area is filled.
enum class AreaTexture {
  plain,    ///< in its colour
  hatched,  ///< its colour under dark lines
  dotted,   ///< its colour under light dots
  grey,     ///< light grey, whatever its colour
  dark      ///< dark grey, whatever its colour
};

struct ChartSeries {
  std::string label{};    ///< in the legend
  std::string tooltip{};  ///< shown when the pointer rests on it; the label if empty
  int style = 0;          ///< colour and dash, see above
  SeriesShape shape = SeriesShape::line;
  std::vector<PlotPoint> points{};              ///< in the units of the axes; finite, but for what parts a line
  std::vector<std::vector<PlotPoint>> loops{};  ///< of areas and outlines, in place of points; likewise
  AreaTexture texture = AreaTexture::plain;
};

/// A short text inside of a panel, left out where it is wider or higher than its room.
struct ChartText {
  std::string text{};
  PlotPoint middle{};                      ///< in the units of the axes
  double half_width = 0, half_height = 0;  ///< of its room, likewise
};

struct ChartAxis {
  std::string name{}, unit{};        ///< either may be empty
  std::optional<AxisRange> range{};  ///< default: what the points need and a little more
};

struct ChartPanel {
  std::string title{};
  ChartAxis x{}, y{};
  std::vector<ChartSeries> series{};
  std::vector<ChartText> texts{};
};

/// A row of small marks above the panels, at values of x.
struct MarkLane {
  struct Mark {
    double x = 0;
    std::string tooltip;
  };
  std::string label;
  std::vector<Mark> marks;
};

struct Chart {
  std::string title{};        ///< printed on top; may be empty
  std::string name{};         ///< text alternative, short; the title if empty
  std::string description{};  ///< text alternative, longer
  int width = 0;              ///< px; 0 means 720
  int height = 0;             ///< px; 0 means as high as the panels like
  int columns = 1;            ///< of the grid of panels
  bool shares_x = false;      ///< one column only: numbers on the lowest x axis alone, whose range all panels have
  std::vector<MarkLane> lanes{};
  std::vector<ChartPanel> panels{};
};

inline constexpr int kDefaultChartWidth = 720;

/// The chart does not fit its width or height; what() says what would.
class ChartTooSmall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The chart as the text of an SVG file. Throws ChartTooSmall.
std::string draw_svg(const Chart& chart);

}  // namespace thenar
