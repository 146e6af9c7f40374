// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/instant_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "known_maps.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/plot/map_file.h"

namespace thenar::instant_map_test {
namespace {

namespace fs = std::filesystem;

using namespace known_maps;

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
