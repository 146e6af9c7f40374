// SPDX-License-Identifier: BSD-3-Clause
// The front for LCPs: every problem gets an answer that is right, or an honest "unsolved".
//
// THENAR_LCP_PROBLEMS=n solves n random problems (100,000 by default) of all families, up to 64 rows.

#include "thenar/complementarity/lcp_solver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lcp_families.h"
#include "thenar/complementarity/verify.h"

namespace thenar::lcp_solver_test {
namespace {

long problem_count() {
  const char* text = std::getenv("THENAR_LCP_PROBLEMS");
  return text != nullptr ? std::atol(text) : 100'000;
}

/// Every family has a solution. The sizes are spread so that most problems are small, as contact problems are.
TEST(LcpSolver, SolvesRandomProblemsOfEveryFamily) {
  const long count = problem_count();
  long unsolved = 0;
  double worst = 0;
  test::LcpDice dice(1);
  for (long k = 0; k < count; ++k) {
    const auto& family = test::kLcpFamilies[static_cast<std::size_t>(k) % test::kLcpFamilies.size()];
    const int largest = k % 10 == 0 ? 64 : k % 3 == 0 ? 24 : 10;
    const Lcp problem = family.make(static_cast<unsigned>(k), dice.integer(1, largest));
    const LcpAnswer answer = solve_lcp(problem);
    ASSERT_NE(answer.status, LcpStatus::infeasible) << family.name << ", seed " << k;
    if (answer.status != LcpStatus::solved) {
      ++unsolved;
      continue;
    }
    ASSERT_LE(calc_residual(problem, {answer.z.data(), static_cast<std::size_t>(answer.z.size())}), 1e-8);
    worst = std::max(worst, answer.residual);
  }
  std::printf("%ld problems, %ld unsolved, largest residual %.1e\n", count, unsolved, worst);
  EXPECT_LE(unsolved, count / 10'000);
}

/// Solvable or not: random matrices of no class.
TEST(LcpSolver, DecidesProblemsOfNoClass) {
  int solved = 0, infeasible = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    test::LcpDice dice(seed);
    const int n = dice.integer(1, 12);
    const Lcp problem{dice.matrix(n, n), dice.vector(n)};
    const LcpAnswer answer = solve_lcp(problem);
    ASSERT_NE(answer.status, LcpStatus::unsolved) << seed << ": " << answer.reason;
    if (answer.status == LcpStatus::solved) {
      ++solved;
      EXPECT_LE(answer.residual, kSolvedResidual);
    } else {
      ++infeasible;
      EXPECT_TRUE(verify_all_solutions(problem, {}, answer.tree).holds());
    }
  }
  EXPECT_GT(solved, 300);
  EXPECT_GT(infeasible, 300);
}

TEST(LcpSolver, NeedsNoTreeForPositiveDefiniteMatrices) {
  LcpOptions all;
  all.all = true;
  for (const int n : {1, 16, 64}) {
    const LcpAnswer answer = solve_lcp(test::make_positive_definite(7, n), all);
    EXPECT_EQ(answer.count, SolutionCount::unique);
    EXPECT_EQ(answer.proof, LcpProof::positive_definite);
    EXPECT_EQ(answer.nodes, 0);
    EXPECT_EQ(answer.cells.size(), 1U);
  }
}

TEST(LcpSolver, AnswersTheEmptyProblem) {
  LcpOptions all;
  all.all = true;
  EXPECT_EQ(solve_lcp(Lcp{}).status, LcpStatus::solved);
  EXPECT_EQ(solve_lcp(Lcp{}, all).count, SolutionCount::unique);
}

TEST(LcpSolver, StopsAtItsLimit) {
  // Lemke's paths end in rays here, and the only solution is hidden among 2¹⁰ bases.
  test::LcpDice dice(3);
  LcpOptions options;
  options.search.most_nodes = 3;
  int unsolved = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const MatrixX<double> M = test::LcpDice(seed).matrix(10, 10);
    const LcpAnswer answer = solve_lcp({M, dice.solvable_q(M)}, options);
    if (answer.status != LcpStatus::unsolved) continue;
    ++unsolved;
    EXPECT_EQ(answer.reason, "more nodes than the limit");
  }
  EXPECT_GT(unsolved, 0);
}

TEST(LcpSolver, RefusesNumbersThatAreNotFinite) {
  Lcp problem{MatrixX<double>::Identity(2, 2), VectorX<double>::Ones(2)};
  problem.q(1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(solve_lcp(problem), std::invalid_argument);
}

// ---------------------------------------------------------------------------------------------------------------------
// The public collection (SOURCE.md there): not part of the project.

struct IndexRow {
  std::string name, status;
  int solutions = -1;  ///< found by trying the nonsingular bases; −1: not counted
};

std::vector<IndexRow> read_index(const std::filesystem::path& folder) {
  std::ifstream in(folder / "index.csv");
  std::vector<IndexRow> out;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> cells(1);
    bool is_quoted = false;
    for (const char c : line) {
      if (c == '"') {
        is_quoted = !is_quoted;
      } else if (c == ',' && !is_quoted) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (cells.size() < 12) continue;
    out.push_back({cells[0], cells[11], cells[7].empty() ? -1 : std::atoi(cells[7].c_str())});
  }
  return out;
}

TEST(LcpSolver, SolvesThePublicCollection) {
  const std::filesystem::path folder = std::filesystem::path(THENAR_SOURCE_DIR) / ".." / "shared" / "data" / "lcp";
  if (!std::filesystem::exists(folder / "index.csv")) GTEST_SKIP() << "the collection of problems is not here";
  for (const IndexRow& row : read_index(folder)) {
    SCOPED_TRACE(row.name);
    std::ifstream in(folder / "plain" / (row.name + ".txt"));
    const Lcp problem = read_lcp(in, row.name);
    LcpOptions options;
    options.all = row.solutions >= 0;
    const LcpAnswer answer = solve_lcp(problem, options);
    if (row.status == "infeasible") {
      EXPECT_EQ(answer.status, LcpStatus::infeasible);
      EXPECT_TRUE(verify_all_solutions(problem, {}, answer.tree).holds());
      continue;
    }
    ASSERT_EQ(answer.status, LcpStatus::solved) << answer.reason;
    EXPECT_LE(calc_residual(problem, {answer.z.data(), static_cast<std::size_t>(answer.z.size())}), 1e-9);
    if (!options.all) continue;
    std::size_t vertices = 0;
    for (const SolutionCell& cell : answer.cells) vertices += cell.vertices.size();
    EXPECT_GE(static_cast<int>(vertices), row.solutions);
  }
}

}  // namespace
}  // namespace thenar::lcp_solver_test
