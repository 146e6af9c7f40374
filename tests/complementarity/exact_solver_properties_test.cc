// SPDX-License-Identifier: BSD-3-Clause
//
// Laws that every answer of the exact solver obeys, on random problems.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "random_problems.h"
#include "thenar/complementarity/exact_solver.h"
#include "thenar/complementarity/grade.h"

namespace thenar::exact_solver_properties_test {
namespace {

using test::enumerate;
using test::Enumeration;
using test::RandomProblems;

Eigen::Map<const VectorX<double>> as_vector(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

double max_abs(const VectorX<double>& x) { return x.size() == 0 ? 0 : x.lpNorm<Eigen::Infinity>(); }

/// What a solution says about itself holds: states fit z and w, the basis is nonsingular, redundant rows are at rest.
void expect_sound(const ConstraintProblem& problem, const ConstraintSolution& s, double tolerance,
                  double smallest_eigenvalue = 1e-15) {
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
    // The independence of rows is decided with an error of 1e-13 per row, so up to 60 rows keep this from 0.
    MatrixX<double> basis = problem.A()(held, held);
    const VectorX<double> d = basis.diagonal().cwiseSqrt().cwiseInverse();
    basis = d.asDiagonal() * basis * d.asDiagonal();
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixX<double>>(basis).eigenvalues()[0], smallest_eigenvalue);
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
    const ConstraintProblem problem = random.whole_numbers(n, random.whole(1, n), random.chance(0.5));
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

/// Held rows have w = 0 to a few roundings of the sums that form it. A redundant row repeats their errors with the
/// factor |A_CC⁻¹ A_Ck|₁, which reaches thousands when the rank is low and a basis happens to be poor: hence 1e-12, not
/// 1e-15.
TEST(ExactSolver, SolvesRandomProblemsOfEveryRank) {
  RandomProblems random(2);
  ExactSolver solver(60);
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = random.whole(1, 60);
    const ConstraintProblem problem = random.reals(n, random.whole(1, n));
    SCOPED_TRACE(trial);
    const ConstraintSolution& s = solver.solve(problem);
    expect_sound(problem, s, 1e-12);
    EXPECT_LE(s.residual, 1e-12);
    EXPECT_LE(s.pivots, 3 * n);
    if (HasFailure()) return;
  }
}

/// Zeros and ties everywhere, where methods without care cycle.
TEST(ExactSolver, SolvesDegenerateProblems) {
  RandomProblems random(3);
  ExactSolver solver(60);
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = random.whole(1, 60);
    ConstraintProblem problem = random.whole_numbers(n, random.whole(1, n), true);
    // Leave most unilateral rows just touching.
    for (int i = 0; i < n; ++i) {
      if (problem.row(i).kind == RowKind::unilateral && random.chance(0.5))
        problem.b()[i] = std::max(problem.b()[i], 0.0);
    }
    SCOPED_TRACE(trial);
    const ConstraintSolution& s = solver.solve(problem);
    if (s.status == SolveStatus::infeasible) {
      expect_proof(problem, s);
    } else {
      expect_sound(problem, s, 1e-12);
    }
    EXPECT_LE(s.pivots, 4 * n);
    if (HasFailure()) return;
  }
}

TEST(ExactSolver, ProvesThatLargeProblemsAreInfeasible) {
  RandomProblems random(4);
  ExactSolver solver(60);
  int infeasible = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = random.whole(7, 60);
    const ConstraintProblem problem = random.whole_numbers(n, random.whole(1, n), false);
    SCOPED_TRACE(trial);
    const ConstraintSolution& s = solver.solve(problem);
    if (s.status == SolveStatus::infeasible) {
      ++infeasible;
      expect_proof(problem, s);
    } else {
      expect_sound(problem, s, 1e-12);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(infeasible, 1000);
}

/// The same answer up to what `change` does to z and w, within `tolerance` of each row's unit.
void expect_same(const ConstraintProblem& problem, const ConstraintSolution& a, const ConstraintSolution& b,
                 double tolerance) {
  ASSERT_EQ(a.status, SolveStatus::solved);
  ASSERT_EQ(b.status, SolveStatus::solved);
  EXPECT_EQ(a.forces_unique, b.forces_unique);
  double scale = 0;
  for (int i = 0; i < problem.size(); ++i) {
    const double unit = problem.A()(i, i) > 0 ? std::sqrt(problem.A()(i, i)) : 1;
    scale = std::max({scale, std::abs(problem.b()[i]) / unit, std::abs(a.z[i]) * unit});
  }
  for (int i = 0; i < problem.size(); ++i) {
    const double unit = problem.A()(i, i) > 0 ? std::sqrt(problem.A()(i, i)) : 1;
    EXPECT_LE(std::abs(a.w[i] - b.w[i]) / unit, tolerance * scale) << "w of row " << i;
    if (!a.forces_unique) continue;
    EXPECT_LE(std::abs(a.z[i] - b.z[i]) * unit, tolerance * scale) << "z of row " << i;
  }
}

/// Well enough conditioned to compare z: rank n, and A + ⅒ I.
ConstraintProblem regular_problem(RandomProblems& random, int n) {
  ConstraintProblem problem = random.reals(n, n);
  problem.A().diagonal().array() += 0.1 * n;
  return problem;
}

TEST(ExactSolver, ScalesWithTheUnitsOfItsRows) {
  RandomProblems random(5);
  ExactSolver solver(40);
  for (int trial = 0; trial < 500; ++trial) {
    const int n = random.whole(1, 40);
    const ConstraintProblem problem = trial % 2 == 0 ? regular_problem(random, n) : random.reals(n, random.whole(1, n));
    const ConstraintSolution before = solver.solve(problem);
    SCOPED_TRACE(trial);

    // Units that differ by up to twelve decades: 1e-11, since d itself and its products are rounded.
    VectorX<double> d(n);
    for (int i = 0; i < n; ++i) d[i] = std::pow(10.0, random.whole(-6000, 6000) / 1000.0);
    ConstraintSolution after = solver.solve(test::rescaled(problem, d));
    for (int i = 0; i < n; ++i) after.z[i] *= d[i], after.w[i] /= d[i];
    expect_same(problem, before, after, 1e-11);

    // Powers of two: the very same bits, and so the same pivots.
    for (int i = 0; i < n; ++i) d[i] = std::ldexp(1.0, random.whole(-20, 20));
    after = solver.solve(test::rescaled(problem, d));
    for (int i = 0; i < n; ++i) after.z[i] *= d[i], after.w[i] /= d[i];
    EXPECT_EQ(after.z, before.z);
    EXPECT_EQ(after.w, before.w);
    EXPECT_EQ(after.state, before.state);
    EXPECT_EQ(after.pivots, before.pivots);
    if (HasFailure()) return;
  }
}

TEST(ExactSolver, DoesNotCareAboutTheOrderOfRows) {
  RandomProblems random(6);
  std::mt19937 generator(6);
  ExactSolver solver(40);
  for (int trial = 0; trial < 500; ++trial) {
    const int n = random.whole(1, 40);
    const ConstraintProblem problem = trial % 2 == 0 ? regular_problem(random, n) : random.reals(n, random.whole(1, n));
    const ConstraintSolution before = solver.solve(problem);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), generator);
    const ConstraintSolution shuffled = solver.solve(test::permuted(problem, order));
    ConstraintSolution after = shuffled;
    for (int i = 0; i < n; ++i) after.z[order[i]] = shuffled.z[i], after.w[order[i]] = shuffled.w[i];
    SCOPED_TRACE(trial);
    expect_same(problem, before, after, 1e-11);
    if (HasFailure()) return;
  }
}

