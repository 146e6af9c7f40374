// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/boxed_lcp.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "lcp_families.h"
#include "thenar/base/diagnostic.h"
#include "thenar/complementarity/lcp_solver.h"

namespace thenar::boxed_lcp_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

BoxedLcp make_problem(unsigned seed, int n) {
  test::LcpDice dice(seed);
  BoxedLcp out{test::make_diagonally_dominant(seed, n).M, dice.vector(n), VectorX<double>(n), VectorX<double>(n)};
  for (int i = 0; i < n; ++i) {
    out.lower(i) = dice.integer(0, 2) == 0 ? -kInfinity : dice.uniform(-0.3, 0.1);
    out.upper(i) = dice.integer(0, 2) == 0 ? kInfinity : out.lower(i) + dice.uniform(0, 0.3);
    if (out.lower(i) == -kInfinity && out.upper(i) != kInfinity) out.upper(i) = dice.uniform(-0.1, 0.3);
    if (dice.integer(0, 9) == 0 && std::isfinite(out.lower(i))) out.upper(i) = out.lower(i);
  }
  return out;
}

double residual(const BoxedLcp& problem, const VectorX<double>& z) {
  return calc_residual(problem, {z.data(), static_cast<std::size_t>(z.size())});
}

/// One row: the answer is the unconstrained one, cut off at the bounds.
TEST(BoxedLcp, OfOneRowIsClamped) {
  for (const double q : {-3.0, -0.5, 0.0, 0.7, 5.0}) {
    const BoxedLcp problem{MatrixX<double>::Constant(1, 1, 2), VectorX<double>::Constant(1, q),
                           VectorX<double>::Constant(1, -1), VectorX<double>::Constant(1, 0.25)};
    const BoxedReduction reduction(problem);
    const LcpAnswer answer = solve_lcp(reduction.lcp());
    ASSERT_EQ(answer.status, LcpStatus::solved);
    EXPECT_NEAR(reduction.recover(answer.z)(0), std::clamp(-q / 2, -1.0, 0.25), 1e-14);
  }
}

/// Diagonal dominance makes a P-matrix: one solution, whatever the bounds are.
TEST(BoxedLcp, WithAPMatrixHasOneSolution) {
  LcpOptions all;
  all.all = true;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const BoxedLcp problem = make_problem(seed, 1 + static_cast<int>(seed % 6));
    const BoxedReduction reduction(problem);
    const LcpAnswer answer = solve_lcp(reduction.lcp(), all);
    ASSERT_EQ(answer.count, SolutionCount::unique) << seed << answer.reason;
    // Rounding of a few sums of numbers of about 10.
    EXPECT_LT(residual(problem, reduction.recover(answer.z)), 1e-13) << seed;
  }
}

TEST(BoxedLcp, ResidualSeesEveryViolation) {
  const BoxedLcp problem{MatrixX<double>::Identity(3, 3), Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(-1, -1, -1),
                         Eigen::Vector3d(1, 1, 1)};
  EXPECT_EQ(residual(problem, Eigen::Vector3d(0, 0, 0)), 0);
  EXPECT_EQ(residual(problem, Eigen::Vector3d(0.5, 0, 0)), 0.5);  // w = 0.5 inside
  EXPECT_EQ(residual(problem, Eigen::Vector3d(0, 1, 0)), 1);      // w > 0 at the upper bound
  EXPECT_EQ(residual(problem, Eigen::Vector3d(0, 0, -3)), 3);
  EXPECT_TRUE(std::isnan(residual(problem, Eigen::Vector3d(0, std::nan(""), 0))));
}

TEST(BoxedLcp, IsAnLcpWithBoundsZeroAndInfinity) {
  const Lcp plain = test::make_positive_definite(3, 5);
  const BoxedLcp boxed{plain.M, plain.q, VectorX<double>::Zero(5), VectorX<double>::Constant(5, kInfinity)};
  const BoxedReduction reduction(boxed);
  EXPECT_EQ(reduction.lcp().M, plain.M);
  EXPECT_EQ(reduction.lcp().q, plain.q);
  const VectorX<double> z = test::LcpDice(4).vector(5);
  EXPECT_EQ(residual(boxed, z), calc_residual(plain, {z.data(), 5}));
}

TEST(BoxedLcp, IsReadBackAsWritten) {
  const BoxedLcp problem = make_problem(11, 5);
  std::stringstream text;
  write_boxed_lcp(text, problem);
  const BoxedLcp back = read_boxed_lcp(text);
  EXPECT_EQ(back.M, problem.M);
  EXPECT_EQ(back.q, problem.q);
  EXPECT_EQ(back.lower, problem.lower);
  EXPECT_EQ(back.upper, problem.upper);
}

TEST(BoxedLcp, NamesTheLineOfAMistake) {
  const auto message = [](const std::string& text) {
    std::istringstream in(text);
    try {
      read_boxed_lcp(in, "file");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("2\n"), "file:1: error: found '2', expected 'thenar'");
  EXPECT_EQ(message("thenar boxed lcp 1\n1\n1\n1\n2\n1\n"), "file:6: error: row 0: no number is between 2 and 1");
  EXPECT_EQ(message("thenar boxed lcp 1\n1\n1\n1\n2\n"),
            "file:6: error: the text ends where an upper bound was expected");
  EXPECT_EQ(message("thenar boxed lcp 1\n1\n1\nnan\n0\n1\n"), "file:6: error: M and q must be finite");
}

}  // namespace
}  // namespace thenar::boxed_lcp_test
