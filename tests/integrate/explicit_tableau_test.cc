// SPDX-License-Identifier: BSD-3-Clause
//
// The coefficients of the explicit methods against the order conditions: a method has order p when, for every rooted
// tree t of at most p nodes, its elementary weight Φ(t) = 1/γ(t) (HairerNorsettWanner1993, II.2, theorem 2.13).
#include "thenar/integrate/explicit_tableau_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace thenar::internal::explicit_tableau_test {
namespace {

/// A rooted tree by its branches, which are indices into the list of all trees, in falling order.
struct Tree {
  std::vector<std::size_t> branches;
  int nodes = 1;
  double density = 1;  // γ
};

/// Every rooted tree of at most `most` nodes, smaller ones first.
std::vector<Tree> make_trees(int most) {
  std::vector<Tree> trees{Tree{}};
  for (int nodes = 2; nodes <= most; ++nodes) {
    const std::size_t known = trees.size();
    Tree tree;
    // Adds branches with indices below `limit` until none of the nodes is left.
    const std::function<void(std::size_t, int)> grow = [&](std::size_t limit, int left) {
      if (left == 0) {
        tree.nodes = nodes;
        tree.density = nodes;
        for (const std::size_t b : tree.branches) tree.density *= trees[b].density;
        trees.push_back(tree);
        return;
      }
      for (std::size_t b = limit; b-- > 0;) {
        if (trees[b].nodes > left) continue;
        tree.branches.push_back(b);
        grow(b + 1, left - trees[b].nodes);
        tree.branches.pop_back();
      }
    };
    grow(known, nodes - 1);
  }
  return trees;
}

/// Φᵢ of every tree (outer index) at every stage: the product over its branches of Σⱼ aᵢⱼ Φⱼ(branch).
std::vector<std::vector<long double>> calc_stage_weights(const ExplicitTableau& tableau,
                                                         const std::vector<Tree>& trees) {
  const auto stages = static_cast<std::size_t>(tableau.all_stages());
  std::vector<std::vector<long double>> phi;
  for (const Tree& tree : trees) {
    std::vector<long double> at(stages, 1);
    for (std::size_t i = 0; i < stages; ++i) {
      for (const std::size_t b : tree.branches) {
        long double sum = 0;
        for (std::size_t j = 0; j < i; ++j) sum += tableau.row(static_cast<int>(i))[j] * phi[b][j];
        at[i] *= sum;
      }
    }
    phi.push_back(at);
  }
  return phi;
}

/// Largest |Σᵢ wᵢ Φᵢ(t) − θ^|t| / γ(t)| over the trees of exactly `nodes` nodes.
double calc_defect(const ExplicitTableau& tableau, const std::vector<double>& weights, int nodes, double theta = 1) {
  const std::vector<Tree> trees = make_trees(nodes);
  const std::vector<std::vector<long double>> phi = calc_stage_weights(tableau, trees);
  long double worst = 0;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    if (trees[t].nodes != nodes) continue;
    long double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * phi[t][i];
    worst = std::max(worst, std::abs(sum - std::pow(static_cast<long double>(theta), nodes) / trees[t].density));
  }
  return static_cast<double>(worst);
}

std::vector<double> to_vector(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

std::vector<double> subtract(std::vector<double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < b.size(); ++i) a[i] -= b[i];
  return a;
}

/// Weights of the slopes in the dense output at θ, (y(θ) − y)/h.
std::vector<double> calc_dense_weights(const ExplicitTableau& tableau, double theta) {
  const std::size_t count = tableau.nodes.size(), s = static_cast<std::size_t>(tableau.stages);
  std::vector<std::vector<double>> F(static_cast<std::size_t>(3 + tableau.dense_rows()), std::vector<double>(count, 0));
  std::copy(tableau.weights().begin(), tableau.weights().end(), F[0].begin());
  for (std::size_t j = 0; j < count; ++j) {
    const double start = j == 0, end = j == s;
    F[1][j] = start - F[0][j];
    F[2][j] = 2 * F[0][j] - start - end;
    for (int r = 0; r < tableau.dense_rows(); ++r) F[static_cast<std::size_t>(3 + r)][j] = tableau.dense_row(r)[j];
  }
  std::vector<double> sum(count, 0);
  for (std::size_t i = F.size(); i-- > 0;) {
    for (std::size_t j = 0; j < count; ++j) sum[j] = (sum[j] + F[i][j]) * (i % 2 == 0 ? theta : 1 - theta);
  }
  return sum;
}

