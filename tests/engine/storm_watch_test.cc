// SPDX-License-Identifier: BSD-3-Clause
//
// When events are a storm, and how long bridges over it are.

#include "thenar/engine/storm_watch_internal.h"

#include <gtest/gtest.h>

#include "thenar/model/model.h"

namespace thenar::storm_watch_test {
namespace {

using internal::StormWatch;

constexpr double kTime = 0.1;  // s, the scale

Tolerances make_tolerances() { return Tolerances(Model{}, Scales{.length = 0.1, .time = kTime, .mass = 1}, 1e-8); }

TEST(StormWatch, EventsThatComeToAnEndAreNone) {
  const Tolerances tolerances = make_tolerances();
  StormWatch storm(tolerances);
  // The last bounces of a ball with e = 0.99, some 600 of them.
  for (double t = 0, pause = 1e-6; pause > 1e-9; t += pause, pause *= 0.99) EXPECT_TRUE(storm.note_event(1 + t, 1));
}

TEST(StormWatch, ChangesWithoutImpactsAreSoonOne) {
  const Tolerances tolerances = make_tolerances();
  StormWatch storm(tolerances);
  int events = 0;
  while (storm.note_event(1 + 1e-7 * events, 2) && events < 1000) storm.note_change(), ++events;
  EXPECT_EQ(events, 108);  // 100, and 4 per contact
  EXPECT_NE(storm.describe(1, " (the last one: slip)").find("(the last one: slip)"), std::string::npos);
  // A thousand times as far apart they are none.
  StormWatch calm(tolerances);
  for (int k = 0; k < 1000; ++k, calm.note_change()) EXPECT_TRUE(calm.note_event(1 + 1e-4 * k, 2));
}

TEST(StormWatch, BridgesGrowWhileItGoesOn) {
  const Tolerances tolerances = make_tolerances();
  StormWatch storm(tolerances);
  double t = 1, last = 0;
  for (int k = 0; k < 200; ++k) {
    const double h = storm.begin_bridge(t);
    EXPECT_GE(h, last);
    EXPECT_LE(h, 3e-2 * kTime);
    last = h;
    t += h;
    ASSERT_TRUE(storm.end_bridge(t, storm.lengthen(h))) << k;
    t += 0.1 * h;  // the next storm
  }
  EXPECT_DOUBLE_EQ(last, 3e-2 * kTime);
  // Long after it the next one begins with a short one.
  EXPECT_LT(storm.begin_bridge(t + 10), 1e-3 * last * 10);
}

TEST(StormWatch, BridgesThatLeadNowhereEnd) {
  const Tolerances tolerances = make_tolerances();
  StormWatch storm(tolerances);
  // Towards a point in time that none of them reaches: only short ones have an answer.
  double t = 1;
  int bridges = 0;
  for (bool goes_on = true; goes_on && bridges < 1000; ++bridges) {
    double h = storm.begin_bridge(t);
    while (h > 0.1 * (1.0001 - t)) h = storm.shorten(h);
    if (!(h > 0)) break;
    t += h;
    goes_on = storm.end_bridge(t, storm.lengthen(h));
  }
  EXPECT_LT(bridges, 100);
  EXPECT_LT(t, 1.0001);
}

TEST(StormWatch, ShorterBridgesComeToAnEnd) {
  const Tolerances tolerances = make_tolerances();
  StormWatch storm(tolerances);
  int shorter = 0;
  for (double h = storm.begin_bridge(1); h > 0; h = storm.shorten(h)) ++shorter;
  EXPECT_GT(shorter, 3);
  EXPECT_LT(shorter, 10);
}

}  // namespace
}  // namespace thenar::storm_watch_test
