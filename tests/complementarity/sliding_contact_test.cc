// SPDX-License-Identifier: BSD-3-Clause
//
// Contacts that already slide, (10) of constraint_problem.h: closed forms, no solution or two (Painlevé), grasps in
// which some contacts slide, and honest reports where there is nothing to find.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grasp_problems.h"
#include "thenar/complementarity/all_solutions.h"
#include "thenar/complementarity/cone_solver.h"
#include "thenar/complementarity/constraint_front.h"
#include "thenar/complementarity/constraint_reduction.h"
#include "thenar/complementarity/gauss_seidel.h"
#include "thenar/complementarity/grade.h"

namespace thenar::sliding_contact_test {
namespace {

using test::GraspProblems;

constexpr double kGravity = 9.81;

Eigen::Map<const VectorX<double>> view(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

/// Rows normal, sliding, … of one contact.
ConstraintProblem one_contact(const MatrixX<double>& A, const VectorX<double>& b, const std::vector<double>& ratios) {
  ConstraintProblem problem(static_cast<int>(b.size()));
  problem.A() = A;
  problem.b() = b;
  problem.row(0).kind = RowKind::normal;
  for (int k = 1; k < problem.size(); ++k) {
    problem.row(k) = {.kind = RowKind::sliding, .limit = ratios[static_cast<std::size_t>(k - 1)]};
  }
  return problem;
}

void expect_finite(const ConstraintProblem& problem, const std::vector<double>& z, const std::vector<double>& w) {
  EXPECT_TRUE(view(z).allFinite());
  EXPECT_TRUE(view(w).allFinite());
  EXPECT_TRUE(std::isfinite(grade_solution(problem, z).worst()));
}

// ---- closed forms ----

/// A block of mass m slides in the direction φ: it decelerates with μ g, along the direction in which it slides. All
/// numbers are sums of two terms.
TEST(SlidingContact, ABlockDeceleratesWithTheWeightTimesFriction) {
  constexpr double kMass = 0.7, kMu = 0.4;
  ConeSolver cone(3);
  ProjectedGaussSeidel sweeps(3);
  ConstraintFront front(3);
  for (int i = 0; i < 12; ++i) {
    const double angle = 0.5 * i, c = std::cos(angle), s = std::sin(angle);
    const ConstraintProblem problem =
        one_contact(Eigen::Matrix3d::Identity() / kMass, Eigen::Vector3d(-kGravity, 0, 0), {-kMu * c, -kMu * s});
    const Eigen::Vector3d force = kMass * kGravity * Eigen::Vector3d(1, -kMu * c, -kMu * s);
    const Eigen::Vector3d motion = kGravity * Eigen::Vector3d(0, -kMu * c, -kMu * s);
    const ConeSolution& found = cone.solve(problem);
    ASSERT_EQ(found.status, ConeStatus::solved);
    EXPECT_EQ(found.contact.at(0), ContactState::slide);
    EXPECT_LE((view(found.z) - force).norm(), 1e-15 * kGravity);
    EXPECT_LE((view(found.w) - motion).norm(), 4e-15 * kGravity);
    EXPECT_LE((view(sweeps.solve(problem).z) - force).norm(), 1e-15 * kGravity);
    const ConstraintAnswer& answer = front.solve(problem);
    ASSERT_EQ(answer.status, SolveStatus::solved);
    EXPECT_EQ(answer.method, ConstraintMethod::cone);
    EXPECT_LE(answer.grade.worst(), 1e-15);
  }
}

TEST(SlidingContact, ALeavingContactCarriesNoForce) {
  ConeSolver solver(4);
  const ConeSolution& s =
      solver.solve(one_contact(Eigen::Matrix4d::Identity(), Eigen::Vector4d(1, 2, 3, 4), {-0.5, 0.5, 1e-3}));
  EXPECT_EQ(s.status, ConeStatus::solved);
  EXPECT_EQ(view(s.z).norm(), 0);
  EXPECT_EQ(s.contact.at(0), ContactState::open);
}

/// A box of mass m on two feet at ±a, its centre h above the floor, slides towards +x; planar. Feet: rows normal,
/// sliding; freedoms x, z, pitch.
ConstraintProblem make_box_on_feet(double mass, double inertia, double a, double h, double mu) {
  MatrixX<double> J(4, 3);
  J << 0, 1, a, 1, 0, h, 0, 1, -a, 1, 0, h;
  const Eigen::Vector3d inverse(1 / mass, 1 / mass, 1 / inertia);
  ConstraintProblem problem(4);
  problem.A() = J * inverse.asDiagonal() * J.transpose();
  problem.b() = J * Eigen::Vector3d(0, -kGravity, 0);
  for (const int i : {0, 2}) {
    problem.row(i).kind = RowKind::normal;
    problem.row(i + 1) = {.kind = RowKind::sliding, .limit = -mu};
  }
  return problem;
}

/// Friction at the floor turns the box forward: the feet carry m g/2 (1 ± μ h/a). Beyond μ h = a the rear one lifts,
/// and for the front one 1/m + a²/I − μ a h/I takes the place of 1/m. The residual of 1e-10 is one of w, in units of g.
TEST(SlidingContact, TheFrontFootOfASlidingBoxCarriesMore) {
  constexpr double kMass = 2, kA = 0.1, kH = 0.1, kInertia = kMass * (kA * kA + kH * kH) / 3;
  ConeSolver solver(4);
  for (const double mu : {0.0, 0.3, 0.9, 1.2, 1.5}) {
    const ConstraintProblem problem = make_box_on_feet(kMass, kInertia, kA, kH, mu);
    const ConeSolution& s = solver.solve(problem);
    ASSERT_EQ(s.status, ConeStatus::solved) << mu;
    const double share = mu * kH / kA, weight = kMass * kGravity;
    const bool is_tipping = share > 1;
    const double lever = (kA * kA - mu * kA * kH) / kInertia;
    const double front = is_tipping ? kGravity / (1 / kMass + lever) : 0.5 * weight * (1 + share);
    const double rear = is_tipping ? 0 : 0.5 * weight * (1 - share);
    EXPECT_LE((view(s.z) - Eigen::Vector4d(front, -mu * front, rear, -mu * rear)).norm(), 1e-9 * weight) << mu;
    EXPECT_EQ(s.contact.at(1), is_tipping ? ContactState::open : ContactState::slide) << mu;
    EXPECT_LE(grade_solution(problem, s.z).worst(), 1e-9) << mu;
  }
}

// ---- none, one or two solutions ----

/// A rod of mass 1 and length 2 whose lower end slides towards +x under the angle θ to the floor, Painlevé's: the end
/// accelerates with 1 + 3 cos²θ per unit of normal force and with −3 sinθ cosθ per unit of friction towards −x.
ConstraintProblem make_rod(double angle, double mu, double b) {
  const double c = std::cos(angle), s = std::sin(angle);
  Eigen::Matrix2d A;
  A << 1 + 3 * c * c, 3 * s * c, 3 * s * c, 1 + 3 * s * s;
  return one_contact(A, Eigen::Vector2d(b, 0), {-mu});
}

/// wₙ = d zₙ + b, d = 1 + 3 cos²θ − 3 μ sinθ cosθ. For tan θ = 2 d vanishes at μ = 4/3, the least coefficient at which
/// it can.
TEST(SlidingContact, PainlevesRodHasNoneOneOrTwoSolutions) {
  const double angle = std::atan(2.0);
  ConeSolver cone(2);
  ProjectedGaussSeidel sweeps(2, {.most_sweeps = 20});
  ConstraintFront front(2);
  for (const double mu : {0.5, 1.2, 1.5, 2.0}) {
    for (const double b : {-1.0, 1.0}) {
      SCOPED_TRACE(testing::Message() << "mu " << mu << ", b " << b);
      const ConstraintProblem problem = make_rod(angle, mu, b);
      const double d = 1.6 - 1.2 * mu;
      const AllSolutions all = find_all_solutions(ConstraintReduction(problem).lcp());
      const bool is_solvable = d > 0 || b > 0;
      EXPECT_EQ(all.count, d > 0 ? SolutionCount::unique : b > 0 ? SolutionCount::several : SolutionCount::none);
      EXPECT_EQ(all.cells.size(), d > 0 ? 1u : b > 0 ? 2u : 0u);
      for (const SolutionCell& cell : all.cells) {
        ASSERT_EQ(cell.vertices.size(), 1u);
        const VectorX<double> z = ConstraintReduction(problem).recover(cell.vertices[0]);
        EXPECT_NEAR(z[0] * (d * z[0] + b), 0, 1e-15 * (1 + z[0] * z[0]));  // d is a difference of numbers up to 2.4
        EXPECT_EQ(z[1], -mu * z[0]);
        EXPECT_LE(grade_solution(problem, {z.data(), 2}).worst(), 1e-14);
      }
      const ConeSolution& found = cone.solve(problem);
      EXPECT_EQ(found.status, is_solvable ? ConeStatus::solved : ConeStatus::not_solved);
      expect_finite(problem, found.z, found.w);
      const GaussSeidelSolution& swept = sweeps.solve(problem);
      EXPECT_EQ(swept.status, is_solvable ? ConeStatus::solved : ConeStatus::not_solved);
      expect_finite(problem, swept.z, swept.w);
      EXPECT_EQ(front.solve(problem).status, is_solvable ? SolveStatus::solved : SolveStatus::failed);
    }
  }
}

/// The warm start selects among two solutions: near the pressing one, Newton's method finds that.
TEST(SlidingContact, AWarmStartFindsThePressingSolution) {
  const ConstraintProblem problem = make_rod(std::atan(2.0), 2, 1);
  ConeSolver solver(2);
  const ConeSolution& s = solver.solve(problem, std::vector<double>{1.3, -2.6});
  ASSERT_EQ(s.status, ConeStatus::solved);
  EXPECT_NEAR(s.z[0], 1 / 0.8, 1e-9);  // b / −d
  EXPECT_NEAR(s.z[1], -2 / 0.8, 2e-9);
}

/// A force along such a ratio does not move the normal row at all.
TEST(SlidingContact, ARowThatItsOwnForceDoesNotMoveGetsNone) {
  Eigen::Matrix2d A;
  A << 1, 0.5, 0.5, 1;
  ConeSolver cone(2);
  ProjectedGaussSeidel sweeps(2, {.most_sweeps = 20});
  for (const double b : {-1.0, 1.0}) {
    const ConstraintProblem problem = one_contact(A, Eigen::Vector2d(b, 0), {-2});
    const ConeStatus expected = b > 0 ? ConeStatus::solved : ConeStatus::not_solved;
    EXPECT_EQ(cone.solve(problem).status, expected);
    expect_finite(problem, cone.solution().z, cone.solution().w);
    const GaussSeidelSolution& swept = sweeps.solve(problem);
    EXPECT_EQ(swept.status, expected);
    EXPECT_EQ(swept.z, (std::vector<double>{0, 0}));
  }
}

/// Two contacts of which each one's friction presses the other, three times as hard as it is pressed: A_μ = (1 −3; −3
/// 1) over the normal rows. There is no solution, and Gauss–Seidel grows by 9 with every sweep.
TEST(SlidingContact, SweepsThatRunAwayEndWithoutAnAnswer) {
  ConstraintProblem problem(4);
  problem.A() << 1, 0, 0, 3, 0, 10, 3, 0, 0, 3, 1, 0, 3, 0, 0, 10;
  problem.b() << -1, 0, -1, 0;
  for (const int i : {0, 2}) {
    problem.row(i).kind = RowKind::normal;
    problem.row(i + 1) = {.kind = RowKind::sliding, .limit = -1};
  }
  EXPECT_EQ(find_all_solutions(ConstraintReduction(problem).lcp()).count, SolutionCount::none);
  ProjectedGaussSeidel sweeps(4);
  const GaussSeidelSolution& swept = sweeps.solve(problem);
  EXPECT_EQ(swept.status, ConeStatus::not_solved);
  EXPECT_LT(swept.sweeps, 200);
  EXPECT_GE(swept.residual, 0.5);
  expect_finite(problem, swept.z, swept.w);
  ConeSolver cone(4);
  EXPECT_EQ(cone.solve(problem).status, ConeStatus::not_solved);
  expect_finite(problem, cone.solution().z, cone.solution().w);
  EXPECT_EQ(ConstraintFront(4).solve(problem).status, SolveStatus::failed);
}

TEST(SlidingContact, NumbersThatAreNotFiniteAreSeenInAllRows) {
  ConeSolver solver(3);
  ConstraintProblem problem = one_contact(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1, 0, 0), {-0.5, 0});
  problem.b()[2] = std::nan("");
  EXPECT_EQ(solver.solve(problem).status, ConeStatus::not_finite);
  problem.b()[2] = 0;
  problem.A()(0, 1) = 10;
  problem.row(1).limit = -1e308;
  EXPECT_EQ(solver.solve(problem).status, ConeStatus::not_finite);
}

// ---- grasps ----

/// Lets contacts of a hand slide, with the given chance each: friction opposes a slip of any direction.
ConstraintProblem let_slide(ConstraintProblem problem, double chance, GraspProblems& random) {
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.row(i).kind != RowKind::normal || !random.chance(chance)) continue;
    const Vector3<double> slip = random.direction();
    problem.row(i).faces = 0;
    for (int k = 0; k < problem.tangent_count(i); ++k) {
      ConstraintRow& row = problem.row(i + 1 + k);
      row.kind = RowKind::sliding;
      row.limit *= -slip[k];
    }
  }
  return problem;
}

