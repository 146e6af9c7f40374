// SPDX-License-Identifier: BSD-3-Clause
// Joint stops, dry friction, locks and couplings against closed forms.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "../support/builders.h"
#include "thenar/simulation/simulate.h"

namespace thenar::stops_test {
namespace {

constexpr double kGravity = 9.81;

Expression parse(const char* text) { return Expression::parse(text, kProfileVariables); }

/// A block of 1 kg that slides along z from height 0, with dry friction and stops; gravity pulls it down.
struct Slider {
  std::optional<double> lower{}, upper{};
  double restitution = 0;
  double friction = 0;
  double gravity = kGravity;
};

Scenario make_slider(const Slider& slider) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -slider.gravity});
  JointSpec joint{.name = "slide", .kind = JointKind::prismatic};
  joint.friction = VectorX<double>::Constant(1, slider.friction);
  builder.add_body({.name = "block", .mass = test::box_mass(1, {0.1, 0.1, 0.1})}, kWorld, joint);
  if (slider.lower) {
    builder.add_stop(
        {.dof = 0, .side = StopSide::lower, .bound = {Expression(*slider.lower)}, .restitution = slider.restitution});
  }
  if (slider.upper) {
    builder.add_stop(
        {.dof = 0, .side = StopSide::upper, .bound = {Expression(*slider.upper)}, .restitution = slider.restitution});
  }
  return test::at_rest(std::move(builder).finalize());
}

std::vector<Event> events_of(const Trace& trace, EventKind kind) {
  std::vector<Event> found;
  for (const Event& event : trace.events) {
    if (event.kind == kind) found.push_back(event);
  }
  return found;
}

std::string list(const Trace& trace) {
  std::string text = trace.report.reason;
  for (const Event& e : trace.events) {
    text += "\n" + std::to_string(e.t) + " " + to_string(e.kind) + " " + e.where() + ": " + describe(e);
  }
  return text;
}

TEST(Stop, IsMetAtTheTimeOfFreeFall) {
  Scenario s = make_slider({.lower = -1});
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::done) << list(trace);
  const auto on = events_of(trace, EventKind::limit_on);
  ASSERT_EQ(on.size(), 1u) << list(trace);
  EXPECT_NEAR(on[0].t, std::sqrt(2 / kGravity), 1e-14);
  EXPECT_EQ(on[0].where(), "slide");
  EXPECT_EQ(trace.report.last.q(0), -1);
  EXPECT_EQ(trace.report.last.v(0), 0);
  // All of its energy went into the impact.
  EXPECT_NEAR(trace.report.energy.dissipated, kGravity, 1e-12);
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-12);
}

TEST(Stop, ImpactHasARowBeforeAndARowAfter) {
  const Trace trace = record(make_slider({.lower = -1, .restitution = 0.5}));
  const double t = events_of(trace, EventKind::impact).at(0).t;
  std::vector<double> speeds;
  for (const Sample& sample : trace.samples) {
    if (sample.state.t == t) speeds.push_back(sample.state.v(0));
  }
  ASSERT_EQ(speeds.size(), 2u);
  EXPECT_NEAR(speeds[0], -std::sqrt(2 * kGravity), 1e-12);
  EXPECT_NEAR(speeds[1], 0.5 * std::sqrt(2 * kGravity), 1e-12);
}

