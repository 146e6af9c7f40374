// SPDX-License-Identifier: BSD-3-Clause
//
// Problems solved by hand, and what the solver says about data it cannot solve.

#include "thenar/complementarity/exact_solver.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "thenar/complementarity/bound_qp_internal.h"
#include "thenar/complementarity/grade.h"

namespace thenar::exact_solver_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ConstraintRow bilateral() { return {}; }
ConstraintRow unilateral() { return {.kind = RowKind::unilateral}; }
ConstraintRow boxed(double limit) { return {.kind = RowKind::boxed, .limit = limit}; }

ConstraintProblem make_problem(const MatrixX<double>& A, const VectorX<double>& b,
                               const std::vector<ConstraintRow>& rows) {
  ConstraintProblem problem(static_cast<int>(rows.size()));
  problem.A() = A;
  problem.b() = b;
  for (int i = 0; i < problem.size(); ++i) {
    problem.row(i) = rows[static_cast<std::size_t>(i)];
    problem.row(i).id = static_cast<std::uint64_t>(i + 1);
  }
  return problem;
}

ConstraintProblem one_row(const ConstraintRow& row, double a, double b) {
  return make_problem(MatrixX<double>::Constant(1, 1, a), VectorX<double>::Constant(1, b), {row});
}

MatrixX<double> matrix2(double a, double b, double c, double d) {
  MatrixX<double> m(2, 2);
  m << a, b, c, d;
  return m;
}

VectorX<double> vector2(double a, double b) {
  VectorX<double> v(2);
  v << a, b;
  return v;
}

ConstraintSolution solve(const ConstraintProblem& problem) {
  ExactSolver solver(problem.size());
  return solver.solve(problem);
}

void expect_one(const ConstraintRow& row, double a, double b, double z, double w, RowState state, bool degenerate) {
  const ConstraintSolution s = solve(one_row(row, a, b));
  SCOPED_TRACE(testing::Message() << to_string(row.kind) << " limit " << row.limit << " a " << a << " b " << b);
  ASSERT_EQ(s.status, SolveStatus::solved);
  EXPECT_EQ(s.z[0], z);
  EXPECT_EQ(s.w[0], w);
  EXPECT_EQ(s.state[0], state);
  EXPECT_EQ(s.degenerate[0], degenerate);
  EXPECT_TRUE(s.forces_unique);
}

TEST(ExactSolver, SolvesTheEmptyProblem) {
  const ConstraintSolution s = solve(ConstraintProblem());
  EXPECT_EQ(s.status, SolveStatus::solved);
  EXPECT_TRUE(s.forces_unique);
  EXPECT_TRUE(s.held.empty());
}

TEST(ExactSolver, SolvesOneRowOfEachKind) {
  expect_one(bilateral(), 2, 3, -1.5, 0, RowState::held, false);
  expect_one(bilateral(), 2, 0, 0, 0, RowState::held, false);
  expect_one(unilateral(), 2, -3, 1.5, 0, RowState::held, false);
  expect_one(unilateral(), 2, 3, 0, 3, RowState::open, false);
  expect_one(unilateral(), 2, 0, 0, 0, RowState::open, true);
  // Friction holds up to its limit and opposes the motion beyond.
  expect_one(boxed(2), 2, 3, -1.5, 0, RowState::held, false);
  expect_one(boxed(2), 2, 0, 0, 0, RowState::held, false);
  expect_one(boxed(1), 2, 3, -1, 1, RowState::at_lower, false);
  expect_one(boxed(1), 2, -3, 1, -1, RowState::at_upper, false);
  expect_one(boxed(1.5), 2, -3, 1.5, 0, RowState::held, true);
  expect_one(boxed(0), 2, 3, 0, 3, RowState::at_lower, false);
  expect_one(boxed(0), 2, -3, 0, -3, RowState::at_upper, false);
  expect_one(boxed(kInfinity), 2, 3, -1.5, 0, RowState::held, false);
}

TEST(ExactSolver, OneStopCanRelieveOrLoadAnother) {
  // Held alone, row 0 has z = 3/2; then w₁ = −1 + 3/2 > 0: row 1 opens.
  ConstraintSolution s = solve(make_problem(matrix2(2, 1, 1, 2), vector2(-3, -1), {unilateral(), unilateral()}));
  EXPECT_EQ(s.state, (std::vector{RowState::held, RowState::open}));
  EXPECT_EQ(s.z, (std::vector{1.5, 0.0}));
  EXPECT_EQ(s.w, (std::vector{0.0, 0.5}));
  EXPECT_EQ(s.held, std::vector{0});
  // 2 z₀ − z₁ = 3, −z₀ + 2 z₁ = −1.
  s = solve(make_problem(matrix2(2, -1, -1, 2), vector2(-3, 1), {unilateral(), unilateral()}));
  EXPECT_EQ(s.state, (std::vector{RowState::held, RowState::held}));
  EXPECT_NEAR(s.z[0], 5.0 / 3, 1e-15);
  EXPECT_NEAR(s.z[1], 1.0 / 3, 1e-15);
}

