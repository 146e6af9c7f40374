// SPDX-License-Identifier: BSD-3-Clause
// What PTL state about their data sets, and the polyhedra and the algorithm as they publish them.

#include "data_sets.h"

#include <gtest/gtest.h>

#include "quasistatic_families.h"
#include "thenar/quasistatic/quasistatic_grade.h"
#include "thenar/quasistatic/quasistatic_solver.h"

namespace thenar::data_sets_test {
namespace {

using Status = PairSearch::Status;
using Mode = QuasistaticMode;

TEST(DataSets, OneToThreeAreSolvedWithinTwoPairsAndFourStalls) {
  for (int k = 1; k <= 3; ++k) {
    const PairSearch found = search_pairs(test::make_data_set(k));
    EXPECT_EQ(found.status, Status::solved) << k;
    EXPECT_LE(found.pairs, 2) << k;
    EXPECT_LE(found.programs, 6) << k;
  }
  EXPECT_EQ(search_pairs(test::make_data_set(4)).status, Status::stalled);
}

TEST(DataSets, HaveTheirSolutions) {
  const QuasistaticOptions all{.all = true};
  const QuasistaticAnswer one = solve_quasistatic(test::make_data_set(1), all);
  EXPECT_EQ(one.verdict, QuasistaticVerdict::several);
  EXPECT_EQ(one.solutions.size(), 3u);
  const QuasistaticAnswer two = solve_quasistatic(test::make_data_set(2), all);
  ASSERT_EQ(two.verdict, QuasistaticVerdict::unique);
  EXPECT_EQ(two.solutions[0].modes, (std::vector{Mode::slides_plus, Mode::slides_minus, Mode::slides_minus}));
  const QuasistaticAnswer three = solve_quasistatic(test::make_data_set(3), all);
  ASSERT_EQ(three.verdict, QuasistaticVerdict::unique);
  EXPECT_EQ(three.solutions[0].modes, (std::vector{Mode::slides_minus, Mode::rolls, Mode::breaks}));
  const QuasistaticAnswer four = solve_quasistatic(test::make_data_set(4), all);
  EXPECT_EQ(four.verdict, QuasistaticVerdict::none);
  EXPECT_TRUE(four.is_list_complete);
}

/// PTL tried 56 coefficients on set 2 and do not say which: 44 have a solution, 12 jam. These 56 lie across the edge of
/// the jamming region; PTL's algorithm has to solve exactly those that do not jam.
TEST(DataSets, FiftySixCoefficientsOnSetTwoAreSolvedOrJam) {
  QuasistaticProblem problem = test::make_data_set(2);
  int jams = 0, solved = 0;
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 8; ++j) {
      problem.mu = Eigen::Vector3d(0.7, 0.4 + 0.1 * i, 0.2 + 0.1 * j);
      const QuasistaticAnswer answer = solve_quasistatic(problem);
      ASSERT_NE(answer.verdict, QuasistaticVerdict::undecided);
      const bool is_jam = answer.verdict == QuasistaticVerdict::none;
      EXPECT_EQ(is_jam, answer.pairs.status != Status::solved) << problem.mu.transpose();
      (is_jam ? jams : solved) += 1;
    }
  }
  EXPECT_EQ(jams + solved, 56);
  EXPECT_GT(jams, 8);
  EXPECT_GT(solved, 28);
}

/// x and y of a solution, PTL's way.
void split(const QuasistaticProblem& problem, const QuasistaticSolution& solution, VectorX<double>& x,
           VectorX<double>& y) {
  const VectorX<double> v_n = problem.W_n.transpose() * solution.q_dot - problem.J_n * solution.theta_dot;
  const VectorX<double> v_t = problem.W_t.transpose() * solution.q_dot - problem.J_t * solution.theta_dot;
  const VectorX<double> limit = problem.mu.cwiseProduct(solution.c_n);
  x.resize(3 * v_n.size());
  y.resize(3 * v_n.size());
  x << v_n, v_t.cwiseMax(0), (-v_t).cwiseMax(0);
  y << solution.c_n, limit + solution.c_t, limit - solution.c_t;
}