TEST(ExactSolver, WarmStartChangesTheWayNotTheAnswer) {
  RandomProblems random(7);
  ExactSolver solver(40);
  long long cold_pivots = 0, warm_pivots = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const int n = random.whole(1, 40);
    const ConstraintProblem problem = trial % 2 == 0 ? regular_problem(random, n) : random.reals(n, random.whole(1, n));
    const ConstraintSolution cold = solver.solve(problem);
    SCOPED_TRACE(trial);
    // Its own basis, read from the solution that is being overwritten.
    ConstraintSolution warm = solver.solve(problem, solver.solution().basis);
    expect_same(problem, cold, warm, 1e-11);
    cold_pivots += cold.pivots;
    warm_pivots += warm.pivots;
    // A wrong one, in another order and with strangers.
    std::vector<BasisEntry> wrong(cold.basis.rbegin(), cold.basis.rend());
    for (BasisEntry& entry : wrong) {
      if (random.chance(0.3)) entry.state = static_cast<RowState>(random.whole(0, 4));
      if (random.chance(0.1)) entry.id = 7;
    }
    warm = solver.solve(problem, wrong);
    expect_same(problem, cold, warm, 1e-11);
    expect_sound(problem, warm, 1e-12);
    if (HasFailure()) return;
  }
  EXPECT_LE(warm_pivots, cold_pivots);
}

TEST(ExactSolver, WarmStartOfTheSameProblemNeedsOnlyToFormItsBasis) {
  RandomProblems random(8);
  ExactSolver solver(30);
  for (int trial = 0; trial < 200; ++trial) {
    const ConstraintProblem problem = regular_problem(random, random.whole(2, 30));
    const std::size_t held = solver.solve(problem).held.size();
    EXPECT_EQ(solver.solve(problem, solver.solution().basis).pivots, static_cast<long long>(held));
  }
}

TEST(ExactSolver, InfiniteFrictionIsBilateral) {
  RandomProblems random(9);
  ExactSolver solver(30);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = random.whole(1, 30);
    ConstraintProblem problem = random.reals(n, random.whole(1, n));
    const ConstraintSolution bilateral = solver.solve(problem);
    for (int i = 0; i < n; ++i) {
      if (problem.row(i).kind == RowKind::bilateral)
        problem.row(i) = {RowKind::boxed, test::kInfinity, problem.row(i).id};
    }
    const ConstraintSolution& boxed = solver.solve(problem);
    EXPECT_EQ(boxed.z, bilateral.z);
    EXPECT_EQ(boxed.w, bilateral.w);
    EXPECT_EQ(boxed.state, bilateral.state);
  }
}

