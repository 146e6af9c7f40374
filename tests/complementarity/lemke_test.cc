// SPDX-License-Identifier: BSD-3-Clause
//
// Lemke's method: on random problems of several classes against all complementary bases, on the families that the
// benchmark runs, on problems that are known to be hard, and on the public collection in ../shared/data/lcp, which a
// clone does not have (then that test is skipped).

#include "thenar/complementarity/lemke.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "lcp_families.h"
#include "thenar/base/diagnostic.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::lemke_test {
namespace {

constexpr double kTolerance = 1e-10;  // of residuals: condition numbers up to 1e5 times rounding

class RandomLcp {
 public:
  explicit RandomLcp(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  MatrixX<double> matrix(int rows, int columns) {
    return MatrixX<double>::NullaryExpr(rows, columns, [&] { return uniform(-1, 1); });
  }
  VectorX<double> vector(int n) {
    return VectorX<double>::NullaryExpr(n, [&] { return uniform(-1, 1); });
  }

  /// Not symmetric, all principal minors positive.
  Lcp positive_definite(int n) {
    const MatrixX<double> a = matrix(n, n), b = matrix(n, n);
    return {a * a.transpose() + 0.1 * MatrixX<double>::Identity(n, n) + b - b.transpose(), vector(n)};
  }
  /// Of rank n/2 and with a solution: q = −M z + w.
  Lcp semidefinite(int n) {
    const MatrixX<double> a = matrix(n, std::max(1, n / 2));
    Lcp problem{a * a.transpose(), VectorX<double>::Zero(n)};
    for (int i = 0; i < n; ++i) {
      const double value = uniform(0, 1);
      if (integer(0, 1) == 0) {
        problem.q(i) += value;
      } else {
        problem.q -= problem.M.col(i) * value;
      }
    }
    return problem;
  }
  /// Small whole numbers: ties in every ratio test.
  Lcp degenerate(int n) {
    const MatrixX<double> a = MatrixX<double>::NullaryExpr(n, n, [&] { return double(integer(-1, 1)); });
    return {a * a.transpose() + MatrixX<double>::Identity(n, n),
            VectorX<double>::NullaryExpr(n, [&] { return double(integer(-1, 1)); })};
  }

 private:
  std::mt19937_64 generator_;
};

/// All solutions of nonsingular complementary bases.
std::vector<VectorX<double>> enumerate(const Lcp& problem) {
  const int n = problem.size();
  std::vector<VectorX<double>> found;
  for (unsigned set = 0; set < (1u << n); ++set) {
    MatrixX<double> basis = MatrixX<double>::Identity(n, n);
    for (int j = 0; j < n; ++j) {
      if ((set >> j) & 1) basis.col(j) = -problem.M.col(j);
    }
    const Eigen::FullPivLU<MatrixX<double>> factor(basis);
    if (!factor.isInvertible()) continue;
    const VectorX<double> x = factor.solve(problem.q);
    if (x.minCoeff() < -1e-12) continue;
    VectorX<double> z = VectorX<double>::Zero(n);
    for (int j = 0; j < n; ++j) {
      if ((set >> j) & 1) z(j) = x(j);
    }
    found.push_back(z);
  }
  return found;
}

std::span<const double> view(const VectorX<double>& z) { return {z.data(), static_cast<std::size_t>(z.size())}; }
Eigen::Map<const VectorX<double>> as_vector(const std::vector<double>& z) {
  return {z.data(), static_cast<Eigen::Index>(z.size())};
}

TEST(Lemke, FindsTheOnlySolutionOfPositiveDefiniteProblems) {
  RandomLcp random(1);
  LemkeSolver solver(8);
  for (int i = 0; i < 500; ++i) {
    const Lcp problem = random.positive_definite(random.integer(1, 8));
    const LemkeResult& result = solver.solve(problem);
    ASSERT_EQ(result.status, LemkeStatus::solved) << i;
    ASSERT_LE(result.residual, kTolerance);
    for (const VectorX<double>& z : enumerate(problem)) {
      EXPECT_LE((as_vector(result.z) - z).norm(), 1e-8 * (1 + z.norm()));
    }
  }
}

TEST(Lemke, SolvesProblemsOfEverySize) {
  RandomLcp random(2);
  LemkeSolver solver(64);
  for (int i = 0; i < 300; ++i) {
    const int n = random.integer(1, 64);
    for (const Lcp& problem : {random.positive_definite(n), random.semidefinite(n), random.degenerate(n)}) {
      const LemkeResult& result = solver.solve(problem);
      ASSERT_EQ(result.status, LemkeStatus::solved) << i << " of size " << n;
      ASSERT_LE(calc_residual(problem, result.z), kTolerance);
    }
  }
}

/// A ray excludes solutions of positive semidefinite problems; the enumeration finds none either.
TEST(Lemke, EndsInARayWhereThereIsNoSolution) {
  RandomLcp random(3);
  LemkeSolver solver(8);
  int rays = 0;
  for (int i = 0; i < 300; ++i) {
    Lcp problem = random.semidefinite(random.integer(2, 7));
    problem.q = random.vector(problem.size());
    const LemkeResult& result = solver.solve(problem);
    const bool has_solution = !enumerate(problem).empty();
    if (result.status == LemkeStatus::ray) {
      EXPECT_FALSE(has_solution) << i;
      ++rays;
    } else {
      ASSERT_EQ(result.status, LemkeStatus::solved) << i;
      EXPECT_LE(result.residual, kTolerance);
    }
  }
  EXPECT_GT(rays, 30);
}

/// Thousands of problems of every family, all of which have solutions. Residuals: condition numbers up to 1e10, but of
/// problems whose solutions are of 1, so that what remains is rounding of M z; the tolerance allows for the growth of
/// numbers in some hundred pivots.
TEST(Lemke, SolvesEveryProblemOfEveryFamily) {
  LemkeSolver solver(64);
  for (const test::LcpFamily& family : test::kLcpFamilies) {
    for (const int n : {1, 2, 3, 4, 5, 8, 9, 16, 31, 64}) {
      const unsigned count = n > 16 ? 100 : 1000;
      for (unsigned seed = 0; seed < count; ++seed) {
        const Lcp problem = family.make(seed, n);
        const LemkeResult& result = solver.solve(problem);
        ASSERT_EQ(result.status, LemkeStatus::solved) << family.name << ", n = " << n << ", seed " << seed;
        const double residual = calc_residual(problem, result.z);
        ASSERT_LE(residual, kTolerance) << family.name << ", n = " << n << ", seed " << seed;
        // What the result says of itself is true, and not much too modest.
        ASSERT_LE(residual, result.residual * (1 + 1e-9));
        ASSERT_LE(result.residual, std::max(1e-13, residual * (1 + 1e-9)));
        ASSERT_FALSE(result.is_infeasible);
      }
    }
  }
}

/// Lower triangular, 1 on the diagonal and 2 below: a P-matrix.
MatrixX<double> make_murtys_matrix(int n) {
  MatrixX<double> M = MatrixX<double>::Identity(n, n);
  M.triangularView<Eigen::StrictlyLower>().setConstant(2);
  return M;
}

/// base^n, …, base², base.
std::vector<double> make_falling_powers(int n, double base) {
  std::vector<double> powers;
  for (int i = n; i > 0; --i) powers.push_back(std::pow(base, i));
  return powers;
}

/// Murty (1978): with q = −1 and d = (2ⁿ, …, 4, 2) the path of d visits all 2ⁿ complementary cones, so that it takes 2ⁿ
/// pivots, those of z₀ included (2ⁿ − 1 in counts that leave its entry out). With d in the other order it takes two.
/// Each pivot may add a rounding: 4096 of them make 1e-12.
TEST(Lemke, FollowsMurtysExampleThroughAllCones) {
  for (int n = 1; n <= 12; ++n) {
    const Lcp problem{make_murtys_matrix(n), VectorX<double>::Constant(n, -1)};
    LemkeSolver solver(n);
    std::vector<double> d = make_falling_powers(n, 2);
    for (const long long pivots : {1LL << n, 2LL}) {
      const LemkeResult& result = solver.solve(problem, d);
      ASSERT_EQ(result.status, LemkeStatus::solved);
      EXPECT_EQ(result.pivots, pivots) << n;
      EXPECT_EQ(result.restarts, 0);
      for (int i = 0; i < n; ++i) EXPECT_NEAR(result.z[static_cast<std::size_t>(i)], i == 0 ? 1 : 0, 1e-12);
      std::reverse(d.begin(), d.end());
    }
  }
}

/// Fathi (1979): positive definite matrices are no better. Murty's matrix times its transpose, with d = (4ⁿ, …, 16, 4).
TEST(Lemke, FollowsFathisExampleThroughAllCones) {
  for (int n = 1; n <= 10; ++n) {
    const MatrixX<double> L = make_murtys_matrix(n);
    const Lcp problem{L * L.transpose(), VectorX<double>::Constant(n, -1)};
    LemkeSolver solver(n);
    const std::vector<double> d = make_falling_powers(n, 4);
    const LemkeResult& result = solver.solve(problem, d);
    ASSERT_EQ(result.status, LemkeStatus::solved);
    EXPECT_EQ(result.pivots, 1LL << n) << n;
    for (int i = 0; i < n; ++i) EXPECT_NEAR(result.z[static_cast<std::size_t>(i)], i == 0 ? 1 : 0, 1e-12);
    EXPECT_LE(solver.solve(problem).pivots, 2 * n);
  }
}

/// Kostreva (1979), n = 3, after which methods without a rule for ties cycle, and its kin: 1 on the diagonal and 2
/// beside it all around, a P-matrix for odd n. With q = −1 all rows tie at the start.
TEST(Lemke, DoesNotCycle) {
  for (const int n : {3, 5, 7, 15, 33}) {
    Lcp problem{MatrixX<double>::Identity(n, n), VectorX<double>::Constant(n, -1)};
    for (int i = 0; i < n; ++i) problem.M(i, (i + 1) % n) = 2;
    LemkeSolver solver(n);
    const LemkeResult& result = solver.solve(problem);
    ASSERT_EQ(result.status, LemkeStatus::solved);
    for (const double z : result.z) EXPECT_NEAR(z, 1.0 / 3, 1e-14);
  }
}

/// A block that is strictly copositive but indefinite, beside a zero: Q₀, solvable whenever it is feasible, but not Q.
/// Rows 0 and 1 can always be met; row 2 says q₂ ≥ 0.
TEST(Lemke, SolvesQ0ProblemsThatAreFeasible) {
  RandomLcp random(7);
  LemkeSolver solver(3);
  for (int i = 0; i < 200; ++i) {
    Lcp problem{MatrixX<double>::Zero(3, 3), random.vector(3)};
    problem.M.topLeftCorner<2, 2>() << 1, 2, 2, 1;
    const LemkeResult& result = solver.solve(problem);
    EXPECT_EQ(result.status, problem.q(2) >= 0 ? LemkeStatus::solved : LemkeStatus::ray);
    EXPECT_EQ(result.is_infeasible, problem.q(2) < 0);
    EXPECT_EQ(result.restarts, 0) << "nothing is left to try";
  }
}

/// Matrices of no class, with a solution by construction: the path may end in a ray that proves nothing. Restarts help,
/// not always; but no problem is called infeasible, and every ray is one: w = M y + d y₀ ≥ 0 in its direction.
TEST(Lemke, SaysNothingFalseOfIndefiniteProblems) {
  LemkeSolver solver(8);
  int restarted = 0, rescued = 0, unsolved = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    test::LcpDice dice(seed);
    const int n = dice.integer(2, 8);
    const MatrixX<double> M = dice.matrix(n, n);
    const Lcp problem{M, dice.solvable_q(M)};
    const LemkeResult& result = solver.solve(problem);
    ASSERT_FALSE(result.is_infeasible) << seed;
    restarted += result.restarts > 0;
    rescued += result.restarts > 0 && result.status == LemkeStatus::solved;
    if (result.status == LemkeStatus::solved) {
      ASSERT_LE(calc_residual(problem, result.z), LemkeSolver::kResidual);
    } else {
      ASSERT_EQ(result.status, LemkeStatus::ray);
      ASSERT_EQ(result.ray.size(), problem.q.size());
      ++unsolved;
    }
  }
  EXPECT_GT(rescued, restarted / 4);
  EXPECT_GT(unsolved, 0) << "nothing was tested";
}

/// Every claim of infeasibility is right: enumeration finds no solution.
TEST(Lemke, ProvesThatThereIsNoSolution) {
  LemkeSolver solver(6);
  int proved = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    test::LcpDice dice(seed);
    const int n = dice.integer(1, 6);
    const Lcp problem{dice.matrix(n, n), dice.vector(n)};
    if (!solver.solve(problem).is_infeasible) continue;
    EXPECT_TRUE(enumerate(problem).empty()) << seed;
    ++proved;
  }
  EXPECT_GT(proved, 50);
}

