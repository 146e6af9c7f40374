// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/joint_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "../dynamics/random_trees.h"
#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/geometry/shape.h"

namespace thenar::joint_control_test {
namespace {

/// A tree of revolute, prismatic and universal joints with dampers and springs, on the world.
Model make_tree(unsigned seed) {
  using enum JointKind;
  test::RandomTree random(seed);
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  int number = 0;
  for (const JointKind kind : {revolute, universal, prismatic, revolute}) {
    const std::string name = "j" + std::to_string(number++);
    JointSpec joint = random.joint(name, kind);
    joint.damping = VectorX<double>::Constant(velocity_count(kind), 0.3);
    parent = builder.add_body({name, random.mass(-1, 0)}, parent, joint);
  }
  return std::move(builder).finalize();
}

std::vector<JointServo> drive_all(const Model& model, double kp, double kd, const Target& target) {
  std::vector<JointServo> servos;
  for (int dof = 0; dof < model.velocity_count(); ++dof) servos.push_back({dof, kp, kd, target});
  return servos;
}

VectorX<double> calc_efforts(Controller& law, const Model& model, double t, const VectorX<double>& q,
                             const VectorX<double>& v) {
  law.prepare(model);
  VectorX<double> tau = VectorX<double>::Zero(model.velocity_count());
  law.add_efforts(model, t, q.data(), v.data(), tau.data());
  return tau;
}

double calc_gravity_energy_at(const Model& model, const VectorX<double>& q) {
  Workspace<double> workspace(model);
  update_positions(model, q.data(), workspace);
  return calc_gravity_energy(model, workspace);
}

TEST(PdControl, GravityTermIsTheGradientOfThePotential) {
  // Without gains only g(q) is left. Central differences with h = 1e-5: error h² ≈ 1e-10 and rounding 1e-11.
  const Model model = make_tree(3);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int round = 0; round < 5; ++round) {
    const VectorX<double> q = VectorX<double>::NullaryExpr(model.position_count(), [&] { return uniform(generator); });
    const VectorX<double> v = VectorX<double>::NullaryExpr(model.velocity_count(), [&] { return uniform(generator); });
    PdControl law(drive_all(model, 0, 0, Trajectory()));
    const VectorX<double> tau = calc_efforts(law, model, 0, q, v);
    for (int i = 0; i < model.velocity_count(); ++i) {
      VectorX<double> shift = VectorX<double>::Zero(model.velocity_count());
      shift(i) = 1e-5;
      const double slope = (calc_gravity_energy_at(model, q + shift) - calc_gravity_energy_at(model, q - shift)) / 2e-5;
      EXPECT_NEAR(tau(i), slope, 1e-8);
    }
  }
}

TEST(PdControl, IsLinearInErrorAndItsRate) {
  const Model model = make_tree(4);
  const VectorX<double> q = VectorX<double>::Constant(model.position_count(), 0.2);
  const VectorX<double> v = VectorX<double>::Constant(model.velocity_count(), -0.5);
  const std::vector<Waypoint> points{{0, 0}, {1, 2}};
  PdControl law(drive_all(model, 3, 0.7, Trajectory(points, Interpolation::linear)), false);
  const VectorX<double> tau = calc_efforts(law, model, 0.5, q, v);
  // q_d = 1 and q̇_d = 2 half way.
  for (int i = 0; i < tau.size(); ++i) EXPECT_NEAR(tau(i), 3 * (1 - 0.2) + 0.7 * (2 + 0.5), 1e-14);
}

TEST(PdControl, DerivativesAreThoseOfItsEfforts) {
  // Central differences with h = 1e-4: error h²; those that the law makes itself are good to 1e-7.
  const Model model = make_tree(6);
  const int nv = model.velocity_count();
  const VectorX<double> q = VectorX<double>::LinSpaced(model.position_count(), -0.5, 0.7);
  const VectorX<double> v = VectorX<double>::LinSpaced(nv, 1, -1);
  std::vector<JointServo> servos = drive_all(model, 3, 0.7, Trajectory());
  servos.erase(servos.begin() + 1);  // one is left to itself
  for (const bool compensates_gravity : {false, true}) {
    PdControl law(servos, compensates_gravity);
    law.prepare(model);
    MatrixX<double> dq = MatrixX<double>::Zero(nv, nv), dv = dq;
    ASSERT_TRUE(law.add_derivatives(model, 0, q.data(), v.data(), dq, dv));
    for (int j = 0; j < nv; ++j) {
      const VectorX<double> shift = 1e-4 * VectorX<double>::Unit(nv, j);  // joints of one coordinate each
      const VectorX<double> along_q =
          calc_efforts(law, model, 0, q + shift, v) - calc_efforts(law, model, 0, q - shift, v);
      const VectorX<double> along_v =
          calc_efforts(law, model, 0, q, v + shift) - calc_efforts(law, model, 0, q, v - shift);
      EXPECT_LT((dq.col(j) - along_q / 2e-4).cwiseAbs().maxCoeff(), 1e-6);
      EXPECT_LT((dv.col(j) - along_v / 2e-4).cwiseAbs().maxCoeff(), 1e-10);
    }
  }
}

TEST(ComputedTorque, ErrorFollowsItsOwnLinearEquation) {
  // v̇ = q̈_d + Kd ė + Kp e, whatever the tree, by forward dynamics.
  const Model model = make_tree(5);
  const int nv = model.velocity_count();
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::vector<Waypoint> points{{0, 0.3}, {1, -0.8}};
  const Trajectory path(points, Interpolation::quintic);
  for (int round = 0; round < 5; ++round) {
    const VectorX<double> q = VectorX<double>::NullaryExpr(model.position_count(), [&] { return uniform(generator); });
    const VectorX<double> v = VectorX<double>::NullaryExpr(nv, [&] { return uniform(generator); });
    ComputedTorque law(drive_all(model, 50, 14, path));
    VectorX<double> tau = calc_efforts(law, model, 0.37, q, v), vdot(nv);
    const double scale = tau.lpNorm<Eigen::Infinity>();
    add_passive_forces(model, q.data(), v.data(), tau.data());
    Workspace<double> workspace(model);
    forward_dynamics<double>(model, q.data(), v.data(), tau.data(), {}, workspace, vdot.data());
    const PathPoint want = path.evaluate(0.37);
    for (int i = 0; i < nv; ++i) {
      const double expected =
          want.acceleration + 14 * (want.rate - v(i)) + 50 * (want.value - q(model.dof_coordinate(i)));
      // Rounding of the efforts, times the condition of a tree of masses within 0.1 … 1 kg.
      EXPECT_NEAR(vdot(i), expected, 1e-10 * (1 + scale));
    }
  }
}

TEST(JointControl, SwitchIsTheFirstOfAllAndJumpsIfAnyDoes) {
  const Model model = make_tree(6);
  const std::vector<Waypoint> early{{0, 0}, {0.4, 1}}, late{{0, 0}, {0.4, 1}, {0.9, 0}};
  PdControl smooth({{0, 1, 0, Trajectory(late, Interpolation::quintic)}});
  EXPECT_EQ(smooth.find_switch(0, 1)->after, 0.4);
  EXPECT_FALSE(smooth.find_switch(0, 1)->is_jump);
  PdControl mixed(
      {{0, 1, 0, Trajectory(late, Interpolation::quintic)}, {1, 1, 0, Trajectory(early, Interpolation::hold)}});
  EXPECT_TRUE(mixed.find_switch(0, 1)->is_jump);
  EXPECT_EQ(mixed.find_switch(0.4, 1)->after, 0.9);
  EXPECT_FALSE(mixed.find_switch(0.4, 1)->is_jump);
  EXPECT_FALSE(mixed.find_switch(0.9, 1));
  // The ends of a spline jump in acceleration, which only computed torque asks for.
  PdControl pd({{0, 1, 0, Trajectory(early, Interpolation::via)}});
  ComputedTorque torque({{0, 1, 0, Trajectory(early, Interpolation::via)}});
  EXPECT_FALSE(pd.find_switch(0, 1)->is_jump);
  EXPECT_TRUE(torque.find_switch(0, 1)->is_jump);
}

TEST(JointControl, RefusesWhatItCannotDrive) {
  ModelBuilder builder;
  builder.add_body({"b", mass_properties_from_mass(Sphere{0.1}, 1)}, kWorld,
                   {.name = "b", .kind = JointKind::spherical});
  const Model model = std::move(builder).finalize();
  PdControl rotation({{0, 1, 0, Trajectory()}}), nobody({{7, 1, 0, Trajectory()}});
  EXPECT_THROW(rotation.prepare(model), std::invalid_argument);
  EXPECT_THROW(nobody.prepare(model), std::invalid_argument);
}

}  // namespace
}  // namespace thenar::joint_control_test
