// SPDX-License-Identifier: BSD-3-Clause
//
// Slow motion of a scenario as a problem: who moves, who is driven, what pushes, and what it does not know.

#include "thenar/quasistatic_run/quasistatic_scene.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "../support/contact_scenes.h"
#include "thenar/control/joint_control.h"

namespace thenar::quasistatic_scene_test {
namespace {

constexpr double kG = 9.81;

/// In the x-y plane, with gravity along −y: a box of 2 kg, a slide along x (dof 3), and on it one along y (dof 4) of
/// 0.5 kg, with an upper stop at 0.2 m.
Scenario make_push(double friction_of_lift = 0) {
  ModelBuilder builder;
  builder.set_gravity({0, -kG, 0});
  builder.add_body({.name = "box", .mass = test::box_mass(2, {0.2, 0.1, 0.1})}, kWorld,
                   {.name = "box", .kind = JointKind::planar});
  BodyIndex parent = kWorld;
  for (const bool is_lift : {false, true}) {
    JointSpec joint{.name = is_lift ? "lift" : "reach", .kind = JointKind::prismatic};
    joint.axis = is_lift ? Vector3<double>::UnitY() : Vector3<double>::UnitX();
    if (is_lift && friction_of_lift > 0) joint.friction = VectorX<double>::Constant(1, friction_of_lift);
    parent = builder.add_body({.name = joint.name, .mass = test::box_mass(is_lift ? 0.5 : 1, {0.1, 0.1, 0.1})}, parent,
                              joint);
  }
  builder.add_stop({.dof = 4, .side = StopSide::upper, .bound = {Expression(0.2), {}}});
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.initial.q(3) = -1;
  s.initial.v(3) = 0.25;
  return s;
}

JointServo make_servo(int dof, const char* target) {
  return {.dof = dof, .kp = 1, .kd = 0, .target = Target(Expression::parse(target, kProfileVariables), 1)};
}

TEST(QuasistaticFault, NamesWhatSlowMotionDoesNotKnow) {
  Scenario s = make_push();
  EXPECT_EQ(find_quasistatic_fault(s), "");
  s.torques.push_back({4, Expression(1.0)});
  EXPECT_EQ(find_quasistatic_fault(s), "");
  s.controls.push_back({std::make_shared<PdControl>(std::vector<JointServo>{make_servo(4, "0")})});
  EXPECT_EQ(find_quasistatic_fault(s), "joint 'lift' has a target and a torque; in slow motion it follows one of them");
  s.torques.clear();
  EXPECT_EQ(find_quasistatic_fault(s), "");
  s.initial.q(4) = 0.1;
  EXPECT_EQ(find_quasistatic_fault(s),
            "joint 'lift' starts at 0.1 and its target at 0; in slow motion it is on its target");
  Scenario rough = make_push(0.3);
  EXPECT_EQ(find_quasistatic_fault(rough), "") << "what is driven by position may rub";
  rough.torques.push_back({4, Expression(1.0)});
  EXPECT_EQ(find_quasistatic_fault(rough),
            "slow motion knows no dry friction of effort-controlled joints, as 'lift' is");
}

TEST(QuasistaticFault, InSpaceFrictionIsAPolygonOfPoints) {
  Scenario s = test::ball_over_floor(0);
  EXPECT_EQ(find_quasistatic_fault(s), "");
  s.contacts->cone = {.kind = FrictionCone::Kind::box};
  EXPECT_NE(find_quasistatic_fault(s).find("takes a polygon"), std::string::npos);
  s.contacts->cone = {};
  s.contacts->law.fingertip = Fingertip::soft;
  s.contacts->law.torsion = 1e-3;
  EXPECT_NE(find_quasistatic_fault(s).find("no soft fingertips, as those of"), std::string::npos);
  EXPECT_THROW(assemble_quasistatic(s, s.initial), std::runtime_error);
}

TEST(QuasistaticAssembler, ObjectsAreUnknownAndJointsAreDrivenUnlessTheyHaveATorque) {
  Scenario s = make_push();
  const QuasistaticAssembler driven(s);
  EXPECT_EQ(driven.object_dofs(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(driven.joint_dofs(), (std::vector<int>{3, 4}));
  EXPECT_FALSE(driven.is_spatial());
  for (int dof = 0; dof < 5; ++dof) EXPECT_EQ(driven.is_unknown(dof), dof < 3) << dof;
  s.torques.push_back({4, Expression(1.0)});
  const QuasistaticAssembler pushed(s);
  EXPECT_TRUE(pushed.is_unknown(4));
  EXPECT_FALSE(pushed.is_unknown(3));
}

TEST(QuasistaticAssembler, JointsFollowTheirTargetOrGoOnWithTheirVelocity) {
  Scenario s = make_push();
  s.controls.push_back({std::make_shared<PdControl>(std::vector<JointServo>{make_servo(4, "0.1*t^2")})});
  const QuasistaticAssembler assembler(s);
  VectorX<double> q = s.initial.q;
  q(0) = 7;
  assembler.place_driven(2, q);
  EXPECT_EQ(q(0), 7) << "objects are where they are";
  EXPECT_DOUBLE_EQ(q(3), -1 + 2 * 0.25);
  EXPECT_DOUBLE_EQ(q(4), 0.4);
  EXPECT_DOUBLE_EQ(assembler.calc_rate(3, 2), 0.25);
  EXPECT_DOUBLE_EQ(assembler.calc_rate(4, 2), 0.4);
  EXPECT_EQ(assembler.calc_rate(0, 2), 0) << "not driven";
}

/// A row n · v splits into Wᵀ q̇ of the objects and −J θ̇ of the joints.
TEST(QuasistaticAssembler, RowsSplitIntoObjectsAndJoints) {
  Scenario s = make_push();
  s.torques.push_back({4, Expression(1.5)});
  QuasistaticAssembler assembler(s);
  const VectorX<double> n = VectorX<double>::LinSpaced(5, 1, 5), t = VectorX<double>::LinSpaced(5, -1, 3);
  const std::vector<QuasistaticRow> rows{{.name = "a", .n = n, .t = t, .u = {}, .mu = 0.3}};
  const QuasistaticProblem problem = assembler.assemble(0, s.initial.q, rows);
  problem.check();
  ASSERT_EQ(problem.contact_count(), 1);
  EXPECT_EQ(problem.mu(0), 0.3);
  EXPECT_EQ(problem.W_n.col(0), n.head<3>());
  EXPECT_EQ(problem.W_t.col(0), t.head<3>());
  EXPECT_EQ(problem.J_n.row(0).transpose(), -n.tail<2>());
  EXPECT_EQ(problem.J_t.row(0).transpose(), -t.tail<2>());
  EXPECT_EQ(problem.is_position_controlled, (std::vector<bool>{true, false}));
  EXPECT_DOUBLE_EQ(problem.theta_dot(0), 0.25);
  EXPECT_DOUBLE_EQ(problem.tau(1), 1.5);
  // Weights: of the box, and of what the lift carries, which takes an effort.
  EXPECT_NEAR((problem.g_obj - Vector3<double>(0, -2 * kG, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((problem.g_man - Vector2<double>(0, 0.5 * kG)).norm(), 0, 1e-12);
}

TEST(QuasistaticAssembler, GivenVelocitiesTakeThePlaceOfRatesButNotOfTargets) {
  Scenario s = make_push();
  s.controls.push_back({std::make_shared<PdControl>(std::vector<JointServo>{make_servo(4, "0.3*t")})});
  QuasistaticAssembler assembler(s);
  const VectorX<double> v = VectorX<double>::Constant(5, 9);
  const QuasistaticProblem problem = assembler.assemble(0, s.initial.q, {}, &v);
  EXPECT_DOUBLE_EQ(problem.theta_dot(0), 9);
  EXPECT_DOUBLE_EQ(problem.theta_dot(1), 0.3);
}

TEST(QuasistaticAssembler, WrenchesHaveTheirPower) {
  Scenario s = make_push();
  QuasistaticAssembler assembler(s);
  ExternalLoads loads;
  loads.wrenches.push_back({.body = s.model.body_of("box"), .force = {3, 4, 0}, .torque = {0, 0, 0.5}});
  assembler.set_loads(loads);
  const QuasistaticProblem problem = assembler.assemble(0, s.initial.q, {});
  EXPECT_NEAR((problem.g_obj - Vector3<double>(3, 4 - 2 * kG, 0.5)).norm(), 0, 1e-12);
  const VectorX<double> v = (VectorX<double>(5) << 1, 2, 3, 100, 100).finished();
  EXPECT_NEAR(assembler.calc_wrench_power(v), 3 + 8 + 1.5, 1e-11);
}

TEST(QuasistaticScene, AStopThatAJointIsOnIsARow) {
  Scenario s = make_push();
  EXPECT_TRUE(assemble_quasistatic(s, s.initial).contacts.empty());
  State state = s.initial;
  state.q(4) = 0.2;
  const QuasistaticScene scene = assemble_quasistatic(s, state);
  EXPECT_EQ(scene.contacts, std::vector<std::string>{"lift (upper stop)"});
  EXPECT_EQ(scene.problem.W_n.norm(), 0) << "no object";
  EXPECT_DOUBLE_EQ(scene.problem.J_n(0, 1), 1) << "the gap closes where the joint moves up: −J θ̇ = −θ̇";
  EXPECT_EQ(scene.problem.mu(0), 0) << "stops have no friction";
}

/// A ball on a floor in space: both tangents, and as many sides as the cone has.
TEST(QuasistaticScene, InSpaceHasTwoTangentsAndThePolygonOfItsCone) {
  Scenario s = test::ball_over_floor(0, {.friction = 0.4});
  QuasistaticScene scene = assemble_quasistatic(s, s.initial);
  EXPECT_EQ(scene.problem.sides, kDefaultSides);
  ASSERT_EQ(scene.contacts, std::vector<std::string>{"ball/floor"});
  EXPECT_EQ(scene.problem.mu(0), 0.4);
  MatrixX<double> W(6, 3);
  W << scene.problem.W_n, scene.problem.W_t, scene.problem.W_u;
  // Forces at the lowest point, moments about the middle 0.1 m above it.
  EXPECT_LT((W.bottomRows<3>().transpose() * W.bottomRows<3>() - MatrixX<double>::Identity(3, 3)).norm(), 1e-12);
  for (int k = 0; k < 3; ++k) {
    const Vector3<double> force = W.col(k).tail<3>(), arm(0, 0, -test::kBallRadius);
    EXPECT_LT((W.col(k).head<3>() - arm.cross(force)).norm(), 1e-12);
  }
  s.contacts->cone = {.kind = FrictionCone::Kind::polygon, .faces = 5};
  scene = assemble_quasistatic(s, s.initial);
  EXPECT_EQ(scene.problem.sides, 5);
}

}  // namespace
}  // namespace thenar::quasistatic_scene_test
