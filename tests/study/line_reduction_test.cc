// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/line_reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace thenar::line_reduction_test {
namespace {

using Line = std::vector<PlotPoint>;

Line reduce(const Line& line, int bins) {
  MinMaxReducer reducer(bins);
  for (const PlotPoint& point : line) reducer.add(point);
  return reducer.points();
}

/// A walk with uneven steps of time and some jumps.
Line random_walk(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> wait(1);
  std::normal_distribution<double> step;
  Line line;
  PlotPoint point{5, 0};
  for (int i = 0; i < count; ++i) {
    if (i % 17 != 0) point.x += wait(random);
    point.y += step(random);
    line.push_back(point);
  }
  return line;
}

TEST(MinMaxReducer, KeepsAShortLineWithItsJumps) {
  const Line line{{0, 0}, {1, 1}, {1, -1}, {2, 0}, {3, 7}};
  EXPECT_EQ(reduce(line, 100), line);
  EXPECT_EQ(reduce({}, 100), Line{});
  EXPECT_EQ(reduce({{2, 3}}, 100), (Line{{2, 3}}));
  EXPECT_EQ(reduce({{2, 3}, {2, 4}}, 100), (Line{{2, 3}, {2, 4}}));
}

/// Least and greatest y of the points with x in [from, to].
std::pair<double, double> find_range(const Line& line, double from, double to) {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (const PlotPoint& point : line) {
    if (point.x < from || point.x > to) continue;
    lo = std::min(lo, point.y);
    hi = std::max(hi, point.y);
  }
  return {lo, hi};
}

TEST(MinMaxReducer, KeepsTheExtremesOfEveryWindowToWithinABin) {
  // A bin keeps its extremes, so those of a window are found in the window made wider by a bin on either side; and no
  // point is made up, so the window itself has none beyond.
  constexpr int kBins = 64;
  const Line full = random_walk(20000, 1), reduced = reduce(full, kBins);
  EXPECT_LE(reduced.size(), 4u * 2 * kBins);
  EXPECT_EQ(reduced.front(), full.front());
  EXPECT_EQ(reduced.back(), full.back());
  const double start = full.front().x, length = full.back().x - start, bin = length / kBins;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> share(0, 1);
  for (int k = 0; k < 200; ++k) {
    const double from = start + share(random) * length, to = from + share(random) * 5 * bin;
    const auto truth = find_range(full, from, to), inner = find_range(reduced, from, to),
               outer = find_range(reduced, from - bin, to + bin);
    EXPECT_LE(outer.first, truth.first);
    EXPECT_GE(outer.second, truth.second);
    EXPECT_GE(inner.first, truth.first);
    EXPECT_LE(inner.second, truth.second);
  }
}

TEST(MinMaxReducer, KeepsAnOrderedPartOfTheLine) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Line full = random_walk(3000, seed), reduced = reduce(full, 32);
    auto at = full.begin();
    for (const PlotPoint& point : reduced) {
      at = std::find(at, full.end(), point);
      ASSERT_NE(at, full.end()) << point.x << " " << point.y << " seed " << seed;
      ++at;
    }
  }
}

TEST(MinMaxReducer, ASpikeSurvives) {
  Line line;
  for (int i = 0; i < 1000000; ++i) line.push_back({i * 1e-3, i == 765432 ? 100.0 : 0.0});
  const Line reduced = reduce(line, 100);
  EXPECT_EQ(std::count(reduced.begin(), reduced.end(), PlotPoint{765.432, 100}), 1);
}

TEST(MinMaxReducer, ManyRowsInOneInstantLeaveTheOthersAlone) {
  Line line;
  for (int i = 0; i < 100000; ++i) line.push_back({1 + i * 1e-12, std::sin(i)});
  for (int i = 1; i <= 50; ++i) line.push_back({1 + i * 0.1, static_cast<double>(i)});
  const Line reduced = reduce(line, 500);
  EXPECT_LE(reduced.size(), 54u);
  EXPECT_TRUE(std::equal(reduced.end() - 50, reduced.end(), line.end() - 50));
}

TEST(MinMaxReducer, AnyFiniteTimesWill) {
  using Limits = std::numeric_limits<double>;
  const Line line{{-Limits::max(), 0}, {-1, 1}, {Limits::denorm_min(), 2}, {1e-300, 3}, {1, 4}, {Limits::max(), 5}};
  const Line reduced = reduce(line, 10);
  EXPECT_EQ(reduced.front(), line.front());
  EXPECT_EQ(reduced.back(), line.back());
  EXPECT_EQ(reduce({{0, 0}, {Limits::denorm_min(), 1}, {1, 2}}, 10).size(), 3u);
}

double distance_to(const PlotPoint& p, const Line& line) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const double dx = line[i + 1].x - line[i].x, dy = line[i + 1].y - line[i].y, l2 = dx * dx + dy * dy;
    const double s = l2 > 0 ? std::clamp(((p.x - line[i].x) * dx + (p.y - line[i].y) * dy) / l2, 0.0, 1.0) : 0;
    least = std::min(least, std::hypot(p.x - line[i].x - s * dx, p.y - line[i].y - s * dy));
  }
  return least;
}

TEST(SimplifyLine, LeavesEveryPointWithinTheTolerance) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Line full = random_walk(500, seed);
    for (const double tolerance : {0.1, 1.0, 10.0}) {
      const Line simple = simplify_line(full, tolerance);
      EXPECT_LT(simple.size(), full.size());
      for (const PlotPoint& point : full) {
        ASSERT_LE(distance_to(point, simple), tolerance * (1 + 1e-12)) << seed << " " << tolerance;
      }
    }
  }
}

TEST(SimplifyLine, KeepsCornersAndDropsTheRest) {
  Line straight;
  for (int i = 0; i <= 100; ++i) straight.push_back({i * 0.1, i * 0.2});
  EXPECT_EQ(simplify_line(straight, 1e-9), (Line{straight.front(), straight.back()}));
  const Line jump{{0, 0}, {1, 0}, {1, 5}, {2, 5}};
  EXPECT_EQ(simplify_line(jump, 0.05), jump);
  // There and back again: the chord has no length.
  EXPECT_EQ(simplify_line({{0, 0}, {1, 1}, {0, 0}}, 0.05), (Line{{0, 0}, {1, 1}, {0, 0}}));
  EXPECT_EQ(simplify_line({{0, 0}}, 0.05), (Line{{0, 0}}));
}

}  // namespace
}  // namespace thenar::line_reduction_test