TEST(Stop, BouncingEndsAtTheZenoTime) {
  for (const double e : {0.3, 0.5, 0.9}) {
    Scenario s = make_slider({.lower = -1, .restitution = e});
    s.run.until = 12;
    const Trace trace = record(s);
    const double fall = std::sqrt(2 / kGravity);
    const auto zeno = events_of(trace, EventKind::zeno);
    ASSERT_EQ(zeno.size(), 1u) << list(trace);
    // fall + 2 fall (e + e² + …). Rounding of the position (|q| = 1) moves the speed of the last bounces that are
    // computed, of height H = 9e-13, by a part eps/(2 H), and with it the time of those that remain, which is
    // 2 sqrt(2 H/g)/(1 - e); a few such errors add up.
    const double height = 9e-13, rounding = 2.2e-16 / (2 * height);
    EXPECT_NEAR(zeno[0].t, fall * (1 + e) / (1 - e), 10 * rounding * 2 * std::sqrt(2 * height / kGravity) / (1 - e));
    EXPECT_EQ(trace.report.last.q(0), -1);
    // The dense output adds up eight terms of size 1; accelerations that are off by 1e-15 move the end of a fall of 1 m
    // by 1e-15 m, or 5 eps.
    EXPECT_LE(trace.report.max_gap_violation, (8 + 5) * 2.3e-16);
    EXPECT_NEAR(trace.report.energy.error(), 0, 1e-9);
  }
}

TEST(Stop, ElasticBouncesKeepTheirHeight) {
  Scenario s = make_slider({.lower = -1, .restitution = 1});
  s.run.until = 9;
  const Trace trace = record(s);
  EXPECT_EQ(events_of(trace, EventKind::impact).size(), 10u);
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-10);
  EXPECT_NEAR(trace.report.energy.dissipated, 0, 1e-12);
}

TEST(Stop, IsLeftWhenTheTorqueReverses) {
  // The rod rests on a stop at 0 with a torque that pushes it there until it changes sign at t = 1.
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  JointSpec hinge{.name = "hinge", .kind = JointKind::revolute};
  builder.add_body({.name = "rod", .mass = test::box_mass(1, {0.5, 0.1, 0.1})}, kWorld, hinge);
  builder.add_stop({.dof = 0, .side = StopSide::lower});
  Scenario s = test::at_rest(std::move(builder).finalize(), 2);
  s.torques.push_back({0, parse("t - 1")});
  const Trace trace = record(s);
  const auto off = events_of(trace, EventKind::limit_off);
  ASSERT_EQ(off.size(), 1u) << list(trace);
  EXPECT_NEAR(off[0].t, 1, 1e-12);
  const double inertia = 1 * (0.5 * 0.5 + 0.1 * 0.1) / 12;
  EXPECT_NEAR(trace.report.last.q(0), 1 / (6 * inertia), 1e-7);  // ∫∫ (t − 1)
  EXPECT_GE(trace.report.q_min(0), 0);
}

TEST(Stop, IsLeftAtOnceWhenTheTorqueJumps) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add_body({.name = "rod", .mass = test::box_mass(12, {1, 0, 0})}, kWorld,
                   {.name = "hinge", .kind = JointKind::revolute});
  builder.add_stop({.dof = 0, .side = StopSide::upper});
  Scenario s = test::at_rest(std::move(builder).finalize(), 2);
  s.torques.push_back({0, parse("t < 0.7654321 ? 1 : -2")});
  const Trace trace = record(s);
  const auto off = events_of(trace, EventKind::limit_off);
  ASSERT_EQ(off.size(), 1u) << list(trace);
  EXPECT_NEAR(off[0].t, 0.7654321, 1e-15);
  EXPECT_EQ(events_of(trace, EventKind::control).size(), 1u);
  const double time = 2 - 0.7654321;
  EXPECT_NEAR(trace.report.last.q(0), -time * time, 1e-12);
}

TEST(Stop, ShortPulseIsNotMissed) {
  // A push of 1 ms inside what would be one long step.
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add_body({.name = "rod", .mass = test::box_mass(12, {1, 0, 0})}, kWorld,
                   {.name = "hinge", .kind = JointKind::revolute});
  builder.add_stop({.dof = 0, .side = StopSide::lower});
  Scenario s = test::at_rest(std::move(builder).finalize(), 2);
  s.torques.push_back({0, parse("pulse(t, 1, 1.001)*5")});
  const Trace trace = record(s);
  EXPECT_NEAR(trace.report.last.v(0), 5e-3, 1e-12) << list(trace);
}