TEST(ExactSolver, FrictionOfOneJointDragsTheNext) {
  // Row 0 slips at its limit, z₀ = −1, and w₁ = −2 + (−1) + 2 z₁ = 0 needs z₁ = 3/2 < 4; w₀ = 6 − 2 + 3/2.
  const ConstraintSolution s = solve(make_problem(matrix2(2, 1, 1, 2), vector2(6, -2), {boxed(1), boxed(4)}));
  EXPECT_EQ(s.state, (std::vector{RowState::at_lower, RowState::held}));
  EXPECT_EQ(s.z, (std::vector{-1.0, 1.5}));
  EXPECT_EQ(s.w, (std::vector{5.5, 0.0}));
}

TEST(ExactSolver, UnloadedFrictionHoldsToo) {
  const ConstraintSolution s = solve(make_problem(matrix2(2, 1, 1, 2), vector2(0, 0), {boxed(1), boxed(4)}));
  EXPECT_EQ(s.state, (std::vector{RowState::held, RowState::held}));
  EXPECT_EQ(s.z, (std::vector{0.0, 0.0}));
  EXPECT_EQ(s.degenerate, (std::vector{false, false}));
}

TEST(ExactSolver, DoubledStopHasOneHeldRowAndForcesToShare) {
  const ConstraintSolution s = solve(make_problem(matrix2(2, 2, 2, 2), vector2(-3, -3), {unilateral(), unilateral()}));
  EXPECT_EQ(s.status, SolveStatus::solved);
  EXPECT_FALSE(s.forces_unique);
  EXPECT_EQ(s.held.size(), 1u);
  EXPECT_EQ(s.z[0] + s.z[1], 1.5);
  EXPECT_EQ(s.z[0] * s.z[1], 0);
  EXPECT_EQ(s.w, (std::vector{0.0, 0.0}));
  EXPECT_EQ(s.state[static_cast<std::size_t>(1 - s.held[0])], RowState::redundant);
}

TEST(ExactSolver, StrongerOfTwoEqualRowsIsHeld) {
  // The same direction twice, but row 1 would open less: w₁ = w₀ − 1e-6. Row 0 must leave the basis for it.
  for (const bool swap : {false, true}) {
    const VectorX<double> b = swap ? vector2(-3 - 1e-6, -3) : vector2(-3, -3 - 1e-6);
    const ConstraintSolution s = solve(make_problem(matrix2(2, 2, 2, 2), b, {unilateral(), unilateral()}));
    EXPECT_EQ(s.held, std::vector{swap ? 0 : 1});
    EXPECT_NEAR(s.w[swap ? 1 : 0], 1e-6, 1e-15);
    EXPECT_TRUE(s.forces_unique);
  }
}

TEST(ExactSolver, OpposingStopsCanSqueezeWithoutMoving) {
  // One coordinate between two stops that both touch: w = ±x. Any z₀ = z₁ ≥ 0 is a solution.
  const ConstraintSolution s = solve(make_problem(matrix2(1, -1, -1, 1), vector2(0, 0), {unilateral(), unilateral()}));
  EXPECT_EQ(s.status, SolveStatus::solved);
  EXPECT_FALSE(s.forces_unique);
  EXPECT_EQ(s.state, (std::vector{RowState::open, RowState::open}));
  EXPECT_EQ(s.degenerate, (std::vector{true, true}));
}

TEST(ExactSolver, DoubledStopWithoutLoadHasUniqueForces) {
  // Both rows at rest without force: z₀ + z₁ = 0 and z ≥ 0 leave only zero, although A is singular.
  const ConstraintSolution s = solve(make_problem(matrix2(2, 2, 2, 2), vector2(0, 0), {unilateral(), unilateral()}));
  EXPECT_TRUE(s.forces_unique);
  EXPECT_EQ(s.z, (std::vector{0.0, 0.0}));
}