/// The basis of the last problem for the next one, whose q has moved a little, as in a simulation: the same answer as
/// without, since M is P, and less work.
TEST(Lemke, StartsFromAGuess) {
  LemkeSolver cold(32), warm(32);
  long long cold_pivots = 0, warm_pivots = 0;
  for (const auto make : {test::make_diagonally_dominant, test::make_positive_definite, test::make_p_not_definite}) {
    for (unsigned seed = 0; seed < 50; ++seed) {
      test::LcpDice dice(seed);
      Lcp problem = make(seed, dice.integer(1, 32));
      std::vector<bool> basis = warm.solve(problem).in_basis;
      for (int step = 0; step < 10; ++step) {
        problem.q += 0.02 * problem.q.norm() * dice.vector(problem.size());
        const LemkeResult& expected = cold.solve(problem);
        const LemkeResult& result = warm.solve(problem, {}, basis);
        ASSERT_EQ(result.status, LemkeStatus::solved);
        EXPECT_LE(calc_residual(problem, result.z), kTolerance);
        const auto z = as_vector(expected.z);
        EXPECT_LE((as_vector(result.z) - z).norm(), 1e-8 * (1 + z.norm()));
        basis = result.in_basis;
        cold_pivots += expected.pivots;
        warm_pivots += result.pivots;
      }
    }
  }
  EXPECT_LT(warm_pivots, cold_pivots / 10);
}