TEST(Stop, OscillatingReactionIsFollowedThoughNothingMoves) {
  // The reaction 1 + 1.01 sin(40 t) dips below zero for a short while in every period.
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add_body({.name = "rod", .mass = test::box_mass(12, {1, 0, 0})}, kWorld,
                   {.name = "hinge", .kind = JointKind::revolute});
  builder.add_stop({.dof = 0, .side = StopSide::upper});
  Scenario s = test::at_rest(std::move(builder).finalize(), 2);
  s.torques.push_back({0, parse("1 + 1.01*sin(40*t)")});
  const Trace trace = record(s);
  const auto off = events_of(trace, EventKind::limit_off);
  ASSERT_GE(off.size(), 12u) << list(trace);
  const double first = (std::numbers::pi + std::asin(1 / 1.01)) / 40;
  EXPECT_NEAR(off[0].t, first, 1e-12);
}

/// Two equal rods side by side on a cart that slides along x: mirrored, they meet their stops together.
TEST(Stop, SymmetricStopsAreOneProblem) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -kGravity});
  JointSpec slide{.name = "cart", .kind = JointKind::prismatic};
  slide.axis = Vector3<double>::UnitX();
  const BodyIndex cart = builder.add_body({.name = "cart", .mass = test::box_mass(1, {0.1, 0.1, 0.1})}, kWorld, slide);
  MassProperties rod = mass_properties_from_mass(Rod{0.5}, 1);
  rod.com.z() = 0.25;
  for (const double side : {1.0, -1.0}) {
    JointSpec hinge{.name = side > 0 ? "left" : "right", .kind = JointKind::revolute};
    hinge.axis = Vector3<double>(0, side, 0);
    const BodyIndex body = builder.add_body({.name = hinge.name, .mass = rod}, cart, hinge);
    builder.add_stop(
        {.dof = body.value() - 1, .side = StopSide::upper, .bound = {Expression(1.2)}, .restitution = 0.4});
  }
  Scenario s = test::at_rest(std::move(builder).finalize(), 3);
  s.initial.q << 0, 0.1, 0.1;
  const Trace trace = record(s);
  const auto impacts = events_of(trace, EventKind::impact);
  ASSERT_GE(impacts.size(), 4u) << list(trace);
  for (std::size_t i = 0; i + 1 < impacts.size(); i += 2) EXPECT_EQ(impacts[i].t, impacts[i + 1].t) << list(trace);
  for (const Sample& sample : trace.samples) {
    EXPECT_NEAR(sample.state.q(0), 0, 1e-13);
    EXPECT_NEAR(sample.state.q(1), sample.state.q(2), 1e-12);
  }
  EXPECT_EQ(trace.report.last.q(1), 1.2);
}

TEST(Friction, BlockSlidesToRestAtTheClosedFormTime) {
  // Thrown with 2 m/s on a level: v = 2 − f t; it stops at t = 2/f and stays.
  Scenario s = make_slider({.friction = 3, .gravity = 0});
  s.initial.v(0) = 2;
  const Trace trace = record(s);
  const auto stick = events_of(trace, EventKind::stick);
  ASSERT_EQ(stick.size(), 1u) << list(trace);
  EXPECT_NEAR(stick[0].t, 2.0 / 3, 1e-12);
  EXPECT_NEAR(trace.report.last.q(0), 2.0 / 3, 1e-12);  // v²/(2 f)
  EXPECT_EQ(trace.report.last.v(0), 0);
  EXPECT_NEAR(trace.report.energy.dissipated, 2, 1e-12);
}

TEST(Friction, JointSticksUntilTheForceExceedsIt) {
  // Force 4 sin(π t) against friction 2: sticks until sin = 1/2, that is t = 1/6.
  Scenario s = make_slider({.friction = 2, .gravity = 0});
  s.torques.push_back({0, parse("4*sin(pi*t)")});
  s.run.until = 0.9;
  s.run.tolerance = 1e-11;
  const Trace trace = record(s);
  const auto slip = events_of(trace, EventKind::slip);
  ASSERT_EQ(slip.size(), 1u) << list(trace);
  EXPECT_NEAR(slip[0].t, 1.0 / 6, 1e-12);
  // v = ∫ 4 sin(π t) − 2 from 1/6.
  const double t = 0.9, pi = std::numbers::pi;
  const double v = 4 / pi * (std::cos(pi / 6) - std::cos(pi * t)) - 2 * (t - 1.0 / 6);
  EXPECT_NEAR(trace.report.last.v(0), v, 1e-10);
}

