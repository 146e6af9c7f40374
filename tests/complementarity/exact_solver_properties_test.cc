// SPDX-License-Identifier: BSD-3-Clause
//
// Laws that every answer of the exact solver obeys, on random problems.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "random_problems.h"
#include "thenar/complementarity/exact_solver.h"
#include "thenar/complementarity/grade.h"

namespace thenar {
namespace {

using test::enumerate;
using test::Enumeration;
using test::RandomProblems;

Eigen::Map<const VectorX<double>> as_vector(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

double max_abs(const VectorX<double>& x) { return x.size() == 0 ? 0 : x.lpNorm<Eigen::Infinity>(); }

/// What a solution says about itself holds: states fit z and w, the basis is nonsingular, redundant rows are at rest.
void expect_sound(const ConstraintProblem& problem, const ConstraintSolution& s, double tolerance) {
  ASSERT_EQ(s.status, SolveStatus::solved) << to_string(s.failure);
  const ConstraintGrade grade = grade_solution(problem, s.z);
  EXPECT_LE(grade.worst(), tolerance) << "row " << grade.worst_row;
  EXPECT_EQ(grade.bounds, 0);
  std::vector<int> held;
  for (int i = 0; i < problem.size(); ++i) {
    const ForceBounds bounds = force_bounds(problem.row(i));
    const double unit = problem.A()(i, i) > 0 ? std::sqrt(problem.A()(i, i)) : 1;
    switch (s.state[i]) {
      case RowState::held:
        held.push_back(i);
        EXPECT_EQ(s.w[i], 0);
        break;
      case RowState::redundant:
        EXPECT_EQ(s.z[i], 0);
        EXPECT_LE(std::abs(s.w[i]) / unit, tolerance * grade.scale);
        break;
      case RowState::open:
        EXPECT_EQ(problem.row(i).kind, RowKind::unilateral);
        EXPECT_EQ(s.z[i], 0);
        break;
      case RowState::at_lower:
        EXPECT_EQ(s.z[i], bounds.lower);
        break;
      case RowState::at_upper:
        EXPECT_EQ(s.z[i], bounds.upper);
        break;
    }
    EXPECT_EQ(s.basis[i].id, problem.row(i).id);
    EXPECT_EQ(s.basis[i].state, s.state[i]);
  }
  EXPECT_EQ(s.held, held);
  if (!held.empty()) {
    // Smallest pivot of the basis, with a unit diagonal.
    MatrixX<double> basis = problem.A()(held, held);
    const VectorX<double> d = basis.diagonal().cwiseSqrt().cwiseInverse();
    basis = d.asDiagonal() * basis * d.asDiagonal();
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixX<double>>(basis).eigenvalues()[0], problem.accuracy / 10);
  }
}

void expect_proof(const ConstraintProblem& problem, const ConstraintSolution& s) {
  ASSERT_EQ(s.status, SolveStatus::infeasible) << to_string(s.failure);
  const CertificateGrade grade = grade_certificate(problem, s.certificate);
  EXPECT_TRUE(grade.proves()) << "cone " << grade.cone << " gain " << grade.gain << " reach " << grade.reach;
}

/// Whole numbers: w and z are quotients of small determinants, so 1e-9 separates equal from different with room.
TEST(ExactSolver, AgreesWithEnumerationOfAllStates) {
  RandomProblems random(1);
  ExactSolver solver(6);
  int infeasible = 0, indeterminate = 0, total = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = random.whole(1, trial % 10 == 0 ? 6 : 5);
    const ConstraintProblem problem = random.whole_numbers(n, random.whole(1, n), random.chance(0.7));
    const Enumeration all = enumerate(problem);
    const ConstraintSolution& s = solver.solve(problem);
    SCOPED_TRACE(trial);
    ++total;
    if (all.z.empty()) {
      ++infeasible;
      expect_proof(problem, s);
      continue;
    }
    ASSERT_TRUE(all.motions_agree);
    expect_sound(problem, s, 1e-14);
    EXPECT_LE(max_abs(as_vector(s.w) - all.w), 1e-9);
    EXPECT_EQ(s.forces_unique, all.forces_unique);
    if (!all.forces_unique) {
      ++indeterminate;
    } else {
      EXPECT_LE(max_abs(as_vector(s.z) - all.z.front()), 1e-9);
    }
    if (HasFailure()) return;
  }
  // The generator reaches all three kinds often enough to mean something.
  EXPECT_GT(infeasible, total / 20);
  EXPECT_GT(indeterminate, total / 10);
  EXPECT_LT(infeasible + indeterminate, total * 3 / 4);
}

TEST(ExactSolver, SolvesRandomProblemsOfEveryRank) {
  RandomProblems random(2);
  ExactSolver solver(60);
  double worst = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = random.whole(1, 60);
    const ConstraintProblem problem = random.reals(n, random.whole(1, n));
    SCOPED_TRACE(trial);
    const ConstraintSolution& s = solver.solve(problem);
    expect_sound(problem, s, 1e-12);
    worst = std::max(worst, grade_solution(problem, s.z).worst());
    if (HasFailure()) return;
  }
  RecordProperty("worst", std::to_string(worst));
  std::printf("worst %g\n", worst);
}

}  // namespace
}  // namespace thenar
