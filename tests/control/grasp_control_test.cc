// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/grasp_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/geometry/shape.h"
#include "thenar/model/model_builder.h"
#include "thenar/spatial/rotation.h"

namespace thenar::grasp_control_test {
namespace {

/// An object and fingers around it, each a point that three sliding joints carry anywhere: then efforts are forces.
struct Gripper {
  Model model;
  std::vector<BodyPoint<double>> tips;
  BodyIndex object;
  VectorX<double> q, v;
};

MassProperties off_center() {
  return mass_properties_from_mass(Box{{0.06, 0.05, 0.04}}, 0.3)
      .expressed_in(Pose<double>::translation({0.01, 0, 0.005}));
}

Gripper make_gripper(const std::vector<Vector3<double>>& places) {
  Gripper out;
  ModelBuilder builder;
  out.object = builder.add_body({"object", off_center()}, kWorld, {.name = "object", .kind = JointKind::free});
  for (std::size_t i = 0; i < places.size(); ++i) {
    BodyIndex parent = kWorld;
    for (int k = 0; k < 3; ++k) {
      JointSpec slide{.name = "f" + std::to_string(i) + std::to_string(k), .kind = JointKind::prismatic};
      slide.axis = Vector3<double>::Unit(k);
      if (k == 0) slide.X_PF = Pose<double>::translation(places[i]);
      parent = builder.add_body({slide.name, mass_properties_from_mass(Sphere{0.01}, 0.01)}, parent, slide);
    }
    out.tips.push_back({parent, Vec3<double>::zero()});
  }
  out.model = std::move(builder).finalize();
  out.q = out.model.neutral_position();
  out.v.setZero(out.model.velocity_count());
  return out;
}

VectorX<double> calc_efforts(Controller& law, const Gripper& gripper, double t) {
  law.prepare(gripper.model);
  VectorX<double> tau = VectorX<double>::Zero(gripper.model.velocity_count());
  law.add_efforts(gripper.model, t, gripper.q.data(), gripper.v.data(), tau.data());
  return tau;
}

const std::vector<Vector3<double>> kAround{
    {0.05, 0.01, 0}, {-0.03, 0.05, 0.01}, {-0.02, -0.04, -0.01}, {0, 0.01, 0.06}};

TEST(Squeeze, PressesTwoTipsTowardsEachOtherAndNothingElse) {
  const Gripper gripper = make_gripper(kAround);
  Squeeze law(gripper.tips[0], gripper.tips[2], Expression(2.0));
  const VectorX<double> tau = calc_efforts(law, gripper, 0);
  const Vector3<double> along = (kAround[2] - kAround[0]).normalized() * 2;
  EXPECT_NEAR((tau.segment<3>(6) - along).norm(), 0, 1e-15);
  EXPECT_NEAR((tau.segment<3>(12) + along).norm(), 0, 1e-15);
  EXPECT_EQ(tau.head<6>().norm() + tau.segment<3>(9).norm() + tau.segment<3>(15).norm(), 0);
}

TEST(Squeeze, ForceMayChangeWithTimeAndSwitches) {
  const Gripper gripper = make_gripper(kAround);
  const std::vector<std::string> names{"t", "level"};
  Squeeze law(gripper.tips[0], gripper.tips[1], Expression::parse("t < 1 ? 1 : 3", names));
  EXPECT_NEAR(calc_efforts(law, gripper, 2).segment<3>(6).norm(), 3, 1e-15);
  EXPECT_EQ(law.find_switch(0, 2)->after, 1);
}

/// Force and moment of the tips about the object's centre of mass.
Wrench<double> add_up(const Gripper& gripper, const ObjectControl& law) {
  Workspace<double> workspace(gripper.model);
  update_positions(gripper.model, gripper.q.data(), workspace);
  const Placement<double> X = calc_body_pose(gripper.model, workspace, gripper.object);
  const Vec3<double> center = X.p + X.R * Vec3<double>(gripper.model.body(gripper.object).mass.com);
  Wrench<double> sum = Wrench<double>::zero();
  for (std::size_t i = 0; i < gripper.tips.size(); ++i) {
    const Vec3<double> p = calc_body_pose(gripper.model, workspace, gripper.tips[i].body).p;
    sum += Wrench<double>{Vec3<double>::zero(), law.forces()[i]}.moved_by(p - center);
  }
  return sum;
}

PoseTrajectory make_path() {
  const std::vector<PoseTrajectory::Waypoint> points{{0, {Matrix3<double>::Identity(), Vector3<double>::Zero()}},
                                                     {1, {rotation_from_rpy({0.2, 0.1, -0.4}), {0.03, 0.01, 0.05}}}};
  return PoseTrajectory(points, Interpolation::quintic);
}

/// The state that is on the path at time t.
void follow(const PoseTrajectory& path, double t, Gripper& gripper) {
  const PosePoint at = path.evaluate(t);
  gripper.q.head<3>() = at.pose.p;
  gripper.q.segment<4>(3) = quaternion_from_rotation(at.pose.R);
  gripper.v.head<3>() = at.angular_velocity.eigen();
  gripper.v.segment<3>(3) = at.velocity.eigen();
}

TEST(ObjectControl, OnThePathTheWrenchIsThatOfInverseDynamics) {
  Gripper gripper = make_gripper(kAround);
  const PoseTrajectory path = make_path();
  follow(path, 0.3, gripper);
  ObjectControl law({.object = gripper.object,
                     .fingertips = gripper.tips,
                     .path = path,
                     .kp = 50,
                     .kd = 3,
                     .kp_turn = 0.5,
                     .kd_turn = 0.02,
                     .squeeze = Expression(1.5)});
  const VectorX<double> tau = calc_efforts(law, gripper, 0.3);
  const Wrench<double> sum = add_up(gripper, law);

  // The free joint's effort for the desired acceleration is the moment and the force about the body's origin.
  const PosePoint want = path.evaluate(0.3);
  VectorX<double> vdot = VectorX<double>::Zero(gripper.model.velocity_count()), needed = vdot;
  vdot.head<3>() = want.angular_acceleration.eigen();
  vdot.segment<3>(3) = want.acceleration.eigen();
  Workspace<double> workspace(gripper.model);
  inverse_dynamics<double>(gripper.model, gripper.q.data(), gripper.v.data(), vdot.data(), {}, workspace,
                           needed.data());
  update_positions(gripper.model, gripper.q.data(), workspace);
  const Placement<double> X = calc_body_pose(gripper.model, workspace, gripper.object);
  const Vec3<double> arm = X.R * Vec3<double>(gripper.model.body(gripper.object).mass.com);
  const Wrench<double> about_origin = sum.moved_by(arm);
  EXPECT_NEAR((about_origin.force.eigen() - needed.segment<3>(3)).norm(), 0, 1e-12);
  EXPECT_NEAR((about_origin.moment.eigen() - needed.head<3>()).norm(), 0, 1e-13);
  EXPECT_EQ(tau.head<6>().norm(), 0);  // an object has no actuators
  EXPECT_NEAR((tau.segment<3>(6) - law.forces()[0].eigen()).norm(), 0, 1e-15);
}

TEST(ObjectControl, SqueezeIsInternalAndLeastChanged) {
  // With and without squeeze the wrench is the same; the difference of forces has no wrench.
  Gripper gripper = make_gripper(kAround);
  ObjectControl::Options options{.object = gripper.object, .fingertips = gripper.tips, .path = make_path()};
  ObjectControl loose(options);
  options.squeeze = Expression(4.0);
  ObjectControl tight(options);
  calc_efforts(loose, gripper, 0);
  calc_efforts(tight, gripper, 0);
  const Wrench<double> a = add_up(gripper, loose), b = add_up(gripper, tight);
  EXPECT_NEAR((a.force - b.force).eigen().norm(), 0, 1e-13);
  EXPECT_NEAR((a.moment - b.moment).eigen().norm(), 0, 1e-14);
  EXPECT_NEAR(a.force.z, 0.3 * 9.81, 1e-13);  // carries the object
  double change = 0;
  for (std::size_t i = 0; i < gripper.tips.size(); ++i)
    change += (tight.forces()[i] - loose.forces()[i]).eigen().norm();
  EXPECT_GT(change, 4);
  // Least norm: loose forces are orthogonal to every internal force.
  double product = 0;
  for (std::size_t i = 0; i < gripper.tips.size(); ++i) {
    product += dot(loose.forces()[i], tight.forces()[i] - loose.forces()[i]);
  }
  EXPECT_NEAR(product, 0, 1e-12);
}

TEST(ObjectControl, PullsBackTowardsThePath) {
  Gripper gripper = make_gripper(kAround);
  ObjectControl law(
      {.object = gripper.object, .fingertips = gripper.tips, .path = PoseTrajectory(), .kp = 50, .kp_turn = 0.5});
  calc_efforts(law, gripper, 0);
  const Wrench<double> rest = add_up(gripper, law);
  gripper.q(1) = 0.002;
  calc_efforts(law, gripper, 0);
  EXPECT_NEAR(add_up(gripper, law).force.y - rest.force.y, -50 * 0.002, 1e-13);
  gripper.q(1) = 0;
  gripper.q.segment<4>(3) = quaternion_from_rotation(rotation_from_rpy({0, 0, 0.1}));
  calc_efforts(law, gripper, 0);
  EXPECT_NEAR(add_up(gripper, law).moment.z - rest.moment.z, -0.5 * 0.1, 1e-13);
}

TEST(ObjectControl, TwoTipsMakeAllThatTheyCan) {
  // Two tips cannot turn the object about their line. What is missing of the wrench is orthogonal to all that they can
  // make (normal equations of (3), moments in the mean distance L of the tips): f + (m/L) × (r/L) = 0 at both tips.
  const std::vector<Vector3<double>> two{{0.05, 0, 0}, {-0.05, 0, 0}};
  const Vector4<double> turned = quaternion_from_rotation(rotation_from_rpy({0.2, 0.1, 0}));
  const auto make = [&](const std::vector<Vector3<double>>& places) {
    Gripper gripper = make_gripper(places);
    gripper.q.segment<4>(3) = turned;
    ObjectControl law({.object = gripper.object, .fingertips = gripper.tips, .kp_turn = 1});
    calc_efforts(law, gripper, 0);
    for (const Vec3<double>& f : law.forces()) EXPECT_LT(f.eigen().norm(), 10);  // not those of a bad inverse
    return add_up(gripper, law);
  };
  const Wrench<double> wanted = make(kAround), made = make(two);
  const Vec3<double> moment = wanted.moment - made.moment, force = wanted.force - made.force;
  EXPECT_GT(moment.eigen().norm(), 1e-3);
  const Vec3<double> center(Vector3<double>(rotation_from_rpy({0.2, 0.1, 0}) * off_center().com));
  const double L2 = 0.5 * ((center.eigen() - two[0]).squaredNorm() + (center.eigen() - two[1]).squaredNorm());
  for (const Vector3<double>& tip : two) {
    const Vec3<double> left = force + cross(moment, Vec3<double>(tip) - center) * (1 / L2);
    EXPECT_NEAR(left.eigen().norm(), 0, 1e-12);
  }
}

}  // namespace
}  // namespace thenar::grasp_control_test
