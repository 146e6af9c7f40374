// SPDX-License-Identifier: BSD-3-Clause
//
// Joints at an instant: stops that touch, rows at rest, and rows that contradict each other.

#include "thenar/instant/joint_rest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../support/builders.h"

namespace thenar::joint_rest_test {
namespace {

/// Two slides side by side: the first between stops at 0 and 1 m, the second with 3 N of dry friction. Rows: lower
/// stop, upper stop, friction.
Scenario make_slides() {
  ModelBuilder builder;
  for (const char* name : {"a", "b"}) {
    JointSpec joint{.name = name, .kind = JointKind::prismatic};
    joint.axis = Vector3<double>::UnitX();
    if (std::string(name) == "b") joint.friction = VectorX<double>::Constant(1, 3);
    builder.add_body({.name = name, .mass = test::box_mass(2, {0.1, 0.1, 0.1})}, kWorld, joint);
  }
  builder.add_stop({.dof = 0, .side = StopSide::lower, .bound = {Expression(0.0), {}}});
  builder.add_stop({.dof = 0, .side = StopSide::upper, .bound = {Expression(1.0), {}}});
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.torques = {{0, Expression(-4.0)}, {1, Expression(5.0)}};
  return s;
}

struct Joints {
  explicit Joints(Scenario s)
      : scenario(std::move(s)),
        motion(scenario),
        tolerances(scenario.model, find_scales(scenario.model, scenario.initial), 1e-8),
        rest(motion, tolerances) {}

  Scenario scenario;
  ConstrainedMotion motion;
  Tolerances tolerances;
  JointRest rest;
};

TEST(JointRest, StopsTouchWithinRoundingAndAreMetExactly) {
  Joints joints(make_slides());
  const VectorX<double> still = VectorX<double>::Zero(2);
  VectorX<double> q = Eigen::Vector2d(1e-17, 0);
  joints.rest.find_touching(q, still);
  EXPECT_TRUE(joints.rest.touches(0));
  EXPECT_FALSE(joints.rest.touches(1));
  EXPECT_EQ(q(0), 0) << "on the bound";
  q(0) = 1e-9;
  joints.rest.find_touching(q, still);
  EXPECT_FALSE(joints.rest.touches(0));
  EXPECT_EQ(q(0), 1e-9);
  q(0) = 1.0000001;
  joints.rest.find_touching(q, still);
  EXPECT_TRUE(joints.rest.touches(1)) << "beyond it is on it";
  EXPECT_EQ(q(0), 1);
}

TEST(JointRest, AStopThatIsMetWithinNoTimeTouches) {
  Joints joints(make_slides());
  const double soon = joints.tolerances.simultaneous();
  for (const double speed : {-50.0, 50.0}) {
    VectorX<double> q = Eigen::Vector2d(0.5 * 50 * soon, 0);
    const VectorX<double> v = Eigen::Vector2d(speed, 0);
    joints.rest.find_touching(q, v);
    EXPECT_EQ(joints.rest.touches(0), speed < 0);
  }
}

TEST(JointRest, RowsAtRestAreStopsThatAreNotLeftAndFrictionThatDoesNotSlip) {
  Joints joints(make_slides());
  const double nothing = 0.5 * joints.tolerances.speed_rounding(0);
  VectorX<double> q = VectorX<double>::Zero(2), v = Eigen::Vector2d(nothing, -nothing), vdot(2);
  joints.rest.find_touching(q, v);
  EXPECT_EQ(joints.rest.find_rows_at_rest(0, q, v, vdot), (std::vector<int>{0, 2}));
  EXPECT_EQ(v.norm(), 0) << "speeds lost in rounding become zero";
  EXPECT_NEAR(vdot(0), -2, 1e-13) << "−4 N on 2 kg, without the reaction";
  EXPECT_NEAR(vdot(1), 2.5, 1e-13);
  EXPECT_TRUE(joints.motion.mode().held.empty());
}

TEST(JointRest, FrictionOfWhatSlipsTakesPartInTheAcceleration) {
  for (const double speed : {-0.5, 0.5}) {
    Joints joints(make_slides());
    VectorX<double> q = VectorX<double>::Zero(2), v = Eigen::Vector2d(0.1, speed), vdot(2);
    joints.rest.find_touching(q, v);
    EXPECT_TRUE(joints.rest.find_rows_at_rest(0, q, v, vdot).empty()) << "the stop is being left";
    EXPECT_NEAR(vdot(1), (5 - 3 * (speed > 0 ? 1 : -1)) / 2, 1e-13) << "some hundred roundings of numbers of size 5";
    EXPECT_EQ(joints.rest.slip(), (std::vector<int>{0, 0, speed > 0 ? 1 : -1}));
  }
}

/// A joint that a coupling keeps in its place, on a stop that moves towards it when the other joint does.
TEST(JointRest, NamesTheRowsThatNoMotionSatisfies) {
  ModelBuilder builder;
  for (const char* name : {"a", "b"}) {
    JointSpec joint{.name = name, .kind = JointKind::prismatic};
    joint.axis = Vector3<double>::UnitX();
    joint.locked = std::string(name) == "a";
    builder.add_body({.name = name, .mass = test::box_mass(2, {0.1, 0.1, 0.1})}, kWorld, joint);
  }
  builder.add_coupling({.name = "link", .dof = 1, .value = {Expression(0.3), {}}});
  const std::vector<std::string> x{"x"};
  builder.add_stop({.dof = 1, .side = StopSide::lower, .bound = {Expression::parse("0.3 + x^2", x), {0}}});
  Joints joints(test::at_rest(std::move(builder).finalize()));
  VectorX<double> q = Eigen::Vector2d(0, 0.3), v = VectorX<double>::Zero(2);
  joints.rest.find_touching(q, v);
  EXPECT_EQ(joints.rest.explain_contradiction(0, q, v), "") << "at rest nothing closes";
  v(0) = 1;  // the bound 0.3 + a² accelerates by 2
  joints.rest.find_touching(q, v);
  EXPECT_EQ(joints.rest.explain_contradiction(0, q, v), "no motion satisfies all of: coupling of 'b', lower of 'b'");
}

}  // namespace
}  // namespace thenar::joint_rest_test
