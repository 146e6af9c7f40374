// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/trace_plot.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cmath>
#include <fstream>

#include "thenar/base/diagnostic.h"

namespace thenar::trace_plot_test {
namespace {

namespace fs = std::filesystem;

class TracePlotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("thenar_plot_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("states.csv",
          "t,q.h.j,q.h.w.0,v.h.j,tau.h.j\n"
          "0,0,1,1,0\n"
          "1,1,1,1,2\n"
          "1,1,1,-1,2\n"
          "2,0,1,-1,4\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  TracePlotOptions options(std::vector<std::string> columns) const {
    return {.trace = folder_, .columns = std::move(columns)};
  }

  std::string message(const TracePlotOptions& plot) const {
    try {
      plot_trace(plot);
      return "";
    } catch (const InputError& error) {
      return error.message();
    }
  }

  fs::path folder_;
};

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// The picture in words.
std::string description(const TracePlot& plot) {
  const std::size_t start = plot.svg.find("<desc>") + 6;
  return plot.svg.substr(start, plot.svg.find("</desc>") - start);
}

TEST_F(TracePlotTest, QuantitiesHavePanels) {
  const TracePlot plot = plot_trace(options({"q.*", "v.*", "tau.*"}));
  EXPECT_EQ(count(plot.svg, "class=\"panel\""), 3);
  EXPECT_EQ(count(plot.svg, "<polyline"), 4);
  EXPECT_EQ(
      description(plot),
      "Against time from 0 s to 2 s. q in rad | m: h.j from 0 to 1; h.w.0 from 1 to 1. v in rad/s | m/s: h.j from "
      "−1 to 1. τ in N m | N: h.j from 0 to 4.");
}

TEST_F(TracePlotTest, UnitsHavePanelsWhereTheyAreKnown) {
  write("summary.json", R"({"sliding_joints": ["h.j"]})");
  EXPECT_EQ(description(plot_trace(options({"q.*"}))),
            "Against time from 0 s to 2 s. q in m: h.j from 0 to 1. q in rad: h.w.0 from 1 to 1.");
}

TEST_F(TracePlotTest, DegreesAreForAnglesOnly) {
  write("summary.json", R"({"sliding_joints": ["h.j"]})");
  TracePlotOptions plot = options({"*"});
  plot.degrees = true;
  EXPECT_EQ(description(plot_trace(plot)),
            "Against time from 0 s to 2 s. q in m: h.j from 0 to 1. q in deg: h.w.0 from 57.2958 to 57.2958. v in m/s: "
            "h.j from −1 to 1. τ in N: h.j from 0 to 4.");
  fs::remove(folder_ / "summary.json");
  EXPECT_NE(description(plot_trace(plot)).find("q in deg: h.j from 0 to 57.2958; h.w.0"), std::string::npos);
}

TEST_F(TracePlotTest, AColumnIsDrawnOnce) {
  EXPECT_EQ(count(plot_trace(options({"q.*", "q.h.j", "q.j"})).svg, "<polyline"), 2);
}

TEST_F(TracePlotTest, AWindowEndsBetweenRows) {
  TracePlotOptions plot = options({"tau.j", "v.j"});
  plot.from = 0.25;
  plot.to = 1.5;
  EXPECT_EQ(description(plot_trace(plot)),
            "Against time from 0.25 s to 1.5 s. τ in N m | N: h.j from 0.5 to 3. v in rad/s | m/s: h.j from −1 to 1.");
  plot.from = 1.25;  // Both ends between the same two rows.
  EXPECT_EQ(description(plot_trace(plot)),
            "Against time from 1.25 s to 1.5 s. τ in N m | N: h.j from 2.5 to 3. v in rad/s | m/s: h.j from −1 to −1.");
  plot.from = 1;  // Before and after the jump.
  EXPECT_NE(description(plot_trace(plot)).find("h.j from −1 to 1."), std::string::npos);
}

TEST_F(TracePlotTest, AWindowMustHaveRows) {
  TracePlotOptions plot = options({"q.*"});
  plot.from = 3;
  EXPECT_EQ(message(plot), "there are no rows between t = 3 s and inf s; the trace ends at 2 s");
  plot.from.reset();
  plot.to = -1;
  EXPECT_EQ(message(plot), "there are no rows between t = -inf s and -1 s; the trace starts at 0 s");
  plot.from = 2;
  EXPECT_EQ(message(plot), "-1 s is not after --from 2 s");
  plot.from = std::nan("");
  EXPECT_EQ(message(plot), "expects a time, found nan");
}

TEST_F(TracePlotTest, ATraceWithoutRowsHasNoData) {
  write("states.csv", "t,q.a\n");
  EXPECT_NE(plot_trace(options({"q.*"})).svg.find(">no data<"), std::string::npos);
}

TEST_F(TracePlotTest, AnyFiniteValuesCanBeDrawn) {
  write("states.csv", "t,q.a,v.a\n0,1e308,5e-324\n1e-300,-1e308,0\n1e300,0,-5e-324\n");
  TracePlotOptions plot = options({"*"});
  plot.degrees = true;
  const std::string svg = plot_trace(plot).svg;
  EXPECT_EQ(count(svg, "<polyline"), 2);
  EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0);
}

