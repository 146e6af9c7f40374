// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/forces.h"

#include <gtest/gtest.h>

#include "../support/builders.h"
#include "thenar/simulation/simulate.h"

namespace thenar::forces_test {
namespace {

Expression parse(const char* text) { return Expression::parse(text, kProfileVariables); }

TEST(Forces, TorqueSeesTimeAndLevel) {
  Scenario s = test::mixed_tree();
  const Joint& slide = s.model.joint(*s.model.find_joint("slide"));
  ASSERT_EQ(slide.level, 3);
  s.torques.push_back({slide.v_start, parse("10*level + t")});
  Actuation actuation(s);
  VectorX<double> tau(s.model.velocity_count());
  actuation.calc_efforts(0.25, s.initial.q.data(), s.initial.v.data(), tau.data());
  EXPECT_DOUBLE_EQ(tau(slide.v_start), 30.25);
  EXPECT_DOUBLE_EQ(tau.cwiseAbs().sum(), 30.25);
}

TEST(Forces, ForceOffTheCentreTurnsAsItsMomentSays) {
  // A force F at r on a body at rest: a = F/m, α = I⁻¹ (r × F), so after a short time v ≈ a t.
  Scenario s = test::free_box();
  WrenchProfile wrench;
  wrench.body = BodyIndex(1);
  wrench.point_B = {0, 0.1, 0};
  wrench.force = {Expression(0), Expression(0), parse("2*9.81 + 0.5")};  // carries the weight and half a newton more
  s.wrenches.push_back(wrench);
  s.run = {.until = 1e-4, .sample = 1e-4, .integrator = IntegratorKind::rk4, .step = 1e-4};
  const Trace trace = record(s);
  const double Ixx = 2 * (0.2 * 0.2 + 0.1 * 0.1) / 12, F = 2 * 9.81 + 0.5;
  EXPECT_NEAR(trace.report.last.v(0), 0.1 * F / Ixx * 1e-4, 1e-9);
  EXPECT_NEAR(trace.report.last.v(5), 0.5 / 2 * 1e-4, 1e-9);
}

TEST(Forces, BodyAxesTurnWithTheBody) {
  // Turned by 90° about z, the body's x axis is the world's y axis.
  Scenario s = test::free_box();
  s.initial.q.tail<4>() << std::sqrt(0.5), 0, 0, std::sqrt(0.5);
  WrenchProfile wrench;
  wrench.body = BodyIndex(1);
  wrench.in_world_axes = false;
  wrench.force = {Expression(4), Expression(0), Expression(0)};
  wrench.torque = {Expression(0), Expression(0), Expression(0.1)};
  s.wrenches.push_back(wrench);
  s.run = {.until = 1e-4, .sample = 1e-4, .integrator = IntegratorKind::rk4, .step = 1e-4};
  const Trace trace = record(s);
  EXPECT_NEAR(trace.report.last.v(3), 0, 1e-6);
  EXPECT_NEAR(trace.report.last.v(4), 2e-4, 1e-9);
  EXPECT_GT(trace.report.last.v(2), 0);
}

TEST(Forces, BadProfileIsNamed) {
  Scenario s = test::pendulum(0);
  s.torques.push_back({0, parse("1/(t - 1)")});
  EXPECT_EQ(find_bad_profile(s, 0), "");
  EXPECT_EQ(find_bad_profile(s, 1), "the torque of joint 'hinge', '1/(t - 1)', gives inf at t = 1 s");
}

}  // namespace
}  // namespace thenar::forces_test