TEST(Friction, ReversesWithoutRestWhenTheForceIsLarge) {
  Scenario s = make_slider({.friction = 1, .gravity = kGravity});
  s.initial.v(0) = 3;
  const Trace trace = record(s);
  // Up with g + 1, down with g − 1.
  const double top = 3 / (kGravity + 1);
  const auto slip = events_of(trace, EventKind::slip);
  ASSERT_EQ(slip.size(), 1u) << list(trace);
  EXPECT_NEAR(slip[0].t, top, 1e-12);
  EXPECT_TRUE(events_of(trace, EventKind::stick).empty()) << list(trace);
  EXPECT_NEAR(trace.report.last.v(0), -(kGravity - 1) * (1 - top), 1e-11);
}

TEST(Lock, HoldsItsJointWhateverPulls) {
  Scenario s = test::at_rest([] {
    ModelBuilder builder;
    JointSpec first{.name = "first", .kind = JointKind::revolute};
    first.axis = Vector3<double>::UnitY();
    first.locked = true;
    MassProperties rod = mass_properties_from_mass(Rod{0.5}, 1);
    rod.com.z() = -0.25;
    const BodyIndex upper = builder.add_body({.name = "upper", .mass = rod}, kWorld, first);
    JointSpec second{.name = "second", .kind = JointKind::revolute};
    second.axis = Vector3<double>::UnitY();
    second.X_PF = Pose<double>::translation({0, 0, -0.5});
    builder.add_body({.name = "lower", .mass = rod}, upper, second);
    return std::move(builder).finalize();
  }());
  s.initial.q << 0.3, 0.7;
  // The same as a pendulum that hangs at its full angle.
  Scenario alone = test::pendulum(1.0);
  const RunReport locked = simulate(s), free = simulate(alone);
  EXPECT_EQ(locked.last.q(0), 0.3);
  EXPECT_NEAR(locked.last.q(1) + 0.3, free.last.q(0), 1e-7);
  EXPECT_NEAR(locked.energy.error(), 0, 1e-7);
}

/// Two rods of 0.3 m one after the other, hinges about y, hanging down at q = 0.
ModelBuilder two_rods(double friction = 0) {
  ModelBuilder builder;
  MassProperties rod = mass_properties_from_mass(Rod{0.3}, 0.5);
  rod.com.z() = -0.15;
  BodyIndex parent = kWorld;
  for (const char* name : {"first", "second"}) {
    JointSpec hinge{.name = name, .kind = JointKind::revolute};
    hinge.axis = Vector3<double>::UnitY();
    hinge.friction = VectorX<double>::Constant(1, friction);
    if (parent != kWorld) hinge.X_PF = Pose<double>::translation({0, 0, -0.3});
    parent = builder.add_body({.name = name, .mass = rod}, parent, hinge);
  }
  return builder;
}

CoordinateFunction function_of(const char* text, int dof) {
  const std::array<std::string, 1> variable{"x"};
  return {Expression::parse(text, variable), {dof}};
}

