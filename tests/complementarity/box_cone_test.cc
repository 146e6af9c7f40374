// SPDX-License-Identifier: BSD-3-Clause
//
// Box cones, (9) of constraint_problem.h: closed forms, the same cone written as a square polygon, and the LCP.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "grasp_problems.h"
#include "thenar/complementarity/cone_solver.h"
#include "thenar/complementarity/constraint_reduction.h"
#include "thenar/complementarity/gauss_seidel.h"
#include "thenar/complementarity/grade.h"
#include "thenar/complementarity/lcp_solver.h"

namespace thenar::box_cone_test {
namespace {

using test::GraspProblems;

/// Grades are in other units than the solver's residual (tolerance 1e-10): for μ of 0.5 to 1 within a factor of 10.
constexpr double kGrade = 1e-9;

Eigen::Map<const VectorX<double>> view(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

double grade_of(const ConstraintProblem& problem, const VectorX<double>& z) {
  return grade_solution(problem, {z.data(), static_cast<std::size_t>(z.size())}).worst();
}

ConstraintProblem with_faces(ConstraintProblem problem, int faces) {
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.row(i).kind == RowKind::normal) problem.row(i).faces = faces;
  }
  return problem;
}

/// With A diagonal every row is alone: zₙ = −bₙ / aₙ and zₖ = −bₖ / aₖ, as far as μₖ zₙ admits. One contact is solved
/// to rounding.
TEST(BoxCone, DirectionsByThemselvesHaveClosedForms) {
  GraspProblems random(91);
  ConeSolver cone(4);
  ProjectedGaussSeidel sweeps(4);
  int stuck = 0, slid = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + trial % 3;
    VectorX<double> a(n), expected(n);
    ConstraintProblem problem(n);
    for (int k = 0; k < n; ++k) {
      a[k] = std::exp2(random.uniform(-3, 3));
      problem.b()[k] = k == 0 ? -random.uniform(0.1, 1) : random.uniform(-1, 1);
      problem.row(k) = {.kind = k == 0 ? RowKind::normal : RowKind::tangent, .faces = k == 0 ? kBoxFaces : 0};
      if (k > 0 && !random.chance(0.2)) problem.row(k).limit = std::exp2(random.uniform(-3, 1));
    }
    problem.A() = a.asDiagonal();
    expected = -problem.b().array() / a.array();
    for (int k = 1; k < n; ++k) {
      const double most = problem.row(k).limit * expected[0];
      (std::abs(expected[k]) < most ? stuck : slid) += 1;
      expected[k] = std::clamp(expected[k], -most, most);
    }
    const ConeSolution& s = cone.solve(problem);
    ASSERT_EQ(s.status, ConeStatus::solved) << trial;
    EXPECT_LE((view(s.z) - expected).norm(), 1e-14 * expected.norm()) << trial;
    EXPECT_LE((view(sweeps.solve(problem).z) - expected).norm(), 1e-14 * expected.norm()) << trial;
    EXPECT_LE(grade_of(problem, expected), 1e-15) << trial;
  }
  EXPECT_GT(stuck, 100);
  EXPECT_GT(slid, 100);
}

/// A hand with box cones, and the same hand with its tangents turned by 45°, where the box is the square (8) of μ √2.
struct TurnedHand {
  ConstraintProblem box, square;
  MatrixX<double> R;  ///< z of square = R z of box

  TurnedHand(GraspProblems& random, int contacts, int tangents)
      : box(with_faces(random.hand(contacts, tangents), kBoxFaces)),
        square(with_faces(box, 4)),
        R(MatrixX<double>::Identity(box.size(), box.size())) {
    const double c = std::sqrt(0.5);
    for (int i = 0; i < box.size(); i += tangents + 1) {
      R.block(i + 1, i + 1, 2, 2) << c, c, -c, c;
      for (const int k : {i + 1, i + 2}) square.row(k).limit *= std::numbers::sqrt2;
    }
    square.A() = R * box.A() * R.transpose();
    square.b() = R * box.b();
  }
};