TEST(ExactSolver, FrictionlessRowsAreAsIfAbsent) {
  RandomProblems random(10);
  ExactSolver solver(30);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = random.whole(2, 30);
    ConstraintProblem problem = regular_problem(random, n);
    std::vector<int> others;
    for (int i = 0; i < n; ++i) {
      if (problem.row(i).kind == RowKind::boxed && random.chance(0.5)) {
        problem.row(i).limit = 0;
      } else {
        others.push_back(i);
      }
    }
    const ConstraintSolution with = solver.solve(problem);
    const ConstraintProblem smaller = [&] {
      ConstraintProblem out(static_cast<int>(others.size()));
      for (int i = 0; i < out.size(); ++i) {
        out.row(i) = problem.row(others[i]);
        out.b()[i] = problem.b()[others[i]];
        for (int j = 0; j < out.size(); ++j) out.A()(i, j) = problem.A()(others[i], others[j]);
      }
      return out;
    }();
    const ConstraintSolution& without = solver.solve(smaller);
    for (std::size_t i = 0; i < others.size(); ++i) EXPECT_NEAR(with.z[others[i]], without.z[i], 1e-11);
    for (int i = 0; i < n; ++i) {
      if (problem.row(i).kind == RowKind::boxed && problem.row(i).limit == 0) {
        EXPECT_EQ(with.z[i], 0);
      }
    }
  }
}

/// Rows repeated with errors below the accuracy must be seen as repeated: taken literally, the difference of two twins
/// (1e-14 of b) over the difference of their A (1e-14 too) would be a force as large as the true one.
TEST(ExactSolver, NoiseInRedundantRowsMakesNoForces) {
  RandomProblems random(11);
  ExactSolver solver(60);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = random.whole(1, 30);
    const ConstraintProblem problem = regular_problem(random, n);
    ConstraintProblem twice(2 * n);
    for (int i = 0; i < 2 * n; ++i) {
      twice.row(i) = problem.row(i % n);
      // Two friction rows of half the strength are one of the whole.
      if (twice.row(i).kind == RowKind::boxed) twice.row(i).limit /= 2;
      const double unit = std::sqrt(problem.A()(i % n, i % n));
      twice.b()[i] = problem.b()[i % n] + 1e-14 * unit * random.real();
      for (int j = 0; j <= i; ++j) {
        const double noise = 1e-14 * random.real() * unit * std::sqrt(problem.A()(j % n, j % n));
        twice.A()(i, j) = twice.A()(j, i) = problem.A()(i % n, j % n) + noise;
      }
    }
    const ConstraintSolution one = solver.solve(problem);
    const ConstraintSolution& two = solver.solve(twice);
    SCOPED_TRACE(trial);
    ASSERT_EQ(two.status, SolveStatus::solved) << to_string(two.failure);
    for (int i = 0; i < n; ++i) {
      // The error of z is that of the data times |A⁻¹|, below 10 / n in these units, and n terms.
      EXPECT_NEAR(two.z[i] + two.z[n + i], one.z[i], 1e-11 * (1 + std::abs(one.z[i])));
      if (problem.row(i).kind == RowKind::boxed) continue;
      EXPECT_EQ(std::min(std::abs(two.z[i]), std::abs(two.z[n + i])), 0);
    }
    if (HasFailure()) return;
  }
}

/// Rows at angles of 1e-1 … 1e-16 to each other. A shows the square of the angle, so some are beyond any method in
/// double precision; what counts is that an answer is never wrong in silence.
TEST(ExactSolver, NearlyDependentRowsGiveAnAnswerOrAnHonestFailure) {
  RandomProblems random(12);
  ExactSolver solver(30);
  int failed = 0, infeasible = 0, rough = 0;
  constexpr int kTrials = 3000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const int n = random.whole(2, 30);
    const ConstraintProblem problem = random.nearly_dependent(n, random.whole(1, n));
    const ConstraintSolution& s = solver.solve(problem);
    SCOPED_TRACE(trial);
    switch (s.status) {
      case SolveStatus::solved: {
        expect_sound(problem, s, 1e-7, 0);
        EXPECT_LE(s.residual, 1e-8);
        rough += grade_solution(problem, s.z).worst() > 1e-11;
        break;
      }
      case SolveStatus::infeasible:
        ++infeasible;
        expect_proof(problem, s);
        break;
      case SolveStatus::failed:
        ++failed;
        EXPECT_EQ(s.failure, SolveFailure::ill_conditioned);
        break;
    }
  }
  EXPECT_LT(failed, kTrials / 30);
  EXPECT_LT(infeasible, kTrials / 100);
  EXPECT_LT(rough, kTrials / 5);
}

}  // namespace
}  // namespace thenar::exact_solver_properties_test
