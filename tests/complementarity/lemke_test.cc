// SPDX-License-Identifier: BSD-3-Clause
//
// Lemke's method: on random problems of several classes against all complementary bases, on problems that are known to
// be hard, and on the public collection in ../shared/data/lcp, which a clone does not have (then that test is skipped).

#include "thenar/complementarity/lemke.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "thenar/base/diagnostic.h"

namespace thenar {
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

/// Murty (1978): Lemke's method with d = (2ⁿ, …, 2) needs 2ⁿ pivots, with d = 1 one for each row.
TEST(Lemke, SolvesMurtysExample) {
  for (const int n : {4, 8, 12}) {
    Lcp problem{MatrixX<double>::Identity(n, n), VectorX<double>::Constant(n, -1)};
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) problem.M(i, j) = 2;
    }
    LemkeSolver solver(n);
    const LemkeResult& result = solver.solve(problem);
    ASSERT_EQ(result.status, LemkeStatus::solved);
    EXPECT_LE(result.residual, 1e-14);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(result.z[static_cast<std::size_t>(i)], i == n - 1 ? 1 : 0, 1e-14);
  }
}

/// Kostreva (1979), after which methods without a rule for ties cycle.
TEST(Lemke, DoesNotCycle) {
  Lcp problem{MatrixX<double>(3, 3), VectorX<double>::Constant(3, -1)};
  problem.M << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  LemkeSolver solver(3);
  const LemkeResult& result = solver.solve(problem);
  ASSERT_EQ(result.status, LemkeStatus::solved);
  for (const double z : result.z) EXPECT_NEAR(z, 1.0 / 3, 1e-15);
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

/// Every problem of the collection that its index calls solvable and whose free block is nonsingular.
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
    } else if (result.status != LemkeStatus::singular_free) {
      EXPECT_EQ(result.status, LemkeStatus::solved) << name;
      EXPECT_LE(result.residual, 1e-9) << name;
      ++solved;
    }
  }
  EXPECT_GE(solved, 18);
}

}  // namespace
}  // namespace thenar