/// With zₖ = rₖ zₙ eliminated by hand, the LCP of contacts that all slide is that of Nᵀ A (N + T r).
TEST(SlidingContact, TheReductionSeesTheUnsymmetricMatrix) {
  GraspProblems random(81);
  for (int trial = 0; trial < 20; ++trial) {
    const int tangents = 1 + trial % 3, contacts = 1 + trial % 5;
    const ConstraintProblem problem = let_slide(random.hand(contacts, tangents), 1, random);
    MatrixX<double> N = MatrixX<double>::Zero(problem.size(), contacts), T = N;
    for (int c = 0; c < contacts; ++c) {
      const int i = c * (tangents + 1);
      N(i, c) = 1;
      for (int k = i + 1; k <= i + tangents; ++k) T(k, c) = problem.row(k).limit;
    }
    const ConstraintReduction reduction(problem);
    const MatrixX<double> M = N.transpose() * problem.A() * (N + T);
    // Sums of up to four terms.
    EXPECT_LE((reduction.lcp().M - M).cwiseAbs().maxCoeff(), 1e-14 * problem.A().cwiseAbs().maxCoeff());
    EXPECT_EQ(reduction.lcp().q, VectorX<double>(N.transpose() * problem.b()));
    const VectorX<double> x = VectorX<double>::LinSpaced(contacts, 1, 2);
    EXPECT_EQ(reduction.recover(x), VectorX<double>((N + T) * x));
  }
}

