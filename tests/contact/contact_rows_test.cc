// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_rows.h"

#include <gtest/gtest.h>

#include "../dynamics/random_trees.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/geometry/shape.h"

namespace thenar::contact_rows_test {
namespace {

/// Balls on every body of every kind of tree, all of them within reach: contacts between neighbours, across branches
/// that hang on one carrier, between trees, and with the world.
TEST(ContactRows, AreTheDifferenceOfTheBodiesJacobians) {
  test::RandomTree random(31);
  int count = 0;
  for (const auto& [name, tree] : test::make_test_models()) {
    const Model& model = tree;  // clang 14 cannot capture names of a structured binding
    SCOPED_TRACE(name);
    if (model.body_count() > 30) continue;  // every pair is looked at
    std::vector<BodyShape> shapes{{kWorld, Plane{}, Pose<double>::translation({0, 0, -3})}};
    for (int i = 1; i < model.body_count(); ++i) {
      shapes.push_back({BodyIndex(i), Sphere{0.01}, Pose<double>::translation(random.vector(0.1))});
    }
    const int nv = model.velocity_count();
    const VectorX<double> q = random.position(model), v = random.numbers(nv, 1);
    Workspace<double> workspace(model);
    update_positions(model, q.data(), workspace);
    update_velocities(model, v.data(), workspace);
    ContactFinder finder(model, shapes, {});
    finder.update(workspace, 10);
    Eigen::Matrix<double, 6, Eigen::Dynamic> J_A(6, nv), J_B(6, nv);
    for (const FoundContact& found : finder.contacts()) {
      SCOPED_TRACE(contact_name(model, found));
      const ContactRows rows = calc_contact_rows(model, workspace, finder, found);
      const auto calc_on_body = [&](BodyIndex body, const Vec3<double>& p_W, auto& out) {
        const Placement<double> X_WB = calc_body_pose(model, workspace, body);
        calc_jacobian<double>(model, workspace, body, X_WB.R.transpose_times(p_W - X_WB.p), out);
      };
      calc_on_body(found.body_A, found.p_A, J_A);
      calc_on_body(found.body_B, found.p_B, J_B);
      Matrix3<double> R_WC;
      R_WC << found.N.eigen(), found.T.eigen(), found.U.eigen();
      MatrixX<double> expected(6, nv);
      expected.topRows(3) = R_WC.transpose() * (J_A - J_B).bottomRows(3);
      expected.bottomRows(3) = R_WC.transpose() * (J_A - J_B).topRows(3);
      // Rounding of places some metres from the origin.
      EXPECT_LT((rows.J - expected).cwiseAbs().maxCoeff(), 1e-13);
      EXPECT_LT((rows.J * v - rows.velocity).cwiseAbs().maxCoeff(), 1e-12);
      ++count;
    }
  }
  EXPECT_GT(count, 300);
}

}  // namespace
}  // namespace thenar::contact_rows_test