/// A solver's own last basis is a guess like any other; so is a wrong one, a singular one, and one of a ray.
TEST(Lemke, SurvivesBadGuesses) {
  LemkeSolver solver(24);
  for (const test::LcpFamily& family : test::kLcpFamilies) {
    for (unsigned seed = 0; seed < 100; ++seed) {
      test::LcpDice dice(seed);
      const Lcp problem = family.make(seed, 24);
      std::vector<bool> guess;
      for (int i = 0; i < problem.size(); ++i) guess.push_back(dice.integer(0, 1) == 1);
      for (const auto& wrong : {guess, std::vector<bool>(guess.size(), true), std::vector<bool>(guess.size(), false)}) {
        const LemkeResult& result = solver.solve(problem, {}, wrong);
        ASSERT_EQ(result.status, LemkeStatus::solved) << family.name << ", seed " << seed;
        ASSERT_LE(calc_residual(problem, result.z), kTolerance);
        const LemkeResult& again = solver.solve(problem, {}, result.in_basis);
        ASSERT_EQ(again.status, LemkeStatus::solved) << family.name << ", seed " << seed;
        ASSERT_LE(calc_residual(problem, again.z), kTolerance);
      }
    }
  }
  const Lcp infeasible{MatrixX<double>::Constant(2, 2, -1), VectorX<double>::Constant(2, -1)};
  EXPECT_TRUE(solver.solve(infeasible, {}, {true, false}).is_infeasible);
}

