// SPDX-License-Identifier: BSD-3-Clause
//
// Budgets of a call: steps, events and wall time, none of which ends it before anything has happened.

#include <gtest/gtest.h>

#include <chrono>

#include "thenar/engine/engine_internal.h"

namespace thenar::advance_meter_test {
namespace {

using internal::AdvanceLimits;
using internal::AdvanceMeter;

TEST(AdvanceMeter, CountsFromTheStartOfTheCall) {
  const AdvanceLimits limits{.t = 1, .steps = 3, .events = 2};
  const AdvanceMeter meter(limits, 100, 50);
  EXPECT_EQ(meter.check(102, 51), AdvanceEnd::reached);
  EXPECT_EQ(meter.check(103, 50), AdvanceEnd::budget);
  EXPECT_EQ(meter.check(100, 52), AdvanceEnd::budget);
}

TEST(AdvanceMeter, LetsSomethingHappenWhateverTheBudget) {
  const AdvanceLimits limits{.steps = 0, .events = 0, .deadline = std::chrono::steady_clock::time_point{}};
  const AdvanceMeter meter(limits, 7, 7);
  EXPECT_EQ(meter.check(7, 7), AdvanceEnd::reached);
  EXPECT_EQ(meter.check(8, 7), AdvanceEnd::budget);
  EXPECT_EQ(meter.check(7, 8), AdvanceEnd::budget);
}

TEST(AdvanceMeter, WallTimeEndsACallWhenItIsOver) {
  const auto now = std::chrono::steady_clock::now();
  const AdvanceLimits past{.deadline = now - std::chrono::hours(1)}, future{.deadline = now + std::chrono::hours(1)};
  EXPECT_EQ(AdvanceMeter(past, 0, 0).check(1, 0), AdvanceEnd::budget);
  EXPECT_EQ(AdvanceMeter(future, 0, 0).check(1, 0), AdvanceEnd::reached);
}

TEST(AdvanceMeter, TheEventThatWasAskedForEndsACallAtOnce) {
  bool stop = false;
  const AdvanceLimits limits{.steps = 1, .stop = &stop};
  const AdvanceMeter meter(limits, 0, 0);
  EXPECT_EQ(meter.check(0, 0), AdvanceEnd::reached);
  stop = true;
  EXPECT_EQ(meter.check(0, 0), AdvanceEnd::event);
  EXPECT_EQ(meter.check(5, 0), AdvanceEnd::event) << "before the budget";
}

}  // namespace
}  // namespace thenar::advance_meter_test
