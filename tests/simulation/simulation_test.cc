// SPDX-License-Identifier: BSD-3-Clause
/// A simulation that is held: how far it goes, what one sees, what one changes, and how it ends.

#include "thenar/simulation/simulation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::simulation_test {
namespace {

constexpr double kG = 9.81;
/// Sums of some hundred numbers of size 1.
constexpr double kRounding = 1e-13;

/// A cart of 2 kg on a rail without friction; `more` is put into the scenario.
Scenario make_cart(const std::string& more = "", const std::string& run = "until: 1") {
  return parse_scenario(R"(
thenar: 1
name: cart
gravity: [0, 0, -9.81]
hands:
  - name: rail
    bodies:
      - {name: cart, joint: {name: x, type: prismatic, axis: [1, 0, 0]}, shape: {sphere: 1 cm}, mass: 2 kg}
)" + more + "\nrun: {" + run +
                            "}\n",
                        "cart.yaml");
}

/// A ball of 1 kg and 0.1 m, its centre `height` above a floor.
Scenario make_ball(double height, double restitution = 0, const std::string& run = "until: 1") {
  return parse_scenario(fmt::format(R"(
thenar: 1
name: ball
gravity: [0, 0, -9.81]
objects:
  - {{name: ball, shape: {{sphere: 0.1}}, mass: 1 kg, joint: free, pose: {{xyz: [0, 0, {}]}}}}
  - {{name: floor, shape: {{plane: {{}}}}, joint: fixed}}
contacts: {{friction: 0.5, restitution: {}}}
run: {{{}}}
)",
                                    height, restitution, run),
                        "ball.yaml");
}

/// A block of 1 kg on a floor, with friction.
Scenario make_block(double mu = 0.5, const std::string& run = "until: 1") {
  return parse_scenario(fmt::format(R"(
thenar: 1
name: block
gravity: [0, 0, -9.81]
objects:
  - {{name: block, shape: {{box: [0.2, 0.2, 0.1]}}, mass: 1 kg, joint: free, pose: {{xyz: [0, 0, 0.05]}}}}
  - {{name: floor, shape: {{plane: {{}}}}, joint: fixed}}
contacts: {{friction: {}}}
run: {{{}}}
)",
                                    mu, run),
                        "block.yaml");
}

TEST(Advance, EndsExactlyWhereItIsTold) {
  Simulation sim(make_cart("control: [{torque: {rail.x: 4}}]"));
  EXPECT_EQ(sim.time(), 0);
  double t = 0;
  for (const double dt : {0.1, 0.0, 1e-3, 0.37}) {
    t += dt;
    const AdvanceReport report = sim.advance(dt);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.end, AdvanceEnd::reached);
    EXPECT_EQ(report.time, t);
    EXPECT_EQ(sim.time(), t);
    EXPECT_EQ(sim.state().t, t);
    EXPECT_NEAR(sim.state().q(0), t * t, kRounding);
    EXPECT_NEAR(sim.state().v(0), 2 * t, kRounding);
  }
  EXPECT_TRUE(sim.advance_to(2.5).ok()) << "behind the end of the scenario's run";
  EXPECT_NEAR(sim.state().q(0), 2.5 * 2.5, kRounding);
}

TEST(Advance, RefusesTimesThatMakeNoSense) {
  Simulation sim(make_cart());
  ASSERT_TRUE(sim.advance(0.5).ok());
  EXPECT_THROW(sim.advance(-1e-3), std::invalid_argument);
  EXPECT_THROW(sim.advance(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  EXPECT_THROW(sim.advance(std::numeric_limits<double>::infinity()), std::invalid_argument);
  EXPECT_THROW(sim.advance_to(0.4), std::invalid_argument);
  EXPECT_THROW(sim.run_until_event(0.1), std::invalid_argument);
  EXPECT_EQ(sim.time(), 0.5);
}

TEST(Advance, IsTheRunOfTheScenario) {
  const Scenario scenario = make_ball(0.3, 0.6);
  const Trace trace = record(scenario);
  Simulation sim(scenario);
  while (sim.time() < 1) ASSERT_TRUE(sim.advance_to(std::min(1.0, sim.time() + 0.0137)).ok());
  EXPECT_EQ(sim.state(), trace.report.last);
  const std::vector<Event> events = sim.new_events();
  ASSERT_EQ(events.size(), trace.events.size());
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].t, trace.events[i].t);
  EXPECT_TRUE(sim.new_events().empty());
}

