// SPDX-License-Identifier: BSD-3-Clause
/// A run that is advanced piece by piece is the run that is advanced at once, and it can go on behind its end.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "motion_scenes.h"
#include "thenar/engine/event_run_internal.h"

namespace thenar::cutting_test {
namespace {

using internal::EventRun;
using internal::RunTaps;

/// Events, report and last sample of a run.
struct Outcome {
  std::vector<Event> events;
  RunReport report;
  State present;  ///< of the last sample, if one has looked
};

/// Advances to each of these times; `look` also asks for the sample there.
Outcome advance(const Scenario& scenario, const std::vector<double>& times, bool look = false) {
  Outcome out;
  RunTaps taps;
  taps.on_event = [&](const Event& event) { out.events.push_back(event); };
  EventRun run(scenario, taps);
  EXPECT_TRUE(run.begin());
  for (const double t : times) {
    EXPECT_TRUE(run.advance_to(t)) << run.report().reason;
    EXPECT_EQ(run.time(), t);
    if (look) out.present = run.make_sample()->state;
  }
  out.report = run.report();
  return out;
}

std::vector<double> draw_times(double until, int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(0, until);
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(uniform(generator));
  std::sort(out.begin(), out.end());
  out.push_back(until);
  return out;
}

void expect_same(const Outcome& a, const Outcome& b) {
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < b.events.size(); ++i) {
    EXPECT_EQ(a.events[i].t, b.events[i].t);
    EXPECT_EQ(a.events[i].kind, b.events[i].kind);
    EXPECT_EQ(a.events[i].where, b.events[i].where);
  }
  EXPECT_EQ(a.report.last, b.report.last);
  EXPECT_EQ(a.report.steps, b.report.steps);
}

class Cutting : public testing::TestWithParam<const char*> {};

TEST_P(Cutting, ChangesNoStepAndNoEvent) {
  const double until = 0.3;
  const Scenario scenario = test::read_scene(GetParam(), {{"run.until", until}, {"run.tolerance", 1e-8}});
  const Outcome whole = advance(scenario, {until});
  for (const unsigned seed : {1u, 2u}) {
    SCOPED_TRACE(seed);
    const Outcome cut = advance(scenario, draw_times(until, 40, seed));
    expect_same(cut, whole);
    EXPECT_EQ(cut.report.evaluations, whole.report.evaluations);
  }
}

TEST_P(Cutting, LookingChangesNoStepAndNoEvent) {
  if (GetParam() == std::string("syk/translate")) {
    GTEST_SKIP() << "the first look into an explicit step evaluates the motion, from where contacts are followed on";
  }
  const double until = 0.3;
  const Scenario scenario = test::read_scene(GetParam(), {{"run.until", until}, {"run.tolerance", 1e-8}});
  expect_same(advance(scenario, draw_times(until, 40, 3), true), advance(scenario, {until}));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Cutting,
                         testing::Values("bouncing_ball", "box_on_balls", "kane_pendulum", "ladder", "landing_coin",
                                         "newtons_cradle", "push_and_release", "pushed_block", "rocking_box",
                                         "sliding_ball", "tipping_box", "chan/02_regrasp_5_to_3",
                                         "chan/05_collision_light", "chan/10_rotate", "carv/hand_limits",
                                         "syk/translate", "yy/two_finger", "./demo", "./grasp_box", "./legged",
                                         "./two_arms"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           std::erase(name, '.');
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

/// A cart of 1 kg that is pushed by 2 N and, from 0.5 s on, drawn back by 1 N.
Scenario make_cart(double until) {
  return parse_scenario(fmt::format(R"(
thenar: 1
name: cart
gravity: [0, 0, 0]
hands:
  - name: rail
    bodies:
      - {{name: cart, joint: {{name: x, type: prismatic, axis: [1, 0, 0]}}, shape: {{sphere: 1 cm}}, mass: 1 kg}}
control: [{{torque: {{rail.x: "t < 0.5 ? 2 : -1"}}}}]
run: {{until: {}}}
)",
                                    until),
                        "cart.yaml");
}

TEST(BehindItsEnd, ARunPassesAJumpThatWasRightThere) {
  for (const double until : {0.5, 0.3, 0.05}) {
    SCOPED_TRACE(until);
    const Outcome out = advance(make_cart(until), {until, 0.77, 1.0}, true);
    // To rounding of sums of some ten numbers of size 1: polynomials of order 2 are exact for every method.
    EXPECT_NEAR(out.present.q(0), 0.25 + 0.5 - 0.125, 1e-14);
    EXPECT_NEAR(out.present.v(0), 0.5, 1e-14);
    ASSERT_EQ(out.events.size(), 1u);
    EXPECT_EQ(out.events[0].kind, EventKind::control);
    EXPECT_NEAR(out.events[0].t, 0.5, 1e-15);
  }
}

/// Where one looks inside a step the sample is that of its dense output, as exact as the step.
TEST(BehindItsEnd, SamplesInsideStepsFollowTheMotion) {
  RunTaps taps;
  const Scenario scenario = make_cart(0.4);
  EventRun run(scenario, taps);
  ASSERT_TRUE(run.begin());
  for (const double t : draw_times(0.5, 100, 3)) {
    ASSERT_TRUE(run.advance_to(t));
    const Sample& sample = *run.make_sample();
    EXPECT_NEAR(sample.state.q(0), t * t, 1e-14);
    EXPECT_NEAR(sample.energy.work, 2 * t * t, 1e-14);
  }
}

}  // namespace
}  // namespace thenar::cutting_test
