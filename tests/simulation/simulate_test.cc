// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "../support/builders.h"

namespace thenar::simulate_test {
namespace {

Expression parse(const char* text) { return Expression::parse(text, kProfileVariables); }

/// RK4 is exact on parabolas; what is left is the rounding of some 1000 sums of numbers around 1.
constexpr double kRounding = 1000 * 2.3e-16;

/// Complete elliptic integral of the first kind by the arithmetic-geometric mean.
double complete_elliptic(double k) {
  double a = 1, b = std::sqrt(1 - k * k);
  while (std::abs(a - b) > 1e-15 * a) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (2 * a);
}

TEST(Simulate, PendulumReturnsAfterItsPeriod) {
  // A rod about its end: ω₀² = (m g l/2)/(m l²/3); period 4 K(sin(θ₀/2))/ω₀ (Carv 5.1.1 with the right inertia).
  const double angle = std::numbers::pi / 2;
  Scenario s = test::pendulum(angle);
  s.run.tolerance = 1e-11;
  s.run.until = 4 * complete_elliptic(std::sin(angle / 2)) / std::sqrt(9.81 * 0.25 / (0.25 / 3));
  const RunReport report = simulate(s);
  EXPECT_EQ(report.status, RunStatus::done);
  EXPECT_EQ(report.last.t, s.run.until);
  EXPECT_NEAR(report.last.q(0), angle, 1e-9);
  EXPECT_NEAR(report.last.v(0), 0, 1e-8);
  EXPECT_NEAR(report.q_min(0), -angle, 1e-3);  // seen at steps and rows only
}

TEST(Simulate, EnergyErrorOfPendulumFallsWithOrderFourOrBetter) {
  const auto energy_error = [](double step) {
    Scenario s = test::pendulum(2);
    s.run = {.until = 2, .sample = 0.5, .integrator = IntegratorKind::rk4, .step = step};
    return std::abs(simulate(s).energy.error());
  };
  // The local energy error of RK4 on an oscillator is of order 5 or 6, hence "or better".
  EXPECT_GT(std::log2(energy_error(0.01) / energy_error(0.005)), 3.8);
}

TEST(Simulate, FreeFallOfFreeBodyIsAParabola) {
  Scenario s = test::free_box();
  s.initial.v << 0, 0, 0, 1, -2, 3;
  s.run.until = 0.7;
  const RunReport report = simulate(s);
  EXPECT_NEAR(report.last.q(0), 0.7, kRounding);
  EXPECT_NEAR(report.last.q(1), -1.4, kRounding);
  EXPECT_NEAR(report.last.q(2), 3 * 0.7 - 0.5 * 9.81 * 0.49, kRounding);
}

TEST(Simulate, FreeFallOfPlanarBodyIsAParabola) {
  ModelBuilder builder;
  builder.set_gravity({0, -9.81, 0});
  builder.add_body({.name = "disc", .mass = test::box_mass(2, {0.3, 0.2, 0.1})}, kWorld,
                   {.name = "disc", .kind = JointKind::planar});
  Scenario s = test::at_rest(std::move(builder).finalize(), 0.5);
  s.initial.v << 1, 2, 3;
  const RunReport report = simulate(s);
  EXPECT_NEAR(report.last.q(0), 0.5, kRounding);
  EXPECT_NEAR(report.last.q(1), 1 - 0.5 * 9.81 * 0.25, kRounding);
  EXPECT_NEAR(report.last.q(2), 1.5, kRounding);
}

TEST(Simulate, EnergyBalanceConvergesWithOrderFour) {
  // Everything at once: actuators, wrenches, springs with and without a potential, dampers.
  const auto balance_error = [](double step) {
    Scenario s = test::mixed_tree();
    s.torques.push_back({6, parse("0.3*sin(5*t)")});
    WrenchProfile wrench;
    wrench.body = BodyIndex(3);
    wrench.point_B = {0.1, 0, 0.05};
    wrench.force = {parse("cos(3*t)"), parse("0.5*t"), Expression(1)};
    wrench.in_world_axes = false;
    s.wrenches.push_back(wrench);
    s.run = {.until = 0.8, .sample = 0.8, .integrator = IntegratorKind::rk4, .step = step};
    const RunReport report = simulate(s);
    EXPECT_GT(std::abs(report.energy.work), 0.1);
    EXPECT_GT(report.energy.dissipated, 1e-3);
    return std::abs(report.energy.error());
  };
  EXPECT_NEAR(std::log2(balance_error(0.0025) / balance_error(0.00125)), 4, 0.25);
  EXPECT_NEAR(std::log2(balance_error(0.00125) / balance_error(0.000625)), 4, 0.15);
}

TEST(Simulate, DampedPendulumLosesWhatItsDamperTakes) {
  Scenario s = test::pendulum(1, 0.5);
  s.run.until = 20;
  const RunReport report = simulate(s);
  EXPECT_NEAR(report.last.q(0), 0, 1e-6);
  EXPECT_NEAR(report.energy.dissipated, report.energy.start - report.energy.end, 1e-9);
  EXPECT_EQ(report.energy.work, 0);
}

TEST(Simulate, RowsAreAtExactTimes) {
  Scenario s = test::pendulum(1);
  s.run = {.until = 0.25, .sample = 0.1, .integrator = IntegratorKind::rk4, .step = 0.003};
  const Trace trace = record(s);
  ASSERT_EQ(trace.samples.size(), 4u);
  EXPECT_EQ(trace.samples[0].state.t, 0);
  EXPECT_EQ(trace.samples[1].state.t, 0.1);
  EXPECT_EQ(trace.samples[2].state.t, 0.2);
  EXPECT_EQ(trace.samples[3].state.t, 0.25);
  EXPECT_EQ(trace.report.steps, 34 + 34 + 17);
  EXPECT_EQ(trace.report.rows, 4);
}

TEST(Simulate, StepsThatDivideTheSampleAreNotSplit) {
  Scenario s = test::pendulum(1);
  s.run = {.until = 1, .sample = 0.01, .integrator = IntegratorKind::rk4, .step = 0.001};
  EXPECT_EQ(simulate(s).steps, 1000);
}

TEST(Simulate, TwoRunsAreEqualBitByBit) {
  const Trace a = record(test::mixed_tree()), b = record(test::mixed_tree());
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) EXPECT_TRUE(a.samples[i].state == b.samples[i].state);
}

TEST(Simulate, RunawayEndsWithTimeStepAndJoint) {
  // A spring so stiff that the step is far beyond the stability of the method.
  ModelBuilder builder;
  JointSpec joint{.name = "slide", .kind = JointKind::prismatic};
  joint.spring = JointSpring{MatrixX<double>::Constant(1, 1, 1e12), VectorX<double>::Zero(1)};
  builder.add_body({.name = "cart", .mass = test::box_mass(1, {1, 1, 1})}, kWorld, joint);
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.initial.q(0) = 1;
  s.run.integrator = IntegratorKind::rk4;
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("joint 'slide'"), std::string::npos) << trace.report.reason;
  EXPECT_NE(trace.report.reason.find("in step"), std::string::npos) << trace.report.reason;
  for (const Sample& sample : trace.samples) EXPECT_TRUE(sample.state.q.allFinite() && sample.state.v.allFinite());
  EXPECT_TRUE(trace.report.last.q.allFinite());
}

