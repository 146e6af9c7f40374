// SPDX-License-Identifier: BSD-3-Clause
// All solutions, against every complementary basis tried one by one, and the checks of their proofs: each proof holds,
// and no proof holds that was tampered with.

#include "thenar/complementarity/all_solutions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "brute_force_lcp.h"
#include "lcp_families.h"
#include "thenar/complementarity/verify.h"

namespace thenar::all_solutions_test {
namespace {

using test::BruteForceLcp;
using test::BruteForceSet;
using test::LcpDice;

/// Answers are found to 1e-8 in scaled units; entries are about 1 here.
constexpr double kSame = 1e-7;

bool are_same(const VectorX<double>& a, const VectorX<double>& b) {
  return (a - b).cwiseAbs().maxCoeff() <= kSame * (1 + a.cwiseAbs().maxCoeff());
}

bool contains(const std::vector<VectorX<double>>& list, VectorX<double> x, bool is_direction) {
  if (is_direction) x /= x.cwiseAbs().maxCoeff();
  return std::any_of(list.begin(), list.end(), [&](VectorX<double> y) {
    if (is_direction) y /= y.cwiseAbs().maxCoeff();
    return are_same(x, y);
  });
}

/// Whether z (or the direction) has z = 0 and w = 0 where the cell has.
bool fits(const Lcp& problem, const SolutionCell& cell, const VectorX<double>& z, bool is_direction) {
  VectorX<double> w = problem.M * z;
  if (!is_direction) w += problem.q;
  const double size = 1 + z.cwiseAbs().maxCoeff();
  for (int i = 0; i < problem.size(); ++i) {
    if (std::abs(cell.in_basis[static_cast<std::size_t>(i)] ? w(i) : z(i)) > kSame * size) return false;
  }
  return true;
}

bool is_part(const Lcp& problem, const BruteForceSet& set, const SolutionCell& cell) {
  return std::all_of(set.vertices.begin(), set.vertices.end(),
                     [&](const auto& z) { return fits(problem, cell, z, false); }) &&
         std::all_of(set.rays.begin(), set.rays.end(), [&](const auto& z) { return fits(problem, cell, z, true); });
}

std::string write(const Lcp& problem) {
  std::ostringstream text;
  write_lcp(text, problem);
  return text.str();
}

/// Every set that brute force finds is in a cell, every cell is such a set with the same corners, and no cell is part
/// of another.
void expect_brute_force(const Lcp& problem, const AllSolutions& found) {
  SCOPED_TRACE(write(problem));
  const std::vector<BruteForceSet> sets = BruteForceLcp(problem).run();
  ASSERT_TRUE(found.is_complete()) << found.reason;
  EXPECT_EQ(found.count == SolutionCount::none, sets.empty());
  for (const BruteForceSet& set : sets) {
    EXPECT_TRUE(std::any_of(found.cells.begin(), found.cells.end(),
                            [&](const SolutionCell& cell) { return is_part(problem, set, cell); }))
        << "a solution is missing: " << set.vertices.front().transpose();
  }
  for (const SolutionCell& cell : found.cells) {
    const auto set = std::find_if(sets.begin(), sets.end(),
                                  [&](const BruteForceSet& other) { return other.in_basis == cell.in_basis; });
    ASSERT_NE(set, sets.end()) << "not a solution: " << cell.vertices.front().transpose();
    EXPECT_EQ(set->vertices.size(), cell.vertices.size());
    EXPECT_EQ(set->rays.size(), cell.rays.size());
    for (const auto& z : set->vertices) EXPECT_TRUE(contains(cell.vertices, z, false)) << z.transpose();
    for (const auto& z : set->rays) EXPECT_TRUE(contains(cell.rays, z, true)) << z.transpose();
    for (const SolutionCell& other : found.cells) {
      EXPECT_TRUE(&other == &cell || !is_part(problem, *set, other)) << "a cell is part of another";
    }
  }
}

/// Small whole numbers, many of them 0: ties, singular bases and flat solution sets abound.
Lcp make_whole_numbers(unsigned seed, int n) {
  LcpDice dice(seed);
  Lcp problem{MatrixX<double>(n, n), VectorX<double>(n)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) problem.M(i, j) = dice.integer(0, 2) == 0 ? 0 : dice.integer(-2, 2);
    problem.q(i) = dice.integer(-2, 2);
  }
  return problem;
}

/// Copies of rows and columns, so that many bases are singular.
Lcp make_repeated(unsigned seed, int n) {
  LcpDice dice(seed);
  Lcp problem = make_whole_numbers(seed + 1'000'000, n);
  for (int i = 1; i < n; ++i) {
    const int other = dice.integer(0, i - 1);
    if (dice.integer(0, 2) == 0) problem.M.row(i) = problem.M.row(other);
    if (dice.integer(0, 2) == 0) problem.M.col(i) = problem.M.col(other);
    if (dice.integer(0, 1) == 0) problem.q(i) = problem.q(other);
  }
  return problem;
}

Lcp make_reals(unsigned seed, int n) {
  LcpDice dice(seed);
  return {dice.matrix(n, n), dice.vector(n)};
}

void expect_proved(const Lcp& problem, const AllSolutions& found) {
  const Verification check = verify_all_solutions(problem, found.cells, found.tree);
  EXPECT_TRUE(check.holds()) << check.reason << "\n" << write(problem);
}

TEST(AllSolutions, AreThoseOfBruteForceOnDegenerateProblems) {
  int several = 0, flat = 0, none = 0;
  for (unsigned seed = 0; seed < 3000 && !::testing::Test::HasFailure(); ++seed) {
    const int n = 1 + static_cast<int>(seed % 6);
    const Lcp problem = seed % 2 == 0 ? make_whole_numbers(seed, n) : make_repeated(seed, n);
    const AllSolutions found = find_all_solutions(problem);
    expect_brute_force(problem, found);
    expect_proved(problem, found);
    several += found.cells.size() > 1 ? 1 : 0;
    none += found.cells.empty() ? 1 : 0;
    flat += std::any_of(found.cells.begin(), found.cells.end(), [](const auto& cell) { return !cell.is_point(); });
  }
  // The generator must not drift to easy problems.
  EXPECT_GT(several, 300);
  EXPECT_GT(flat, 300);
  EXPECT_GT(none, 300);
}

TEST(AllSolutions, AreThoseOfBruteForceOnRealMatrices) {
  int several = 0;
  for (unsigned seed = 0; seed < 300 && !::testing::Test::HasFailure(); ++seed) {
    const Lcp problem = make_reals(seed, 2 + static_cast<int>(seed % 7));
    const AllSolutions found = find_all_solutions(problem);
    expect_brute_force(problem, found);
    expect_proved(problem, found);
    several += found.cells.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 50);
}

TEST(AllSolutions, AreThoseOfBruteForceWithTenRows) {
  for (unsigned seed = 0; seed < 6 && !::testing::Test::HasFailure(); ++seed) {
    for (const Lcp& problem : {make_reals(seed, 10), make_whole_numbers(seed, 10), make_repeated(seed, 9)}) {
      const AllSolutions found = find_all_solutions(problem);
      expect_brute_force(problem, found);
      expect_proved(problem, found);
    }
  }
}

/// Free rows before complementary ones, their block well conditioned.
Lcp make_mixed(unsigned seed, int free, int others) {
  LcpDice dice(seed);
  Lcp problem = make_whole_numbers(seed, free + others);
  problem.free_count = free;
  for (int i = 0; i < free; ++i) problem.M(i, i) += dice.integer(0, 1) == 0 ? 7 : -7;
  return problem;
}

TEST(AllSolutions, OfMixedProblemsAreThoseOfBruteForce) {
  for (unsigned seed = 0; seed < 1000 && !::testing::Test::HasFailure(); ++seed) {
    const Lcp problem = make_mixed(seed, 1 + static_cast<int>(seed % 3), static_cast<int>(seed % 5));
    const AllSolutions found = find_all_solutions(problem);
    expect_brute_force(problem, found);
    expect_proved(problem, found);
  }
}

/// A free unknown that no row sees can be anything: a line.
TEST(AllSolutions, HaveLinesWhereNothingHoldsAnUnknown) {
  Lcp problem{MatrixX<double>::Zero(2, 2), VectorX<double>::Zero(2), 1};
  problem.M(1, 1) = 1;
  problem.q(1) = -3;
  const AllSolutions found = find_all_solutions(problem);
  ASSERT_EQ(found.count, SolutionCount::several);
  ASSERT_EQ(found.cells.size(), 1U);
  ASSERT_EQ(found.cells.front().lines.size(), 1U);
  EXPECT_TRUE(are_same(found.cells.front().lines.front().cwiseAbs(), Eigen::Vector2d(1, 0)));
  EXPECT_NEAR(found.cells.front().vertices.front()(1), 3, 1e-15);
  expect_proved(problem, found);
  problem.q(0) = 1;  // now 0 = 1
  EXPECT_EQ(find_all_solutions(problem).count, SolutionCount::none);
}

/// CPS 1.4: z₁ + z₂ = 1 is a segment of solutions.
TEST(AllSolutions, FormASegmentWhereTwoContactsShareTheLoad) {
  const Lcp problem{MatrixX<double>::Ones(2, 2), VectorX<double>::Constant(2, -1)};
  const AllSolutions found = find_all_solutions(problem);
  ASSERT_EQ(found.cells.size(), 1U);
  EXPECT_EQ(found.cells.front().vertices.size(), 2U);
  EXPECT_TRUE(contains(found.cells.front().vertices, Eigen::Vector2d(1, 0), false));
  EXPECT_TRUE(contains(found.cells.front().vertices, Eigen::Vector2d(0, 1), false));
}

/// With M = −I and q = 1 every choice of zᵢ in {0, 1} is a solution: 2ⁿ of them, none lost, none twice.
TEST(AllSolutions, AreAllTwoToTheN) {
  for (const int n : {1, 3, 8}) {
    const Lcp problem{-MatrixX<double>::Identity(n, n), VectorX<double>::Ones(n)};
    const AllSolutions found = find_all_solutions(problem);
    EXPECT_EQ(found.count, SolutionCount::several);
    EXPECT_EQ(found.cells.size(), std::size_t{1} << n);
    expect_proved(problem, found);
  }
}

/// q = 0 has z = 0 in all of its 2ⁿ bases, but it is one solution.
TEST(AllSolutions, ListDegenerateOnesOnce) {
  const Lcp problem{MatrixX<double>::Identity(20, 20), VectorX<double>::Zero(20)};
  const AllSolutions found = find_all_solutions(problem);
  EXPECT_EQ(found.count, SolutionCount::unique);
  EXPECT_LT(found.tree.size(), 100U);
}

TEST(AllSolutions, DoNotDependOnUnits) {
  for (unsigned seed = 0; seed < 200 && !::testing::Test::HasFailure(); ++seed) {
    const Lcp problem = make_whole_numbers(seed, 5);
    LcpDice dice(seed);
    Lcp other = problem;
    VectorX<double> unit(5);
    for (int i = 0; i < 5; ++i) {
      unit(i) = std::ldexp(1, dice.integer(-20, 20));
      const double row = std::ldexp(1, dice.integer(-20, 20));
      other.M.row(i) *= row;
      other.q(i) *= row;
    }
    other.M = other.M * unit.asDiagonal();
    const AllSolutions a = find_all_solutions(problem), b = find_all_solutions(other);
    ASSERT_EQ(a.count, b.count);
    ASSERT_EQ(a.cells.size(), b.cells.size());
    for (const SolutionCell& cell : b.cells) {
      for (const VectorX<double>& z : cell.vertices) {
        const VectorX<double> in_first_units = unit.asDiagonal() * z;
        EXPECT_TRUE(std::any_of(a.cells.begin(), a.cells.end(),
                                [&](const auto& first) { return contains(first.vertices, in_first_units, false); }));
      }
    }
    expect_proved(other, b);
  }
}

TEST(AllSolutions, SaySoWhenTheyStopEarly) {
  const Lcp problem{-MatrixX<double>::Identity(8, 8), VectorX<double>::Ones(8)};
  AllSolutionsOptions options;
  options.most_cells = 3;
  const AllSolutions some = find_all_solutions(problem, options);
  EXPECT_EQ(some.count, SolutionCount::undecided);
  EXPECT_EQ(some.cells.size(), 3U);
  EXPECT_FALSE(verify_all_solutions(problem, some.cells, some.tree).holds());
  options = {};
  options.most_nodes = 10;
  EXPECT_EQ(find_all_solutions(problem, options).count, SolutionCount::undecided);
  options = {};
  options.goes_on = [](long long nodes) { return nodes < 100; };
  const AllSolutions interrupted = find_all_solutions(problem, options);
  EXPECT_EQ(interrupted.reason, "interrupted");
  EXPECT_GT(interrupted.cells.size(), 0U);
}

TEST(AllSolutions, OfNoRowsAreOne) {
  const AllSolutions found = find_all_solutions(Lcp{});
  EXPECT_EQ(found.count, SolutionCount::unique);
  EXPECT_TRUE(verify_all_solutions(Lcp{}, found.cells, found.tree).holds());
}

TEST(AllSolutions, RefuseNumbersThatAreNotFinite) {
  Lcp problem{MatrixX<double>::Identity(2, 2), VectorX<double>::Ones(2)};
  problem.M(0, 1) = std::nan("");
  EXPECT_THROW(find_all_solutions(problem), std::invalid_argument);
  problem.M.resize(2, 3);
  EXPECT_THROW(find_all_solutions(problem), std::invalid_argument);
}

/// Proofs that were tampered with, each of them in one place.
class TamperedProof : public ::testing::Test {
 protected:
  using Kind = ProofNode::Kind;