TEST(ExactSolver, ContradictingCouplingsAreInfeasible) {
  const ConstraintProblem problem = make_problem(matrix2(1, 1, 1, 1), vector2(1, 2), {bilateral(), bilateral()});
  const ConstraintSolution s = solve(problem);
  EXPECT_EQ(s.status, SolveStatus::infeasible);
  EXPECT_FALSE(s.forces_unique);
  // y = (1, −1) up to a positive factor: A y = 0, bᵀ y = −1.
  ASSERT_EQ(s.certificate.size(), 2u);
  EXPECT_GT(s.certificate[0], 0);
  EXPECT_EQ(s.certificate[1], -s.certificate[0]);
  EXPECT_TRUE(grade_certificate(problem, s.certificate).proves());
}

TEST(ExactSolver, CouplingThatDrivesIntoAStopIsInfeasible) {
  // The coupling holds the coordinate at rest, the stop wants it to leave: w₀ = x, w₁ = −x − 1.
  const ConstraintProblem problem = make_problem(matrix2(1, -1, -1, 1), vector2(0, -1), {bilateral(), unilateral()});
  const ConstraintSolution s = solve(problem);
  EXPECT_EQ(s.status, SolveStatus::infeasible);
  EXPECT_TRUE(grade_certificate(problem, s.certificate).proves());
  // With friction in place of the coupling it slips, backwards (w₀ = −1).
  EXPECT_EQ(solve(make_problem(matrix2(1, -1, -1, 1), vector2(0, -1), {boxed(5), unilateral()})).state[0],
            RowState::at_upper);
}

TEST(ExactSolver, ACertificateNamesOnlyTheRowsThatMatter) {
  // Rows 0 and 1 contradict each other in the presence of others that have nothing to do with it.
  MatrixX<double> J(5, 4);
  J << 0.1, 0.2, 0.3, 0, 0.1, 0.2, 0.3, 0, 0.7, -0.1, 0.2, 0.3, 0.3, 0.3, 0.1, -0.2, -0.4, 0.2, 0.9, 0.6;
  VectorX<double> b = J * VectorX<double>::LinSpaced(4, -1, 1);
  b[1] += 0.1;
  const ConstraintProblem problem =
      make_problem(J * J.transpose(), b, {bilateral(), bilateral(), bilateral(), unilateral(), bilateral()});
  const ConstraintSolution s = solve(problem);
  ASSERT_EQ(s.status, SolveStatus::infeasible);
  EXPECT_TRUE(grade_certificate(problem, s.certificate).proves());
  EXPECT_NE(s.certificate[0], 0);
  EXPECT_NE(s.certificate[1], 0);
  for (const int i : {2, 3, 4}) EXPECT_EQ(s.certificate[static_cast<std::size_t>(i)], 0) << i;
}

TEST(ExactSolver, TwoStopsThatShutAnInfeasibleGap) {
  // w₀ = x − 1 ≥ 0 and w₁ = −x − 1 ≥ 0.
  const ConstraintProblem problem = make_problem(matrix2(1, -1, -1, 1), vector2(-1, -1), {unilateral(), unilateral()});
  const ConstraintSolution s = solve(problem);
  EXPECT_EQ(s.status, SolveStatus::infeasible);
  EXPECT_TRUE(grade_certificate(problem, s.certificate).proves());
}

TEST(ExactSolver, RowsThatNothingMovesAreAnsweredFromBAlone) {
  const auto with_zero_row = [](const ConstraintRow& row, double b) {
    return make_problem(matrix2(2, 0, 0, 0), vector2(-1, b), {unilateral(), row});
  };
  ConstraintSolution s = solve(with_zero_row(bilateral(), 0));
  EXPECT_EQ(s.state[1], RowState::redundant);
  EXPECT_FALSE(s.forces_unique);
  s = solve(with_zero_row(unilateral(), 1));
  EXPECT_EQ(s.state[1], RowState::open);
  EXPECT_TRUE(s.forces_unique);
  EXPECT_EQ(s.w[1], 1);
  s = solve(with_zero_row(boxed(3), 1));
  EXPECT_EQ(s.state[1], RowState::at_lower);
  EXPECT_EQ(s.z[1], -3);
  s = solve(with_zero_row(boxed(3), -1));
  EXPECT_EQ(s.state[1], RowState::at_upper);
  EXPECT_EQ(s.z[1], 3);
  s = solve(with_zero_row(boxed(0), 0));
  EXPECT_EQ(s.state[1], RowState::at_lower);
  EXPECT_TRUE(s.forces_unique);
  for (const ConstraintRow& row : {bilateral(), unilateral(), boxed(kInfinity)}) {
    const ConstraintProblem problem = with_zero_row(row, -1);
    s = solve(problem);
    EXPECT_EQ(s.status, SolveStatus::infeasible);
    EXPECT_EQ(s.certificate, (std::vector{0.0, 1.0}));
    EXPECT_TRUE(grade_certificate(problem, s.certificate).proves());
  }
}