TEST(Lemke, DoesNotDependOnUnits) {
  RandomLcp random(4);
  LemkeSolver solver(12);
  for (int i = 0; i < 100; ++i) {
    const Lcp problem = random.positive_definite(random.integer(2, 12));
    const VectorX<double> z = as_vector(solver.solve(problem).z);
    Lcp scaled = problem;
    VectorX<double> units = random.vector(problem.size());
    for (double& u : units) u = std::pow(10.0, 4 * u);
    scaled.M = units.asDiagonal() * problem.M * units.asDiagonal();
    scaled.q = 1e6 * units.cwiseProduct(problem.q);
    const LemkeResult& result = solver.solve(scaled);
    ASSERT_EQ(result.status, LemkeStatus::solved) << i;
    const VectorX<double> back = units.cwiseProduct(as_vector(result.z)) / 1e6;
    EXPECT_LE((back - z).norm(), 1e-9 * (1 + z.norm())) << i;
  }
}

TEST(Lemke, SolvesMixedProblems) {
  RandomLcp random(5);
  LemkeSolver solver(20);
  for (int i = 0; i < 200; ++i) {
    Lcp problem = random.positive_definite(random.integer(2, 20));
    problem.free_count = random.integer(1, problem.size());
    const LemkeResult& result = solver.solve(problem);
    ASSERT_EQ(result.status, LemkeStatus::solved) << i;
    EXPECT_LE(result.residual, kTolerance);
  }
  Lcp singular{MatrixX<double>::Zero(2, 2), VectorX<double>::Constant(2, -1), 1};
  EXPECT_EQ(solver.solve(singular).status, LemkeStatus::singular_free);
  EXPECT_TRUE(solver.solve(singular).is_infeasible);
}

