// SPDX-License-Identifier: BSD-3-Clause
//
// Solving does not touch the heap, nor does refilling a problem.

#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "grasp_problems.h"
#include "lcp_families.h"
#include "random_problems.h"
#include "thenar/complementarity/cone_solver.h"
#include "thenar/complementarity/constraint_front.h"
#include "thenar/complementarity/exact_solver.h"
#include "thenar/complementarity/gauss_seidel.h"
#include "thenar/complementarity/grade.h"
#include "thenar/complementarity/lemke.h"

namespace thenar::complementarity_allocation_test {
namespace {

using test::count_allocations;

TEST(Allocation, SolveUsesNoHeap) {
  test::RandomProblems random(41);
  ExactSolver solver(40);
  int solved = 0, infeasible = 0, indeterminate = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = random.whole(0, 40);
    ConstraintProblem problem = trial % 3 == 0   ? random.reals(n, std::max(1, n))
                                : trial % 3 == 1 ? random.nearly_dependent(n, std::max(1, n / 2))
                                                 : random.whole_numbers(n, std::max(1, n / 2), random.chance(0.5));
    if (trial % 20 == 0) problem.A() = MatrixX<double>(problem.A().diagonal().asDiagonal());
    EXPECT_EQ(count_allocations([&] {
                const ConstraintSolution& s = solver.solve(problem);
                solved += s.status == SolveStatus::solved;
                infeasible += s.status == SolveStatus::infeasible;
                indeterminate += s.status == SolveStatus::solved && !s.forces_unique;
                solver.solve(problem, s.basis);
                if (s.status == SolveStatus::solved) grade_solution(problem, s.z);
              }),
              0)
        << "trial " << trial;
  }
  EXPECT_GT(solved, 150);
  EXPECT_GT(infeasible, 20);
  EXPECT_GT(indeterminate, 50);
}

TEST(Allocation, LemkesMethodUsesNoHeap) {
  LemkeSolver solver(40);
  for (int n = 0; n <= 40; ++n) {
    const MatrixX<double> a = MatrixX<double>::Random(n, n), b = MatrixX<double>::Random(n, n);
    const Lcp problem{a * a.transpose() + b - b.transpose(), VectorX<double>::Random(n), n / 4};
    EXPECT_EQ(count_allocations([&] { solver.solve(problem); }), 0) << n;
  }
}

TEST(Allocation, LemkesMethodUsesNoHeapWhenItStartsOver) {
  LemkeSolver solver(12);
  int rays = 0, restarts = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::LcpDice dice(seed);
    const int n = dice.integer(1, 12);
    const Lcp problem{dice.matrix(n, n), dice.vector(n)};
    EXPECT_EQ(count_allocations([&] {
                const LemkeResult& first = solver.solve(problem);
                rays += first.status == LemkeStatus::ray;
                restarts += first.restarts;
                solver.solve(problem, {}, first.in_basis);
              }),
              0)
        << seed;
  }
  EXPECT_GT(rays, 20);
  EXPECT_GT(restarts, 20);
}

TEST(Allocation, TheFrontUsesNoHeapOnceWarm) {
  ConstraintFront front(40);
  test::GraspProblems grasps(5);
  test::RandomProblems random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const ConstraintProblem problem = trial % 2 == 0 ? grasps.hand(1 + trial % 8, 2) : random.reals(20, 12);
    EXPECT_EQ(count_allocations([&] { front.solve(problem); }), 0) << trial;
  }
}

TEST(Allocation, ContactSolversUseNoHeap) {
  test::GraspProblems random(43);
  ConeSolver newton(80);
  ProjectedGaussSeidel sweeps(80, {.tolerance = 1e-8, .most_sweeps = 50});
  int solved = 0, by_newton = 0;
  for (int trial = 0; trial < 40; ++trial) {
    ConstraintProblem problem = random.hand(4 + trial % 17, 2 + trial % 2);
    if (trial % 4 == 3) {
      for (int i = 0; i < problem.size(); ++i) problem.row(i).faces = problem.row(i).kind == RowKind::normal ? 12 : 0;
    }
    if (trial % 4 == 2) {
      // Every other contact slides, the others have box cones.
      const int rows = problem.tangent_count(0) + 1;
      for (int i = 0; i < problem.size(); ++i) {
        const bool slides = i / rows % 2 == 0;
        if (i % rows == 0) problem.row(i).faces = slides ? 0 : kBoxFaces;
        if (i % rows > 0 && slides) problem.row(i) = {.kind = RowKind::sliding, .limit = 0.1 * problem.row(i).limit};
      }
    }
    EXPECT_EQ(count_allocations([&] {
                const ConeSolution& s = newton.solve(problem);
                solved += s.status == ConeStatus::solved;
                by_newton += s.method == 1;
                newton.solve(problem, s.z);
                sweeps.solve(problem, s.z);
                sweeps.solve(problem);
              }),
              0)
        << "trial " << trial;
  }
  EXPECT_EQ(solved, 40);
  EXPECT_LT(by_newton, 30);  // the other methods took their turn
}

TEST(Allocation, AReservedProblemIsRefilledWithoutHeap) {
  ConstraintProblem problem;
  problem.reserve(40);
  EXPECT_EQ(count_allocations([&] {
              for (int n = 0; n <= 40; ++n) {
                problem.resize(n);
                problem.A().setIdentity();
                problem.b().setOnes();
              }
            }),
            0);
}

}  // namespace
}  // namespace thenar::complementarity_allocation_test