// --- Budgets, events, interrupts ---

TEST(Budget, OfStepsIsKeptAndChangesNothing) {
  const Scenario scenario = make_ball(0.3, 0.6);
  const Trace trace = record(scenario);
  Simulation sim(scenario);
  int calls = 0;
  for (AdvanceReport report; sim.time() < 1; ++calls) {
    report = sim.advance_to(1, {.steps = 1});
    ASSERT_TRUE(report.ok());
    EXPECT_LE(report.steps, 1);
    EXPECT_GE(report.steps + report.events, 1);
    if (sim.time() < 1) {
      EXPECT_EQ(report.end, AdvanceEnd::budget);
    }
  }
  EXPECT_GE(calls, trace.report.steps);
  EXPECT_EQ(sim.state(), trace.report.last);
}

TEST(Budget, OfEventsIsKept) {
  Simulation sim(make_ball(0.3, 0.6, "until: 0.9"));
  const AdvanceReport report = sim.advance_to(0.9, {.events = 2});
  EXPECT_EQ(report.end, AdvanceEnd::budget);
  EXPECT_EQ(report.events, 2);
  const double fall = std::sqrt(2 * 0.2 / kG);
  EXPECT_NEAR(report.time, fall * (1 + 2 * 0.6), 1e-7);
}

TEST(Budget, WithoutAnyTimeStillGetsOn) {
  Simulation sim(make_ball(0.3, 0.6));
  double last = 0;
  int calls = 0;
  while (sim.time() < 1 && calls < 10'000) {
    const AdvanceReport report = sim.advance_to(1, {.wall_s = 0});
    ASSERT_TRUE(report.ok());
    ASSERT_TRUE(report.steps + report.events > 0 || sim.time() == 1);
    ASSERT_GE(sim.time(), last);
    last = sim.time();
    ++calls;
  }
  EXPECT_EQ(sim.time(), 1);
}

TEST(Budget, NeverTakesTimeBack) {
  Simulation sim(make_cart("control: [{torque: {rail.x: 4}}]"));
  ASSERT_TRUE(sim.advance(0.1).ok());  // inside a long step
  const AdvanceReport report = sim.advance_to(0.9, {.wall_s = 0, .steps = 1});
  EXPECT_GE(report.time, 0.1);
  EXPECT_NEAR(sim.state().q(0), sim.time() * sim.time(), kRounding);
}

TEST(RunUntilEvent, StopsRightBehindIt) {
  Simulation sim(make_ball(0.3, 0.6));
  const auto is_impact = [](const Event& event) { return event.kind == EventKind::impact; };
  const AdvanceReport first = sim.run_until_event(1, is_impact);
  EXPECT_EQ(first.end, AdvanceEnd::event);
  const double fall = std::sqrt(2 * 0.2 / kG), rebound = 0.6 * kG * fall;
  EXPECT_NEAR(sim.time(), fall, 1e-7);
  EXPECT_NEAR(sim.state().v(5), rebound, 1e-6) << "after the impact";
  ASSERT_EQ(sim.new_events().size(), 1u);
  EXPECT_EQ(sim.run_until_event(1, is_impact).end, AdvanceEnd::event);
  EXPECT_NEAR(sim.time(), fall * 2.2, 1e-7);
  const AdvanceReport none = sim.run_until_event(sim.time() + 0.01, is_impact);
  EXPECT_EQ(none.end, AdvanceEnd::reached);
  EXPECT_EQ(none.events, 0);
}

TEST(Interrupt, EndsACallAndNotTheMotion) {
  Simulation sim(make_ball(0.3, 0.6));
  std::atomic<bool> flag{false};
  sim.set_interrupt(&flag);
  ASSERT_TRUE(sim.advance(0.1).ok());
  flag = true;
  const AdvanceReport report = sim.advance_to(1);
  EXPECT_EQ(report.end, AdvanceEnd::interrupted);
  EXPECT_TRUE(report.ok());
  EXPECT_LT(sim.time(), 1);
  EXPECT_GE(sim.time(), 0.1);
  flag = false;
  EXPECT_EQ(sim.advance_to(1).end, AdvanceEnd::reached);
  EXPECT_EQ(sim.state(), record(make_ball(0.3, 0.6)).report.last);
}

// --- What drives it ---