/// min ½ xᵀQ x + cᵀx over A x = b, x ≥ 0, feasible by construction: the multipliers are free and their block of M is
/// zero, so that each has to be exchanged against a complementary row. Every third problem repeats an equation, whose
/// multiplier stays out.
TEST(Lemke, SolvesMixedProblemsWithASingularFreeBlock) {
  LemkeSolver solver(24);
  for (unsigned seed = 0; seed < 500; ++seed) {
    test::LcpDice dice(seed);
    const int m = dice.integer(1, 6), n = dice.integer(m, 16);
    const MatrixX<double> S = dice.matrix(n, n);
    MatrixX<double> A = dice.matrix(m, n);
    if (seed % 3 == 0) A.row(m - 1) = A.row(0);
    const VectorX<double> x = dice.vector(n).cwiseAbs();
    Lcp problem{MatrixX<double>::Zero(m + n, m + n), VectorX<double>(m + n), m};
    problem.M.topRightCorner(m, n) = A;
    problem.M.bottomLeftCorner(n, m) = -A.transpose();
    problem.M.bottomRightCorner(n, n) = S * S.transpose() + 0.1 * MatrixX<double>::Identity(n, n);
    problem.q << -A * x, dice.vector(n);
    const LemkeResult& result = solver.solve(problem);
    ASSERT_EQ(result.status, LemkeStatus::solved) << seed;
    EXPECT_LE(calc_residual(problem, result.z), kTolerance) << seed;
  }
}