TEST(Stop, DependentLimitIsHonouredAlongTheWholePath) {
  // The second joint may bend the less the more the first does.
  for (const double e : {0.0, 0.6}) {
    ModelBuilder builder = two_rods();
    builder.add_stop({.dof = 1, .side = StopSide::upper, .bound = function_of("0.5*cos(x)", 0), .restitution = e});
    builder.add_stop({.dof = 1, .side = StopSide::lower, .bound = function_of("-0.1 - 0.2*x^2", 0), .restitution = e});
    Scenario s = test::at_rest(std::move(builder).finalize(), 4);
    s.initial.q << 1.2, 0.1;
    s.run.sample = 1e-3;
    const Trace trace = record(s);
    EXPECT_EQ(trace.report.status, RunStatus::done) << list(trace);
    EXPECT_GE(events_of(trace, EventKind::impact).size(), 4u);
    EXPECT_TRUE(e > 0 || !events_of(trace, EventKind::limit_on).empty()) << list(trace);
    bool rode = false;  // some rows lie on a bound that moves under them
    for (const Sample& sample : trace.samples) {
      const double q0 = sample.state.q(0), q1 = sample.state.q(1);
      const double above = 0.5 * std::cos(q0) - q1, below = q1 + 0.1 + 0.2 * q0 * q0;
      ASSERT_GE(above, -8 * 2.3e-16) << "t = " << sample.state.t;
      ASSERT_GE(below, -8 * 2.3e-16) << "t = " << sample.state.t;
      rode = rode || (std::min(above, below) < 1e-15 && std::abs(sample.state.v(0)) > 0.1);
    }
    EXPECT_TRUE(rode || e > 0);
    // Ideal constraints do no work: only impacts dissipate. Ten local errors of 1e-8 on an energy of about 3 J.
    EXPECT_NEAR(trace.report.energy.error(), 0, 1e-6);
  }
}

TEST(Coupling, MovesLikeOneJointWithTheSumOfInertias) {
  // q₁ = −q₀/2 makes one degree of freedom: compare with the reduced equation (JᵀMJ) q̈ = Jᵀ(τ − c − M J̇ q̇), J = (1,
  // −½), by energy: ½ q̇² (m₀₀ − m₀₁ + m₁₁/4) + V(q) is constant.
  ModelBuilder builder = two_rods();
  builder.add_coupling({.name = "half", .dof = 1, .value = function_of("-0.5*x", 0)});
  Scenario s = test::at_rest(std::move(builder).finalize(), 3);
  s.initial.q << 1, -0.5;
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::done) << list(trace);
  for (const Sample& sample : trace.samples) {
    EXPECT_NEAR(sample.state.q(1), -0.5 * sample.state.q(0), 1e-15);
    EXPECT_NEAR(sample.state.v(1), -0.5 * sample.state.v(0), 1e-13);
  }
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-7);
  EXPECT_GT(trace.report.q_max(0) - trace.report.q_min(0), 1.9);
}

TEST(Coupling, CurvedOneKeepsEnergyAndItsRelation) {
  ModelBuilder builder = two_rods();
  builder.add_coupling({.name = "curved", .dof = 1, .value = function_of("0.8*sin(x) + 0.1*x^2", 0)});
  Scenario s = test::at_rest(std::move(builder).finalize(), 3);
  s.initial.q << 1, 0.8 * std::sin(1.0) + 0.1;
  const Trace trace = record(s);
  for (const Sample& sample : trace.samples) {
    const double x = sample.state.q(0);
    EXPECT_NEAR(sample.state.q(1), 0.8 * std::sin(x) + 0.1 * x * x, 1e-15);
  }
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-7);
}

TEST(Event, GrazingContactIsSeenOnlyIfItTouches) {
  // Thrown upwards with v, the block reaches v²/(2 g): a stop a hair lower is met, one a hair higher is not.
  const double v = 3, top = v * v / (2 * kGravity);
  for (const double hair : {1e-6, 1e-9, 1e-12}) {
    for (const bool lower : {true, false}) {
      Scenario s = make_slider({.upper = lower ? top - hair : top + hair});
      s.initial.v(0) = v;
      s.run.tolerance = 1e-12;
      const Trace trace = record(s);
      EXPECT_EQ(events_of(trace, EventKind::impact).size(), lower ? 1u : 0u) << hair << list(trace);
      EXPECT_LE(trace.report.max_gap_violation, 8 * 2.3e-16);
    }
  }
}

