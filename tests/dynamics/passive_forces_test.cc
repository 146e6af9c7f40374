// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/passive_forces.h"

#include <gtest/gtest.h>

#include "random_trees.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar::passive_forces_test {
namespace {

using test::RandomTree;

/// Every joint type on a symmetric spring with a rest position, and one spring over two joints.
Model springy_model(RandomTree& random) {
  using enum JointKind;
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  std::vector<JointIndex> joints;
  for (const JointKind kind : {revolute, universal, spherical, planar, prismatic, free}) {
    JointSpec joint = random.joint(to_string(kind), kind);
    const int nv = velocity_count(kind), nq = position_count(kind);
    const MatrixX<double> root = MatrixX<double>::NullaryExpr(nv, nv, [&] { return random.uniform(-1, 1); });
    VectorX<double> rest = random.numbers(nq, 1);
    if (kind == spherical) rest.normalize();
    if (kind == free) rest.tail(4).normalize();
    const MatrixX<double> K = root * root.transpose();
    joint.spring = JointSpring{(K + K.transpose()) / 2, rest};
    parent = builder.add_body({std::string("b_") + to_string(kind), random.mass()}, parent, joint);
    joints.push_back(builder.joint_of(parent));
  }
  MatrixX<double> K = MatrixX<double>::Identity(4, 4);
  K(0, 3) = K(3, 0) = 0.4;
  VectorX<double> rest(5);
  rest << 0.2, 1, 0, 0, 0;
  builder.add_spring({joints[0], joints[2]}, K, rest);
  return std::move(builder).finalize();
}

TEST(PassiveForces, SpringForceIsMinusTheGradientOfItsEnergy) {
  RandomTree random(41);
  const Model model = springy_model(random);
  const int nv = model.velocity_count();
  using L = long double;
  const L h = 1e-4L;
  for (int k = 0; k < 50; ++k) {
    const VectorX<L> q = random.position(model).cast<L>(), v = VectorX<L>::Zero(nv);
    VectorX<L> tau = VectorX<L>::Zero(nv);
    add_passive_forces<L>(model, q.data(), v.data(), tau.data());
    for (int i = 0; i < nv; ++i) {
      const auto energy = [&](L step) {
        VectorX<L> dq = VectorX<L>::Zero(nv), moved(q.size());
        dq(i) = step;
        integrate_position<L>(model, q.data(), dq.data(), moved.data());
        return calc_spring_energy<L>(model, moved.data());
      };
      // Fourth-order central difference, error h⁴ times the fifth derivative; near a turn by π that one grows.
      const L slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
      EXPECT_NEAR(static_cast<double>(tau(i)), static_cast<double>(-slope), 1e-10) << i;
    }
  }
}

/// Carv Table 5-IV, joint 1: the first row feels the second angle, the second does not feel the first.
TEST(PassiveForces, WristMatrixCouplesOneWayOnly) {
  RandomTree random(42);
  ModelBuilder builder;
  JointSpec wrist = random.joint("wrist", JointKind::universal);
  MatrixX<double> K(2, 2);
  K << 2, -4, 0, 2;
  wrist.spring = JointSpring{K, VectorX<double>::Zero(2)};
  wrist.damping = VectorX<double>::Constant(2, 3);
  builder.add_body({"palm", random.mass()}, kWorld, wrist);
  const Model model = std::move(builder).finalize();
  const double q[2] = {0.1, 0.2}, v[2] = {0.5, -0.25};
  double tau[2] = {0, 0};
  add_passive_forces(model, q, v, tau);
  EXPECT_DOUBLE_EQ(tau[0], -(2 * 0.1 - 4 * 0.2) - 3 * 0.5);
  EXPECT_DOUBLE_EQ(tau[1], -(2 * 0.2) + 3 * 0.25);
  EXPECT_EQ(calc_spring_energy(model, q), 0);  // it has no potential: its work is counted as work
  EXPECT_DOUBLE_EQ(calc_damping_power(model, v), 3 * (0.25 + 0.0625));
}

}  // namespace
}  // namespace thenar::passive_forces_test
