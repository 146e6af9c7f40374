// SPDX-License-Identifier: BSD-3-Clause
//
// Where rows stand, and where fixed steps between them end.

#include "thenar/trace/row_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <tuple>

namespace thenar::row_times_test {
namespace {

RunOptions make_options(double until, double sample, std::optional<double> step = {}) {
  RunOptions options;
  options.until = until;
  options.sample = sample;
  options.step = step;
  return options;
}

TEST(RowTimes, StandAtMultiplesOfTheSampleAndAtTheEnd) {
  const RunOptions options = make_options(1, 0.3);
  const RowTimes rows(options);
  EXPECT_EQ(rows.count(), 4);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(rows.time(k), 0.3 * k);
  EXPECT_EQ(rows.time(4), 1);
  EXPECT_EQ(rows.time(5), 1 + 0.3) << "behind the end at the same distances from there";
  EXPECT_EQ(rows.time(8), 2);
}

TEST(RowTimes, ASampleLongerThanTheRunLeavesBothEnds) {
  const RunOptions options = make_options(0.5, 7);
  const RowTimes rows(options);
  EXPECT_EQ(rows.count(), 1);
  EXPECT_EQ(rows.time(0), 0);
  EXPECT_EQ(rows.time(1), 0.5);
  EXPECT_EQ(rows.first_after(0.2), 1);
}

/// 1.1/0.1 is 11.000000000000002 in doubles, 0.6/0.2 is 2.9999999999999996; nobody means twelve rows, or a sliver.
TEST(RowTimes, RoundingOfTheQuotientAddsNoRow) {
  for (const auto& [until, sample, count] :
       {std::tuple(1.1, 0.1, 11), std::tuple(0.6, 0.2, 3), std::tuple(1.0, 1e-3, 1000), std::tuple(0.7, 0.1, 7)}) {
    const RunOptions options = make_options(until, sample);
    const RowTimes rows(options);
    EXPECT_EQ(rows.count(), count);
    EXPECT_EQ(rows.time(count), until);
    EXPECT_GT(rows.time(count) - rows.time(count - 1), 0.99 * sample);
  }
}

/// To the last bit, however this file and the library are optimised.
TEST(RowTimes, FirstAfterInvertsTheTimes) {
  for (const double sample : {0.3, 0.1, 1e-3, 1.0 / 3, 0.05}) {
    const RunOptions options = make_options(0.7, sample);
    const RowTimes rows(options);
    for (long long k = 1; k < 3 * rows.count() + 2; ++k) {
      ASSERT_EQ(rows.first_after(rows.time(k)), k + 1) << sample;
      ASSERT_EQ(rows.first_after(std::nextafter(rows.time(k), 0)), k) << sample;
    }
    EXPECT_EQ(rows.first_after(0), 1);
  }
}

TEST(RowTimes, FixedStepsAreEqualPartsOfTheWayToTheNextRow) {
  const RunOptions options = make_options(1, 0.3, 0.08);
  const RowTimes rows(options);
  double t = 0;
  for (long long k = 1; k <= 2 * rows.count(); ++k) {
    const double from = rows.time(k - 1), way = rows.time(k) - from;
    const int parts = static_cast<int>(std::ceil(way / 0.08 - 1e-9));
    for (int i = 1; i <= parts; ++i) {
      const double next = rows.next_step_time(t, k);
      EXPECT_NEAR(next - t, way / parts, 1e-15) << k;  // rounding of times of size 1
      t = next;
    }
    ASSERT_EQ(t, rows.time(k)) << "every row is hit exactly";
  }
}

TEST(RowTimes, AStepFromBetweenGoesToTheGridAgain) {
  const RunOptions options = make_options(1, 0.1, 0.025);
  const RowTimes rows(options);
  EXPECT_NEAR(rows.next_step_time(0.13, 2), 0.15, 1e-15);
  EXPECT_NEAR(rows.next_step_time(0.1499, 2), 0.15, 1e-15);
  EXPECT_EQ(rows.next_step_time(0.19, 2), rows.time(2));
  // A start that rounding has left just before a place of the grid makes no sliver of a step.
  EXPECT_NEAR(rows.next_step_time(std::nextafter(0.125, 0), 2), 0.15, 1e-15);
}

}  // namespace
}  // namespace thenar::row_times_test
