// SPDX-License-Identifier: BSD-3-Clause
/// The step engine against closed forms and conserved quantities: its order where motion is smooth, slips, turns and
/// begins to stick; rest that stays; momentum; and that it can be cut and kept like the others.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "thenar/dynamics/kinematics.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"
#include "thenar/simulation/simulation.h"

namespace thenar::step_engine_test {
namespace {

constexpr double kGravity = 9.81;

Scenario make(const std::string& text, double until, double h, double sample = 0.1) {
  return parse_scenario(
      fmt::format("thenar: 1\n{}run: {{until: {}, engine: step, step: {}, sample: {}}}\n", text, until, h, sample),
      "test.yaml");
}

Simulation run(const std::string& text, double until, double h) {
  Simulation sim(make(text, until, h, until));
  const AdvanceReport report = sim.advance_to(until);
  EXPECT_TRUE(report.ok()) << report.reason;
  EXPECT_EQ(sim.report().flagged_steps, 0);
  return sim;
}

/// Errors at steps of 2, 1 and 0.5 ms.
template <class Error>
std::vector<double> list_errors(const std::string& text, double until, const Error& error) {
  std::vector<double> out;
  for (const double h : {2e-3, 1e-3, 5e-4}) out.push_back(error(run(text, until, h)));
  return out;
}

/// The order from the first to the last of them; rounding has any.
double find_order(const std::vector<double>& errors) { return std::log2(errors.front() / errors.back()) / 2; }

TEST(StepEngine, PendulumHasOrderTwo) {
  // A point that swings from 1 rad by a frictionless hinge: energy, and the period by the event engine at 1e-12.
  const std::string text =
      "hands:\n  - {name: arm, q: {hinge: 1 rad}, bodies: [{name: bob, joint: {name: hinge, type: revolute, "
      "axis: [0, 1, 0]}, mass: 1, com: [0, 0, -1], inertia: [0.01, 0.01, 0.01]}]}\n";
  Scenario exact = parse_scenario("thenar: 1\n" + text + "run: {until: 2, tolerance: 1e-12}\n", "test.yaml");
  const double reference = simulate(exact).last.q(0);
  const auto errors =
      list_errors(text, 2, [&](const Simulation& sim) { return std::abs(sim.state().q(0) - reference); });
  EXPECT_LT(errors.back(), 1e-5);
  EXPECT_NEAR(find_order(errors), 2, 0.1);
}

TEST(StepEngine, BallRollsInABowlWithOrderTwo) {
  const std::string text =
      "objects:\n  - {name: ball, shape: {sphere: 0.02}, mass: 0.1, pose: {xyz: [0.06, 0, 0.02]}, "
      "velocity: {linear: [0, 0.2, 0]}}\n"
      "  - {name: bowl, joint: fixed, shape: {bowl: {radius: 0.2, depth: 0.1}}}\ncontacts: {friction: 0.8}\n";
  // From where the ball touches, with the event engine beside it.
  Scenario start = parse_scenario("thenar: 1\n" + text + "run: {until: 0.5}\n", "test.yaml");
  Simulation settled(start);
  ASSERT_TRUE(settled.advance_to(0.5).ok());
  const VectorX<double> q = settled.state().q, v = settled.state().v;
  Scenario later = start;
  later.run.tolerance = 1e-12;
  Simulation event(later);
  event.set_state(q, v);
  ASSERT_TRUE(event.advance(1).ok());
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    Simulation sim(make(text, 1, h, 1));
    sim.set_state(q, v);
    ASSERT_TRUE(sim.advance(1).ok());
    errors.push_back((sim.state().q - event.state().q).head<3>().norm());
  }
  EXPECT_LT(errors[1], 5e-5) << "0.05 mm at 1 ms";
  EXPECT_GT(find_order(errors), 1.7);
}

TEST(StepEngine, SlipThatTurnsKeepsItsOrder) {
  // A block shot across an incline of 30 degrees: friction of 0.3 lets it slide, and its slip turns downhill.
  const std::string text =
      "gravity: [4.905, 0, -8.495709211125345]\n"
      "objects:\n  - {name: block, shape: {box: [0.2, 0.2, 0.02]}, mass: 1, pose: {xyz: [0, 0, 0.01]}, "
      "velocity: {linear: [0, 1, 0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n";
  Scenario exact = parse_scenario("thenar: 1\n" + text + "run: {until: 0.5, tolerance: 1e-12}\n", "test.yaml");
  const State reference = simulate(exact).last;
  const auto errors =
      list_errors(text, 0.5, [&](const Simulation& sim) { return (sim.state().q - reference.q).head<2>().norm(); });
  EXPECT_LT(errors[1], 1e-6);
  EXPECT_GT(find_order(errors), 1.7);
}

TEST(StepEngine, SlidingEndsWhereItShould) {
  // v²/(2 μ g), and rest afterwards, exactly.
  const std::string text =
      "objects:\n  - {name: box, shape: {box: [0.2, 0.2, 0.05]}, mass: 1, pose: {xyz: [0, 0, 0.025]}, "
      "velocity: {linear: [0.6, 0.8, 0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n";
  for (const double h : {2e-3, 1e-3}) {
    const Simulation sim = run(text, 1, h);
    // The last step rests at its end, wherever in it that began: h²/2 of the deceleration.
    EXPECT_NEAR(sim.state().q.head<2>().norm(), 0.5 / (0.3 * kGravity), 0.3 * kGravity * h * h);
    EXPECT_LT(sim.state().v.norm(), 1e-12);
  }
}

TEST(StepEngine, SlidingBallRolls) {
  // 5/7 v₀ from 2 v₀/(7 μ g) on.
  const std::string text =
      "objects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0.1]}, "
      "velocity: {linear: [2, 0, 0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n";
  const double rolls = 2 * 2 / (7 * 0.3 * kGravity), decelerates = 0.3 * kGravity;
  const double way = 2 * rolls - 0.5 * decelerates * rolls * rolls + 5.0 / 7 * 2 * (1 - rolls);
  const auto errors = list_errors(text, 1, [&](const Simulation& sim) { return std::abs(sim.state().q(0) - way); });
  EXPECT_LT(errors[1], 1e-5);
  EXPECT_NEAR(run(text, 1, 1e-3).state().v(3), 5.0 / 7 * 2, 1e-12) << "momentum about the point of contact";
}

TEST(StepEngine, RestStaysForAsLongAsOneLikes) {
  const std::string text =
      "objects:\n  - {name: low, shape: {box: [0.2, 0.2, 0.05]}, mass: 1, pose: {xyz: [0, 0, 0.025]}}\n"
      "  - {name: high, shape: {box: [0.1, 0.1, 0.05]}, mass: 1, pose: {xyz: [0.02, 0.01, 0.075]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.5}\n"
      "gravity: [2, 1, -9.81]\n";
  Simulation sim(make(text, 20, 2e-3, 20));
  const VectorX<double> start = sim.state().q;
  ASSERT_TRUE(sim.advance_to(20).ok());
  EXPECT_LT((sim.state().q - start).cwiseAbs().maxCoeff(), 1e-9) << "on a slope of 12 degrees";
  EXPECT_LT(sim.report().worst_grade, 1e-8);
}

TEST(StepEngine, MomentumOfFreeBodiesIsKept) {
  // Two balls that collide in space, with spin and friction.
  const std::string text =
      "gravity: [0, 0, 0]\n"
      "objects:\n  - {name: a, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [-0.3, 0.05, 0]}, "
      "velocity: {linear: [2, 0, 0], angular: [0, 0, 5]}}\n"
      "  - {name: b, shape: {sphere: 0.1}, mass: 2, pose: {xyz: [0.3, 0, 0]}}\n"
      "contacts: {friction: 0.4, restitution: 0.6}\n";
  const Simulation sim = run(text, 0.4, 1e-3);
  const VectorX<double>& v = sim.state().v;
  EXPECT_GT(std::abs(v(9)), 0.1) << "they have met";
  EXPECT_NEAR(v(3) + 2 * v(9), 2, 1e-13);
  EXPECT_NEAR(v(4) + 2 * v(10), 0, 1e-13);
  const RunReport report = sim.report();
  EXPECT_GT(report.energy.dissipated, 0);
  EXPECT_LE(report.energy.corrected, 1e-12 * report.energy.start) << "without gravity nothing is put in";
}

TEST(StepEngine, BouncesByTheImpactLaw) {
  // From 1 m with e = 0.8 a ball is back at e² m at 2 e √(2 h/g) after the first impact's time √(2 h/g).
  const std::string text =
      "objects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 1.1]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3, restitution: 0.8}\n";
  const double falls = std::sqrt(2 / kGravity), top = falls * 1.8;
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
    const double error = std::abs(run(text, top, h).state().q(2) - (0.1 + 0.64));
    EXPECT_LT(error, 5 * h) << "first order: half a step at 4.4 m/s, and what the speed lacks";
    errors.push_back(error);
  }
}