TEST(Simulate, TorqueThatIsNoNumberEndsTheRunAndIsNamed) {
  Scenario s = test::pendulum(0);
  s.torques.push_back({0, parse("sqrt(0.5 - t)")});
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("the torque of joint 'hinge', 'sqrt(0.5 - t)'"), std::string::npos)
      << trace.report.reason;
  EXPECT_LE(trace.report.last.t, 0.5);
  for (const Sample& sample : trace.samples) EXPECT_TRUE(sample.tau.allFinite());
}

TEST(Simulate, TorqueThatIsInfiniteAtARowIsNotWritten) {
  Scenario s = test::pendulum(0);
  s.run = {.until = 1, .sample = 0.5, .integrator = IntegratorKind::rk4, .step = 0.5};
  s.torques.push_back({0, parse("t == 0.5 ? 1/0 : 0")});
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_EQ(trace.samples.size(), 1u);
}

TEST(Simulate, InterruptKeepsWhatIsThere) {
  std::atomic<bool> flag{false};
  Scenario s = test::pendulum(1);
  s.run.until = 1e4;
  s.run.integrator = IntegratorKind::rk4;
  RunCallbacks callbacks;
  int rows = 0;
  callbacks.on_sample = [&](const Sample& sample) {
    flag = sample.state.t >= 0.05;
    ++rows;
    return true;
  };
  callbacks.interrupt = &flag;
  const RunReport report = simulate(s, callbacks);
  EXPECT_EQ(report.status, RunStatus::interrupted);
  EXPECT_EQ(report.rows, rows);
  EXPECT_NEAR(report.last.t, 0.05, 1e-9);
  EXPECT_NE(report.reason.find("interrupted at t = 0.05"), std::string::npos) << report.reason;
}