// Coefficients up to 44 rounded to doubles spoil a condition by a few 1e-15; those of the dense output reach 530.
constexpr double kRounded = 4e-15;
constexpr double kDenseRounded = 2e-14;

TEST(ExplicitTableau, ThereAre200TreesUpToOrderEight) {
  const std::vector<Tree> trees = make_trees(8);
  ASSERT_EQ(trees.size(), 200U);
  EXPECT_EQ(trees.back().nodes, 8);
  std::vector<int> count(9, 0);
  for (const Tree& tree : trees) ++count[static_cast<std::size_t>(tree.nodes)];
  EXPECT_EQ(count, (std::vector<int>{0, 1, 1, 2, 4, 9, 20, 48, 115}));
}

TEST(ExplicitTableau, RowsAddUpToNodes) {
  for (const ExplicitTableau* tableau : {&kClassicalTableau, &kDormandPrinceTableau}) {
    for (int i = 0; i < tableau->all_stages(); ++i) {
      long double sum = 0;
      if (i > 0) {
        for (const double a : tableau->row(i)) sum += a;
      }
      EXPECT_NEAR(static_cast<double>(sum), tableau->nodes[static_cast<std::size_t>(i)], kRounded) << i;
    }
  }
}

TEST(ExplicitTableau, DormandPrinceHasOrderEightAndNoMore) {
  const std::vector<double> weights = to_vector(kDormandPrinceTableau.weights());
  for (int order = 1; order <= 8; ++order) EXPECT_LT(calc_defect(kDormandPrinceTableau, weights, order), kRounded);
  EXPECT_GT(calc_defect(kDormandPrinceTableau, weights, 9), 1e-6);
}

TEST(ExplicitTableau, EmbeddedFormulasHaveOrdersFiveAndThree) {
  const std::vector<double> weights = to_vector(kDormandPrinceTableau.weights());
  const std::vector<double> fifth = subtract(weights, kDormandPrinceTableau.error5);
  const std::vector<double> third = subtract(weights, kDormandPrinceTableau.error3);
  for (int order = 1; order <= 5; ++order) EXPECT_LT(calc_defect(kDormandPrinceTableau, fifth, order), kRounded);
  EXPECT_GT(calc_defect(kDormandPrinceTableau, fifth, 6), 1e-5);
  for (int order = 1; order <= 3; ++order) EXPECT_LT(calc_defect(kDormandPrinceTableau, third, order), kRounded);
  EXPECT_GT(calc_defect(kDormandPrinceTableau, third, 4), 1e-5);
}

TEST(ExplicitTableau, DormandPrinceDenseOutputHasOrderSeven) {
  for (const double theta : {0.1, 0.37, 0.5, 0.9, 1.0}) {
    const std::vector<double> weights = calc_dense_weights(kDormandPrinceTableau, theta);
    for (int order = 1; order <= 7; ++order) {
      EXPECT_LT(calc_defect(kDormandPrinceTableau, weights, order, theta), kDenseRounded) << theta << " " << order;
    }
  }
  EXPECT_GT(calc_defect(kDormandPrinceTableau, calc_dense_weights(kDormandPrinceTableau, 0.37), 8, 0.37), 1e-6);
}

TEST(ExplicitTableau, ClassicalMethodHasOrderFourAndDenseOutputThree) {
  const std::vector<double> weights = to_vector(kClassicalTableau.weights());
  for (int order = 1; order <= 4; ++order) EXPECT_LT(calc_defect(kClassicalTableau, weights, order), 1e-16);
  EXPECT_GT(calc_defect(kClassicalTableau, weights, 5), 1e-3);
  const std::vector<double> dense = calc_dense_weights(kClassicalTableau, 0.3);
  for (int order = 1; order <= 3; ++order) EXPECT_LT(calc_defect(kClassicalTableau, dense, order, 0.3), 1e-16);
}

}  // namespace
}  // namespace thenar::internal::explicit_tableau_test
