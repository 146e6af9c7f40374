// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/instant_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numbers>
#include <set>
#include <sstream>
#include <stdexcept>

#include "thenar/base/diagnostic.h"
#include "thenar/io/plot/map_file.h"
#include "thenar/study/map_regions.h"

namespace thenar::instant_map_test {
namespace {

namespace fs = std::filesystem;

const MapPoint kRoll{Verdict::unique, true, "RR"}, kSlide{Verdict::unique, true, "SS"},
    kSeveral{Verdict::several, false, "RR|SS"}, kNone{Verdict::none, false, ""};

constexpr double kRadius = 0.7;
MapPoint disc(double x, double y) { return std::hypot(x, y) < kRadius ? kRoll : kSlide; }
/// Three regions that meet in a point inside of a cell, with borders of any slope.
MapPoint wedge(double x, double y) {
  const double angle = std::atan2(y - 0.013, x + 0.127);
  return angle < -1.1 ? kRoll : angle < 0.9 ? kSlide : kSeveral;
}
MapPoint stripes(double x, double y) { return std::sin(9 * x + 4 * y) > 0 ? kRoll : kNone; }

MapFunctionMaker same_for_all(MapPoint (*function)(double, double)) {
  return [function] { return MapFunction(function); };
}

MapGrid make_grid(int nx, int ny) { return {{"x", -1, 1, nx}, {"y", -1, 1, ny}, {}}; }

MapRegions find(MapPoint (*function)(double, double), MapGrid grid, const MapRefinement& refinement = {},
                int threads = 1) {
  MapWorkers workers(same_for_all(function), {.threads = threads});
  complete_grid(grid, workers, [](std::span<const MapPoint>) {});
  return find_regions(grid, workers, refinement);
}

const MapRegion& region_of(const MapRegions& regions, const MapPoint& point) {
  for (const MapRegion& region : regions.regions) {
    if (region.modes == point.modes && region.verdict == point.verdict) return region;
  }
  throw std::logic_error("no such region");
}

double area_of(const MapLoop& loop) {
  double twice = 0;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const PlotPoint a = loop[i], b = loop[(i + 1) % loop.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  return twice / 2;
}

/// A folder that goes with the test.
class MapFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("map_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "map.csv"; }
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path(), std::ios::binary).rdbuf();
    return out.str();
  }
  void write(const std::string& content) const {
    fs::create_directories(folder_);
    std::ofstream(path(), std::ios::binary) << content;
  }
  MapFile open(const MapGrid& grid, bool replaces = false) const {
    return MapFile(path(), {"scenario test"}, grid.x, grid.y, replaces);
  }
  /// Computes a whole map into the file, or goes on with it.
  MapGrid compute(MapPoint (*function)(double, double), const MapGrid& wanted, int threads = 1) const {
    MapFile file = open(wanted);
    MapGrid grid = file.found();
    MapWorkers workers(same_for_all(function), {.threads = threads});
    EXPECT_TRUE(complete_grid(grid, workers, [&](std::span<const MapPoint> points) { file.append(points); }));
    return grid;
  }
  std::string message(const MapGrid& grid) const {
    try {
      open(grid);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST(MapAxis, EndsAreExact) {
  const MapAxis axis{"x", 0.1, 0.9, 7};
  EXPECT_EQ(axis.at(0), 0.1);
  EXPECT_EQ(axis.at(6), 0.9);
  for (int i = 0; i < 6; ++i) EXPECT_LT(axis.at(i), axis.at(i + 1));
}

TEST(MapAxis, RefusesWhatIsNoAxis) {
  const MapAxis good{"y", 0, 1, 5};
  const double nan = std::nan("");
  for (const MapAxis& bad :
       {MapAxis{"x", 0, 1, 1}, MapAxis{"x", 1, 0, 5}, MapAxis{"x", 1, 1, 5}, MapAxis{"x", nan, 1, 5},
        MapAxis{"x", -1e308, 1e308, 5}, MapAxis{"x", 0, 1, 10'001}, MapAxis{"x", 1, 1 + 1e-14, 5}}) {
    EXPECT_THROW(validate(bad, good), std::invalid_argument) << bad.from << " " << bad.to << " " << bad.count;
  }
  EXPECT_THROW(validate({"x", 0, 1, 10'000}, {"y", 0, 1, 10'000}), std::invalid_argument);
  EXPECT_NO_THROW(validate(good, good));
}

TEST(InstantMap, XVariesFirst) {
  MapGrid grid{{"x", 0, 2, 3}, {"y", 10, 11, 2}, {}};
  std::mutex mutex;
  std::set<std::pair<double, double>> asked;
  MapWorkers workers(
      [&] {
        return [&](double x, double y) {
          const std::lock_guard lock(mutex);
          asked.emplace(x, y);
          return MapPoint{Verdict::unique, x > y - 10, ""};
        };
      },
      {.threads = 2});
  ASSERT_TRUE(complete_grid(grid, workers, [](std::span<const MapPoint>) {}));
  EXPECT_EQ(asked.size(), 6u);
  EXPECT_EQ(grid.place(1), (PlotPoint{1, 10}));
  EXPECT_EQ(grid.place(3), (PlotPoint{0, 11}));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(grid.points[i].determinate, grid.place(i).x > grid.place(i).y - 10);
  }
}

TEST(InstantMap, EachThreadHasAFunctionOfItsOwn) {
  // The functions count their calls without any lock: sharing one would be a race, and here a wrong sum.
  std::vector<std::shared_ptr<int>> counts;
  MapWorkers workers(
      [&]() -> MapFunction {
        counts.push_back(std::make_shared<int>(0));
        return [count = counts.back()](double, double) { return ++*count, kRoll; };
      },
      {.threads = 4});
  MapGrid grid = make_grid(100, 100);
  complete_grid(grid, workers, [](std::span<const MapPoint>) {});
  ASSERT_EQ(counts.size(), 4u);
  EXPECT_EQ(*counts[0] + *counts[1] + *counts[2] + *counts[3], 10'000);
}

TEST(InstantMap, TheFirstErrorOfTheGridIsToldForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    MapGrid grid = make_grid(50, 50);
    MapWorkers workers(
        [&] {
          return [](double x, double y) -> MapPoint {
            if (x > 0.5 && y > 0.25) throw std::runtime_error(std::to_string(x) + " " + std::to_string(y));
            return kRoll;
          };
        },
        {.threads = threads});
    try {
      complete_grid(grid, workers, [](std::span<const MapPoint>) {});
      FAIL() << "no error";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "0.510204 0.265306");
    }
  }
}

TEST(InstantMap, ProgressCountsUpToTheWhole) {
  std::size_t last = 0;
  MapGrid grid = make_grid(20, 10);
  MapWorkers workers(same_for_all(disc), {.threads = 3, .on_progress = [&](std::size_t done, std::size_t total) {
                                            EXPECT_GT(done, last);
                                            EXPECT_EQ(total, 200u);
                                            last = done;
                                          }});
  complete_grid(grid, workers, [](std::span<const MapPoint>) {});
  EXPECT_EQ(last, 200u);
}

TEST(MapRegions, AreaOfADiscConverges) {
  // Outlines are right to 1/128 of a cell where they cross its edges, in either direction: the area is right to a
  // fraction of perimeter · cell / 128. Sagging between the crossings is bounded by the test of straight lines.
  const double truth = std::numbers::pi * kRadius * kRadius;
  for (const int n : {9, 17, 33, 65, 129}) {
    const MapRegions regions = find(disc, make_grid(n, n));
    const double cell = 2.0 / (n - 1), perimeter = 2 * std::numbers::pi * kRadius;
    EXPECT_NEAR(4 * region_of(regions, kRoll).share, truth, perimeter * cell / 64) << n;
    EXPECT_NEAR(region_of(regions, kRoll).share + region_of(regions, kSlide).share, 1, 1e-12) << n;
    EXPECT_TRUE(regions.is_refined);
    EXPECT_GT(regions.points, 0u);
  }
}

TEST(MapRegions, OutlineOfADiscIsWithinAPartOfACell) {
  const int n = 33;
  const double part = 2.0 / (n - 1) / 64;
  const MapRegions regions = find(disc, make_grid(n, n));
  const MapRegion& roll = region_of(regions, kRoll);
  ASSERT_EQ(roll.loops.size(), 1u);
  EXPECT_GT(area_of(roll.loops[0]), 0) << "counterclockwise";
  for (const PlotPoint& point : roll.loops[0]) EXPECT_NEAR(std::hypot(point.x, point.y), kRadius, part);
  // Also between its points: the line sags by less than what the test of straight lines lets pass, two parts.
  for (std::size_t i = 0; i < roll.loops[0].size(); ++i) {
    const PlotPoint a = roll.loops[0][i], b = roll.loops[0][(i + 1) % roll.loops[0].size()];
    EXPECT_NEAR(std::hypot((a.x + b.x) / 2, (a.y + b.y) / 2), kRadius, 3 * part);
  }
  // The other region has the frame and, as a hole, the same circle.
  EXPECT_EQ(region_of(regions, kSlide).loops.size(), 2u);
}

TEST(MapRegions, StraightBordersTakeFewPoints) {
  // On average an edge of the grid is bisected in 6 steps, and a line is confirmed by 2 points.
  const int n = 41;
  const auto half = [](double x, double y) { return 3 * x + y < 0.217 ? kRoll : kSlide; };
  const MapRegions regions = find(+half, make_grid(n, n));
  const double cells_crossed = (n - 1) * (1 + 1.0 / 3);
  EXPECT_LE(regions.points, static_cast<std::size_t>(9 * cells_crossed));
  const double part = 2.0 / (n - 1) / 64;
  for (const PlotPoint& point : region_of(regions, kRoll).loops[0]) {
    if (std::abs(point.x) == 1 || std::abs(point.y) == 1) continue;  // The frame.
    EXPECT_NEAR(3 * point.x + point.y, 0.217, 3 * part);
  }
}

TEST(MapRegions, ThreeRegionsMeetWhereTheyShould) {
  const int n = 21;
  const MapRegions regions = find(wedge, make_grid(n, n));
  ASSERT_EQ(regions.regions.size(), 3u);
  const double cell = 2.0 / (n - 1);
  for (const MapRegion& region : regions.regions) {
    double nearest = 10;
    for (const PlotPoint& p : region.loops[0]) nearest = std::min(nearest, std::hypot(p.x + 0.127, p.y - 0.013));
    // Drawn as a star in the smallest square, 1/16 of a cell.
    EXPECT_LT(nearest, cell / 16) << region.modes;
  }
  EXPECT_NEAR(regions.determinate_share, 1 - region_of(regions, kSeveral).share, 1e-12);
}

TEST(MapRegions, SharesOfStripesConverge) {
  // Truth by the midpoint rule on a grid so fine that it is right to about 1e-4.
  long long inside = 0;
  const int fine = 2000;
  for (int i = 0; i < fine; ++i) {
    for (int j = 0; j < fine; ++j) inside += stripes(-1 + (i + 0.5) * 2 / fine, -1 + (j + 0.5) * 2 / fine) == kRoll;
  }
  const double truth = static_cast<double>(inside) / fine / fine;
  for (const int n : {33, 65}) {
    const MapRegions regions = find(stripes, make_grid(n, n));
    EXPECT_NEAR(region_of(regions, kRoll).share, truth, 5e-4);
    EXPECT_NEAR(region_of(regions, kRoll).share + region_of(regions, kNone).share, 1, 1e-12);
  }
}

TEST(MapRegions, LessRefinementIsLessExact) {
  const double truth = std::numbers::pi * kRadius * kRadius / 4;
  const auto error = [&](const MapRefinement& refinement) {
    return std::abs(region_of(find(disc, make_grid(17, 17), refinement), kRoll).share - truth);
  };
  EXPECT_GT(error({.parts = 1, .depth = 0}), 4 * error({}));
  EXPECT_EQ(find(disc, make_grid(17, 17), {.parts = 1, .depth = 0}).points, 0u);
}

TEST(MapRegions, ALimitEndsTheRefinementAndIsTold) {
  const MapRegions regions = find(disc, make_grid(33, 33), {.most_points = 200});
  EXPECT_FALSE(regions.is_refined);
  EXPECT_LE(regions.points, 200u);
  EXPECT_NEAR(region_of(regions, kRoll).share + region_of(regions, kSlide).share, 1, 1e-12);
}

TEST(MapRegions, ABulgeThroughAnEdgeIsSeenFromBothSides) {
  // The circle bulges by 0.05 over a line of the grid between two of its points; the cell below is refined, and the
  // cell above, whose corners agree, must follow.
  const auto bulge = [](double x, double y) { return std::hypot(x - 0.1, y + 0.35) < 0.4 ? kRoll : kSlide; };
  const MapRegions regions = find(+bulge, {{"x", -1, 1, 11}, {"y", -1, 1, 11}, {}});
  double top = -1;
  for (const PlotPoint& p : region_of(regions, kRoll).loops[0]) top = std::max(top, p.y);
  EXPECT_NEAR(top, 0.05, 0.2 / 64 * 2);
}

TEST(MapRegions, AStripeFoundOnceIsFollowed) {
  // Narrower than a cell and between two columns of points, so that only the curved border that it crosses shows it.
  // Another border comes down on it further up, where the edges that it crosses change in two places.
  const auto stripe = [](double x, double y) {
    if (x > 0.23 && x < 0.3) return kNone;
    return std::hypot(x - 0.28, y + 0.6) < 0.13 || y > 1.2 - 1.5 * x ? kRoll : kSlide;
  };
  const MapRegions regions = find(+stripe, make_grid(11, 11));
  const MapRegion& none = region_of(regions, kNone);
  ASSERT_EQ(none.loops.size(), 1u);
  // Either border is right to half a part, 0.2 / 128, of a width of 2.
  EXPECT_NEAR(none.share, 0.07 / 2, 0.2 / 128);
}

TEST(MapRegions, SameForAnyNumberOfThreads) {
  const MapRegions one = find(wedge, make_grid(30, 20)), four = find(wedge, make_grid(30, 20), {}, 4);
  ASSERT_EQ(one.regions.size(), four.regions.size());
  EXPECT_EQ(one.points, four.points);
  for (std::size_t i = 0; i < one.regions.size(); ++i) EXPECT_EQ(one.regions[i].loops, four.regions[i].loops);
}

TEST(MapRegions, TheMiddleLiesInsideWithItsBox) {
  const MapRegions regions = find(disc, make_grid(41, 41));
  const MapRegion& roll = region_of(regions, kRoll);
  EXPECT_NEAR(roll.middle.x, 0, 0.05);
  EXPECT_NEAR(roll.middle.y, 0, 0.05);
  // The largest square in a circle.
  EXPECT_NEAR(roll.half_width, kRadius / std::sqrt(2), 0.05);
  EXPECT_NEAR(roll.half_height, kRadius / std::sqrt(2), 0.05);
}

TEST(MapRegions, RefusesBadOptions) {
  MapGrid grid = make_grid(3, 3);
  MapWorkers workers(same_for_all(disc), {.threads = 1});
  EXPECT_THROW(find_regions(grid, workers), std::invalid_argument);  // Not complete.
  complete_grid(grid, workers, [](std::span<const MapPoint>) {});
  EXPECT_THROW(find_regions(grid, workers, {.parts = 48}), std::invalid_argument);
  EXPECT_THROW(find_regions(grid, workers, {.parts = 8, .depth = 4}), std::invalid_argument);
}

TEST_F(MapFiles, HasTheColumnsAndReadsBackBitEqual) {
  const MapGrid wanted{{"mu", 0.1, 1.0 / 3, 7}, {"load", -1e-7, 5, 4}, {}};
  const MapGrid grid = compute(wedge, wanted);
  EXPECT_NE(text().find("\nx,y,verdict,determinate,modes\n0.1,-1e-07,"), std::string::npos);
  const MapFile again = open(wanted);
  EXPECT_TRUE(again.found().is_complete());
  EXPECT_EQ(again.found().points, grid.points);
  std::istringstream lines(text());
  std::string line;
  for (std::size_t row = 0; std::getline(lines, line);) {
    if (line[0] == '#' || line[0] == 'x') continue;
    const std::size_t comma = line.find(',');
    EXPECT_EQ(std::stod(line), grid.place(row).x);
    EXPECT_EQ(std::stod(line.substr(comma + 1)), grid.place(row).y);
    ++row;
  }
}

TEST_F(MapFiles, SameBytesForOneAndFourThreads) {
  compute(stripes, make_grid(40, 30));
  const std::string one = text();
  fs::remove(path());
  compute(stripes, make_grid(40, 30), 4);
  EXPECT_EQ(text(), one);
}

TEST_F(MapFiles, GoesOnAfterAnInterruption) {
  const MapGrid wanted = make_grid(40, 30);
  compute(wedge, wanted);
  const std::string whole = text();
  fs::remove(path());
  // Interrupted from within, then cut inside a row as by a crash.
  std::atomic<bool> interrupt{false};
  std::atomic<int> count{0};
  {
    MapFile file = open(wanted);
    MapGrid grid = file.found();
    MapWorkers workers(
        [&] {
          return [&](double x, double y) {
            if (++count == 500) interrupt = true;
            return wedge(x, y);
          };
        },
        {.threads = 4, .interrupt = &interrupt});
    EXPECT_FALSE(complete_grid(grid, workers, [&](std::span<const MapPoint> points) { file.append(points); }));
    EXPECT_GE(grid.points.size(), 500u - 4 * 8);  // A block of each thread may lie behind a gap.
    EXPECT_LE(grid.points.size(), 504u);
  }
  const std::string partial = text();
  EXPECT_EQ(whole.substr(0, partial.size()), partial);
  write(partial.substr(0, partial.size() - 3));
  const MapFile resumed = open(wanted);
  EXPECT_GT(resumed.found().points.size(), 450u);
  compute(wedge, wanted, 2);
  EXPECT_EQ(text(), whole);
}

TEST_F(MapFiles, CutAnywhereItGoesOn) {
  const MapGrid wanted = make_grid(4, 3);
  compute(wedge, wanted);
  const std::string whole = text();
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    write(whole.substr(0, length));
    compute(wedge, wanted);
    EXPECT_EQ(text(), whole) << length;
  }
}

TEST_F(MapFiles, RefusesFilesOfOtherMapsAndKeepsThem) {
  const MapGrid grid = make_grid(4, 3);
  compute(wedge, grid);
  const std::string whole = text();
  MapGrid other = grid;
  other.x.to = 2;
  EXPECT_NE(
      message(other).find(":3: error: this file is of another map: it has '# x x from -1 to 1, 4 points', this map "
                          "'# x x from -1 to 2, 4 points'"),
      std::string::npos)
      << message(other);
  EXPECT_NE(message(other).find("--force"), std::string::npos);
  EXPECT_EQ(text(), whole);
  EXPECT_EQ(open(other, true).found().points.size(), 0u);  // --force
  for (const char* foreign : {"t,q.a\n0,1\n", "x", "# thenar map 2\n"}) {
    write(foreign);
    EXPECT_NE(message(grid).find(":1: error: this file exists and is no map of thenar"), std::string::npos) << foreign;
    EXPECT_EQ(text(), foreign);
  }
}

TEST_F(MapFiles, RefusesRowsThatDoNotBelong) {
  const MapGrid grid = make_grid(4, 3);
  compute(wedge, grid);
  const std::string whole = text(), row = "-1,-1,unique,true,RR\n";
  const std::size_t first = whole.find(row);
  ASSERT_NE(first, std::string::npos);
  for (const char* bad : {"-1,-1,unique,true,RX\n", "-1,-1,unique,yes,RR\n", "-1,-1,perhaps,true,RR\n",
                          "-1,0,unique,true,RR\n", "-1,-1,unique,true\n", "\n"}) {
    std::string changed = whole;
    changed.replace(first, row.size(), bad);
    write(changed);
    EXPECT_NE(message(grid).find(":6: error: this is not the row that belongs here"), std::string::npos) << bad;
  }
  write(whole + row);
  EXPECT_NE(message(grid).find("more rows than the map has points"), std::string::npos);
}

TEST_F(MapFiles, TellsWhenItCannotBeWritten) {
  write("");
  const MapGrid grid = make_grid(3, 3);
  EXPECT_THROW(MapFile(path() / "inside_a_file.csv", {}, grid.x, grid.y), std::runtime_error);
  EXPECT_THROW(MapFile(folder_, {}, grid.x, grid.y), std::runtime_error);
}

}  // namespace
}  // namespace thenar::instant_map_test