TEST(Simulate, CallbackCanStopTheRun) {
  RunCallbacks callbacks;
  callbacks.on_sample = [](const Sample& sample) { return sample.state.t < 0.05; };
  const RunReport report = simulate(test::pendulum(1), callbacks);
  EXPECT_EQ(report.status, RunStatus::failed);
  EXPECT_EQ(report.rows, 5);
}

TEST(Simulate, JointWithoutInertiaIsRefusedByName) {
  ModelBuilder builder;
  const BodyIndex palm = builder.add_body({.name = "palm", .mass = test::box_mass(1, {1, 1, 1})}, kWorld,
                                          {.name = "wrist", .kind = JointKind::revolute});
  builder.add_body({.name = "tip"}, palm, {.name = "dip", .kind = JointKind::revolute});
  Scenario s = test::at_rest(std::move(builder).finalize());
  const auto fault = find_inertia_fault(s.model, s.initial.q);
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->message.find("joint 'dip' has no inertia to move: give body 'tip' a mass"), std::string::npos);
  EXPECT_THROW(simulate(s), std::invalid_argument);
}

TEST(Simulate, ArmatureIsInertiaEnough) {
  ModelBuilder builder;
  JointSpec joint{.name = "dip", .kind = JointKind::revolute};
  joint.armature = VectorX<double>::Constant(1, 1e-4);
  builder.add_body({.name = "tip"}, kWorld, joint);
  EXPECT_EQ(simulate(test::at_rest(std::move(builder).finalize(), 0.01)).status, RunStatus::done);
}

TEST(Simulate, ThinRodHasNoInertiaAboutItself) {
  ModelBuilder builder;
  builder.add_body({.name = "rod", .mass = mass_properties_from_mass(Rod{1}, 1)}, kWorld,
                   {.name = "spin", .kind = JointKind::free});
  EXPECT_TRUE(find_inertia_fault(std::move(builder).finalize(), [] {
    VectorX<double> q(7);
    q << 0, 0, 0, 0.5, 0.5, 0.5, 0.5;
    return q;
  }()));
}

TEST(Simulate, NothingThatMovesIsNoProblem) { EXPECT_EQ(simulate(test::at_rest(Model())).status, RunStatus::done); }

TEST(Simulate, BadOptionsAreRefused) {
  Scenario s = test::pendulum(0);
  s.run.until = 0;
  EXPECT_THROW(simulate(s), std::invalid_argument);
  s.run = {.until = 1, .integrator = IntegratorKind::rk4, .step = 1e-12};
  EXPECT_THROW(simulate(s), std::invalid_argument);
  s.run = {.until = 1, .sample = std::nan(""), .integrator = IntegratorKind::rk4, .step = 1e-3};
  EXPECT_THROW(simulate(s), std::invalid_argument);
  s = test::pendulum(0);
  s.initial.q.resize(3);
  EXPECT_THROW(simulate(s), std::invalid_argument);
}

TEST(State, ComparesAllItsNumbers) {
  const State a{1, VectorX<double>::Constant(2, 3), VectorX<double>::Constant(2, 4)};
  State b = a;
  EXPECT_TRUE(a == b);
  b.v(1) = 5;
  EXPECT_FALSE(a == b);
  const State shorter{1, VectorX<double>::Constant(1, 3), VectorX<double>::Constant(2, 4)};
  EXPECT_FALSE(a == shorter);
}

}  // namespace
}  // namespace thenar::simulate_test