TEST(Effort, ActsFromTheCallOn) {
  Simulation sim(make_cart());
  const int x = sim.model().dof("rail.x");
  double q = 0, v = 0;
  for (int k = 0; k < 100; ++k) {
    const double effort = 3 * std::sin(0.3 * k), a = effort / 2, dt = 0.01;
    sim.set_effort(x, effort);
    ASSERT_TRUE(sim.advance(dt).ok());
    q += v * dt + a * dt * dt / 2;
    v += a * dt;
    EXPECT_NEAR(sim.state().q(0), q, kRounding);
    EXPECT_NEAR(sim.state().v(0), v, kRounding);
    EXPECT_EQ(sim.efforts()(0), effort);
  }
  EXPECT_NEAR(sim.report().energy.error(), 0, kRounding);
}

TEST(Effort, TakesThePlaceOfTheProfileUntilItIsGivenBack) {
  Simulation sim(make_cart("control: [{torque: {rail.x: \"t < 0.5 ? 2 : 10\"}}]"));
  sim.set_effort(0, -4.0);
  ASSERT_TRUE(sim.advance_to(0.75).ok());
  EXPECT_NEAR(sim.state().v(0), -2 * 0.75, kRounding);
  EXPECT_TRUE(sim.new_events().empty()) << "the profile that jumps does not act";
  sim.set_effort(0, std::nullopt);
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_NEAR(sim.state().v(0), -2 * 0.75 + 5 * 0.25, kRounding);
}

TEST(Effort, OfFixedStepsActsFromTheNextPointOfTheGridOn) {
  Simulation sim(make_cart("", "until: 1, integrator: rk4, step: 0.1, sample: 0.1"));
  ASSERT_TRUE(sim.advance_to(0.25).ok());
  sim.set_effort(0, 4.0);
  ASSERT_TRUE(sim.advance_to(0.28).ok());
  EXPECT_EQ(sim.state().v(0), 0);
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_NEAR(sim.state().v(0), 2 * 0.7, kRounding);
  EXPECT_EQ(sim.report().steps, 10);
}

TEST(Effort, MayChangeWhatContactsDo) {
  Simulation sim(make_block(0.5));
  ASSERT_TRUE(sim.advance(0.1).ok());
  EXPECT_EQ(sim.contacts().front().mode, ContactMode::stick);
  EXPECT_GT(sim.contacts().front().margin, 0.99);
  AppliedWrench push{.body = sim.model().body_of("block"), .force = {4, 0, 0}};
  push.point_B = {0, 0, -0.05};
  sim.apply_wrench(push);
  EXPECT_EQ(sim.contacts().front().mode, ContactMode::stick) << "4 N of 4.905 N";
  EXPECT_NEAR(sim.contacts().front().margin, 1 - 4 / (0.5 * kG), 1e-6);
  sim.clear_wrenches();
  push.force.x = 8;
  sim.apply_wrench(push);
  ASSERT_TRUE(sim.advance(0.1).ok());
  EXPECT_EQ(sim.contacts().front().mode, ContactMode::slide);
  EXPECT_NEAR(sim.state().v(3), 0.1 * (8 - 0.5 * kG), 1e-7);
  const std::vector<Event> events = sim.new_events();
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.front().kind, EventKind::slip);
  EXPECT_EQ(events.front().t, 0.1);
}

TEST(Wrench, EndsWithItsLifetime) {
  Simulation sim(make_cart());
  AppliedWrench push{.body = sim.model().body_of("rail.cart"), .force = {6, 0, 0}};
  push.until = 0.123;
  sim.apply_wrench(push);
  ASSERT_TRUE(sim.advance(1).ok());
  EXPECT_NEAR(sim.state().v(0), 3 * 0.123, kRounding);
  EXPECT_NEAR(sim.state().q(0), 3 * 0.123 * 0.123 / 2 + 3 * 0.123 * (1 - 0.123), kRounding);
  EXPECT_NEAR(sim.report().energy.error(), 0, kRounding);
}

TEST(Wrench, InTheAxesOfItsBodyTurnsWithIt) {
  Scenario scenario = make_ball(5);
  scenario.contacts.reset();
  Simulation sim(scenario);
  AppliedWrench spin{.body = sim.model().body_of("ball"), .torque = {0, 0, 0.3}};
  spin.in_world_axes = false;
  sim.apply_wrench(spin);
  ASSERT_TRUE(sim.advance(0.5).ok());
  EXPECT_NEAR(sim.state().v(2), 0.3 / (0.4 * 1 * 0.01) * 0.5, 1e-9);
}

