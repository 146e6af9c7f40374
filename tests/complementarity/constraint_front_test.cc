// SPDX-License-Identifier: BSD-3-Clause
// The front that picks a solver, and constraint problems as LCPs.

#include "thenar/complementarity/constraint_front.h"

#include <gtest/gtest.h>

#include <cmath>

#include "grasp_problems.h"
#include "lcp_families.h"
#include "random_problems.h"
#include "thenar/complementarity/all_solutions.h"
#include "thenar/complementarity/cone_solver.h"
#include "thenar/complementarity/constraint_reduction.h"
#include "thenar/complementarity/lcp_solver.h"

namespace thenar::constraint_front_test {
namespace {

/// Faces for all smooth cones.
ConstraintProblem with_faces(ConstraintProblem problem, int faces) {
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.row(i).kind == RowKind::normal && problem.tangent_count(i) > 1) problem.row(i).faces = faces;
  }
  return problem;
}

double grade_of(const ConstraintProblem& problem, const VectorX<double>& z) {
  return grade_solution(problem, {z.data(), static_cast<std::size_t>(z.size())}).worst();
}

/// A block of mass 1 on the floor, pushed down with 10 N and sideways: rows normal, tangent; accelerations.
ConstraintProblem make_block(double push, double mu) {
  ConstraintProblem problem(2);
  problem.A() = MatrixX<double>::Identity(2, 2);
  problem.b() << -10, push;
  problem.row(0).kind = RowKind::normal;
  problem.row(1).kind = RowKind::tangent;
  problem.row(1).limit = mu;
  return problem;
}

TEST(ConstraintReduction, OfABlockHasItsOneSolution) {
  for (const double push : {-8.0, -5.0, -1.0, 0.0, 3.0, 7.0}) {
    const ConstraintProblem problem = make_block(push, 0.5);
    const ConstraintReduction reduction(problem);
    LcpOptions all;
    all.all = true;
    const LcpAnswer answer = solve_lcp(reduction.lcp(), all);
    ASSERT_EQ(answer.status, LcpStatus::solved);
    for (const SolutionCell& cell : answer.cells) {
      for (const VectorX<double>& x : cell.vertices) {
        const VectorX<double> z = reduction.recover(x);
        EXPECT_NEAR(z(0), 10, 1e-12);
        EXPECT_NEAR(z(1), std::clamp(-push, -5.0, 5.0), 1e-12);
      }
    }
  }
}

/// The answer of Lemke's method is one that the grader accepts, whatever the rows are.
TEST(ConstraintReduction, GivesGradedAnswersForAllRowKinds) {
  test::GraspProblems grasps(11);
  for (int k = 0; k < 60; ++k) {
    const ConstraintProblem problem = with_faces(grasps.hand(1 + k % 6, 1 + k % 3), 4 + k % 5);
    const ConstraintReduction reduction(problem);
    const LcpAnswer answer = solve_lcp(reduction.lcp());
    ASSERT_EQ(answer.status, LcpStatus::solved) << k;
    EXPECT_LT(grade_of(problem, reduction.recover(answer.z)), 1e-9) << k;
  }
  test::RandomProblems random(5);
  for (int k = 0; k < 200; ++k) {
    const ConstraintProblem problem = random.reals(1 + k % 12, 1 + k % 9);
    const ConstraintReduction reduction(problem);
    const LcpAnswer answer = solve_lcp(reduction.lcp());
    ASSERT_EQ(answer.status, LcpStatus::solved) << k;
    EXPECT_LT(grade_of(problem, reduction.recover(answer.z)), 1e-9) << k;
  }
}