/// Whatever strikes, slips and rests: what the books of a box that rocks and falls over say is rounding off.
TEST(StepEngine, BooksClose) {
  const std::string text =
      "objects:\n  - {name: box, shape: {box: [0.1, 0.2, 0.4]}, mass: 1, pose: {xyz: [0, 0, 0.3], rpy: [0.3, 0.2, "
      "0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3, restitution: 0.4}\n";
  const RunReport report = run(text, 2, 1e-3).report();
  EXPECT_GT(report.energy.dissipated, 0.5);
  // Inertia that turns with the box is taken half-way: second order, 1e-6 of what moves.
  EXPECT_LT(std::abs(report.energy.error()), 1e-4 * report.energy.start);
  EXPECT_LT(std::abs(report.energy.corrected), 1e-2 * report.energy.start);
}

TEST(StepEngine, StopsHold) {
  // A slide falls on its stop and rests there.
  const std::string text =
      "hands:\n  - {name: slide, bodies: [{name: cart, joint: {name: lift, type: prismatic, limits: [-0.05, 1]}, "
      "mass: 2, shape: {box: [0.1, 0.1, 0.1]}}]}\n";
  const Simulation sim = run(text, 0.5, 1e-3);
  EXPECT_NEAR(sim.state().q(0), -0.05, 1e-12);
  EXPECT_NEAR(sim.state().v(0), 0, 1e-12);
}