/// A solution of one is a solution of the other: the grader, which knows boxes and polygons by different sums, agrees.
TEST(BoxCone, IsTheSquareThatIsTurnedByHalfARightAngle) {
  GraspProblems random(92);
  ConeSolver solver(40);
  for (int trial = 0; trial < 300; ++trial) {
    const TurnedHand hand(random, 1 + trial % 10, 2 + trial % 2);
    const ConeSolution& s = solver.solve(hand.box);
    ASSERT_EQ(s.status, ConeStatus::solved) << trial << " " << s.residual;
    const VectorX<double> z = view(s.z), w = view(s.w);
    EXPECT_LE(grade_of(hand.box, z), kGrade) << trial;
    EXPECT_LE(grade_of(hand.square, hand.R * z), kGrade) << trial;
    const ConeSolution& turned = solver.solve(hand.square);
    ASSERT_EQ(turned.status, ConeStatus::solved) << trial << " " << turned.residual;
    EXPECT_LE(grade_of(hand.box, hand.R.transpose() * view(turned.z)), kGrade) << trial;
    // Up to five contacts: the forces are unique but for chance; conditions up to 1e4 turn 1e-10 into 1e-6.
    if (trial % 10 >= 5 || z.norm() == 0) continue;
    EXPECT_LE((hand.R.transpose() * view(turned.z) - z).norm(), 1e-6 * z.norm()) << trial;
    EXPECT_LE((hand.R.transpose() * view(turned.w) - w).norm(), 1e-6 * hand.box.b().norm()) << trial;
  }
}

/// A wrong force is wrong by as much in both. Without torsion, whose coefficient would enter the common unit of
/// friction with another weight.
TEST(BoxCone, IsGradedAsTheTurnedSquare) {
  GraspProblems random(93);
  ConeSolver solver(16);
  for (int trial = 0; trial < 100; ++trial) {
    const TurnedHand hand(random, 1 + trial % 4, 2);
    VectorX<double> z = view(solver.solve(hand.box).z);
    for (int i = 0; i < z.size(); ++i) z[i] *= random.uniform(0.5, 1.5);
    const ConstraintGrade box = grade_solution(hand.box, {z.data(), static_cast<std::size_t>(z.size())});
    const VectorX<double> turned = hand.R * z;
    const ConstraintGrade square = grade_solution(hand.square, {turned.data(), static_cast<std::size_t>(z.size())});
    // The unit of friction and the violation of the normal row do not depend on the tangents. The sums do round.
    const double rounding = 1e-13 * (box.scale + square.scale);
    EXPECT_NEAR(box.dissipation * box.scale, square.dissipation * square.scale, rounding) << trial;
    EXPECT_NEAR(box.motion * box.scale, square.motion * square.scale, rounding) << trial;
    EXPECT_NEAR(box.complementarity * box.scale, square.complementarity * square.scale, rounding) << trial;
  }
}

/// Two routes to the same motion: the cone solver, and every solution of the LCP, here with one direction without
/// friction and different coefficients in the others.
TEST(BoxCone, TheReductionAgreesWithTheConeSolver) {
  GraspProblems random(94);
  ConeSolver solver(8);
  int decided = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const int contacts = 1 + trial % 2, tangents = 4 - contacts;
    ConstraintProblem problem = with_faces(random.hand(contacts, tangents), kBoxFaces);
    for (int i = 0; i < problem.size(); i += tangents + 1) {
      problem.row(i + 1).limit *= 0.5;
      if (trial % 3 == 0) problem.row(i + 1 + trial / 3 % 2).limit = 0;
    }
    ASSERT_TRUE(is_polyhedral(problem));
    const ConstraintReduction reduction(problem);
    LcpOptions all;
    all.all = true;
    const LcpAnswer answer = solve_lcp(reduction.lcp(), all);
    ASSERT_EQ(answer.status, LcpStatus::solved) << trial;
    const ConeSolution& cone = solver.solve(problem);
    ASSERT_EQ(cone.status, ConeStatus::solved) << trial;
    if (answer.count == SolutionCount::undecided) continue;
    ++decided;
    double nearest = 1;
    for (const SolutionCell& cell : answer.cells) {
      for (const VectorX<double>& x : cell.vertices) {
        const VectorX<double> z = reduction.recover(x);
        EXPECT_LE(grade_of(problem, z), kGrade) << trial;
        const VectorX<double> w = problem.A() * z + problem.b();
        nearest = std::min(nearest, (w - view(cone.w)).norm() / problem.b().norm());
      }
    }
    EXPECT_LT(nearest, 1e-8) << trial;  // the cone solver's tolerance
  }
  EXPECT_GE(decided, 18);
}

}  // namespace
}  // namespace thenar::box_cone_test
