// SPDX-License-Identifier: BSD-3-Clause
//
// The schedule of jumps, samples and grid points, whose times are known.

#include "thenar/engine/run_schedule_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "../support/builders.h"

namespace thenar::run_schedule_test {
namespace {

using internal::RunSchedule;

class Idle final : public Controller {
 public:
  std::string_view kind() const override { return "idle"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Idle>(*this); }
  void add_efforts(const Model&, double, const double*, const double*, double*) override {}
};

Scenario make_swing(double until = 2) {
  Scenario s = test::pendulum(0);
  s.run.until = until;
  s.run.sample = 0.3;
  return s;
}

TEST(RunSchedule, StepsEndAtTheHorizonIfNothingIsDue) {
  const Scenario s = make_swing();
  const ConstrainedMotion motion(s);
  RunSchedule schedule(s, motion, 0.5);
  EXPECT_EQ(schedule.horizon(), 2.5);
  EXPECT_EQ(schedule.find_limit(0.5, false), 2.5) << "rows do not end steps of any length";
  schedule.extend_horizon();
  EXPECT_EQ(schedule.horizon(), 4.5);
}

TEST(RunSchedule, FixedStepsEndOnTheirGrid) {
  Scenario s = make_swing();
  s.run.step = 0.1;
  const ConstrainedMotion motion(s);
  RunSchedule schedule(s, motion, 0);
  double t = 0;
  for (int k = 1; k <= 20; ++k) {
    const double next = schedule.find_limit(t, true);
    EXPECT_NEAR(next, 0.1 * k, 1e-14);
    t = next;
  }
  EXPECT_EQ(t, 2) << "the end is hit";
  EXPECT_DOUBLE_EQ(schedule.next_row(2), 2.3);
}

TEST(RunSchedule, AStepEndsWhereAProfileJumps) {
  Scenario s = make_swing();
  s.torques.push_back({0, Expression::parse("t < 0.7 ? 1 : 2", kProfileVariables)});
  const ConstrainedMotion motion(s);
  RunSchedule schedule(s, motion, 0);
  schedule.find_next_switch(0);
  ASSERT_TRUE(schedule.next_switch());
  const double before = schedule.next_switch()->at.before, after = schedule.next_switch()->at.after;
  EXPECT_EQ(after, std::nextafter(before, 1));
  EXPECT_NEAR(before, 0.7, 1e-15);
  EXPECT_EQ(schedule.find_limit(0, false), before);
  EXPECT_FALSE(schedule.is_switch_due(0.5));
  EXPECT_TRUE(schedule.is_switch_due(before));
  schedule.find_next_switch(after);
  EXPECT_FALSE(schedule.next_switch());
}

TEST(RunSchedule, SamplesAreDueUpToTheHorizonAndNotAtIt) {
  Scenario s = make_swing(0.5);
  s.controls.push_back({std::make_shared<Idle>(), 4.0});
  ConstrainedMotion motion(s);
  RunSchedule schedule(s, motion, 0);
  EXPECT_TRUE(schedule.is_sample_due(0));
  const VectorX<double> q = s.initial.q, v = s.initial.v;
  motion.actuation().take_samples({.t = 0, .q = q.data(), .v = v.data()});
  EXPECT_FALSE(schedule.is_sample_due(0.2));
  EXPECT_EQ(schedule.find_limit(0.1, false), 0.25);
  EXPECT_TRUE(schedule.is_sample_due(0.25));
  motion.actuation().take_samples({.t = 0.25, .q = q.data(), .v = v.data()});
  EXPECT_FALSE(schedule.is_sample_due(0.5)) << "it belongs to what comes behind";
  schedule.extend_horizon();
  EXPECT_TRUE(schedule.is_sample_due(0.5));
}

TEST(RunSchedule, AStepEndsWhereAWrenchDoes) {
  const Scenario s = make_swing();
  ConstrainedMotion motion(s);
  ExternalLoads loads;
  loads.wrenches.push_back({.body = BodyIndex(1), .force = {1, 0, 0}, .until = 0.9});
  loads.wrenches.push_back({.body = BodyIndex(1), .force = {0, 1, 0}, .until = 0.4});
  motion.set_loads(loads);
  RunSchedule schedule(s, motion, 0);
  EXPECT_EQ(schedule.find_limit(0, false), 0.4);
}

}  // namespace
}  // namespace thenar::run_schedule_test
