// SPDX-License-Identifier: BSD-3-Clause
//
// The algebra below reactions of contacts, against plain dense algebra.

#include <gtest/gtest.h>

#include <random>

#include "../dynamics/random_trees.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/motion/admissible_forces_internal.h"
#include "thenar/motion/least_solver_internal.h"
#include "thenar/motion/sparse_rows_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal::contact_algebra_test {
namespace {

MatrixX<double> draw(std::mt19937& random, Eigen::Index rows, Eigen::Index columns) {
  std::normal_distribution<double> normal;
  return MatrixX<double>::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// A⁺ by singular values.
MatrixX<double> calc_pseudo_inverse(const MatrixX<double>& A, Eigen::Index rank) {
  const SingularValues svd = find_singular_values(A);
  const VectorX<double> inverse = svd.values.head(rank).cwiseInverse();
  return svd.V.leftCols(rank) * inverse.asDiagonal() * svd.U.leftCols(rank).transpose();
}

/// Symmetric and as with friction, regular and not; right sides that A cannot reach as well.
TEST(LeastSolver, IsThePseudoInverse) {
  std::mt19937 random(7);
  for (const bool is_symmetric : {true, false}) {
    for (const Eigen::Index rank : {1, 3, 6, 9}) {
      SCOPED_TRACE(testing::Message() << is_symmetric << ' ' << rank);
      constexpr Eigen::Index kSize = 9;
      LeastSolver solver;
      // The same rows are redundant in one matrix after another, until others are.
      for (int i = 0; i < 6; ++i) {
        const MatrixX<double> J = draw(random, kSize, rank), push = 0.2 * draw(random, rank, rank);
        const MatrixX<double> middle = MatrixX<double>::Identity(rank, rank) + (is_symmetric ? 0 * push : push);
        const MatrixX<double> A = J * middle * J.transpose();
        const MatrixX<double> b = draw(random, kSize, 2), inverse = calc_pseudo_inverse(A, rank);
        solver.factorize(A);
        EXPECT_EQ(solver.is_redundant(), rank < kSize);
        MatrixX<double> z = b;
        solver.solve_in_place(z);
        // Rounding, times the condition of A and that of the independent rows in it, some tens for such matrices.
        const double condition = A.norm() * inverse.norm();
        EXPECT_LT((z - inverse * b).norm(), 1e-12 * condition * (inverse * b).norm());
      }
    }
  }
}

/// Rows that depend on each other to 1e-9: neither clearly redundant nor clearly not.
TEST(LeastSolver, LeavesDoubtfulRowsToOrthogonalDecomposition) {
  std::mt19937 random(8);
  MatrixX<double> J = draw(random, 5, 8);
  J.row(4) = J.row(0) + J.row(1) + 3e-5 * J.row(4);
  const MatrixX<double> A = J * J.transpose();
  LeastSolver solver;
  solver.factorize(A);
  EXPECT_FALSE(solver.is_redundant());
  const VectorX<double> z = draw(random, 5, 1);
  VectorX<double> b = A * z;
  solver.solve_in_place(b);
  EXPECT_LT((b - z).norm(), 1e-4 * z.norm());  // rounding over 1e-9, and some
}

TEST(LeastSolver, KernelIsThatOfTheMatrix) {
  std::mt19937 random(10);
  for (const double doubt : {0.0, 1e-4}) {  // the second leaves the rank to the orthogonal decomposition
    SCOPED_TRACE(doubt);
    MatrixX<double> J = draw(random, 7, 8);
    J.row(6) = J.row(5) + doubt * J.row(6);
    J.row(4) = J.row(3) + J.row(2);
    J.row(1) = J.row(0);
    const MatrixX<double> A = J * J.transpose();
    LeastSolver solver;
    solver.factorize(A);
    const MatrixX<double> kernel = solver.kernel();
    const Eigen::Index size = doubt > 0 ? 2 : 3;
    ASSERT_EQ(kernel.cols(), size);
    EXPECT_LT((A * kernel).norm(), 1e-9 * A.norm() * kernel.norm());
    for (Eigen::Index j = 0; j < size; ++j) {
      for (Eigen::Index i = 0; i < size; ++i) {
        EXPECT_NEAR(kernel(solver.redundant_rows()[static_cast<std::size_t>(i)], j), i == j, 1e-9);
      }
    }
  }
}

/// Two contacts share a weight W in any way, and the first of them takes all of a push T: both can have a reserve of
/// (mu W − T)/2, with the difference T/mu of their loads.
TEST(AdmissibleForces, FindTheLargestReserve) {
  constexpr double kMu = 0.3, kW = 10;
  for (const bool is_cone : {true, false}) {
    for (const double T : {0.5, 2.9, 3.1, 8.0}) {
      SCOPED_TRACE(testing::Message() << is_cone << ' ' << T);
      AdmissibleForces forces;
      forces.bounds = {{.head = 0, .factor = kMu, .count = 2, .rows = {1, 2}, .weights = {1, 1}, .is_cone = is_cone},
                       {.head = 3, .factor = kMu, .count = 2, .rows = {4, 5}, .weights = {1, 1}, .is_cone = is_cone}};
      VectorX<double> z(6);
      z << kW / 2, T, 0, kW / 2, 0, 0;
      MatrixX<double> kernel = MatrixX<double>::Zero(6, 1);
      kernel(0, 0) = 1, kernel(3, 0) = -1;
      const double most = (kMu * kW - T) / 2;
      VectorX<double> moved = z;
      EXPECT_GE(forces.improve(kernel, kW, most - 1e-6, moved), most - 1e-6);
      EXPECT_EQ(forces.calc_reserve(moved), forces.improve(kernel, kW, most - 1e-6, moved));
      // Beyond reach by a millionth, which is told to a tenth.
      moved = z;
      EXPECT_NEAR(forces.improve(kernel, kW, most + 1e-6, moved), most, 1e-7);
      EXPECT_NEAR(moved(0) - moved(3), T / kMu, 1e-5);
    }
  }
}

/// Forces that are inside of their cones are found again from others of the same motion.
TEST(AdmissibleForces, FindForcesWhereThereAreAny) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 50; ++i) {
    SCOPED_TRACE(i);
    constexpr int kContacts = 12, kRedundant = 9;
    AdmissibleForces forces;
    VectorX<double> z(3 * kContacts);
    for (int k = 0; k < kContacts; ++k) {
      forces.bounds.push_back({.head = 3 * k,
                               .factor = 0.5,
                               .count = 2,
                               .rows = {3 * k + 1, 3 * k + 2},
                               .weights = {1, 1},
                               .is_cone = k % 2 == 0,
                               .contact = k});
      const double normal = uniform(random), angle = 6 * uniform(random);
      z.segment<3>(3 * k) << normal, 0.3 * normal * std::cos(angle), 0.3 * normal * std::sin(angle);
    }
    const double reserve = forces.calc_reserve(z);
    ASSERT_GT(reserve, 0);
    const MatrixX<double> kernel = draw(random, 3 * kContacts, kRedundant);
    VectorX<double> other = z + kernel * draw(random, kRedundant, 1);
    const VectorX<double> start = other;
    EXPECT_GE(forces.improve(kernel, other.norm(), 0.9 * reserve, other), 0.9 * reserve);
    const VectorX<double> change = other - start;
    EXPECT_LT((kernel * kernel.colPivHouseholderQr().solve(change) - change).norm(), 1e-10 * start.norm());
  }
}