TEST_F(TracePlotTest, ACutLineIsNoted) {
  write("states.csv", "t,q.a\n0,1\n1,2\n2,");
  write("events.jsonl", "{\"t\":0.2");
  const TracePlot plot = plot_trace(options({"q.*"}));
  ASSERT_EQ(plot.notes.size(), 2u);
  EXPECT_EQ(plot.notes[0], (folder_ / "states.csv").string() + ": note: the last line is cut and was left out");
  EXPECT_NE(plot.notes[1].find("events.jsonl"), std::string::npos);
}

TEST_F(TracePlotTest, ContactsHaveColumns) {
  const std::string header = "t,contact,mode,gap,fN,fT,fU,torsion,vT,vU,uA1,uA2,uB1,uB2,psi,margin\n";
  write("contacts.csv", header +
                            "0,a/h.j,open,0.5,0,0,0,0,0,0,9,9,9,9,9,0\n"
                            "1,a/h.j,roll,0,3,1,0,0,0,0,1,2,3,4,0.5,0.25\n"
                            "1,a/h.j,open,0,0,0,0,0,0,0,9,9,9,9,9,0\n"
                            "2,a/h.j,slide,0,4,2,0,0,0.1,0,2,2,3,4,0.5,-1\n"
                            "2,a/h.k,slide,0,7,2,0,0,0.1,0,2,2,3,4,0.5,-1\n");
  // Forces of what is apart are zero; where it touches, it has no place. Joints and contacts stand in one picture.
  const TracePlot plot = plot_trace(options({"fN.*", "uA1.a/h.j", "margin.a/h.j", "gap.a/h.j", "tau.*"}));
  EXPECT_EQ(description(plot),
            "Against time from 0 s to 2 s. fN in N: a/h.j from 0 to 4; a/h.k from 0 to 7. uA1: a/h.j from 1 to 2. "
            "margin: a/h.j from −1 to 0.25. gap in m: a/h.j from 0 to 0.5. τ in N m | N: h.j from 0 to 4.");
  EXPECT_EQ(count(plot.svg, "<polyline"), 2 + 2 + 2 + 1 + 1);        // parted where it is apart
  EXPECT_EQ(count(plot_trace(options({"*"})).svg, "<polyline"), 4);  // of states.csv only
  EXPECT_NE(message(options({"fN.b*"})).find("columns: fN.a/h.j, fN.a/h.k"), std::string::npos)
      << message(options({"fN.b*"}));
  fs::remove(folder_ / "contacts.csv");
  EXPECT_NE(message(options({"fN.*"})).find("no column fits"), std::string::npos);
}

TEST_F(TracePlotTest, EventsAreMarkedByKind) {
  std::string events;
  for (const auto& [t, kind] : {std::pair{0.5, "impact"}, {0.5, "limit_on"}, {1.0, "impact"}, {9.0, "impact"}}) {
    events += fmt::format("{{\"t\":{},\"kind\":\"{}\",\"where\":\"h.j\",\"cause\":\"upper <stop>\"}}\n", t, kind);
  }
  write("events.jsonl", events);
  TracePlotOptions plot = options({"q.*"});
  const TracePlot marked = plot_trace(plot);
  EXPECT_EQ(count(marked.svg, "<title>impact at t = "), 2);  // The third is after the end.
  EXPECT_EQ(count(marked.svg, "<title>limit_on at t = 0.5 s, h.j: upper &lt;stop&gt;</title>"), 1);
  plot.events = false;
  EXPECT_EQ(count(plot_trace(plot).svg, "impact"), 0);
}

TEST_F(TracePlotTest, EventsOnOnePixelAreOneMark) {
  std::string events;
  for (int i = 0; i < 1000; ++i) {
    events += fmt::format("{{\"t\":{},\"kind\":\"impact\",\"where\":\"h.j\",\"cause\":\"\"}}\n", 1 + i * 1e-9);
  }
  write("events.jsonl", events);
  const TracePlot plot = plot_trace(options({"q.*"}));
  EXPECT_EQ(count(plot.svg, "<title>impact at t = 1 s, h.j; and 999 more until t = 1.000001 s</title>"), 1);
}

TEST_F(TracePlotTest, ALongTraceGivesASmallFile) {
  std::ofstream file(folder_ / "states.csv", std::ios::binary);
  file << "t,q.a\n";
  for (int i = 0; i < 200000; ++i) file << fmt::format("{},{}\n", i * 1e-3, std::sin(i * 1e-4) + 0.01 * std::sin(i));
  file.close();
  // At most 4 points for each of at most 1440 bins, of 14 bytes.
  EXPECT_LT(plot_trace(options({"q.*"})).svg.size(), 4u * 1440 * 14 + 6000);
}

TEST_F(TracePlotTest, TooManyColumnsAreNoPicture) {
  std::string header = "t";
  for (int i = 0; i < 300; ++i) header += fmt::format(",q.j{}", i);
  write("states.csv", header + "\n");
  EXPECT_EQ(message(options({"q.*"})), "300 columns fit; at most 256 can be plotted at once");
}

TEST_F(TracePlotTest, TooSmallASizeIsBadInput) {
  TracePlotOptions plot = options({"q.*", "v.*"});
  plot.width = 400;
  plot.height = 100;
  EXPECT_NE(message(plot).find("a height of 100 is too little for 2 rows of panels; it takes at least "),
            std::string::npos);
}

}  // namespace
}  // namespace thenar::trace_plot_test
