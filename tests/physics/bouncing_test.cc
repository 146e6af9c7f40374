// SPDX-License-Identifier: BSD-3-Clause
//
// Bounces until they end: a ball on a floor, and Carvalho's double pendulum (Carv 5.2) as whole runs.

#include <cstdio>

#include "motion_scenes.h"

namespace thenar::bouncing_test {
namespace {

using namespace test;

TEST(BouncingBall, StrikesAtEveryKnownTimeAndRestsAtTheZenoTime) {
  for (const double e : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    for (const double height : {0.05, 0.5, 2.0}) {
      SCOPED_TRACE(fmt::format("e = {}, height {}", e, height));
      const double fall = std::sqrt(2 * height / kGravity), zeno = fall * (1 + e) / (1 - e);
      const Trace trace = run_scene("bouncing_ball", {{"e", e}, {"height", height}, {"run.until", 1.1 * zeno}});
      const std::vector<double> impacts = list_times(trace, EventKind::impact);
      double t = fall, flight = 2 * fall;
      // Impacts are found where bodies overlap by a hair: later by that over the speed v = g flight/2. Put back on the
      // floor the ball has gained g hair, which makes the next flights longer by 2 e hair/v (1 + e + ...); over all
      // impacts so far these are less than (1 + 2 e/(1 - e))/(1 - e) times the last hair/v.
      const double hair = trace.report.max_gap_violation;
      EXPECT_LT(hair, 1e-13);
      const auto late = [&](double time) { return 2 * hair / (kGravity * time) * (1 + e) / ((1 - e) * (1 - e)); };
      for (std::size_t k = 0; k < impacts.size(); ++k) {
        EXPECT_NEAR(impacts[k], t, 1e-12 * zeno + late(flight)) << k;
        flight *= e;
        t += flight;
      }
      // Followed until hops are some 1e-13 m high: e^k · 2 · fall is their flight.
      EXPECT_LT(kGravity * flight * flight / 8, 1e-12);
      const std::vector<double> ends = list_times(trace, EventKind::zeno);
      ASSERT_EQ(ends.size(), 1U);
      EXPECT_NEAR(ends[0], zeno, 1e-12 * zeno + late(flight));
      EXPECT_EQ(trace.samples.back().contacts[0].mode, ContactMode::stick);
      EXPECT_LT(trace.report.max_gap_violation, 1e-12);
      EXPECT_NEAR(trace.report.energy.dissipated, 0.1 * kGravity * height, 1e-12);
    }
  }
}

TEST(BouncingBall, LosesSpeedToFrictionAtEveryImpactUntilItRolls) {
  for (const double e : {0.0, 0.5, 0.8}) {
    for (const double mu : {0.02, 0.1, 0.5}) {
      for (const double v : {0.2, 3.0}) {
        SCOPED_TRACE(fmt::format("e = {}, mu = {}, v = {}", e, mu, v));
        const double height = 0.5, fall = std::sqrt(2 * height / kGravity), zeno = fall * (1 + e) / (1 - e);
        // By impacts alone: each takes mu (1 + e) u, all of them mu (1 + e) u / (1 - e); the rest is taken on the
        // floor.
        double speed = v, slip = v, u = kGravity * fall;
        std::vector<double> after;
        for (int k = 0; k < 400; ++k, u *= e) {
          const double lost = std::min(mu * (1 + e) * u, 2.0 / 7 * slip);
          speed -= lost;
          slip -= 3.5 * lost;
          after.push_back(speed);
        }
        const double rolls = slip > 1e-9 * v ? zeno + 2 * slip / (7 * mu * kGravity) : 0;
        const Trace trace = run_scene(
            "bouncing_ball", {{"e", e}, {"mu", mu}, {"v", v}, {"run.until", 1.1 * std::max(zeno, rolls) + 0.1}});
        EXPECT_NEAR(velocity(trace.report.last)(0), 5.0 / 7 * v, 1e-10 * v);
        EXPECT_EQ(trace.samples.back().contacts[0].mode, ContactMode::roll);
        // Rows before and after each impact have the same time.
        std::size_t k = 0;
        for (std::size_t i = 1; i < trace.samples.size() && k < 10; ++i) {
          const State &before = trace.samples[i - 1].state, &now = trace.samples[i].state;
          if (now.t != before.t) continue;
          EXPECT_NEAR(velocity(now)(0), after[k], 1e-11 * v) << k;
          ++k;
        }
        EXPECT_GE(k, e == 0 ? 1U : 10U);
        if (rolls > 0) {
          const std::vector<double> sticks = list_times(trace, EventKind::stick);
          ASSERT_EQ(sticks.size(), 1U);
          // Bounces that are left out, 1e-16 of the height, take e^k of friction's work on the way: 1e-7 of the speed.
          EXPECT_NEAR(sticks[0], rolls, 1e-6 * rolls);
        }
      }
    }
  }
}

TEST(CarvalhosDoublePendulum, BouncesWithHalfTheSpeedUntilItRests) {
  const Trace trace = run_scene("carv/double_pendulum", {{"e", 0.5}, {"run.until", 20}});
  EXPECT_GT(count_events(trace, EventKind::impact), 20);
  EXPECT_GE(count_events(trace, EventKind::zeno), 1);
  for (const Event& event : trace.events) {
    if (event.kind != EventKind::impact) continue;
    const double before = -event.find("before").value(), after = event.find("after").value();
    EXPECT_NEAR(after, 0.5 * before, 1e-8 * before) << describe(event);  // what solvers of impulses leave
  }
  // Rows before and after an impact: an end of the upper link is on the ground, its speed is halved.
  int jumps = 0;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    const State &before = trace.samples[i - 1].state, &now = trace.samples[i].state;
    if (now.t != before.t || before.t > 1) continue;
    const double elbow = std::sin(before.q(0)), end = elbow + std::sin(before.q(0) + before.q(1));
    const auto end_speed = [&](const State& state) {
      const double lower = std::cos(state.q(0)) * state.v(0);
      return elbow < end ? lower : lower + std::cos(state.q(0) + state.q(1)) * (state.v(0) + state.v(1));
    };
    if (std::abs(end_speed(before)) < 1e-4) continue;  // the last bounces, of 1e-9 m and less, end in rest
    EXPECT_NEAR(end_speed(now), -0.5 * end_speed(before), 1e-11 * (1 + std::abs(end_speed(before))));
    ++jumps;
  }
  EXPECT_GT(jumps, 5);
  EXPECT_LT(trace.report.max_gap_violation, 1e-12);
  EXPECT_LT(trace.report.last.v.norm(), 1e-9);
  EXPECT_NEAR(trace.report.energy.end, 0, 1e-9);  // flat on the ground
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-9);
}

}  // namespace
}  // namespace thenar::bouncing_test
