// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/axis_ticks.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace thenar::axis_ticks_test {
namespace {

std::string labels(double lo, double hi, int most) {
  return fmt::format("{}", fmt::join(find_ticks(lo, hi, most).labels, " "));
}

TEST(AxisTicks, AreRound) {
  EXPECT_EQ(labels(0, 1.2, 6), "0.0 0.2 0.4 0.6 0.8 1.0 1.2");
  EXPECT_EQ(labels(-0.57, 0.77, 4), "−0.5 0.0 0.5");
  EXPECT_EQ(labels(0, 10, 10), "0 1 2 3 4 5 6 7 8 9 10");
  EXPECT_EQ(labels(0.93, 1.07, 3), "0.95 1.00 1.05");
  EXPECT_EQ(labels(0, 9999, 5), "0 2000 4000 6000 8000");
  EXPECT_EQ(labels(-180, 180, 8), "−150 −100 −50 0 50 100 150");
}

TEST(AxisTicks, AreAtLeastTwo) { EXPECT_EQ(labels(-1.8, 1.2, 2), "−1 0 1"); }

TEST(AxisTicks, APowerOfTenGoesIntoTheTitle) {
  const AxisTicks small = find_ticks(0, 3e-5, 3), large = find_ticks(0, 3e7, 3);
  EXPECT_EQ(fmt::format("{}", fmt::join(small.labels, " ")), "0 10 20 30");
  EXPECT_EQ(axis_title("q", "rad", small), "q (10⁻⁶ rad)");
  EXPECT_EQ(fmt::format("{}", fmt::join(large.labels, " ")), "0 10 20 30");
  EXPECT_EQ(axis_title("q", "", large), "q (10⁶)");
}

TEST(AxisTicks, ALargeConstantGoesIntoTheTitle) {
  const AxisTicks ticks = find_ticks(1e6, 1e6 + 3, 3);
  EXPECT_EQ(fmt::format("{}", fmt::join(ticks.labels, " ")), "0 1 2 3");
  EXPECT_EQ(axis_title("q", "m", ticks), "q − 1000000 (m)");
  const AxisTicks below = find_ticks(-1000 - 2e-4, -1000, 2);
  EXPECT_EQ(fmt::format("{}", fmt::join(below.labels, " ")), "−200 −100 0");
  EXPECT_EQ(axis_title("q", "m", below), "q + 1000 (10⁻⁶ m)");
}

TEST(AxisTicks, PlainTitles) {
  EXPECT_EQ(axis_title("q", "rad", find_ticks(0, 1, 5)), "q (rad)");
  EXPECT_EQ(axis_title("count", "", find_ticks(0, 1, 5)), "count");
  EXPECT_EQ(format_number(-0.0, 6), "0");
  EXPECT_EQ(format_number(-1.5, 6), "−1.5");
}

double parse_label(std::string label) {
  if (label.starts_with("−")) label.replace(0, std::string("−").size(), "-");
  return std::stod(label);
}

TEST(AxisTicks, LabelsTellWhereTicksAre) {
  // Ranges of every size, around zero and far from it. Ticks are evenly spaced to rounding, inside the range and as
  // many as agreed; a label read back gives its tick to 1e-9 of the step or the rounding of the range's ends.
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-200, 200), mantissa(-1, 1), ratio(-11, 1);
  for (int k = 0; k < 20000; ++k) {
    const double size = std::pow(10, exponent(random)), middle = mantissa(random) * size;
    const double half = std::abs(middle) * std::pow(10, ratio(random));
    const double lo = middle - half, hi = middle + half;
    const int most = 2 + k % 9;
    const AxisTicks ticks = find_ticks(lo, hi, most);
    SCOPED_TRACE(fmt::format("{} {} {}", lo, hi, most));
    ASSERT_GE(ticks.at.size(), 2u);
    ASSERT_LE(ticks.at.size(), static_cast<std::size_t>(std::max(most, 5)) + 1);
    ASSERT_GE(ticks.at.front(), lo);
    ASSERT_LE(ticks.at.back(), hi);
    ASSERT_EQ(std::set<std::string>(ticks.labels.begin(), ticks.labels.end()).size(), ticks.at.size());
    const double step = (ticks.at.back() - ticks.at.front()) / static_cast<double>(ticks.at.size() - 1);
    const double slack = 1e-8 * step + 1e-15 * std::max(std::abs(lo), std::abs(hi)) * 10;
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      ASSERT_NEAR(ticks.at[i], ticks.at.front() + static_cast<double>(i) * step, slack);
      const double told = ticks.offset + parse_label(ticks.labels[i]) * std::pow(10, ticks.exponent);
      ASSERT_NEAR(told, ticks.at[i], slack);
      ASSERT_LE(ticks.labels[i].size(), 12u) << ticks.labels[i];
    }
  }
}

TEST(AxisTicks, AnyFiniteRangeWill) {
  const double largest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::min();
  for (const auto& [lo, hi] : {std::pair{-largest, largest},
                               {0.0, largest},
                               {-least, least},
                               {0.0, 5e-324},
                               {-5e-324, 0.0},
                               {1.0, 1.0},
                               {0.0, 0.0},
                               {1.0, std::nextafter(1.0, 2.0)},
                               {largest, largest}}) {
    const AxisRange range = widen_range(lo, hi, 0.05);
    ASSERT_LT(range.lo, range.hi);
    ASSERT_TRUE(std::isfinite(range.lo) && std::isfinite(range.hi));
    const AxisTicks ticks = find_ticks(range.lo, range.hi, 6);
    EXPECT_GE(ticks.at.size(), 2u) << lo << " " << hi;
    EXPECT_LE(ticks.at.size(), 8u) << lo << " " << hi;
  }
}

TEST(WidenRange, ByAMarginOrByATenthOfAConstant) {
  EXPECT_DOUBLE_EQ(widen_range(0, 10, 0.05).lo, -0.5);
  EXPECT_DOUBLE_EQ(widen_range(0, 10, 0.05).hi, 10.5);
  EXPECT_DOUBLE_EQ(widen_range(5, 5, 0.05).lo, 4.5);
  EXPECT_DOUBLE_EQ(widen_range(-5, -5, 0.05).hi, -4.5);
  EXPECT_DOUBLE_EQ(widen_range(0, 0, 0.05).hi, 1);
  EXPECT_DOUBLE_EQ(widen_range(0, 2, 0).hi, 2);
}

}  // namespace
}  // namespace thenar::axis_ticks_test
