// SPDX-License-Identifier: BSD-3-Clause
//
// Controllers as files describe them. The refusals are in bad/.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../scenario_texts.h"
#include "thenar/motion/actuation.h"
#include "thenar/simulation/simulate.h"

namespace thenar::control_reader_test {
namespace {

using test::parse;

constexpr double kDegree = std::numbers::pi / 180;

/// Two hinges and a slide on an arm without gravity, and a box.
Scenario parse_control(const std::string& control, const std::string& q = "{a: 10 deg}") {
  return parse(
      "gravity: [0, 0, 0]\nparameters: {k: 3 N m/rad}\n"
      "hands:\n  - name: arm\n    bodies:\n"
      "      - {name: a, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}\n"
      "      - {name: b, parent: a, joint: {type: universal}, mass: 1, inertia: [1, 1, 1]}\n"
      "      - {name: c, parent: b, joint: {type: prismatic}, mass: 1, inertia: [1, 1, 1]}\n"
      "    q: " +
      q +
      "\n"
      "objects: [{name: box, shape: {box: [0.1, 0.2, 0.3]}, mass: 2, pose: {xyz: [0, 0, 1]}}]\n"
      "control: " +
      control + "\n");
}

/// Efforts of a, b.0, b.1, c at the initial state.
Eigen::Vector4d efforts(const Scenario& s, double t = 0) {
  Actuation actuation(s);
  VectorX<double> tau(s.model.velocity_count());
  actuation.calc_efforts(t, s.initial.q.data(), s.initial.v.data(), tau.data());
  EXPECT_EQ(tau.tail(s.model.velocity_count() - 4).norm(), 0);
  return tau.head<4>();
}

void expect_efforts(const Scenario& s, double t, const Eigen::Vector4d& expected) {
  EXPECT_NEAR((efforts(s, t) - expected).norm(), 0, 1e-14) << efforts(s, t).transpose();
}

TEST(ControlReader, JointsWithoutTargetsStayWhereTheyStart) {
  expect_efforts(parse_control("[{pd_gravity: {kp: 2, kd: 0.1}}]"), 0.5, {0, 0, 0, 0});
}

TEST(ControlReader, RowsStartFromTheInitialPosition) {
  const Scenario s = parse_control("[{pd: {kp: 2, targets: [[1 s, {arm.a: 30 deg}]], interpolation: linear}}]");
  expect_efforts(s, 0, {0, 0, 0, 0});
  expect_efforts(s, 0.5, {2 * 10 * kDegree, 0, 0, 0});
  expect_efforts(s, 3, {2 * 20 * kDegree, 0, 0, 0});
}

TEST(ControlReader, RowAtZeroIsTheFirstTarget) {
  const Scenario s = parse_control("[{pd: {kp: 2, targets: [[0, {arm.a: 30 deg}], [1, {arm.a: 50 deg}]]}}]");
  expect_efforts(s, 0, {2 * 20 * kDegree, 0, 0, 0});
  expect_efforts(s, 0.5, {2 * 30 * kDegree, 0, 0, 0});  // half of a quintic
}

TEST(ControlReader, GainsAndTargetsGoToJointsPatternsAndDegreesOfFreedom) {
  const Scenario s = parse_control(
      "[{pd: {kp: {\"arm.*\": 1, arm.b: $k, arm.c: 5 N/m}, targets: [[0, {arm.b: [0.1, 0.2], arm.c: 4 mm}]]}}]");
  expect_efforts(s, 0, {0, 0.3, 0.6, 0.02});
}

TEST(ControlReader, LastThatFitsCounts) {
  const Scenario s =
      parse_control("[{pd: {joints: [arm.a, arm.b], kp: 1, targets: [[0, {\"arm.?\": 0.5, arm.b: 0.1}]]}}]", "{}");
  expect_efforts(s, 0, {0.5, 0.1, 0.1, 0});
}

TEST(ControlReader, TargetsMayBeFunctionsOfTime) {
  const Scenario s = parse_control("[{pd: {kd: 1, targets: {arm.a: 0.3*sin(2*t), arm.b: [t, level]}}}]");
  expect_efforts(s, 0.4, {0.6 * std::cos(0.8), 1, 0, 0});
}

TEST(ControlReader, ComputedTorqueHasItsUnits) {
  const Scenario s =
      parse_control("[{computed_torque: {joints: arm.c, kp: 4 s^-2, kd: 2 Hz, targets: [[0, {arm.c: 0.5}]]}}]", "{}");
  EXPECT_NEAR(efforts(s)(3), 1 * 4 * 0.5, 1e-14);  // 1 kg slides
}

TEST(ControlReader, SqueezePullsTheTipsTogether) {
  // c slides along z of a, the origins of a and b coincide with it at 0.2 m: the pull is along the slide.
  const Scenario s =
      parse_control("[{squeeze: {between: [arm.a, {body: arm.c, at: [0, 0, 0]}], force: 2 N}}]", "{a: 0, c: 0.2}");
  expect_efforts(s, 0, {0, 0, 0, -2});
}

TEST(ControlReader, ObjectIsCarriedByItsFingertips) {
  // One tip below the box, one above: without gravity, only the error of 1 cm counts.
  const Scenario s = parse_control(
      "[{object: {body: box, fingertips: [arm.c], kp: 100, targets: [[1 s, {xyz: [0, 0, 1.01]}]]}}]", "{c: 0.4}");
  EXPECT_NEAR(efforts(s, 0)(3), 0, 1e-14);
  EXPECT_NEAR(efforts(s, 2)(3), 1, 1e-12);
}

TEST(ControlReader, RateIsSampled) {
  const Scenario s = parse_control("[{pd: {kp: 2, targets: [[0, {arm.a: 1}]], rate: 0.1 kHz}}]");
  ASSERT_EQ(s.controls.size(), 1u);
  EXPECT_EQ(s.controls[0].rate, 100);
  EXPECT_EQ(simulate(s).control_samples, 100);
}

TEST(ControlReader, KindsAddUp) {
  const Scenario s =
      parse_control("[{torque: {arm.a: 1}}, {pd: {kp: 1, targets: [[0, {arm.a: 20 deg}]]}}, {torque: {arm.c: 3}}]");
  expect_efforts(s, 0, {1 + 10 * kDegree, 0, 0, 3});
}

}  // namespace
}  // namespace thenar::control_reader_test
