// SPDX-License-Identifier: BSD-3-Clause
//
// X = M⁻¹ Jᵀ and A = J M⁻¹ Jᵀ against dense algebra.

#include "thenar/motion/row_response.h"

#include <gtest/gtest.h>

#include <vector>

#include "../support/builders.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"

namespace thenar::row_response_test {
namespace {

/// A tree of every joint in which all degrees of freedom that have a coordinate have a stop, and one is coupled.
class Tree {
 public:
  Tree() {
    ModelBuilder builder;
    const MassProperties mass =
        test::box_mass(0.4, {0.1, 0.12, 0.3}).expressed_in(Pose<double>::translation({0, 0, 0.1}));
    BodyIndex parent = kWorld;
    int number = 0;
    for (const JointKind kind : {JointKind::universal, JointKind::spherical, JointKind::prismatic, JointKind::planar,
                                 JointKind::revolute, JointKind::revolute}) {
      const std::string name = std::to_string(number++);
      JointSpec joint{.name = name, .kind = kind};
      joint.X_PF = Pose<double>::translation({0.05, -0.03, 0.2});
      joint.axis = {0.2, 1, 0.1};
      joint.second_axis = {1, 0, 0.3};
      parent = builder.add_body({.name = name, .mass = mass}, parent, joint);
    }
    for (const int dof : {0, 1, 5, 6, 8, 9}) {
      builder.add_stop({.dof = dof, .side = StopSide::upper, .bound = {Expression(3.0), {}}});
    }
    const std::vector<std::string> x{"x"};
    builder.add_coupling({.name = "gear", .dof = 10, .value = {Expression::parse("sin(x)", x), {9}}});
    model = std::move(builder).finalize();
    q = model.neutral_position();
    for (int i = 0; i < model.velocity_count(); ++i) {
      if (model.dof_coordinate(i) >= 0) q(model.dof_coordinate(i)) = 0.3 + 0.1 * i;
    }
    rows = make_joint_rows(model, q);
    const VectorX<double> v = VectorX<double>::Zero(model.velocity_count());
    for (JointRow& row : rows) row.update(q.data(), v.data());
  }

  MatrixX<double> jacobian(const std::vector<int>& chosen) const {
    MatrixX<double> J = MatrixX<double>::Zero(static_cast<Eigen::Index>(chosen.size()), model.velocity_count());
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      VectorX<double> row = VectorX<double>::Zero(model.velocity_count());
      rows[static_cast<std::size_t>(chosen[k])].add_transposed(1, row.data());
      J.row(static_cast<Eigen::Index>(k)) = row.transpose();
    }
    return J;
  }
  MatrixX<double> mass_matrix() const {
    Workspace<double> workspace(model);
    MassMatrix<double> mass(model);
    update_positions(model, q.data(), workspace);
    mass.update(model, workspace);
    return mass.dense();
  }

  Model model;
  VectorX<double> q;
  std::vector<JointRow> rows;
};

TEST(RowResponse, IsThatOfDenseAlgebra) {
  const Tree tree;
  ASSERT_EQ(tree.rows.size(), 7u);
  const MatrixX<double> M = tree.mass_matrix();
  RowResponse response(tree.model, tree.rows.size());
  for (const std::vector<int>& chosen : {std::vector<int>{0, 1, 2, 3, 4, 5, 6}, {4}, {6, 0}, {2, 3, 5}}) {
    response.update(tree.model, tree.q.data(), tree.rows, chosen);
    ASSERT_EQ(response.size(), static_cast<int>(chosen.size()));
    const MatrixX<double> J = tree.jacobian(chosen), X = M.llt().solve(J.transpose()), A = J * X;
    // Rounding times the condition of M, some thousands.
    EXPECT_LT((response.X() - X).norm(), 1e-11 * X.norm());
    EXPECT_LT((response.A() - A).norm(), 1e-11 * A.norm());
  }
}

TEST(RowResponse, IsSymmetricToTheLastBit) {
  const Tree tree;
  RowResponse response(tree.model, tree.rows.size());
  response.update(tree.model, tree.q.data(), tree.rows, std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  const MatrixX<double> A = response.A();
  EXPECT_EQ(A, A.transpose());
  EXPECT_GT(A.llt().info() == Eigen::Success ? 1 : 0, 0) << "positive definite: the rows are independent";
}

TEST(RowResponse, OfNoRowsIsEmpty) {
  const Tree tree;
  RowResponse response(tree.model, tree.rows.size());
  response.update(tree.model, tree.q.data(), tree.rows, std::vector<int>{3, 1});
  response.update(tree.model, tree.q.data(), tree.rows, {});
  EXPECT_EQ(response.size(), 0);
  EXPECT_EQ(response.A().size(), 0);
  EXPECT_EQ(response.X().size(), 0);
}

}  // namespace
}  // namespace thenar::row_response_test
