// SPDX-License-Identifier: BSD-3-Clause
//
// The same trees in MuJoCo give the same accelerations. MuJoCo is an independent formulation (composite bodies about
// the centre of mass, sparse factorization) and its own parser reads what we write, so frames, inertias, signs,
// springs, dampers, armature and outer wrenches are all compared. 1e-9 of the largest acceleration: both sides round to
// 1e-16 times the condition of the mass matrix, which is below 1e6 for these trees.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../support/mujoco_twin.h"
#include "random_trees.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar::mujoco_test {
namespace {

using test::RandomTree;

using test::MujocoTwin;

/// A random tree that MuJoCo can hold too: free joints on the world only (with M = B and F = world), one armature,
/// damping and stiffness per joint.
Model random_twin_model(RandomTree& random, int bodies, double mass_low, double mass_high) {
  using enum JointKind;
  ModelBuilder builder;
  const std::vector<JointKind> kinds = {revolute, prismatic, universal, spherical, planar, fixed, revolute};
  for (int i = 0; i < bodies; ++i) {
    const std::string n = std::to_string(i);
    const BodyIndex parent(static_cast<int>(random.uniform(0, i + 0.999)));
    JointKind kind = kinds[static_cast<std::size_t>(random.uniform(0, 6.999))];
    if (parent == kWorld) kind = i % 2 == 0 ? free : kind;
    JointSpec joint = random.joint("j" + n, kind);
    if (kind == free) joint.X_PF = joint.X_BM = {};
    joint.armature.setConstant(random.uniform(0, 1e-3));
    joint.damping = VectorX<double>::Constant(velocity_count(kind), random.uniform(0, 0.1));
    if (kind == revolute || kind == prismatic || kind == spherical) {
      VectorX<double> rest = VectorX<double>::Zero(position_count(kind));
      if (kind == spherical)
        rest(0) = 1;
      else
        rest(0) = random.uniform(-1, 1);
      const int nv = velocity_count(kind);
      joint.spring = JointSpring{MatrixX<double>::Identity(nv, nv) * random.uniform(0, 2), rest};
    }
    builder.add_body({"b" + n, random.mass(mass_low, mass_high)}, parent, joint);
  }
  return std::move(builder).finalize();
}

TEST(Mujoco, SameTreesAccelerateTheSame) {
  RandomTree random(11);
  for (int tree = 0; tree < 30; ++tree) {
    const bool wide = tree % 3 == 0;
    const Model model = random_twin_model(random, 4 + tree, wide ? -3 : -2, wide ? 1 : 0);
    MujocoTwin twin(model);
    ASSERT_TRUE(twin.is_loaded());
    Workspace<double> ws(model);
    VectorX<double> vdot(model.velocity_count());
    for (int k = 0; k < 40; ++k) {
      const VectorX<double> q = random.position(model), v = random.numbers(model.velocity_count(), 2);
      const VectorX<double> tau = random.numbers(model.velocity_count(), 0.5);
      std::vector<BodyWrench<double>> wrenches;
      for (int i = 1; i < model.body_count(); i += 2) {
        wrenches.push_back({BodyIndex(i), {Vec3<double>(random.vector(0.05)), Vec3<double>(random.vector(0.5))}});
      }
      const VectorX<double> theirs = twin.accelerations(model, q, v, tau, wrenches);
      VectorX<double> total = tau;
      add_passive_forces(model, q.data(), v.data(), total.data());
      forward_dynamics<double>(model, q.data(), v.data(), total.data(), wrenches, ws, vdot.data());
      EXPECT_LE((vdot - theirs).cwiseAbs().maxCoeff(), 1e-9 * theirs.cwiseAbs().maxCoeff()) << "tree " << tree;
    }
  }
}

/// The hands that go through the lanes.
TEST(Mujoco, HandsAccelerateTheSame) {
  RandomTree random(12);
  for (const JointKind base : {JointKind::fixed, JointKind::universal}) {
    for (const bool knuckles : {false, true}) {
      const Model model = random.hand(base, {3, 3, 3, 4, 2}, knuckles);
      MujocoTwin twin(model);
      ASSERT_TRUE(twin.is_loaded());
      Workspace<double> ws(model);
      VectorX<double> vdot(model.velocity_count());
      for (int k = 0; k < 100; ++k) {
        const VectorX<double> q = random.position(model), v = random.numbers(model.velocity_count(), 2);
        const VectorX<double> tau = random.numbers(model.velocity_count(), 0.5);
        const std::vector<BodyWrench<double>> wrenches = {
            {BodyIndex(4), {Vec3<double>(0.01, 0, 0.02), Vec3<double>(0.1, -1, 0)}},
            {BodyIndex(1), {Vec3<double>(0, 0.1, 0.2), Vec3<double>(1, 1, 0)}}};
        const VectorX<double> theirs = twin.accelerations(model, q, v, tau, wrenches);
        forward_dynamics<double>(model, q.data(), v.data(), tau.data(), wrenches, ws, vdot.data());
        EXPECT_LE((vdot - theirs).cwiseAbs().maxCoeff(), 1e-9 * theirs.cwiseAbs().maxCoeff());
      }
    }
  }
}

}  // namespace
}  // namespace thenar::mujoco_test