/// Contacts that slide among others that may stick, slide or leave.
TEST(SlidingContact, TheFrontSolvesGrasps) {
  GraspProblems random(82);
  ConstraintFront front(80);
  int solved = 0, sliding = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    ConstraintProblem problem = random.hand(1 + trial % 12, 1 + trial % 3);
    constexpr std::array kFaces{0, kBoxFaces, 6};
    for (int i = 0; i < problem.size(); ++i) {
      if (problem.row(i).kind == RowKind::normal) problem.row(i).faces = kFaces[trial % 4 % 3];
    }
    problem = let_slide(problem, 0.4, random);
    const ConstraintAnswer& answer = front.solve(problem);
    solved += answer.status == SolveStatus::solved;
    if (answer.status == SolveStatus::solved) {
      EXPECT_LE(grade_solution(problem, answer.z, answer.w).worst(), ConstraintFront::kWorstGrade) << trial;
    }
    for (int i = 0; i < problem.size(); ++i) sliding += problem.is_sliding_contact(i) && answer.z[i] > 0;
  }
  EXPECT_GE(solved, kTrials * 99 / 100);
  EXPECT_GT(sliding, kTrials / 2);
}

/// Units by powers of two change no bit, those of sliding rows neither.
TEST(SlidingContact, UnitsDoNotMatter) {
  GraspProblems random(83);
  ConeSolver solver(40);
  for (int trial = 0; trial < 40; ++trial) {
    const ConstraintProblem problem = let_slide(random.hand(2 + trial % 6, 3), 0.5, random);
    ConstraintProblem scaled = problem;
    VectorX<double> d(problem.size());
    for (int i = 0; i < problem.size(); ++i) d[i] = std::exp2(std::floor(random.uniform(-8, 8)));
    scaled.A() = d.asDiagonal() * problem.A() * d.asDiagonal();
    scaled.b() = d.asDiagonal() * problem.b();
    for (int i = 0; i < problem.size(); ++i) {
      if (i % 4 > 0) scaled.row(i).limit *= d[i - i % 4] / d[i];
    }
    const std::vector<double> z = solver.solve(problem).z;
    const ConeSolution& s = solver.solve(scaled);
    for (int i = 0; i < problem.size(); ++i) EXPECT_EQ(s.z[i] * d[i], z[i]) << trial << " row " << i;
  }
}

}  // namespace
}  // namespace thenar::sliding_contact_test