TEST(Target, MovesTheServo) {
  const std::string servo = "control: [{pd: {kp: 50, kd: 10, targets: {rail.x: 0.1}}}]";
  Simulation sim(make_cart(servo));
  sim.set_target(0, -0.2);
  ASSERT_TRUE(sim.advance(8).ok());
  EXPECT_NEAR(sim.state().q(0), -0.2, 1e-7);
  sim.set_target(0, std::nullopt);
  ASSERT_TRUE(sim.advance(8).ok());
  EXPECT_NEAR(sim.state().q(0), 0.1, 1e-7);
}

TEST(Changes, ThatMakeNoSenseAreRefused) {
  Simulation sim(make_cart());
  EXPECT_THROW(sim.set_effort(1, 1.0), std::invalid_argument);
  EXPECT_THROW(sim.set_effort(-1, 1.0), std::invalid_argument);
  EXPECT_THROW(sim.set_effort(0, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  EXPECT_THROW(sim.set_target(0, 1.0), std::invalid_argument) << "no controller";
  EXPECT_THROW(sim.apply_wrench({.body = BodyIndex(7)}), std::invalid_argument);
  EXPECT_THROW(sim.set_state(VectorX<double>::Zero(2), VectorX<double>::Zero(1)), std::invalid_argument);
  EXPECT_THROW(sim.model().dof("rail.y"), std::invalid_argument);
  EXPECT_TRUE(sim.advance(0.1).ok());
  EXPECT_EQ(sim.state().v(0), 0);
}

/// Lengths of links are in the frames of joints, wherever they are written.
TEST(Parameter, ThatMovesAJointIsRefused) {
  for (const char* joint :
       {"{name: j, type: revolute, frame: {xyz: [$l, 0, 0]}}",
        "{name: j, type: universal, axis: [1, 0, 0], second_axis: [0, 1, 0], offset: [0, 0, $l]}",
        "{name: j, type: revolute, axis: [1, 0, 10*$n]}", "{name: j, type: prismatic, axis: [0, 10*$n, 1]}"}) {
    SCOPED_TRACE(joint);
    Simulation sim(parse_scenario(fmt::format(R"(
thenar: 1
name: arm
parameters: {{l: 0.1 m, n: 0.1, m: 1 kg}}
hands:
  - name: arm
    bodies:
      - {{name: one, joint: {}, shape: {{sphere: 1 cm}}, shape_pose: {{xyz: [0, 0, 0.1]}}, mass: $m}}
run: {{until: 1}}
)",
                                              joint),
                                  "arm.yaml"));
    ASSERT_TRUE(sim.advance(0.1).ok());
    const State before = sim.state();
    const char* moved = std::string_view(joint).find("$n") == std::string_view::npos ? "l" : "n";
    EXPECT_THROW(sim.set_parameter(moved, 0.2), std::invalid_argument);
    EXPECT_EQ(sim.state(), before);
    EXPECT_NO_THROW(sim.set_parameter("m", 2));
    EXPECT_EQ(sim.state(), before);
  }
}

TEST(Parameter, ActsFromTheCallOn) {
  // Twice the mass and twice the force: the cart goes on with the same acceleration.
  Simulation sim(parse_scenario(R"(
thenar: 1
name: cart
gravity: [0, 0, 0]
parameters: {m: 1 kg, f: 2 N}
hands:
  - name: rail
    bodies:
      - {name: cart, joint: {name: x, type: prismatic, axis: [1, 0, 0]}, shape: {sphere: 1 cm}, mass: $m}
control: [{torque: {rail.x: $f}}]
run: {until: 1}
)",
                                "cart.yaml"));
  ASSERT_TRUE(sim.advance(0.5).ok());
  const std::vector<NamedValue> both{{"m", 2}, {"f", 4}};
  sim.set_parameters(both);
  ASSERT_TRUE(sim.advance(0.5).ok());
  EXPECT_NEAR(sim.state().q(0), 1, kRounding);
  sim.set_parameter("f", 0);
  ASSERT_TRUE(sim.advance(1).ok());
  EXPECT_NEAR(sim.state().q(0), 3, kRounding);
  // The mass that came with its speed is in the energy balance: end = start + work − dissipated + switched.
  const RunReport report = sim.report();
  EXPECT_NEAR(report.energy.error(), 0, kRounding);
  EXPECT_NEAR(report.energy.switched, 0.5, kRounding);
  EXPECT_THROW(sim.set_parameter("mass", 1), std::invalid_argument);
  EXPECT_THROW(sim.set_parameter("m", std::nan("")), std::invalid_argument);
}