/// Two routes to the same motion: the cone solver on polyhedral cones, and the LCP. A determinate grasp has one.
TEST(ConstraintReduction, AgreesWithTheConeSolver) {
  test::GraspProblems grasps(3);
  int decided = 0;
  for (int k = 0; k < 20; ++k) {
    const ConstraintProblem problem = with_faces(grasps.hand(2, 2), 6);
    const ConstraintReduction reduction(problem);
    LcpOptions all;
    all.all = true;
    const LcpAnswer answer = solve_lcp(reduction.lcp(), all);
    ASSERT_EQ(answer.status, LcpStatus::solved);
    if (answer.count == SolutionCount::undecided) continue;
    ++decided;
    ConeSolver solver(problem.size());
    const ConeSolution& cone = solver.solve(problem);
    ASSERT_EQ(cone.status, ConeStatus::solved) << k;
    const Eigen::Map<const VectorX<double>> w(cone.w.data(), problem.size());
    double nearest = 1;
    for (const SolutionCell& cell : answer.cells) {
      for (const VectorX<double>& x : cell.vertices) {
        const VectorX<double> motion = problem.A() * reduction.recover(x) + problem.b();
        nearest = std::min(nearest, (motion - w).cwiseAbs().maxCoeff() / (1 + problem.b().cwiseAbs().maxCoeff()));
      }
    }
    // The cone solver's tolerance.
    EXPECT_LT(nearest, 1e-8) << k;
  }
  EXPECT_GE(decided, 18);
}

TEST(ConstraintReduction, RefusesSmoothCones) {
  test::GraspProblems grasps(1);
  const ConstraintProblem smooth = grasps.hand(2, 2);
  EXPECT_FALSE(is_polyhedral(smooth));
  EXPECT_THROW(ConstraintReduction{smooth}, std::invalid_argument);
  EXPECT_TRUE(is_polyhedral(grasps.hand(2, 1)));
}

TEST(ConstraintFront, PicksBySortOfProblem) {
  ConstraintFront front(60);
  test::RandomProblems random(1);
  EXPECT_EQ(front.solve(random.reals(8, 6)).method, ConstraintMethod::exact);
  test::GraspProblems grasps(1);
  EXPECT_EQ(front.solve(grasps.hand(5, 2)).method, ConstraintMethod::cone);
  // Not symmetric: neither of the two is made for it.
  ConstraintProblem skew(2);
  skew.A() << 1, 3, -3, 1;
  skew.b() << -1, 2;
  for (int i = 0; i < 2; ++i) skew.row(i).kind = RowKind::unilateral;
  const ConstraintAnswer& answer = front.solve(skew);
  EXPECT_EQ(answer.method, ConstraintMethod::lemke);
  EXPECT_EQ(answer.status, SolveStatus::solved);
  EXPECT_LT(answer.grade.worst(), 1e-14);
}

TEST(ConstraintFront, SaysSoIfThereIsNoAnswer) {
  ConstraintFront front(4);
  ConstraintProblem problem(1);  // A = 0, w = −1 whatever the force
  problem.row(0).kind = RowKind::unilateral;
  problem.b()(0) = -1;
  const ConstraintAnswer& none = front.solve(problem);
  EXPECT_EQ(none.status, SolveStatus::infeasible);
  EXPECT_TRUE(grade_certificate(problem, none.certificate).proves());
  problem.A()(0, 0) = std::nan("");
  EXPECT_EQ(front.solve(problem).status, SolveStatus::failed);
  EXPECT_EQ(front.solve(problem).method, ConstraintMethod::none);
  EXPECT_THROW(front.solve(ConstraintProblem(5)), std::invalid_argument);
}

TEST(ConstraintFront, AnswersAreGraded) {
  ConstraintFront front(60);
  test::GraspProblems grasps(2);
  for (const int contacts : {1, 4, 8}) {
    for (int k = 0; k < 20; ++k) {
      const ConstraintProblem problem = grasps.hand(contacts, 2);
      const ConstraintAnswer& answer = front.solve(problem);
      ASSERT_EQ(answer.status, SolveStatus::solved);
      EXPECT_LE(grade_solution(problem, answer.z).worst(), ConstraintFront::kWorstGrade);
    }
  }
}

}  // namespace
}  // namespace thenar::constraint_front_test