TEST(Polyhedra, HaveEverySolutionAsAComplementaryPair) {
  test::QuasistaticDice dice(7);
  int count = 0;
  for (int k = 0; k < 40; ++k) {
    const QuasistaticProblem problem = k % 2 == 0 ? dice.generic(dice.whole(1, 6)) : dice.lattice(dice.whole(1, 4));
    const UncoupledPolyhedra polyhedra = make_polyhedra(problem);
    for (const QuasistaticSolution& solution : solve_quasistatic(problem, {.all = true}).solutions) {
      VectorX<double> x, y;
      split(problem, solution, x, y);
      const double speed = 1 + x.cwiseAbs().maxCoeff(), force = 1 + y.cwiseAbs().maxCoeff();
      if (polyhedra.X_rows.rows() > 0) {
        EXPECT_LT((polyhedra.X_rows * x + polyhedra.X_known).cwiseAbs().maxCoeff(), 1e-8 * speed);
      }
      EXPECT_LT((polyhedra.C * y + polyhedra.d).cwiseAbs().maxCoeff(), 1e-8 * force);
      EXPECT_GT(x.minCoeff(), -1e-8 * speed);
      EXPECT_GT(y.minCoeff(), -1e-8 * force);
      EXPECT_LT(std::abs(x.dot(y)), 1e-7 * speed * force);
      ++count;
    }
  }
  EXPECT_GT(count, 20);
}

TEST(PairSearch, IsTheSameForTheSameSeed) {
  const QuasistaticProblem problem = make_random_quasistatic({10, 1.0, 0, 2});
  const PairSearch once = search_pairs(problem), again = search_pairs(problem);
  EXPECT_EQ(once.pairs, again.pairs);
  EXPECT_EQ(once.x, again.x);
  EXPECT_EQ(once.y, again.y);
}

TEST(PairSearch, FindsSolutionsWithEveryVariant) {
  using Restart = PairSearchOptions::Restart;
  using LpStep = PairSearchOptions::LpStep;
  for (const Restart restart : {Restart::modified, Restart::original}) {
    for (const LpStep step : {LpStep::optimum, LpStep::any_decrease}) {
      int solved = 0;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const QuasistaticProblem problem = make_random_quasistatic({6, 0.6, 1, seed});
        QuasistaticOptions options{.all = true};
        options.pairs = {.restart = restart, .lp_step = step};
        const QuasistaticAnswer answer = solve_quasistatic(problem, options);
        if (answer.pairs.status != Status::solved) continue;
        ++solved;
        EXPECT_FALSE(answer.solutions.empty()) << seed;
      }
      EXPECT_GE(solved, 4);
    }
  }
}

TEST(RandomProblems, HaveVelocitiesAndForces) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const int n = 1 + static_cast<int>(seed) % 12;
    const QuasistaticProblem problem = make_random_quasistatic({n, 0.1 * static_cast<double>(seed), n, seed});
    const UncoupledPolyhedra polyhedra = make_polyhedra(problem);
    EXPECT_EQ(polyhedra.make_X().solve(), LpStatus::optimal) << seed;
    EXPECT_EQ(polyhedra.make_Y().solve(), LpStatus::optimal) << seed;
    EXPECT_EQ(problem.effort_joints().size(), static_cast<std::size_t>(n));
  }
  EXPECT_THROW(make_random_quasistatic({0, 1, 0, 1}), std::invalid_argument);
  EXPECT_THROW(make_random_quasistatic({2, 1, 5, 1}), std::invalid_argument);
}

/// PTL Table 1: contacts, range of μ, |ᾱ|.
struct Setting {
  int contacts;
  double mu;
  int efforts;
};
constexpr Setting kTable1[] = {{3, 1.0, 0},  {10, 1.0, 0}, {10, 2.0, 0},  {15, 1.2, 1}, {18, 0.8, 9},  {20, 1.0, 0},
                               {20, 1.5, 0}, {20, 1.2, 0}, {20, 1.0, 10}, {30, 1.0, 0}, {30, 0.5, 15}, {30, 0.6, 15},
                               {40, 1.0, 0}, {10, 1.3, 5}, {15, 1.2, 6},  {40, 1.0, 20}};

TEST(RandomProblems, OfTheSettingsOfTableOneAreDecided) {
  std::uint64_t seed = 1;
  for (const Setting& setting : kTable1) {
    const QuasistaticProblem problem = make_random_quasistatic({setting.contacts, setting.mu, setting.efforts, seed++});
    const QuasistaticAnswer answer = solve_quasistatic(problem);
    EXPECT_NE(answer.verdict, QuasistaticVerdict::undecided) << setting.contacts << " " << answer.reason;
    EXPECT_FALSE(answer.pairs.status == Status::solved && answer.solutions.empty());
    for (const QuasistaticSolution& solution : answer.solutions) {
      EXPECT_LT(grade_quasistatic(problem, solution).worst(), 1e-9);
    }
  }
}

}  // namespace
}  // namespace thenar::data_sets_test
