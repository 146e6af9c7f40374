// SPDX-License-Identifier: BSD-3-Clause
/// A simulation that is advanced piece by piece is the one that is advanced at once; one that is saved and restored,
/// also by another one, goes on with the same bits; and it can go on behind the end of its scenario's run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "motion_scenes.h"
#include "thenar/simulation/simulation.h"

namespace thenar::cutting_test {
namespace {

constexpr double kUntil = 0.3;  // s

/// Events, report and last sample of a simulation.
struct Outcome {
  std::vector<Event> events;
  RunReport report;
  Sample present;  ///< of the last time, if one has looked
};

void take_events(Simulation& sim, Outcome& out) {
  for (Event& event : sim.new_events()) out.events.push_back(std::move(event));
}

/// Advances to each of these times; `look` also asks for the sample there.
Outcome advance(const Scenario& scenario, const std::vector<double>& times, bool look = false) {
  Outcome out;
  Simulation sim(scenario);
  for (const double t : times) {
    const AdvanceReport report = sim.advance_to(t);
    EXPECT_TRUE(report.ok()) << report.reason;
    EXPECT_EQ(sim.time(), t);
    if (look) out.present = sim.sample();
  }
  take_events(sim, out);
  out.report = sim.report();
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
    EXPECT_EQ(a.events[i].where(), b.events[i].where());
  }
  EXPECT_EQ(a.report.last, b.report.last);
  EXPECT_EQ(a.report.steps, b.report.steps);
}

class Cutting : public testing::TestWithParam<const char*> {
 protected:
  static Scenario read() {
    const std::string name = GetParam();
    if (name != "./human_hand_swing") return test::read_scene(name, {{"run.until", kUntil}, {"run.tolerance", 1e-8}});
    return read_scenario(std::string(THENAR_SOURCE_DIR) + "/scenes/human_hand_swing.yaml",
                         std::vector<std::string>{"run.until=0.3"});  // in fixed steps
  }
};

TEST_P(Cutting, ChangesNoStepAndNoEvent) {
  const Scenario scenario = read();
  const Outcome whole = advance(scenario, {kUntil});
  for (const unsigned seed : {1u, 2u}) {
    SCOPED_TRACE(seed);
    const Outcome cut = advance(scenario, draw_times(kUntil, 40, seed));
    expect_same(cut, whole);
    EXPECT_EQ(cut.report.evaluations, whole.report.evaluations);
  }
}

TEST_P(Cutting, LookingChangesNoStepAndNoEvent) {
  const Scenario scenario = read();
  expect_same(advance(scenario, draw_times(kUntil, 40, 3), true), advance(scenario, {kUntil}));
}

/// Every time a simulation of its own takes over, and the one before it is put aside.
TEST_P(Cutting, SavedAndRestoredItGoesOnWithTheSameBits) {
  const Scenario scenario = read();
  Outcome out;
  auto sim = std::make_unique<Simulation>(scenario);
  Snapshot snapshot;
  for (const double t : draw_times(kUntil, 20, 4)) {
    ASSERT_TRUE(sim->advance_to(t).ok());
    take_events(*sim, out);
    sim->save(snapshot);
    auto next = std::make_unique<Simulation>(scenario);
    next->restore(snapshot);
    EXPECT_TRUE(next->save() == snapshot) << "at t = " << t;
    EXPECT_EQ(next->time(), t);
    EXPECT_EQ(next->state(), sim->state());
    ASSERT_TRUE(sim->advance(0.01).ok());  // what it was saved from goes on, and does not matter any more
    sim = std::move(next);
  }
  out.report = sim->report();
  expect_same(out, advance(scenario, {kUntil}));
}

/// Without any wall time a call ends as early as it may, also before the event at the end of a step. There, too, one
/// can look, and another simulation can take over.
TEST_P(Cutting, WithoutTimeItGoesOnWithTheSameBits) {
  constexpr double kShort = 0.1;
  const Scenario scenario = read();
  Outcome out;
  auto sim = std::make_unique<Simulation>(scenario);
  for (AdvanceEnd end = AdvanceEnd::budget; end == AdvanceEnd::budget;) {
    const AdvanceReport report = sim->advance_to(kShort, {.wall_s = 0});
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_TRUE(report.end != AdvanceEnd::budget || report.steps + report.events > 0);
    end = report.end;
    take_events(*sim, out);
    sim->sample();
    auto next = std::make_unique<Simulation>(scenario);
    next->restore(sim->save());
    sim = std::move(next);
  }
  out.report = sim->report();
  expect_same(out, advance(scenario, {kShort}));
}

/// A parameter that changes before the event at the end of a step does not make the event disappear.
TEST(BeforeAnEvent, AParameterMayChange) {
  Scenario scenario = parse_scenario(
      "thenar: 1\nparameters: {mu: 0.3}\nobjects:\n"
      "  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0.2]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: $mu, restitution: 0.5}\nrun: {until: "
      "1}\n",
      "ball.yaml");
  Simulation sim(scenario);
  std::vector<Event> events;
  for (double mu = 0.3; sim.time() < 0.2; mu += 1e-3) {
    ASSERT_TRUE(sim.advance_to(0.2, {.wall_s = 0}).ok());
    sim.set_parameter("mu", mu);
    for (Event& event : sim.new_events()) events.push_back(std::move(event));
  }
  ASSERT_EQ(std::count_if(events.begin(), events.end(), [](const Event& e) { return e.kind == EventKind::impact; }), 1);
  EXPECT_NEAR(events[0].t, std::sqrt(0.2 / 9.81), 1e-9);
  EXPECT_GT(sim.state().v(5), 0) << "it has rebounded";
}

/// Back in time in one simulation, as often as one likes.
TEST_P(Cutting, RestoredInPlaceItGoesOnWithTheSameBits) {
  const Scenario scenario = read();
  Simulation sim(scenario);
  Outcome out;
  for (const double t : draw_times(kUntil, 5, 5)) {
    const Snapshot here = sim.save();
    ASSERT_TRUE(sim.advance_to(t + 0.02).ok());
    sim.new_events();
    sim.restore(here);
    ASSERT_TRUE(sim.advance_to(t).ok());
    take_events(sim, out);
  }
  out.report = sim.report();
  expect_same(out, advance(scenario, {kUntil}));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Cutting,
                         testing::Values("bouncing_ball", "box_on_balls", "kane_pendulum", "ladder", "landing_coin",
                                         "newtons_cradle", "push_and_release", "pushed_block", "rocking_box",
                                         "sliding_ball", "tipping_box", "rolling_disc", "ball_in_bowl", "slow_drawer",
                                         "slow_peg", "slow_two_fingers", "slow_wedge", "slowly_pushed_block",
                                         "chan/02_regrasp_5_to_3", "chan/05_collision_light", "chan/10_rotate",
                                         "carv/hand_limits", "syk/translate", "yy/two_finger", "./demo", "./grasp_box",
                                         "./legged", "./two_arms", "./glove_grasp", "./human_hand_swing",
                                         "./five_finger_box"),
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
    EXPECT_NEAR(out.present.state.q(0), 0.25 + 0.5 - 0.125, 1e-14);
    EXPECT_NEAR(out.present.state.v(0), 0.5, 1e-14);
    ASSERT_EQ(out.events.size(), 1u);
    EXPECT_EQ(out.events[0].kind, EventKind::control);
    EXPECT_NEAR(out.events[0].t, 0.5, 1e-15);
  }
}

/// Where one looks inside a step the sample is that of its dense output, as exact as the step.
TEST(BehindItsEnd, SamplesInsideStepsFollowTheMotion) {
  Simulation sim(make_cart(0.4));
  for (const double t : draw_times(0.5, 100, 3)) {
    ASSERT_TRUE(sim.advance_to(t).ok());
    EXPECT_NEAR(sim.sample().state.q(0), t * t, 1e-14);
    EXPECT_NEAR(sim.energy().work, 2 * t * t, 1e-14);
  }
}

}  // namespace
}  // namespace thenar::cutting_test
