// SPDX-License-Identifier: BSD-3-Clause
//
// Regions of maps that are known in closed form.

#include "thenar/study/map_regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "known_maps.h"

namespace thenar::map_regions_test {
namespace {

using namespace known_maps;

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

}  // namespace
}  // namespace thenar::map_regions_test