TEST(Reset, IsTheStartAndForgetsEvents) {
  Simulation sim(make_ball(0.2));
  const State start = sim.state();
  ASSERT_TRUE(sim.advance(0.5).ok());
  sim.reset();
  EXPECT_EQ(sim.time(), 0);
  EXPECT_EQ(sim.state(), start);
  EXPECT_TRUE(sim.new_events().empty());
  EXPECT_EQ(sim.report().wall_s, 0);
}

TEST(SetState, StartsAnewThere) {
  Simulation sim(make_ball(0.3, 0.6));
  ASSERT_TRUE(sim.advance(0.5).ok());
  VectorX<double> q = sim.model().neutral_position(), v = VectorX<double>::Zero(6);
  const State before = sim.state();
  q = before.q;
  q(2) = 0.1 + 0.05;
  v(5) = 0;
  sim.set_state(q, v);
  EXPECT_EQ(sim.time(), 0.5);
  EXPECT_EQ(sim.run_until_event(2).end, AdvanceEnd::event);
  EXPECT_NEAR(sim.time(), 0.5 + std::sqrt(2 * 0.05 / kG), 1e-7);
  sim.reset();
  EXPECT_EQ(sim.time(), 0);
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_EQ(sim.state(), record(make_ball(0.3, 0.6)).report.last);
}

// --- How it ends ---

class Broken final : public Controller {
 public:
  std::string_view kind() const override { return "broken"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Broken>(*this); }
  void add_efforts(const Model&, double t, const double*, const double*, double* tau) override {
    if (t > 0.3) tau[0] = std::numeric_limits<double>::quiet_NaN();
  }
};

TEST(End, OfNumbersThatAreNotFiniteSaysSo) {
  Scenario scenario = make_cart();
  scenario.controls.push_back({std::make_shared<Broken>(), 10.0});
  Simulation sim(scenario);
  const AdvanceReport report = sim.advance_to(1);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.end, AdvanceEnd::not_finite);
  EXPECT_NE(report.reason.find("broken"), std::string::npos) << report.reason;
  EXPECT_TRUE(sim.state().q.allFinite());
  EXPECT_EQ(sim.advance_to(1).end, AdvanceEnd::not_finite) << "it stays where it is";
  sim.reset();
  EXPECT_TRUE(sim.advance(0.2).ok());
}

TEST(End, OfSeveralMotionsNamesThemAndAChangeLeadsOut) {
  const std::vector<std::string> entries{"parameters.mu=1.4", "parameters.spin=6", "contacts.law=rigid"};
  const Scenario scenario = read_scenario(std::string(THENAR_SOURCE_DIR) + "/scenes/truth/painleve_rod.yaml", entries);
  Simulation sim(scenario);
  const AdvanceReport report = sim.advance(0.01);
  EXPECT_EQ(report.end, AdvanceEnd::indeterminate) << report.reason;
  const Instant instant = sim.instant();
  EXPECT_EQ(instant.verdict, Verdict::several);
  EXPECT_GT(instant.cells.size(), 1u);
}

// --- Looking ---

TEST(Looking, AtDistancesOfBodies) {
  Simulation sim(make_ball(0.3));
  const BodyIndex ball = sim.model().body_of("ball"), floor = sim.model().body_of("floor");
  const std::vector<std::pair<BodyIndex, BodyIndex>> pairs{{ball, floor}};
  const std::vector<BodyGap> gaps = sim.gaps(pairs);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_NEAR(gaps[0].distance, 0.2, kRounding);
  EXPECT_NEAR(gaps[0].normal.z, 1, kRounding);
  EXPECT_NEAR(gaps[0].point_A.z, 0.2, kRounding);
  EXPECT_NEAR(gaps[0].point_B.z, 0, kRounding);
  ASSERT_TRUE(sim.advance(0.1).ok());
  EXPECT_NEAR(sim.gaps(pairs)[0].distance, 0.2 - kG * 0.01 / 2, 1e-9);
}

TEST(Looking, AtPosesJacobiansAndMasses) {
  const Scenario scenario = read_scenario(std::string(THENAR_SOURCE_DIR) + "/scenes/human_hand_swing.yaml");
  Simulation sim(scenario);
  ASSERT_TRUE(sim.advance(0.05).ok());
  const State here = sim.state();
  EXPECT_NEAR(sim.energy().kinetic, 0.5 * here.v.dot(sim.mass_matrix() * here.v), 1e-12);
  const BodyIndex tip(sim.model().body_count() - 1);
  const Vec3<double> point{0.01, 0.002, -0.003};
  const VectorX<double> twist = sim.jacobian(tip, point) * here.v;
  const auto place = [&] { return sim.pose(tip) * point.eigen(); };
  const Vector3<double> now = place();
  constexpr double h = 1e-5;
  ASSERT_TRUE(sim.advance(h).ok());
  EXPECT_LE(((place() - now) / h - twist.tail<3>()).norm(), 1e-3);
}