TEST(Lemke, RefusesWhatIsNotAProblem) {
  LemkeSolver solver(2);
  Lcp problem{MatrixX<double>::Identity(2, 2), VectorX<double>::Constant(2, -1)};
  problem.M(0, 1) = std::nan("");
  EXPECT_EQ(solver.solve(problem).status, LemkeStatus::not_finite);
  problem.M(0, 1) = 0;
  const std::vector<double> d = {1, -1};
  EXPECT_THROW(solver.solve(problem, d), std::invalid_argument);
  EXPECT_THROW(LemkeSolver(1).solve(problem), std::invalid_argument);
  EXPECT_THROW(solver.solve(problem, {}, {true}), std::invalid_argument);
}

TEST(LcpText, ReadsBackBitEqual) {
  RandomLcp random(6);
  for (const int free_count : {0, 2}) {
    Lcp problem = random.positive_definite(5);
    problem.free_count = free_count;
    std::stringstream text;
    write_lcp(text, problem);
    const Lcp read = read_lcp(text);
    EXPECT_TRUE(read.M == problem.M && read.q == problem.q);
    EXPECT_EQ(read.free_count, free_count);
  }
}

std::string message_of(const std::string& text) {
  std::istringstream in(text);
  try {
    read_lcp(in, "a.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LcpText, TellsWhatIsWrongAndWhere) {
  EXPECT_NE(message_of("2\n1 0\n0 x\n").find("a.txt:3"), std::string::npos) << message_of("2\n1 0\n0 x\n");
  EXPECT_NE(message_of("2\n1 0\n").find("ends where an entry of M was expected"), std::string::npos);
  EXPECT_NE(message_of("1\n1\n-1\n7\n").find("a.txt:4"), std::string::npos) << message_of("1\n1\n-1\n7\n");
  EXPECT_NE(message_of("-3\n").find("expected 0 to"), std::string::npos);
  EXPECT_NE(message_of("").find("the number of rows"), std::string::npos);
}

TEST(Lcp, ResidualCountsEveryViolation) {
  const Lcp problem{MatrixX<double>::Identity(2, 2), VectorX<double>::Constant(2, -1)};
  EXPECT_EQ(calc_residual(problem, view(VectorX<double>::Constant(2, 1))), 0);
  EXPECT_EQ(calc_residual(problem, view(VectorX<double>(Eigen::Vector2d(1, 0)))), 0.5);
  EXPECT_EQ(calc_residual(problem, view(VectorX<double>(Eigen::Vector2d(-1, 1)))), 1);
  EXPECT_TRUE(std::isnan(calc_residual(problem, view(VectorX<double>(Eigen::Vector2d(1, std::nan("")))))));
}

/// Every problem of the collection; those of diode bridges have singular free blocks. Only one has no solution.
TEST(Lemke, SolvesThePublicCollection) {
  const std::filesystem::path folder = std::filesystem::path(THENAR_SOURCE_DIR) / "../shared/data/lcp";
  if (!std::filesystem::exists(folder / "index.csv")) GTEST_SKIP() << "needs ../shared/data/lcp";
  std::ifstream index(folder / "index.csv");
  std::string line;
  std::getline(index, line);
  int solved = 0;
  while (std::getline(index, line)) {
    const std::string name = line.substr(0, line.find(','));
    std::ifstream in(folder / "plain" / (name + ".txt"));
    const Lcp problem = read_lcp(in, name);
    LemkeSolver solver(problem.size());
    const LemkeResult& result = solver.solve(problem);
    if (line.find(",infeasible,") != std::string::npos) {
      EXPECT_EQ(result.status, LemkeStatus::ray) << name;
      EXPECT_TRUE(result.is_infeasible) << name;
    } else {
      EXPECT_EQ(result.status, LemkeStatus::solved) << name;
      EXPECT_LE(result.residual, 1e-9) << name;
      ++solved;
    }
  }
  EXPECT_EQ(solved, 21);
}

}  // namespace
}  // namespace thenar::lemke_test