TEST(Event, TwoCrossingsInsideOneStepAreBothFound) {
  // One long step of a parabola dips below a stop and comes back: fixed steps of 1 s see positions above it only.
  Scenario s = make_slider({.upper = 1.0});
  s.initial.v(0) = 5;  // reaches 1.274 m at 0.51 s, is below 1 m again at 0.746 s
  s.run = {.until = 1, .sample = 1, .integrator = IntegratorKind::rk8, .step = 1};
  const Trace trace = record(s);
  const auto impacts = events_of(trace, EventKind::impact);
  ASSERT_EQ(impacts.size(), 1u) << list(trace);
  EXPECT_NEAR(impacts[0].t, (5 - std::sqrt(25 - 2 * kGravity)) / kGravity, 1e-12);
}

class EveryIntegrator : public ::testing::TestWithParam<IntegratorKind> {};

TEST_P(EveryIntegrator, MeetsStopsAndFrictionOnTime) {
  Scenario s = make_slider({.lower = -1, .restitution = 0.5, .friction = 2});
  s.run.integrator = GetParam();
  s.run.until = 3;
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::done) << list(trace);
  // Falls with g − 2 from rest; rises with g + 2: each bounce is lower by e² (g − 2)/(g + 2).
  const double down = kGravity - 2, up = kGravity + 2, fall = std::sqrt(2 / down);
  const auto impacts = events_of(trace, EventKind::impact);
  ASSERT_GE(impacts.size(), 3u) << list(trace);
  EXPECT_NEAR(impacts[0].t, fall, 1e-12);
  double v = 0.5 * down * fall, t = fall;
  for (std::size_t i = 1; i < 3; ++i) {
    const double height = v * v / (2 * up), back = std::sqrt(2 * height / down);
    t += v / up + back;
    v = 0.5 * down * back;
    EXPECT_NEAR(impacts[i].t, t, 1e-11) << i;
  }
  EXPECT_EQ(trace.report.last.q(0), -1);
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(All, EveryIntegrator,
                         ::testing::Values(IntegratorKind::automatic, IntegratorKind::explicit_pair,
                                           IntegratorKind::implicit_radau, IntegratorKind::rk4, IntegratorKind::rk8,
                                           IntegratorKind::symplectic));

TEST(Stop, StopsThatPressOnEachOtherComeToRest) {
  // Both joints are driven into stops by constant torques; each strike shakes the other off its stop. With restitution
  // 0 they must rest in the end, not strike in turn for ever.
  ModelBuilder builder = two_rods();
  builder.set_gravity({0, 0, 0});
  builder.add_stop({.dof = 0, .side = StopSide::upper, .bound = {Expression(0.5)}});
  builder.add_stop({.dof = 1, .side = StopSide::lower, .bound = {Expression(-0.5)}});
  Scenario s = test::at_rest(std::move(builder).finalize(), 5);
  s.torques.push_back({0, parse("0.3")});
  s.torques.push_back({1, parse("-0.2")});
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::done) << list(trace);
  EXPECT_EQ(trace.report.last.q(0), 0.5);
  EXPECT_EQ(trace.report.last.q(1), -0.5);
  EXPECT_EQ(trace.report.last.v(0), 0);
  EXPECT_EQ(trace.report.last.v(1), 0);
  EXPECT_LT(trace.report.evaluations, 10000);
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-8);
}

TEST(Stop, ContradictoryRowsEndTheRunWithTheirNames) {
  // A coupling that drives the second joint through its stop, while the first is locked onto a moving law, cannot be
  // met.
  ModelBuilder builder = two_rods();
  builder.add_coupling({.name = "a", .dof = 1, .value = function_of("x", 0)});
  builder.add_coupling({.name = "b", .dof = 1, .value = function_of("x + 0.1*x^2", 0)});
  Scenario s = test::at_rest(std::move(builder).finalize(), 5);
  s.initial.v << 1, 1;
  s.torques.push_back({0, parse("3")});
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("second"), std::string::npos) << trace.report.reason;
}

}  // namespace
}  // namespace thenar::stops_test