TEST(Looking, AtTheInstantWithTheLoadsThatWereSet) {
  Simulation sim(make_block(0.5));
  EXPECT_EQ(sim.instant().cells.at(0).modes.at(0), ContactMode::stick);
  sim.apply_wrench({.body = sim.model().body_of("block"), .point_B = {0, 0, -0.05}, .force = {8, 0, 0}});
  const Instant instant = sim.instant();
  EXPECT_EQ(instant.cells.at(0).modes.at(0), ContactMode::slide);
  EXPECT_NEAR(instant.cells.at(0).vdot(3), 8 - 0.5 * kG, 1e-9);
}

TEST(Recording, SeesRowsHoweverTheMotionIsCut) {
  const Scenario scenario = make_ball(0.3, 0.6, "until: 1, sample: 0.1");
  const Trace trace = record(scenario);
  Simulation sim(scenario);
  std::vector<Sample> samples;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    samples.push_back(sample);
    return true;
  };
  sim.record(callbacks);
  while (sim.time() < 1) ASSERT_TRUE(sim.advance_to(std::min(1.0, sim.time() + 0.0731)).ok());
  ASSERT_EQ(samples.size(), trace.samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(samples[i].state, trace.samples[i].state);
  EXPECT_EQ(sim.report().rows, trace.report.rows);
}

/// Presses a block against a wall, by 0.5 N more at every sample at which a contact is near slipping.
class Grip final : public Controller {
 public:
  std::string_view kind() const override { return "grip"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Grip>(*this); }
  void add_efforts(const Model&, double, const double*, const double*, double*) override {}
  bool sees_contacts() const override { return true; }
  void sample(const Model&, const ControlInput& now, double* tau) override {
    for (const Contact& c : now.contacts) {
      if (!c.is_open() && c.margin < 0.3) effort_ += 0.5;
    }
    tau[0] += effort_;
  }

 private:
  double effort_ = 2;
};

TEST(Control, SeesContacts) {
  // The block hangs on friction at the finger and the wall: 2 mu f = m g (1 − margin) at the cone.
  Scenario scenario = parse_scenario(R"(
thenar: 1
name: grip
gravity: [0, 0, -9.81]
hands:
  - name: press
    bodies:
      - {name: tip, joint: {name: x, type: prismatic, axis: [1, 0, 0]}, shape: {sphere: 1 cm}, mass: 0.1 kg}
objects:
  - {name: block, shape: {box: [0.04, 0.04, 0.04]}, mass: 0.2 kg, joint: free, pose: {xyz: [0.03, 0, 0]}}
  - {name: wall, shape: {box: [0.02, 1, 1]}, joint: fixed, pose: {xyz: [0.06, 0, 0]}}
contacts: {friction: 0.5}
run: {until: 0.5}
)",
                                     "grip.yaml");
  scenario.controls.push_back({std::make_shared<Grip>(), 100.0});
  Simulation sim(scenario);
  ASSERT_TRUE(sim.advance_to(0.5).ok());
  double least = 1;
  int held = 0;
  for (const Contact& contact : sim.contacts()) {
    if (contact.is_open()) continue;
    least = std::min(least, contact.margin);
    ++held;
  }
  EXPECT_GE(held, 2);
  EXPECT_GE(least, 0.3);
  EXPECT_GT(sim.efforts()(0), 2);
  scenario.controls.back().rate.reset();
  EXPECT_THROW(Simulation{scenario}, std::invalid_argument);
}

TEST(Threads, HoldSimulationsOfTheirOwn) {
  const auto scenario = std::make_shared<const Scenario>(make_ball(0.3, 0.6));
  std::vector<State> ends(4);
  std::vector<std::thread> threads;
  for (State& end : ends) {
    threads.emplace_back([&end, scenario] {
      Simulation sim(scenario);
      sim.advance_to(1);
      end = sim.state();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const State& end : ends) EXPECT_EQ(end, ends.front());
}

}  // namespace
}  // namespace thenar::simulation_test