TEST(SparseRows, RespondAsTheMassMatrixSays) {
  test::RandomTree random(9);
  for (const auto& [name, model] : test::make_test_models()) {
    SCOPED_TRACE(name);
    const int nv = model.velocity_count();
    if (nv == 0) continue;
    Workspace<double> workspace(model);
    const VectorX<double> q = random.position(model);
    update_positions(model, q.data(), workspace);
    factorize_articulated(model, workspace);
    MassMatrix<double> mass(model);
    mass.update(model, workspace);

    // Two rows between each two neighbours among the bodies, and one of the last joint.
    SparseRows rows(model);
    std::vector<BodyIndex> bodies;
    for (int i = 0; i < model.body_count(); ++i) bodies.emplace_back(i);
    for (std::size_t i = 1; i < bodies.size(); ++i) rows.add_group(bodies[i - 1], bodies[i], 2);
    const std::vector<int> last = {nv - 1};
    rows.add_group(last, 1);
    rows.finish();
    MatrixX<double> J = MatrixX<double>::Zero(rows.size(), nv);
    Eigen::Matrix<double, 6, Eigen::Dynamic> A(6, nv), B(6, nv);
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      calc_jacobian<double>(model, workspace, bodies[i - 1], {0.1, 0.2, 0.3}, A);
      calc_jacobian<double>(model, workspace, bodies[i], {-0.3, 0.1, 0.2}, B);
      const auto row = static_cast<Eigen::Index>(2 * (i - 1));
      J.row(row) = A.row(3) - B.row(4);
      J.row(row + 1) = A.row(1) + 2 * B.row(5);
    }
    J(rows.size() - 1, nv - 1) = 1;
    for (int k = 0; k < rows.size(); ++k) rows.set_row(k, J.row(k));

    rows.reduce(workspace);
    MatrixX<double> response(rows.size(), rows.size());
    rows.calc_response(rows, response);
    const MatrixX<double> expected = J * mass.dense().llt().solve(J.transpose());
    EXPECT_LT((response - expected).norm(), 1e-11 * expected.norm());
    EXPECT_EQ(response, response.transpose());

    const VectorX<double> x = VectorX<double>::LinSpaced(nv, -1, 2);
    const VectorX<double> z = VectorX<double>::LinSpaced(rows.size(), 1, rows.size());
    VectorX<double> tau = VectorX<double>::Zero(nv), product(rows.size());
    rows.multiply(x.data(), product.data());
    for (int k = 0; k < rows.size(); ++k) {
      EXPECT_NEAR(product(k), J.row(k).dot(x), 1e-13 * J.row(k).cwiseAbs().dot(x.cwiseAbs()));
      EXPECT_NEAR(rows.multiply_sizes(k, x.data()), J.row(k).cwiseAbs().dot(x.cwiseAbs()), 1e-12);
    }
    rows.add_transposed(z.data(), tau.data());
    EXPECT_LT((tau - J.transpose() * z).norm(), 1e-13 * J.norm() * z.norm());

    // Other rows in some of the groups.
    SparseRows pushes = rows;
    pushes.copy_entries(rows);
    MatrixX<double> F = J;
    for (int k = 0; k < rows.size(); k += 3) {
      F.row(k) *= 1.5;
      if (k > 0) F.row(k)(nv - 1) *= 0.5;
      pushes.set_row(k, F.row(k));
    }
    pushes.reduce_like(rows, workspace);
    rows.calc_response(pushes, response);
    const MatrixX<double> turned = J * mass.dense().llt().solve(F.transpose());
    EXPECT_LT((response - turned).norm(), 1e-11 * turned.norm());
  }
}

}  // namespace
}  // namespace thenar::internal::contact_algebra_test