TEST(ExactSolver, KnownErrorOfBIsForgiven) {
  ConstraintProblem problem = make_problem(matrix2(1, 1, 1, 1), vector2(1, 1 + 1e-6), {bilateral(), bilateral()});
  EXPECT_EQ(solve(problem).status, SolveStatus::infeasible);
  problem.row(0).b_error = problem.row(1).b_error = 2e-6;
  const ConstraintSolution s = solve(problem);
  EXPECT_EQ(s.status, SolveStatus::solved);
  EXPECT_EQ(s.held.size(), 1u);
  EXPECT_FALSE(s.forces_unique);

  ConstraintProblem alone = make_problem(matrix2(1, 0, 0, 0), vector2(1, 1e-6), {bilateral(), bilateral()});
  EXPECT_EQ(solve(alone).status, SolveStatus::infeasible);
  alone.row(1).b_error = 2e-6;
  EXPECT_EQ(solve(alone).state[1], RowState::redundant);
}

TEST(ExactSolver, TriangularHangerHasTheClosedFormForces) {
  // Three couplings on two masses, J = (1, 0; 1, 1; 0, 1): A of rank 2, b = J a consistent; the motion stops.
  MatrixX<double> J(3, 2);
  J << 1, 0, 1, 1, 0, 1;
  const ConstraintSolution s =
      solve(make_problem(J * J.transpose(), J * vector2(4, -1), {bilateral(), bilateral(), bilateral()}));
  ASSERT_EQ(s.status, SolveStatus::solved);
  EXPECT_EQ(s.held.size(), 2u);
  EXPECT_FALSE(s.forces_unique);
  // Jᵀ z = −a whatever the choice.
  EXPECT_NEAR(s.z[0] + s.z[1], -4, 1e-14);
  EXPECT_NEAR(s.z[1] + s.z[2], 1, 1e-14);
}

TEST(ExactSolver, RefusesWhatCannotBeAProblem) {
  ExactSolver solver(2);
  EXPECT_EQ(solver.max_rows(), 2);
  EXPECT_THROW(
      {
        try {
          solver.solve(ConstraintProblem(3));
        } catch (const std::invalid_argument& e) {
          EXPECT_STREQ(e.what(), "constraint problem has 3 rows, the solver was made for 2");
          throw;
        }
      },
      std::invalid_argument);
  EXPECT_THROW(
      {
        try {
          solver.solve(one_row(boxed(-1), 1, 0));
        } catch (const std::invalid_argument& e) {
          EXPECT_STREQ(e.what(), "constraint problem: row 0: limit is -1, must be 0 or more");
          throw;
        }
      },
      std::invalid_argument);
  EXPECT_THROW(solver.solve(one_row(boxed(std::nan("")), 1, 0)), std::invalid_argument);
  ConstraintProblem problem = one_row(bilateral(), 1, 0);
  problem.row(0).b_error = -1;
  EXPECT_THROW(solver.solve(problem), std::invalid_argument);
  problem.row(0).b_error = 0;
  problem.accuracy = 1;
  EXPECT_THROW(solver.solve(problem), std::invalid_argument);
}

void expect_failure(const ConstraintProblem& problem, SolveFailure failure) {
  const ConstraintSolution s = solve(problem);
  EXPECT_EQ(s.status, SolveStatus::failed);
  EXPECT_EQ(s.failure, failure) << to_string(s.failure);
}

TEST(ExactSolver, SaysWhyAMatrixIsUnfit) {
  const std::vector<ConstraintRow> rows{bilateral(), unilateral()};
  const double nan = std::nan("");
  expect_failure(make_problem(matrix2(1, 0, 0, 1), vector2(nan, 0), rows), SolveFailure::not_finite);
  expect_failure(make_problem(matrix2(nan, 0, 0, 1), vector2(0, 0), rows), SolveFailure::not_finite);
  expect_failure(make_problem(matrix2(1, nan, nan, 1), vector2(0, 0), rows), SolveFailure::not_finite);
  expect_failure(make_problem(matrix2(0, kInfinity, kInfinity, 1), vector2(0, 0), rows), SolveFailure::not_finite);
  expect_failure(make_problem(matrix2(1, 0.5, 0.25, 1), vector2(0, 0), rows), SolveFailure::not_symmetric);
  expect_failure(make_problem(matrix2(-1, 0, 0, 1), vector2(0, 0), rows), SolveFailure::indefinite);
  expect_failure(make_problem(matrix2(0, 1, 1, 1), vector2(0, 0), rows), SolveFailure::indefinite);
  expect_failure(make_problem(matrix2(1, 1.1, 1.1, 1), vector2(0, 0), rows), SolveFailure::indefinite);
  // Every pair is definite, the three are not.
  MatrixX<double> A(3, 3);
  A << 1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1;
  expect_failure(make_problem(A, VectorX<double>::Ones(3), {bilateral(), bilateral(), bilateral()}),
                 SolveFailure::indefinite);
}

