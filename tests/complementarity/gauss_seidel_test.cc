// SPDX-License-Identifier: BSD-3-Clause
//
// Projected Gauss–Seidel: single contacts in closed form and by a search over slip angles that shares nothing with the
// solver, mixed rows against the exact solver, and honest reports.

#include "thenar/complementarity/gauss_seidel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grasp_problems.h"
#include "random_problems.h"
#include "thenar/complementarity/exact_solver.h"
#include "thenar/complementarity/grade.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::gauss_seidel_test {
namespace {

/// A contact with circular friction over a given 3 × 3 block.
ConstraintProblem contact(const Eigen::Matrix3d& A, const Eigen::Vector3d& b, double mu) {
  ConstraintProblem problem(3);
  problem.A() = A;
  problem.b() = b;
  problem.row(0).kind = RowKind::normal;
  problem.row(1) = problem.row(2) = {.kind = RowKind::tangent, .limit = mu};
  return problem;
}

Eigen::Vector3d forces_of(const GaussSeidelSolution& s) { return {s.z[0], s.z[1], s.z[2]}; }

/// Cross product of slip and its assumed direction when friction opposes `angle`; 0 at a solution. Sets z.
double slip_mismatch(const Eigen::Matrix3d& A, const Eigen::Vector3d& b, double mu, double angle, Eigen::Vector3d& z) {
  const Eigen::Vector3d ray(1, -mu * std::cos(angle), -mu * std::sin(angle));
  z = -b[0] / A.row(0).dot(ray) * ray;
  const Eigen::Vector3d w = A * z + b;
  return w[1] * std::sin(angle) - w[2] * std::cos(angle);
}

/// All sliding solutions, by bisection between the angles of a grid.
std::vector<Eigen::Vector3d> scan_slip_angles(const Eigen::Matrix3d& A, const Eigen::Vector3d& b, double mu) {
  std::vector<Eigen::Vector3d> found;
  constexpr int kGrid = 720;
  for (int i = 0; i < kGrid; ++i) {
    double low = 2 * std::numbers::pi * i / kGrid, high = 2 * std::numbers::pi * (i + 1) / kGrid;
    Eigen::Vector3d z;
    const double at_low = slip_mismatch(A, b, mu, low, z);
    if (at_low * slip_mismatch(A, b, mu, high, z) > 0) continue;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = 0.5 * (low + high);
      (slip_mismatch(A, b, mu, middle, z) * at_low > 0 ? low : high) = middle;
    }
    slip_mismatch(A, b, mu, low, z);
    const Eigen::Vector3d w = A * z + b;
    if (z[0] > 0 && w[1] * std::cos(low) + w[2] * std::sin(low) > 0) found.push_back(z);
  }
  return found;
}

/// One sweep solves one contact, whatever its block; the numbers below have condition numbers up to 1e2.
TEST(GaussSeidel, SingleContactsAgreeWithAScanOfTheSlipAngle) {
  test::GraspProblems random(51);
  ProjectedGaussSeidel solver(3);
  int stuck = 0, slid = 0, open = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Eigen::Matrix3d G;
    for (int i = 0; i < 9; ++i) G(i / 3, i % 3) = random.uniform(-1, 1);
    Eigen::Matrix3d A = G * G.transpose();
    A.diagonal().array() += 0.1;
    const Eigen::Vector3d b{random.uniform(-1, 0.2), random.uniform(-1, 1), random.uniform(-1, 1)};
    const double mu = random.uniform(0.01, 1);
    const GaussSeidelSolution& s = solver.solve(contact(A, b, mu));
    ASSERT_EQ(s.status, ConeStatus::solved) << trial;
    EXPECT_LE(s.sweeps, 1);
    const Eigen::Vector3d z = forces_of(s), sticking = -A.partialPivLu().solve(b);
    double distance = std::numeric_limits<double>::infinity();
    if (b[0] >= 0) {
      distance = z.norm();
      ++open;
    }
    if (sticking.tail<2>().norm() <= mu * sticking[0]) {
      distance = std::min(distance, (z - sticking).norm());
      ++stuck;
    }
    for (const Eigen::Vector3d& sliding : scan_slip_angles(A, b, mu)) {
      distance = std::min(distance, (z - sliding).norm());
      ++slid;
    }
    EXPECT_LE(distance, 1e-12 * (1 + z.norm())) << trial;
  }
  EXPECT_GT(open, 100);
  EXPECT_GT(stuck, 50);
  EXPECT_GT(slid, 300);
}

/// Without contacts the exact solver has the answer; A is well conditioned, so that z is unique and 1e-10 in the
/// residual is 1e-8 in z.
TEST(GaussSeidel, AgreesWithTheExactSolverOnOtherRows) {
  test::RandomProblems random(52);
  ProjectedGaussSeidel sweeps(12);
  ExactSolver exact(12);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = random.whole(1, 12);
    ConstraintProblem problem = random.reals(n, n);
    problem.A().diagonal().array() += 0.1 * n;
    const GaussSeidelSolution& s = sweeps.solve(problem);
    ASSERT_EQ(s.status, ConeStatus::solved) << trial;
    const ConstraintSolution& e = exact.solve(problem);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(s.z[i], e.z[i], 1e-8 * (1 + std::abs(e.z[i]))) << trial << " row " << i;
  }
}

/// Grades are in other units than the residual (tolerance 1e-10): μ of 0.5 to 1 and rows of one scale, factor 10.
TEST(GaussSeidel, SolvesGraspsWithAsManyContactsAsFingers) {
  test::GraspProblems random(53);
  ProjectedGaussSeidel solver(20);
  for (int trial = 0; trial < 100; ++trial) {
    ConstraintProblem problem = random.hand(4 + trial % 2, 2 + trial / 2 % 2);
    if (trial % 3 == 0) {
      for (int i = 0; i < problem.size(); ++i) problem.row(i).faces = problem.row(i).kind == RowKind::normal ? 7 : 0;
    }
    const GaussSeidelSolution& s = solver.solve(problem);
    ASSERT_EQ(s.status, ConeStatus::solved) << trial << " " << s.residual;
    EXPECT_LE(grade_solution(problem, s.z).worst(), 1e-9) << trial;
    const std::vector<double> z = s.z;
    EXPECT_EQ(solver.solve(problem, z).sweeps, 0) << "a solution is its own warm start";
  }
}

TEST(GaussSeidel, IsHonestAboutWhatItDidNotSolve) {
  ProjectedGaussSeidel solver(3, {.most_sweeps = 50});
  // A normal row that no force moves and that closes: there is no solution.
  ConstraintProblem problem = contact(Eigen::Matrix3d::Zero(), {-1, 0, 0}, 0.5);
  const GaussSeidelSolution& s = solver.solve(problem);
  EXPECT_EQ(s.status, ConeStatus::not_solved);
  EXPECT_EQ(s.sweeps, 50);
  EXPECT_GE(s.residual, 1);
  problem.b()[1] = std::nan("");
  EXPECT_EQ(solver.solve(problem).status, ConeStatus::not_finite);
}

}  // namespace
}  // namespace thenar::gauss_seidel_test