  void expect_refuted(const std::string& what, const std::vector<SolutionCell>& cells,
                      const std::vector<ProofNode>& tree) {
    const Verification check = verify_all_solutions(problem_, cells, tree);
    EXPECT_EQ(check.result, Verification::Result::refuted) << what << "\n" << write(problem_);
    EXPECT_FALSE(check.reason.empty());
  }

  void tamper(const AllSolutions& good) {
    for (std::size_t k = 0; k < good.tree.size(); ++k) tamper_with_node(good, k);
    for (std::size_t k = 0; k < good.cells.size(); ++k) tamper_with_cell(good, k);
  }

  void tamper_with_node(const AllSolutions& good, std::size_t k) {
    const ProofNode& node = good.tree[k];
    const auto changed = [&](const auto& change) {
      std::vector<ProofNode> tree = good.tree;
      change(tree[k]);
      return tree;
    };
    expect_refuted("a node made open", good.cells, changed([](ProofNode& n) { n = {}; }));
    if (node.kind == Kind::infeasible) {
      expect_refuted("y = 0", good.cells, changed([](ProofNode& n) { n.y.setZero(); }));
      expect_refuted("y negated", good.cells, changed([](ProofNode& n) { n.y = -n.y; }));
      expect_refuted("y not finite", good.cells, changed([](ProofNode& n) { n.y(0) = std::nan(""); }));
    }
    if (node.kind == Kind::cell) {
      expect_refuted("a leaf made infeasible", good.cells, changed([this](ProofNode& n) {
                       n.kind = Kind::infeasible;
                       n.y = VectorX<double>::Ones(problem_.size());
                     }));
      expect_refuted("a cell that is not there", good.cells, changed([](ProofNode& n) { n.cell = 99; }));
    }
    if (node.kind == Kind::branch) {
      expect_refuted("a branch into itself", good.cells,
                     changed([k](ProofNode& n) { n.z_child = static_cast<int>(k); }));
      expect_refuted("a branch out of the tree", good.cells, changed([](ProofNode& n) { n.w_child = 1'000'000; }));
      expect_refuted("both children the same", good.cells, changed([](ProofNode& n) { n.w_child = n.z_child; }));
    }
  }

