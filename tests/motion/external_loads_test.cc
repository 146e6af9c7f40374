// SPDX-License-Identifier: BSD-3-Clause
//
// Loads that a program sets act as the same loads of a scenario do.

#include "thenar/motion/external_loads.h"

#include <gtest/gtest.h>

#include <vector>

#include "../support/builders.h"
#include "thenar/motion/forces.h"

namespace thenar::external_loads_test {
namespace {

struct Evaluation {
  VectorX<double> tau;
  std::vector<BodyWrench<double>> wrenches;
  PowerFlow<double> power;
};

Evaluation evaluate(const Scenario& s, const ExternalLoads& loads) {
  ScenarioForces<double> forces(s);
  forces.set_loads(loads);
  Workspace<double> workspace(s.model);
  Evaluation out;
  out.tau.setZero(s.model.velocity_count());
  std::span<const BodyWrench<double>> wrenches;
  out.power = forces.evaluate(0.3, s.initial.q.data(), s.initial.v.data(), workspace, out.tau.data(), wrenches);
  out.wrenches.assign(wrenches.begin(), wrenches.end());
  return out;
}

Scenario make_turning_box() {
  Scenario s = test::free_box();
  s.initial.q.tail<4>() << 0.8, 0.36, -0.48, 0;
  s.initial.v << 1, -2, 0.5, 0.3, 0.2, -0.7;
  return s;
}

TEST(ExternalLoads, SetOnlyWhatTheyName) {
  ExternalLoads loads;
  EXPECT_TRUE(loads.empty());
  EXPECT_FALSE(loads.sets_effort(0));
  loads.efforts.resize(2);
  loads.efforts[1] = 0.0;
  EXPECT_FALSE(loads.empty());
  EXPECT_FALSE(loads.sets_effort(0));
  EXPECT_TRUE(loads.sets_effort(1)) << "an effort of 0 is one";
}

/// Two routes: a wrench that is set, and a profile with the same numbers.
TEST(ExternalLoads, WrenchesActAsConstantProfilesDo) {
  for (const bool in_world_axes : {true, false}) {
    Scenario s = make_turning_box();
    ExternalLoads loads;
    loads.wrenches.push_back({.body = BodyIndex(1),
                              .point_B = {0.1, 0.05, -0.02},
                              .force = {1, 2, 3},
                              .torque = {0.1, -0.2, 0.3},
                              .in_world_axes = in_world_axes});
    const Evaluation set = evaluate(s, loads);
    WrenchProfile profile;
    profile.body = BodyIndex(1);
    profile.point_B = {0.1, 0.05, -0.02};
    profile.force = {Expression(1), Expression(2), Expression(3)};
    profile.torque = {Expression(0.1), Expression(-0.2), Expression(0.3)};
    profile.in_world_axes = in_world_axes;
    s.wrenches.push_back(profile);
    const Evaluation written = evaluate(s, {});
    ASSERT_EQ(set.wrenches.size(), 1u);
    ASSERT_EQ(written.wrenches.size(), 1u);
    const auto difference = [&](const Vec3<double>& a, const Vec3<double>& b) { return (a - b).eigen().norm(); };
    EXPECT_LT(difference(set.wrenches[0].wrench.force, written.wrenches[0].wrench.force), 1e-14);
    EXPECT_LT(difference(set.wrenches[0].wrench.moment, written.wrenches[0].wrench.moment), 1e-14);
    EXPECT_NEAR(set.power.work, written.power.work, 1e-13);
    EXPECT_NE(set.power.work, 0);
  }
}

TEST(ExternalLoads, PowerOfAForceIsForceTimesSpeedOfItsPoint) {
  const Scenario s = make_turning_box();
  const Vector3<double> F(1, 2, 3), r_B(0.1, 0.05, -0.02);
  const Vector4<double> quaternion = s.initial.q.tail<4>();
  const Eigen::Quaterniond turn(quaternion(0), quaternion(1), quaternion(2), quaternion(3));
  const Vector3<double> omega = s.initial.v.head<3>(), v = s.initial.v.tail<3>(), speed = v + omega.cross(turn * r_B);
  for (const bool in_world_axes : {true, false}) {
    ExternalLoads loads;
    loads.wrenches.push_back({.body = BodyIndex(1), .point_B = r_B, .force = F, .in_world_axes = in_world_axes});
    const Vector3<double> F_W = in_world_axes ? F : turn * F;
    EXPECT_NEAR(evaluate(s, loads).power.work, F_W.dot(speed), 1e-13);  // of numbers of size 3
  }
}

TEST(ExternalLoads, EffortsTakeThePlaceOfProfiles) {
  Scenario s = test::pendulum(0);
  s.torques.push_back({0, Expression(5.0)});
  EXPECT_EQ(evaluate(s, {}).tau(0), 5);
  ExternalLoads loads;
  loads.efforts.assign(1, -2.0);
  EXPECT_EQ(evaluate(s, loads).tau(0), -2);
  loads.efforts[0].reset();
  EXPECT_EQ(evaluate(s, loads).tau(0), 5);
}

TEST(ExternalLoads, SurviveTheArchive) {
  ExternalLoads loads;
  loads.efforts = {1.5, std::nullopt};
  loads.targets = {std::nullopt, 0.25};
  loads.wrenches.push_back({.body = BodyIndex(1), .force = {1, 2, 3}, .in_world_axes = false, .until = 7});
  std::vector<std::byte> bytes;
  StateWriter{bytes}(loads);
  ExternalLoads read;
  StateReader reader(bytes.data(), bytes.size());
  reader(read);
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_EQ(read.efforts, loads.efforts);
  EXPECT_EQ(read.targets, loads.targets);
  ASSERT_EQ(read.wrenches.size(), 1u);
  EXPECT_EQ(read.wrenches[0].force.z, 3);
  EXPECT_FALSE(read.wrenches[0].in_world_axes);
  EXPECT_EQ(read.wrenches[0].until, 7);
}

}  // namespace
}  // namespace thenar::external_loads_test
