// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/grade.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "random_problems.h"
#include "thenar/complementarity/exact_solver.h"

namespace thenar::grade_test {
namespace {

using test::RandomProblems;

/// Two rows with √A_ii = 2 and 1/2: kinds as given, limit 1.
ConstraintProblem two_rows(RowKind first, RowKind second, double b0, double b1) {
  ConstraintProblem problem(2);
  problem.A() << 4, 0.5, 0.5, 0.25;
  problem.b() << b0, b1;
  problem.row(0) = {.kind = first, .limit = 1};
  problem.row(1) = {.kind = second, .limit = 1};
  return problem;
}

TEST(Grade, MeasuresEachKindOfViolationInScaledUnits) {
  // w = (4, 0.5) − (8, 1) = (−4, −0.5): scaled (−2, −1). Sums of magnitudes: (12 / 2, 1.5 / 0.5) → scale 6.
  const std::vector<double> z{1, 0};
  ConstraintGrade grade = grade_solution(two_rows(RowKind::bilateral, RowKind::bilateral, -8, -1), z);
  EXPECT_DOUBLE_EQ(grade.scale, 6);
  EXPECT_DOUBLE_EQ(grade.motion, 2.0 / 6);
  EXPECT_EQ(grade.bounds, 0);
  EXPECT_EQ(grade.complementarity, 0);
  EXPECT_EQ(grade.worst_row, 0);
  // Unilateral rows that sink in.
  grade = grade_solution(two_rows(RowKind::unilateral, RowKind::unilateral, -8, -1), z);
  EXPECT_DOUBLE_EQ(grade.motion, 2.0 / 6);
  // z₀ = +f admits w₀ < 0; row 1 slips at z₁ = 0, one unit (½ scaled) away from the limit that w₁ < 0 needs.
  grade = grade_solution(two_rows(RowKind::boxed, RowKind::boxed, -8, -1), z);
  EXPECT_EQ(grade.motion, 0);
  EXPECT_DOUBLE_EQ(grade.complementarity, 0.5 / 6);
  EXPECT_EQ(grade.worst_row, 1);
  // Force and separation at once: ŵ₀ = 6, ẑ₀ = 2; the smaller counts.
  grade = grade_solution(two_rows(RowKind::unilateral, RowKind::boxed, 8, -0.5), z);
  EXPECT_DOUBLE_EQ(grade.complementarity, 2 / grade.scale);
  // Beyond the bounds.
  grade = grade_solution(two_rows(RowKind::unilateral, RowKind::boxed, 4, 0.5), std::vector<double>{-1, 0});
  EXPECT_DOUBLE_EQ(grade.bounds, 2 / grade.scale);
  grade = grade_solution(two_rows(RowKind::boxed, RowKind::boxed, -6, -0.75), std::vector<double>{1.5, 0});
  EXPECT_DOUBLE_EQ(grade.bounds, 1 / grade.scale);
}

TEST(Grade, PerfectAnswersHaveNoWorstRow) {
  const ConstraintGrade grade =
      grade_solution(two_rows(RowKind::unilateral, RowKind::boxed, -4, -0.5), std::vector<double>{1, 0});
  EXPECT_EQ(grade.worst(), 0);
  EXPECT_EQ(grade.worst_row, -1);
  EXPECT_EQ(grade_solution(ConstraintProblem(), {}).worst(), 0);
}

TEST(Grade, NotANumberIsNotAGoodGrade) {
  const ConstraintProblem problem = two_rows(RowKind::unilateral, RowKind::boxed, -4, -0.5);
  EXPECT_FALSE(grade_solution(problem, std::vector<double>{std::nan(""), 0}).worst() <= 1);
  EXPECT_FALSE(grade_solution(problem, std::vector<double>{0, std::nan("")}).worst() <= 1);
  EXPECT_FALSE(grade_solution(problem, std::vector<double>{test::kInfinity, 0}).worst() <= 1);
}

TEST(Grade, DemandsOneNumberPerRow) {
  EXPECT_THROW(grade_solution(ConstraintProblem(2), std::vector<double>{1}), std::invalid_argument);
  EXPECT_THROW(grade_certificate(ConstraintProblem(2), std::vector<double>{1}), std::invalid_argument);
}

/// A change δ of one ẑ moves the ŵ of its own row by δ. A bilateral or unilateral row that was held shows it in full;
/// others show the smaller of δ and their distance to another state (how far friction is from its limit, an open row
/// from closing), of which a few are below δ too.
TEST(Grade, RejectsEveryChangedForce) {
  RandomProblems random(21);
  ExactSolver solver(20);
  int rows = 0, partly = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = random.whole(1, 20);
    ConstraintProblem problem = random.reals(n, n);
    problem.A().diagonal().array() += 0.1 * n;
    const ConstraintSolution& s = solver.solve(problem);
    ASSERT_EQ(s.status, SolveStatus::solved);
    const ConstraintGrade good = grade_solution(problem, s.z);
    EXPECT_LE(good.worst(), 1e-14);
    for (int i = 0; i < n; ++i) {
      const double unit = std::sqrt(problem.A()(i, i));
      const double small = 1e-6 * good.scale / unit;
      for (const double changed : {s.z[i] + small, s.z[i] - small, 1.001 * s.z[i], -s.z[i], 0.0}) {
        const double delta = std::abs(changed - s.z[i]) * unit;
        if (delta < 1e-9 * good.scale) continue;
        std::vector<double> z = s.z;
        z[i] = changed;
        const ConstraintGrade grade = grade_solution(problem, z);
        const double shown = grade.worst() * grade.scale / delta;
        SCOPED_TRACE(testing::Message() << "trial " << trial << " row " << i << " from " << s.z[i] << " to "
                                        << changed);
        EXPECT_GT(grade.worst(), 1e-10);
        if (s.state[i] == RowState::held && problem.row(i).kind != RowKind::boxed) {
          EXPECT_GE(shown, 0.999);
        }
        ++rows;
        partly += shown < 0.999;
      }
    }
  }
  EXPECT_GT(rows, 5000);
  EXPECT_LT(partly, rows / 10);
}

TEST(Grade, AcceptsAllForcesOfAnIndeterminateProblem) {
  // Two equal stops share 3/2 in any proportion, but not with a pull.
  ConstraintProblem problem(2);
  problem.A() << 2, 2, 2, 2;
  problem.b() << -3, -3;
  problem.row(0).kind = problem.row(1).kind = RowKind::unilateral;
  EXPECT_EQ(grade_solution(problem, std::vector<double>{0.5, 1}).worst(), 0);
  EXPECT_EQ(grade_solution(problem, std::vector<double>{1.5, 0}).worst(), 0);
  EXPECT_GT(grade_solution(problem, std::vector<double>{2, -0.5}).worst(), 0.01);
}

TEST(GradeCertificate, ChecksConeGainAndReach) {
  ConstraintProblem problem(3);
  problem.A() << 1, -1, 0, -1, 1, 0, 0, 0, 1;
  problem.b() << 0, -2, 1;
  problem.row(0).kind = RowKind::bilateral;
  problem.row(1).kind = RowKind::unilateral;
  problem.row(2) = {.kind = RowKind::boxed, .limit = 1};
  CertificateGrade grade = grade_certificate(problem, std::vector<double>{1, 1, 0});
  EXPECT_TRUE(grade.proves());
  EXPECT_DOUBLE_EQ(grade.gain, 0.5);  // 2 / (|y|₁ max |b|)
  EXPECT_EQ(grade.reach, test::kInfinity);
  // Each condition by itself.
  EXPECT_FALSE(grade_certificate(problem, std::vector<double>{-1, -1, 0}).proves());    // no gain, pulls at the stop
  EXPECT_FALSE(grade_certificate(problem, std::vector<double>{1, 1, -1e-9}).proves());  // friction is not unlimited
  EXPECT_FALSE(grade_certificate(problem, std::vector<double>{1, 1.001, 0}).proves());  // A y ≠ 0
  EXPECT_FALSE(grade_certificate(problem, std::vector<double>{0, 0, 0}).proves());
  EXPECT_FALSE(grade_certificate(problem, std::vector<double>{std::nan(""), 1, 0}).proves());
  problem.b() << 2, -2, 1;  // consistent: x = −2 + …
  EXPECT_FALSE(grade_certificate(problem, std::vector<double>{1, 1, 0}).proves());
}

/// One contact with A = 4 I (units 2) and the given rows of friction.
ConstraintProblem one_contact(std::vector<double> mu, int faces, std::vector<double> b) {
  ConstraintProblem problem(static_cast<int>(b.size()));
  problem.A() = 4 * MatrixX<double>::Identity(problem.size(), problem.size());
  problem.row(0) = {.kind = RowKind::normal, .faces = faces};
  for (int i = 0; i < problem.size(); ++i) {
    problem.b()[i] = b[i];
    if (i > 0) problem.row(i) = {.kind = RowKind::tangent, .limit = mu[i - 1]};
  }
  return problem;
}

TEST(GradeContact, JudgesTheNormalRowAsUnilateral) {
  // wₙ = 4 − 6 = −2, scaled −1, of numbers 4 + 6 over 2.
  ConstraintGrade grade = grade_solution(one_contact({0.5, 0.5}, 0, {-6, 0, 0}), std::vector<double>{1, 0, 0});
  EXPECT_DOUBLE_EQ(grade.scale, 5);
  EXPECT_DOUBLE_EQ(grade.motion, 1.0 / 5);
  EXPECT_EQ(grade.worst_row, 0);
  grade = grade_solution(one_contact({0.5, 0.5}, 0, {-2, 0, 0}), std::vector<double>{1, 0, 0});
  EXPECT_DOUBLE_EQ(grade.complementarity, 1 / grade.scale);
  grade = grade_solution(one_contact({0.5, 0.5}, 0, {4, 0, 0}), std::vector<double>{-1, 0, 0});
  EXPECT_DOUBLE_EQ(grade.bounds, 2 / grade.scale);
}

TEST(GradeContact, MeasuresWhatIsOutsideTheCone) {
  // |z_t| = 0.6 where 0.5 is admitted: 0.1 too much, or 0.2 too little normal force; unit 2. Held: w = 0.
  const std::vector<double> z{1, 0.36, 0.48};
  ConstraintGrade grade = grade_solution(one_contact({0.5, 0.5}, 0, {-4, -1.44, -1.92}), z);
  EXPECT_NEAR(grade.bounds * grade.scale, 0.2, 1e-15);
  EXPECT_EQ(grade.motion, 0);
  // The square with its vertices on the axes admits |z₁| + |z₂| ≤ 0.5: 0.84 needs a normal force of 1.68.
  grade = grade_solution(one_contact({0.5, 0.5}, 4, {-4, -1.44, -1.92}), z);
  EXPECT_NEAR(grade.bounds * grade.scale, 1.2 * (1 - 1 / 1.68), 1e-14);
  // A direction without friction admits no force at all.
  grade = grade_solution(one_contact({0.5, 0}, 0, {-4, 0, -0.4}), std::vector<double>{1, 0, 0.1});
  EXPECT_NEAR(grade.bounds * grade.scale, 0.2, 1e-15);
  // Torsion and tangential force share an ellipsoid, or have an interval each.
  const std::vector<double> soft{1, 0.4, 0, 0.08};
  EXPECT_NEAR(grade_solution(one_contact({0.5, 0.5, 0.1}, 0, {-4, -1.6, 0, -0.32}), soft).bounds,
              2 * std::hypot(0.4, 0.08) * (1 - 1 / std::sqrt(1.28)) / 4, 1e-15);
  EXPECT_EQ(grade_solution(one_contact({0.5, 0.5, 0.1}, 8, {-4, -1.6, 0, -0.32}), soft).bounds, 0);
}

TEST(GradeContact, MeasuresFrictionThatIsNotTheBestForItsSlip) {
  // μ = 1, zₙ = 1, slip w_t = (s, 0): the best force is (−1, 0). Units: force × 2, motion / 2.
  const auto deficit = [](double s, double z1, double z2, int faces) {
    const ConstraintGrade grade =
        grade_solution(one_contact({1, 1}, faces, {-4, s - 4 * z1, -4 * z2}), std::vector<double>{1, z1, z2});
    EXPECT_NEAR(grade.bounds, 0, 1e-15);
    EXPECT_EQ(grade.motion, 0);
    return grade.dissipation * grade.scale;
  };
  EXPECT_NEAR(deficit(3, -1, 0, 0), 0, 1e-15);
  EXPECT_NEAR(deficit(3, -1, 0, 4), 0, 1e-15);
  // No friction force: the slip where it is small, else what is missing.
  EXPECT_NEAR(deficit(0.02, 0, 0, 0), 0.01, 1e-15);
  EXPECT_NEAR(deficit(800, 0, 0, 0), 2, 1e-15);
  // Turned by a small angle φ: |z_t| φ s/4 / (1 + s/4) in force, × 2.
  const double angle = 1e-6;
  EXPECT_NEAR(deficit(4, -std::cos(angle), std::sin(angle), 0), 2 * angle * 0.5, 1e-11);
  // On an edge of the square, 0.1 off the vertex (−1, 0): the slip pulls it there.
  EXPECT_NEAR(deficit(800, -0.9, 0.1, 4), 2 * std::hypot(0.1, 0.1), 1e-14);
  // An open contact has no friction to choose, smooth or not.
  for (const int faces : {0, 4}) {
    EXPECT_EQ(grade_solution(one_contact({1, 1}, faces, {1, 2, 3}), std::vector<double>{0, 0, 0}).worst(), 0);
  }
  // Pushing along with the slip.
  EXPECT_NEAR(deficit(800, 1, 0, 0), 4, 1e-14);
}

TEST(GradeContact, ABoxConeAdmitsEveryDirectionByItself) {
  // 0.4 and −0.5 of 0.5, torsion 0.1 of 0.1: all on or inside. Held: w = 0. Outside the circle and the ellipsoid.
  std::vector<double> z{1, 0.4, -0.5, 0.1};
  const std::vector<double> b{-4, -1.6, 2, -0.4};
  EXPECT_EQ(grade_solution(one_contact({0.5, 0.5, 0.1}, kBoxFaces, b), z).worst(), 0);
  EXPECT_GT(grade_solution(one_contact({0.5, 0.5, 0.1}, 0, b), z).bounds, 0.1);
  // 0.6 where 0.5 is admitted: 0.2 too little normal force, or 1/6 too much of friction; unit 2.
  const ConstraintGrade outside =
      grade_solution(one_contact({0.5, 0.5}, kBoxFaces, {-4, -2.4, -0.4}), std::vector<double>{1, 0.6, 0.1});
  EXPECT_NEAR(outside.bounds * outside.scale, 2 * std::hypot(0.6, 0.1) / 6, 1e-15);
  // A direction without friction admits no force, the other its own.
  const ConstraintGrade one =
      grade_solution(one_contact({0.5, 0}, kBoxFaces, {-4, -2, -0.4}), std::vector<double>{1, 0.5, 0.1});
  EXPECT_NEAR(one.bounds * one.scale, 0.2, 1e-15);
  // A large slip (800, 1e-3) wants the corner (−1, −1): 0.1 is missing in one, and the slip itself in the other.
  const ConstraintGrade slip =
      grade_solution(one_contact({1, 1}, kBoxFaces, {-4, 803.6, 1e-3}), std::vector<double>{1, -0.9, 0});
  EXPECT_NEAR(slip.dissipation * slip.scale, std::hypot(0.2, 0.5e-3), 1e-14);
}

/// Rows normal, sliding, sliding with ratios r.
ConstraintProblem sliding_contact(std::vector<double> ratios, std::vector<double> b) {
  ConstraintProblem problem = one_contact({0, 0}, 0, std::move(b));
  for (const int k : {1, 2}) problem.row(k) = {.kind = RowKind::sliding, .limit = ratios[k - 1]};
  return problem;
}

TEST(GradeContact, SlidingContactsAreJudgedByTheirRatios) {
  const ConstraintProblem problem = sliding_contact({-0.3, 0.4}, {-4, 7, -9});
  ConstraintGrade grade = grade_solution(problem, std::vector<double>{1, -0.3, 0.4});
  EXPECT_LE(grade.worst(), 1e-16) << "motions of sliding rows are free";
  // Friction as large, but in another direction, or of another size: distance × unit.
  grade = grade_solution(problem, std::vector<double>{1, 0.3, 0.4});
  EXPECT_NEAR(grade.bounds * grade.scale, 1.2, 1e-15);
  EXPECT_EQ(grade.worst_row, 0);
  grade = grade_solution(problem, std::vector<double>{1, -0.27, 0.36});
  EXPECT_NEAR(grade.bounds * grade.scale, 0.1, 1e-15);
  EXPECT_EQ(grade.dissipation, 0);
  // The normal row is a unilateral one; zₙ < 0 keeps its ratio and is out of bounds.
  grade = grade_solution(sliding_contact({-0.3, 0.4}, {4, 0, 0}), std::vector<double>{-1, 0.3, -0.4});
  EXPECT_DOUBLE_EQ(grade.bounds, 2 / grade.scale);
  grade = grade_solution(sliding_contact({-0.3, 0.4}, {-2, 0, 0}), std::vector<double>{1, -0.3, 0.4});
  EXPECT_DOUBLE_EQ(grade.complementarity, 1 / grade.scale);
  grade = grade_solution(sliding_contact({-0.3, 0.4}, {-6, 0, 0}), std::vector<double>{1, -0.3, 0.4});
  EXPECT_DOUBLE_EQ(grade.motion, 1 / grade.scale);
}

TEST(GradeContact, NotANumberIsNotAGoodGrade) {
  const std::vector<double> b{-4, 1, 0};
  for (const ConstraintProblem& problem :
       {one_contact({0.5, 0.5}, 0, b), one_contact({0.5, 0.5}, kBoxFaces, b), sliding_contact({-0.3, 0.4}, b)}) {
    for (int i = 0; i < 3; ++i) {
      std::vector<double> z{1, 0, 0};
      z[static_cast<std::size_t>(i)] = std::nan("");
      EXPECT_FALSE(grade_solution(problem, z).worst() <= 1) << i;
    }
  }
}

TEST(GradeCertificate, ProvesNothingWithContacts) {
  ConstraintProblem problem = one_contact({0.5, 0.5}, 0, {-1, 0, 0});
  problem.A().setZero();
  EXPECT_FALSE(grade_certificate(problem, std::vector<double>{1, 0, 0}).proves());
}

/// A solver that states another motion than its forces make is seen, in units of the row.
TEST(Grade, SeesMomentumFromNowhere) {
  test::RandomProblems random(17);
  const ConstraintProblem problem = random.reals(8, 6);
  ExactSolver solver(8);
  const ConstraintSolution& s = solver.solve(problem);
  ASSERT_EQ(s.status, SolveStatus::solved);
  EXPECT_LT(grade_solution(problem, s.z, s.w).momentum, 1e-14);
  std::vector<double> w = s.w;
  const double unit = std::sqrt(problem.A()(3, 3));
  const ConstraintGrade good = grade_solution(problem, s.z);
  EXPECT_EQ(good.momentum, 0);
  w[3] += 1e-3 * unit * good.scale;
  const ConstraintGrade bad = grade_solution(problem, s.z, w);
  EXPECT_NEAR(bad.momentum, 1e-3, 1e-12);
  EXPECT_GE(bad.worst(), bad.momentum);
  w[3] = std::nan("");
  EXPECT_TRUE(std::isnan(grade_solution(problem, s.z, w).worst()));
  w.pop_back();
  EXPECT_THROW(grade_solution(problem, s.z, w), std::invalid_argument);
}

}  // namespace
}  // namespace thenar::grade_test