  void tamper_with_cell(const AllSolutions& good, std::size_t k) {
    const auto changed = [&](const auto& change) {
      std::vector<SolutionCell> cells = good.cells;
      change(cells[k]);
      return cells;
    };
    expect_refuted("a vertex moved", changed([](SolutionCell& cell) { cell.vertices.front()(0) += 1e-3; }), good.tree);
    expect_refuted("a vertex gone", changed([](SolutionCell& cell) { cell.vertices.pop_back(); }), good.tree);
    expect_refuted("a basis flipped",
                   changed([](SolutionCell& cell) { cell.in_basis.assign(cell.in_basis.size(), false); }), good.tree);
    if (!good.cells[k].rays.empty()) {
      expect_refuted("a ray gone", changed([](SolutionCell& cell) { cell.rays.clear(); }), good.tree);
      expect_refuted("a ray reversed", changed([](SolutionCell& cell) { cell.rays.front() *= -1; }), good.tree);
    }
    std::vector<SolutionCell> fewer = good.cells;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    expect_refuted("a cell gone", fewer, good.tree);
  }

  Lcp problem_;
};

TEST_F(TamperedProof, IsRefuted) {
  int count = 0;
  for (unsigned seed = 0; seed < 400 && !::testing::Test::HasFailure(); ++seed) {
    problem_ = make_repeated(seed, 2 + static_cast<int>(seed % 4));
    const AllSolutions good = find_all_solutions(problem_);
    // A cell at z = 0 has the rows of no basis already.
    const bool is_trivial = std::any_of(good.cells.begin(), good.cells.end(), [](const SolutionCell& cell) {
      return std::none_of(cell.in_basis.begin(), cell.in_basis.end(), [](bool b) { return b; });
    });
    if (is_trivial || good.tree.size() < 3) continue;
    ++count;
    tamper(good);
  }
  EXPECT_GT(count, 50);
}

TEST_F(TamperedProof, OfAnotherProblemIsRefuted) {
  problem_ = make_reals(5, 4);
  const AllSolutions good = find_all_solutions(problem_);
  ASSERT_TRUE(verify_all_solutions(problem_, good.cells, good.tree).holds());
  problem_.q(1) += 1;
  expect_refuted("another q", good.cells, good.tree);
  expect_refuted("no tree", good.cells, {});
}

ProofNode make_end(ProofNode::Kind kind, const VectorX<double>& y) {
  ProofNode node;
  node.kind = kind;
  node.y = y;
  return node;
}

ProofNode make_unique(std::vector<bool> basis, int cell) {
  ProofNode node;
  node.kind = ProofNode::Kind::unique;
  node.basis = std::move(basis);
  node.cell = cell;
  return node;
}

/// z + 1 ≥ 0 has the solution z = 0. y = −1 would refute it if w had to be 0.
TEST_F(TamperedProof, NeedsNonnegativeMultipliersWhereWMayBePositive) {
  problem_ = {MatrixX<double>::Identity(1, 1), VectorX<double>::Ones(1)};
  expect_refuted("a negative y", {}, {make_end(Kind::infeasible, VectorX<double>::Constant(1, -1))});
}

/// z ≤ yᵀq has to be 0 to vanish, and only one half of a branch may be said to be in the other one.
TEST_F(TamperedProof, NeedsABoundOfZeroForWhatVanishes) {
  problem_ = {MatrixX<double>::Identity(1, 1), VectorX<double>::Constant(1, -1)};  // z = 1
  ProofNode root;
  root.kind = Kind::branch;
  root.row = 0;
  root.z_child = 1;
  root.w_child = 2;
  const ProofNode empty = make_end(Kind::infeasible, VectorX<double>::Ones(1));  // z = 0: w = −1
  expect_refuted("z vanishes", {}, {root, empty, make_end(Kind::z_vanishes, VectorX<double>::Constant(1, -1))});
  const ProofNode both = make_end(Kind::w_vanishes, VectorX<double>::Zero(1));
  expect_refuted("each in the other", {}, {root, both, make_end(Kind::z_vanishes, VectorX<double>::Constant(1, -1))});
  expect_refuted("on the wrong side", {}, {root, make_end(Kind::z_vanishes, VectorX<double>::Ones(1)), empty});
}

TEST_F(TamperedProof, NeedsAPMatrixForUniqueness) {
  problem_ = {MatrixX<double>(2, 2), VectorX<double>::Constant(2, -1)};
  problem_.M << 1, 2, 2, 1;  // three solutions
  SolutionCell cell;
  cell.in_basis = {true, false};
  cell.vertices.push_back(Eigen::Vector2d(1, 0));
  expect_refuted("one of three", {cell}, {make_unique(cell.in_basis, 0)});
  problem_.M << 2, 1, 1, 2;  // one, z = (1/3, 1/3)
  cell.in_basis = {true, true};
  cell.vertices = {Eigen::Vector2d(1, 1) / 3};
  EXPECT_TRUE(verify_all_solutions(problem_, {cell}, {make_unique(cell.in_basis, 0)}).holds());
  expect_refuted("the basis of another q", {}, {make_unique({false, false}, -1)});
  expect_refuted("no cell", {}, {make_unique({true, true}, -1)});
  expect_refuted("another basis", {cell}, {make_unique({true, false}, 0)});
}

TEST(Verify, KnowsSolutions) {
  const Lcp problem{MatrixX<double>::Identity(2, 2), Eigen::Vector2d(-1, 1)};
  EXPECT_TRUE(verify_solution(problem, Eigen::Vector2d(1, 0), 1e-12).holds());
  EXPECT_FALSE(verify_solution(problem, Eigen::Vector2d(1, 1e-6), 1e-7).holds());
  EXPECT_FALSE(verify_solution(problem, Eigen::Vector2d(0, 0), 1e-7).holds());
  EXPECT_FALSE(verify_solution(problem, Eigen::Vector2d(std::nan(""), 0), 1e-7).holds());
  EXPECT_FALSE(verify_solution(problem, VectorX<double>::Ones(3), 1e-7).holds());
}

/// xᵀM x > 0 has little to do with symmetry; a matrix on the border is not accepted.
TEST(Verify, KnowsPositiveDefiniteMatrices) {
  MatrixX<double> M(2, 2);
  M << 1, 5, -5, 1;
  EXPECT_TRUE(verify_positive_definite(M).holds());
  EXPECT_TRUE(verify_p_matrix(M).holds());
  M << 1, 1, 1, 1;
  EXPECT_FALSE(verify_positive_definite(M).holds());
  EXPECT_FALSE(verify_p_matrix(M).holds());
  M << 1, 0, 3, 1;  // P, but (1, −1) makes xᵀM x negative
  EXPECT_FALSE(verify_positive_definite(M).holds());
  EXPECT_TRUE(verify_p_matrix(M).holds());
  for (unsigned seed = 0; seed < 50; ++seed) {
    const MatrixX<double> A = LcpDice(seed).matrix(6, 6);
    EXPECT_TRUE(verify_positive_definite(A * A.transpose() + 1e-9 * MatrixX<double>::Identity(6, 6)).holds());
    EXPECT_FALSE(verify_positive_definite(A.leftCols(5) * A.leftCols(5).transpose()).holds());
  }
}

TEST(Verify, KnowsSignReversedVectors) {
  MatrixX<double> M(2, 2);
  M << 1, -2, -2, 1;
  EXPECT_TRUE(verify_not_p_matrix(M, Eigen::Vector2d(1, 1)).holds());
  EXPECT_FALSE(verify_not_p_matrix(M, Eigen::Vector2d(1, -1)).holds());
  EXPECT_FALSE(verify_not_p_matrix(M, Eigen::Vector2d(0, 0)).holds());
}

}  // namespace
}  // namespace thenar::all_solutions_test
