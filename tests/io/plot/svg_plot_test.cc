// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/svg_plot.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cmath>
#include <limits>

#include "thenar/io/plot/svg_text_internal.h"

namespace thenar::svg_plot_test {
namespace {

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

bool has(const std::string& text, const std::string& part) { return count(text, part) > 0; }

/// A chart of one panel with so many lines.
Chart make_chart(int lines) {
  Chart chart{.name = "name"};
  chart.panels.push_back({"", {"time", "s", AxisRange{0, 10}}, {"q", "rad", {}}, {}});
  for (int i = 0; i < lines; ++i) {
    chart.panels[0].series.push_back(
        {.label = fmt::format("line {}", i), .style = i, .points = {{0, 0}, {10, i + 1.0}}});
  }
  return chart;
}

TEST(SvgPlot, HasALineAndALegendEntryPerSeries) {
  const std::string svg = draw_svg(make_chart(3));
  EXPECT_EQ(count(svg, "<polyline"), 3);
  EXPECT_EQ(count(svg, ">line "), 6);  // Legend and tooltip.
  EXPECT_TRUE(has(svg, ">q (rad)<") && has(svg, ">time (s)<"));
}

TEST(SvgPlot, PointsStandWhereTheyBelong) {
  // The frame of the plot is drawn as its left and its lower edge: M x top V bottom H right.
  Chart chart = make_chart(1);
  chart.panels[0].y.range = AxisRange{-1, 3};
  chart.panels[0].series[0].points = {{0, -1}, {5, 3}, {10, 1}};
  const std::string svg = draw_svg(chart);
  double left = 0, top = 0, bottom = 0, right = 0;
  ASSERT_EQ(std::sscanf(svg.c_str() + svg.find("stroke=\"#222\" d=\"M") + 18, "%lf %lfV%lfH%lf", &left, &top, &bottom,
                        &right),
            4);
  double x[3], y[3];
  ASSERT_EQ(
      std::sscanf(svg.c_str() + svg.find("points=\"") + 8, "%lf,%lf %lf,%lf %lf,%lf", x, y, x + 1, y + 1, x + 2, y + 2),
      6);
  const double tolerance = 0.011;  // Two decimals.
  EXPECT_NEAR(x[0], left, tolerance);
  EXPECT_NEAR(x[1], (left + right) / 2, tolerance);
  EXPECT_NEAR(x[2], right, tolerance);
  EXPECT_NEAR(y[0], bottom, tolerance);
  EXPECT_NEAR(y[1], top, tolerance);
  EXPECT_NEAR(y[2], (top + bottom) / 2, tolerance);
}

TEST(SvgPlot, MoreThanEightLinesAreThinAndDashedAnew) {
  const std::string eight = draw_svg(make_chart(8)), nine = draw_svg(make_chart(9));
  EXPECT_EQ(count(eight, "stroke-width=\"1.5\""), 16);  // Lines and swatches.
  EXPECT_EQ(count(eight, "stroke-dasharray"), 0);
  EXPECT_EQ(count(nine, "stroke-width=\"1.5\""), 0);
  EXPECT_EQ(count(nine, "stroke-dasharray"), 2);
}

TEST(SvgPlot, ALongLegendSaysHowManyItLeavesOut) { EXPECT_TRUE(has(draw_svg(make_chart(100)), ">and 36 more<")); }

TEST(SvgPlot, PanelsOfTheSameLinesShareALegend) {
  Chart chart = make_chart(2);
  chart.shares_x = true;
  chart.panels.push_back(chart.panels[0]);
  EXPECT_EQ(count(draw_svg(chart), "class=\"legend\""), 1);
  EXPECT_EQ(count(draw_svg(chart), ">time (s)<"), 1);
  chart.panels[1].series.pop_back();
  EXPECT_EQ(count(draw_svg(chart), "class=\"legend\""), 2);
}

TEST(SvgPlot, HasATextAlternative) {
  Chart chart = make_chart(1);
  chart.description = "a < b & c";
  const std::string svg = draw_svg(chart);
  EXPECT_TRUE(has(svg, "<title>name</title>\n<desc>a &lt; b &amp; c</desc>"));
  EXPECT_TRUE(has(svg, "role=\"img\""));
}

TEST(SvgPlot, WithoutDataSaysSo) {
  Chart chart = make_chart(1);
  chart.panels[0].series[0].points.clear();
  const std::string svg = draw_svg(chart);
  EXPECT_EQ(count(svg, "<polyline"), 0);
  EXPECT_TRUE(has(svg, ">no data<"));
}

TEST(SvgPlot, AConstantAndASinglePointAreDrawn) {
  Chart chart = make_chart(1);
  chart.panels[0].series[0].points = {{0, 5}, {10, 5}};
  EXPECT_EQ(count(draw_svg(chart), "<polyline"), 1);
  chart.panels[0].x.range.reset();
  chart.panels[0].series[0].points = {{3, 5}};
  EXPECT_EQ(count(draw_svg(chart), "<polyline"), 1);
}

TEST(SvgPlot, AnyFiniteValuesGiveFinitePlaces) {
  Chart chart = make_chart(1);
  const double largest = std::numeric_limits<double>::max();
  chart.panels[0].series[0].points = {{0, -largest}, {1, largest}, {2, 0}, {3, 5e-324}};
  const std::string svg = draw_svg(chart);
  EXPECT_FALSE(has(svg, "nan") || has(svg, "inf"));
}

TEST(SvgPlot, ShapesOfSeries) {
  Chart chart = make_chart(0);
  for (const SeriesShape shape : {SeriesShape::line, SeriesShape::dots, SeriesShape::region, SeriesShape::marker}) {
    chart.panels[0].series.push_back({.label = "s", .shape = shape, .points = {{0, 0}, {1, 1}, {2, 0}}});
  }
  const std::string svg = draw_svg(chart);
  EXPECT_EQ(count(svg, "<polyline"), 1);
  EXPECT_EQ(count(svg, "<polygon"), 1);
  EXPECT_EQ(count(svg, "h0"), 6);
}

TEST(SvgPlot, MarksHaveTooltips) {
  Chart chart = make_chart(1);
  chart.lanes = {{"impact", {{1, "at 1 s"}, {2, "at 2 s"}}}};
  const std::string svg = draw_svg(chart);
  EXPECT_TRUE(has(svg, "<title>at 1 s</title>") && has(svg, "<title>at 2 s</title>") && has(svg, ">impact<"));
}

TEST(SvgPlot, SaysHowLargeItMustBe) {
  Chart chart = make_chart(1);
  chart.width = 720;
  chart.height = 60;
  std::string needed;
  try {
    draw_svg(chart);
    FAIL();
  } catch (const ChartTooSmall& error) {
    needed = error.what();
  }
  chart.height = std::stoi(needed.substr(needed.find("at least ") + 9));
  EXPECT_NO_THROW(draw_svg(chart)) << needed;
  chart.height -= 1;
  EXPECT_THROW(draw_svg(chart), ChartTooSmall);
  chart.height = 400;
  chart.width = 60;
  EXPECT_THROW(draw_svg(chart), ChartTooSmall);
}

TEST(SvgText, EscapesWhatXmlForbids) {
  using internal::escape_xml;
  EXPECT_EQ(escape_xml("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(escape_xml("τ − 10⁻³ 手 🖐"), "τ − 10⁻³ 手 🖐");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_xml(std::string("\0\x1B\x7F", 3)), bad + bad + bad);
  EXPECT_EQ(escape_xml("\xFF"), bad);
  EXPECT_EQ(escape_xml("\xC3"), bad);                      // Cut.
  EXPECT_EQ(escape_xml("\xC0\xAF"), bad + bad);            // Longer than need be.
  EXPECT_EQ(escape_xml("\xED\xA0\x80"), bad + bad + bad);  // Half of a surrogate pair.
  EXPECT_EQ(escape_xml("\xEF\xBF\xBF"), bad);              // U+FFFF
}

TEST(SvgText, PixelsAreShort) {
  EXPECT_EQ(internal::pixels(12), "12");
  EXPECT_EQ(internal::pixels(0.5), "0.5");
  EXPECT_EQ(internal::pixels(-3.256), "-3.26");
  EXPECT_EQ(internal::pixels(-0.001), "0");
  EXPECT_EQ(internal::pixels(100), "100");
}

TEST(SvgText, LongTextsAreCutInTheMiddle) {
  const std::string name = "left_hand.index_metacarpal.0";
  const double width = internal::text_width(name, 11);
  EXPECT_EQ(internal::fit_text(name, 11, width), name);
  const std::string cut = internal::fit_text(name, 11, width / 2);
  EXPECT_TRUE(cut.starts_with("left") && cut.ends_with("l.0") && has(cut, "…")) << cut;
  EXPECT_LE(internal::text_width(cut, 11), width / 2);
  EXPECT_EQ(internal::fit_text(name, 11, 0), "…");
}

}  // namespace
}  // namespace thenar::svg_plot_test