TEST(StepEngine, HeavyDampersAndSpringsDoNotBreakIt) {
  // A controller with gains far beyond what an explicit step of 2 ms would bear: kd h/I is 2000.
  const std::string text =
      "hands:\n  - {name: arm, q: {hinge: 0.5 rad}, bodies: [{name: link, joint: {name: hinge, type: revolute}, "
      "mass: 0.01, shape: {box: [0.02, 0.02, 0.02]}}]}\n"
      "control: [{pd: {kp: 100 N m/rad, kd: 2 N m s/rad, targets: {arm.hinge: 0*t}}}]\n";
  Scenario scenario = make(text, 2, 2e-3, 2);
  Simulation sim(scenario);
  ASSERT_TRUE(sim.advance_to(2).ok());
  EXPECT_NEAR(sim.state().q(0), 0, 1e-6);
}

TEST(StepEngine, CanBeCutAndKept) {
  const std::string text =
      "objects:\n  - {name: box, shape: {box: [0.2, 0.1, 0.05]}, mass: 1, pose: {xyz: [0, 0, 0.2], rpy: [0.3, 0.2, "
      "0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3, restitution: 0.2}\n";
  const Scenario scenario = make(text, 1, 1e-3);
  Simulation whole(scenario), cut(scenario);
  ASSERT_TRUE(whole.advance_to(1).ok());
  for (const double t : {0.1003, 0.2, 0.20041, 0.3337, 0.5, 0.71234}) {
    ASSERT_TRUE(cut.advance_to(t).ok());
    EXPECT_EQ(cut.time(), t);
    cut.sample();
    const Snapshot here = cut.save();
    Simulation other(scenario);
    other.restore(here);
    EXPECT_EQ(other.state(), cut.state());
    cut = std::move(other);
  }
  ASSERT_TRUE(cut.advance_to(1).ok());
  EXPECT_EQ(cut.state(), whole.state());
  EXPECT_EQ(cut.report().events, whole.report().events);
}

TEST(StepEngine, LoadsActFromTheGridOn) {
  const std::string text = "gravity: [0, 0, 0]\nobjects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1}\n";
  Simulation sim(make(text, 1, 1e-2, 0.1));
  ASSERT_TRUE(sim.advance_to(0.105).ok());
  sim.apply_wrench({.body = sim.model().body_of("ball"), .force = {3, 0, 0}});
  ASSERT_TRUE(sim.advance_to(0.21).ok());
  EXPECT_NEAR(sim.state().v(3), 3 * (0.21 - 0.11), 1e-12);
}

TEST(StepEngine, VerdictsAreThoseOfTheEventEngine) {
  // A box that slides and comes to rest has one motion throughout.
  const std::string text =
      "objects:\n  - {name: box, shape: {box: [0.2, 0.2, 0.05]}, mass: 1, pose: {xyz: [0, 0, 0.025]}, "
      "velocity: {linear: [0.6, 0.8, 0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n";
  Scenario scenario = make(text, 0.6, 1e-3);
  scenario.run.verdicts = 0.05;
  Simulation sim(scenario);
  ASSERT_TRUE(sim.advance_to(0.6).ok());
  const std::vector<VerdictInterval> verdicts = sim.report().verdicts;
  ASSERT_EQ(verdicts.size(), 13u);
  for (const VerdictInterval& interval : verdicts) {
    EXPECT_TRUE(interval.verdict == Verdict::unique || interval.verdict == Verdict::unique_motion) << interval.from;
  }
  EXPECT_NEAR(verdicts.back().to, 0.6, 1e-12);
}

TEST(StepEngine, RefusesWhatItDoesNotHonour) {
  const char* const text =
      "thenar: 1\nobjects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1}\n"
      "contacts: {law: compliant}\nrun: {until: 1, engine: step}\n";
  try {
    parse_scenario(text, "test.yaml");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("its contacts are rigid"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace thenar::step_engine_test
