// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/map_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "thenar/base/diagnostic.h"
#include "thenar/io/plot/png.h"
#include "thenar/io/plot/svg_plot.h"

namespace thenar::map_plot_test {
namespace {

namespace fs = std::filesystem;

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

bool has(const std::string& text, const std::string& part) { return count(text, part) > 0; }

/// A region of so many modes in the square [from, from + 1] × [0, 1].
MapRegion make_region(const std::string& modes, Verdict verdict, double from = 0) {
  return {verdict, modes, {{{from, 0}, {from + 1, 0}, {from + 1, 1}, {from, 1}}}, 0.5, {from + 0.5, 0.5}, 0.5, 0.5};
}

WrittenAxis make_axis(const std::string& name, double to) { return {{name, 0, to, 3}, "", 1, {}}; }

std::string draw(const std::vector<MapRegion>& regions, bool is_determinate = false) {
  const WrittenAxis x = make_axis("tau_1", static_cast<double>(regions.size())), y = make_axis("tau_2", 1);
  MapRegions all{x.axis, y.axis, regions, {}, 0, 0, true};
  if (is_determinate) all.determinate = regions[0].loops;
  return plot_map(all, x, y);
}

TEST(MapPlot, EveryRegionIsFilledAndInTheLegend) {
  const std::string svg = draw({make_region("RR", Verdict::unique), make_region("SS", Verdict::unique, 1)});
  EXPECT_EQ(count(svg, "fill-rule=\"evenodd\""), 4);  // Regions and swatches.
  EXPECT_EQ(count(svg, ">RR</text>"), 2);             // In the legend and in the region.
  EXPECT_EQ(count(svg, ">RR: 50 % of the area</title>"), 2);
  EXPECT_TRUE(has(svg, ">tau_1</text>") && has(svg, ">tau_2</text>"));
  EXPECT_TRUE(has(svg, "<desc>Over tau_1 from 0 to 2 and tau_2 from 0 to 1."));
  EXPECT_FALSE(has(svg, "<pattern") || has(svg, "stroke-dasharray"));
}

TEST(MapPlot, TextureTellsTheVerdict) {
  const std::string several = draw({make_region("RR|SS", Verdict::several)});
  EXPECT_EQ(count(several, "url(#thenar-hatch)"), 2);
  EXPECT_TRUE(has(several, ">RR|SS (several)</text>"));
  const std::string forces = draw({make_region("RR", Verdict::unique_motion)});
  EXPECT_EQ(count(forces, "url(#thenar-dots)"), 2);
  EXPECT_TRUE(has(forces, ">RR (forces not unique)</text>"));
  EXPECT_TRUE(has(draw({make_region("", Verdict::none)}), "fill=\"#444\" fill-rule"));
  EXPECT_TRUE(has(draw({make_region("R", Verdict::undecided)}), "fill=\"#CCC\" fill-rule"));
  EXPECT_TRUE(has(draw({make_region("R", Verdict::undecided)}), ">R (undecided)</text>"));
}

TEST(MapPlot, WhereTheAnswerIsDeterminateHasADashedOutline) {
  const std::string svg = draw({make_region("RR", Verdict::unique)}, true);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"5 3\""), 2);  // With the swatch.
  EXPECT_TRUE(has(svg, ">determinate within</text>"));
}

TEST(MapPlot, ColoursBelongToModes) {
  const auto region = [](const char* modes) { return make_region(modes, Verdict::unique); };
  // Those of Fig. 7 of YY, whatever is missing.
  EXPECT_EQ(choose_colours({region("RR"), region("RS"), region("SR"), region("SS")}), (std::vector{0, 1, 4, 5}));
  EXPECT_EQ(choose_colours({region("SS")}), (std::vector{5}));
  // The same modes with another verdict have the same colour; several give way to single ones.
  const std::vector<int> colours = choose_colours(
      {make_region("RR", Verdict::unique), make_region("RR", Verdict::undecided),
       make_region("RR|SS", Verdict::several), make_region("RS", Verdict::unique), make_region("SR", Verdict::unique)});
  EXPECT_EQ(colours[0], 0);
  EXPECT_EQ(colours[1], 0);
  EXPECT_EQ(colours[3], 1);
  EXPECT_EQ(colours[4], 4);
  EXPECT_NE(colours[2], 0);
  EXPECT_NE(colours[2], 1);
  EXPECT_NE(colours[2], 4);
  // BR would like the colour of RR, and comes first, unless it is smaller.
  EXPECT_EQ(choose_colours({region("BR"), region("RR")}), (std::vector{0, 1}));
  std::vector<MapRegion> unequal{region("BR"), region("RR")};
  unequal[0].share = 0.1;
  unequal[1].share = 0.9;
  EXPECT_EQ(choose_colours(unequal), (std::vector{1, 0}));
}