TEST(ExactSolver, NumbersBeyondTheRangeOfDoublesEndInAnAnswerOrAFailure) {
  for (const double b : {1e308, 1e200, 1e-200, 5e-324}) {
    for (const double a : {1e300, 1.0, 1e-300, 5e-324}) {
      for (const ConstraintRow& row : {bilateral(), unilateral(), boxed(1), boxed(1e308)}) {
        const ConstraintProblem problem = make_problem(matrix2(a, a / 2, a / 2, a), vector2(-b, -b), {row, row});
        const ConstraintSolution s = solve(problem);
        SCOPED_TRACE(testing::Message() << "a " << a << " b " << b);
        if (s.status == SolveStatus::failed) continue;
        EXPECT_EQ(s.status, SolveStatus::solved);
        // Relative to the scale; where that underflows there is nothing to compare.
        const ConstraintGrade grade = grade_solution(problem, s.z);
        if (grade.scale > 1e-300) {
          EXPECT_LE(grade.worst(), 1e-14);
        }
      }
    }
  }
}

TEST(ExactSolver, AFailureLeavesNothingBehind) {
  ExactSolver solver(2);
  const ConstraintProblem good = make_problem(matrix2(2, 1, 1, 2), vector2(-3, -1), {unilateral(), unilateral()});
  const ConstraintSolution first = solver.solve(good);
  solver.solve(make_problem(matrix2(1, 0.5, 0.25, 1), vector2(0, 0), {bilateral(), bilateral()}));
  solver.solve(make_problem(matrix2(1, 1, 1, 1), vector2(1, 2), {bilateral(), bilateral()}));
  const ConstraintSolution& again = solver.solve(good);
  EXPECT_EQ(again.status, SolveStatus::solved);
  EXPECT_EQ(again.failure, SolveFailure::none);
  EXPECT_EQ(again.z, first.z);
  EXPECT_TRUE(again.certificate.empty());
  EXPECT_TRUE(again.forces_unique);
}

/// Fathi (1979): L Lᵀ with L unit lower triangular and 2 below the diagonal, b = −1. Murty's least-index method takes
/// 2ⁿ − 1 pivots. Here also with b growing either way and with the rows in reverse; a pivot per row is usual.
TEST(ExactSolver, ExponentialCasesOfOtherMethodsStayShort) {
  for (int n = 1; n <= 20; ++n) {
    MatrixX<double> L = MatrixX<double>::Constant(n, n, 2).triangularView<Eigen::StrictlyLower>();
    L.diagonal().setOnes();
    for (const bool reversed : {false, true}) {
      for (const double growth : {1.0, 2.0, 0.5}) {
        const MatrixX<double> A = reversed ? MatrixX<double>(L.transpose() * L) : MatrixX<double>(L * L.transpose());
        VectorX<double> b(n);
        for (int i = 0; i < n; ++i) b[i] = -std::pow(growth, i);
        ConstraintProblem problem = make_problem(A, b, std::vector(static_cast<std::size_t>(n), unilateral()));
        const ConstraintSolution s = solve(problem);
        ASSERT_EQ(s.status, SolveStatus::solved) << n;
        EXPECT_LE(s.pivots, 2 * n);
        EXPECT_LE(grade_solution(problem, s.z).worst(), 1e-14);
      }
    }
  }
}

TEST(ExactSolver, PivotLimitEndsTheSearch) {
  internal::BoundQp qp(2);
  qp.reset(2);
  qp.A.setIdentity();
  qp.b << -1, -1;
  qp.lower.setZero();
  qp.upper.setConstant(kInfinity);
  qp.epsilon = 1e-13;
  qp.rounding = 1e-15;
  qp.pivot_limit = 0;
  EXPECT_EQ(qp.run(), internal::QpOutcome::pivot_limit);
  qp.reset(2);
  qp.pivot_limit = 2;
  EXPECT_EQ(qp.run(), internal::QpOutcome::solved);
}

}  // namespace
}  // namespace thenar::exact_solver_test