TEST(MapPlot, EightSetsOfModesHaveEightColours) {
  std::vector<MapRegion> regions;
  for (const char* modes : {"BB", "BR", "BR|RR", "BS", "RR", "RR|SS", "RS", "SS"}) {
    regions.push_back(make_region(modes, Verdict::unique));
  }
  std::vector<int> colours = choose_colours(regions);
  std::sort(colours.begin(), colours.end());
  EXPECT_EQ(colours, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  regions.push_back(make_region("SB", Verdict::unique));  // The ninth shares one.
  EXPECT_EQ(choose_colours(regions).size(), 9u);
}

TEST(MapPlot, UnitsAreThoseOfTheAxes) {
  const double degree = std::numbers::pi / 180;
  const WrittenAxis x{{"tilt", 0, 60 * degree, 3}, "deg", degree, {}}, y = make_axis("mu", 1);
  MapRegion region = make_region("R", Verdict::unique);
  region.loops = {{{0, 0}, {60 * degree, 0}, {60 * degree, 1}, {0, 1}}};
  const std::string svg = plot_map({x.axis, y.axis, {region}, {}, 0, 0, true}, x, y);
  EXPECT_TRUE(has(svg, ">tilt (deg)</text>"));
  EXPECT_TRUE(has(svg, ">60</text>"));
}

TEST(MapPlot, TextsThatDoNotFitAreLeftOut) {
  MapRegion region = make_region("RRRRRRRR", Verdict::unique);
  region.half_width = 0.01;
  EXPECT_EQ(count(draw({region}), ">RRRRRRRR</text>"), 1);  // In the legend alone.
}

TEST(ParseMapAxis, ReadsNumbersAndUnits) {
  const WrittenAxis plain = parse_map_axis("mu=0.1:0.9:200", "--x");
  EXPECT_EQ(plain.axis, (MapAxis{"mu", 0.1, 0.9, 200}));
  EXPECT_EQ(plain.unit, "");
  const WrittenAxis angle = parse_map_axis(" objects[0].pose.rpy[1] = -10 deg : 90 deg : 50", "--x");
  EXPECT_EQ(angle.axis.name, "objects[0].pose.rpy[1]");
  EXPECT_DOUBLE_EQ(angle.axis.to, std::numbers::pi / 2);
  EXPECT_EQ(angle.unit, "deg");
  EXPECT_DOUBLE_EQ(angle.shown(angle.axis.from), -10);
  const WrittenAxis torque = parse_map_axis("tau=0:5 N m:3", "--x");
  EXPECT_EQ(torque.unit, "N m");
  EXPECT_EQ(torque.axis.to, 5);
  EXPECT_EQ(parse_map_axis("'a=b'.c=0:1:2", "--x").axis.name, "'a=b'.c");
}

TEST(ParseMapAxis, SaysWhatItExpects) {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_map_axis(text, "--y");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  for (const char* bad :
       {"", "mu", "mu=", "mu=0:1", "mu=0:1:2:3", "=0:1:5", "mu=a:1:5", "mu=0:1 parsec:5", "mu=0:inf:5", "mu=0:1:1",
        "mu=0:1:2.5", "mu=0:1:x", "mu=0:1:10001", "mu=1 m:1 s:5", "mu=1 m:2:5"}) {
    EXPECT_TRUE(has(message(bad), "--y: error: expects NAME=FROM:TO:COUNT, such as mu=0.1:0.9:200"))
        << bad << message(bad);
  }
  EXPECT_TRUE(has(message("mu=0:1:1"), "COUNT is a whole number from 2 to 10000, found '1'"));
  EXPECT_TRUE(has(message("mu=1 m:1 s:5"), "FROM and TO have different units"));
}

TEST(DescribeInstant, ModesAreSortedAndUnique) {
  Instant instant;
  instant.verdict = Verdict::several;
  for (const auto& modes :
       {std::vector{ContactMode::slide, ContactMode::open}, std::vector{ContactMode::roll, ContactMode::stick},
        std::vector{ContactMode::slide, ContactMode::open}}) {
    instant.cells.emplace_back().modes = modes;
  }
  EXPECT_EQ(describe_instant(instant), (MapPoint{Verdict::several, false, "RF|SB"}));
  EXPECT_EQ(describe_instant({}).modes, "");
}

/// Files in a folder that goes with the test.
class ScenarioMapFiles : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path write_ball(const std::string& more = "") const {
    return write("ball.yaml",
                 "thenar: 1\nname: ball\nparameters: {mu: 0.3, height: 5 cm, load: 2 N m}\nobjects:\n"
                 "  - {name: ball, shape: {sphere: 0.05}, mass: 0.2, pose: {xyz: [0, 0, $height]}}\n"
                 "contacts: {friction: $mu}\nrun: {until: 1}\n" +
                     more);
  }
  static std::string message(const fs::path& file, const char* x, const char* y) {
    try {
      ScenarioMap(ScenarioDocument(file), parse_map_axis(x, "--x"), parse_map_axis(y, "--y"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_ = fs::path(testing::TempDir()) /
                     (std::string("thenar_map_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ScenarioMapFiles, NamesAreParametersOrPaths) {
  const fs::path file = write_ball();
  EXPECT_EQ(message(file, "mu=0:1:3", "objects.ball.mass=1:2:3"), "");
  EXPECT_TRUE(has(message(file, "muu=0:1:3", "load=1:2:3"),
                  "--x: error: there is no parameter 'muu' (did you mean 'mu'?); parameters: mu, height, load"));
  EXPECT_TRUE(has(message(file, "mu=0:1:3", "parameters.mu=1:2:3"), "--y: error: is the same entry as --x"));
  EXPECT_TRUE(has(message(file, "mu=0:1:3", "objects.bal.mass=1:2:3"), "did you mean 'ball'?"));
  EXPECT_TRUE(has(message(file, "mu=0:1 m:3", "load=1:2:3"), "a length (m)")) << "units are those of the entry";
  EXPECT_EQ(message(file, "height=50 mm:10 cm:3", "load=1 N m:2 N m:3"), "");
  EXPECT_TRUE(has(message(file, "mu=1:0:3", "load=1:2:3"), "the first less than the second"));
  EXPECT_TRUE(has(message(file, "mu=-1:0:3", "load=1:2:3"), "friction"))
      << "the scenario is built where the map begins";
}

TEST_F(ScenarioMapFiles, UnitsOfParametersAreBorrowedWhereTheyAreSi) {
  const ScenarioMap map(ScenarioDocument(write_ball()), parse_map_axis("load=0:1:3", "--x"),
                        parse_map_axis("height=0.05:0.1:3", "--y"));
  EXPECT_EQ(map.x().unit, "N m");
  EXPECT_EQ(map.y().unit, "");  // Written in cm, which the numbers of the axis are not.
}

TEST_F(ScenarioMapFiles, IdentityIsOfWhatMatters) {
  const auto identity = [](const fs::path& file) {
    return ScenarioMap(ScenarioDocument(file), parse_map_axis("mu=0.1:1:3", "--x"), parse_map_axis("load=0:1:3", "--y"))
        .identity();
  };
  const auto first = identity(write_ball());
  EXPECT_EQ(identity(write_ball("# a comment\n")), first);
  EXPECT_NE(identity(write_ball("gravity: [0, 0, -1]\n")), first);
  // The value of an entry that the map varies does not matter.
  std::ostringstream text;
  text << std::ifstream(write_ball()).rdbuf();
  std::string changed = text.str();
  changed.replace(changed.find("mu: 0.3"), 7, "mu: 0.4");
  EXPECT_EQ(identity(write("ball.yaml", changed)), first);
}

TEST_F(ScenarioMapFiles, AModelIsReadOnceAndCountsForTheFingerprint) {
  const auto model = [&](double mass) {
    return write("arm.yaml",
                 "thenar: 1\nname: arm\nbodies: [{name: link, joint: {name: hinge, type: revolute}, mass: " +
                     std::to_string(mass) + ", inertia: [1, 1, 1]}]\n");
  };
  const fs::path file = write("scene.yaml", "thenar: 1\nhands: [{name: a, model: arm.yaml}]\nrun: {until: 1}\n");
  model(1);
  ScenarioDocument document(file);
  const auto unread = document.fingerprint();
  EXPECT_EQ(document.build().name, "scene");
  const auto first = document.fingerprint();
  EXPECT_NE(first, unread);
  const fs::path changed = model(2);
  EXPECT_EQ(document.fingerprint(), first);
  document.build();  // From memory.
  EXPECT_EQ(document.fingerprint(), first);
  ScenarioDocument other(file);
  other.build();
  EXPECT_NE(other.fingerprint(), first);
}

TEST_F(ScenarioMapFiles, PngIsDrawnInProportion) {
  const std::string svg = draw({make_region("RR", Verdict::unique)});
  const auto read_size = [&](const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    const std::string bytes = text.str();
    EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
    // Width and height stand at 16 and 20, the most significant byte first.
    const auto number = [&](std::size_t at) {
      return static_cast<unsigned char>(bytes[at + 2]) * 256 + static_cast<unsigned char>(bytes[at + 3]);
    };
    return std::pair(number(16), number(20));
  };
  write_png(svg, 320, folder_ / "map.png");
  EXPECT_EQ(read_size(folder_ / "map.png"), std::pair(320, 280));
  write_picture(svg, folder_ / "big.PNG");
  EXPECT_EQ(read_size(folder_ / "big.PNG"), std::pair(1280, 1120));
  write_picture(svg, folder_ / "map.svg");
  EXPECT_EQ(fs::file_size(folder_ / "map.svg"), svg.size());
}

TEST_F(ScenarioMapFiles, PngTellsWhatIsWrong) {
  EXPECT_THROW(write_png("no picture", 100, folder_ / "a.png"), std::runtime_error);
  EXPECT_THROW(write_png(draw({}), 1'000'000, folder_ / "a.png"), std::runtime_error);
  EXPECT_THROW(write_png(draw({make_region("R", Verdict::none)}), 0, folder_ / "missing" / "a.png"),
               std::runtime_error);
  EXPECT_FALSE(fs::exists(folder_ / "a.png"));
}

}  // namespace
}  // namespace thenar::map_plot_test
