// SPDX-License-Identifier: BSD-3-Clause
// Proofs that were tampered with do not hold.

#include "thenar/quasistatic/quasistatic_verify.h"

#include <gtest/gtest.h>

#include "data_sets.h"
#include "quasistatic_families.h"

namespace thenar::quasistatic_verify_test {
namespace {

using Kind = QuasistaticNode::Kind;
using test::QuasistaticDice;

QuasistaticClaim claim_of(const QuasistaticProblem& problem) {
  const QuasistaticAnswer answer = solve_quasistatic(problem, {.all = true});
  return {answer.verdict, answer.solutions, answer.is_list_complete, answer.tree};
}

bool holds(const QuasistaticProblem& problem, const QuasistaticClaim& claim) {
  return verify_quasistatic(problem, claim).holds();
}

/// Every node spoiled in every way, one at a time.
void expect_spoiled_nodes_refuted(const QuasistaticProblem& problem, const QuasistaticClaim& claim) {
  for (std::size_t k = 0; k < claim.tree.size(); ++k) {
    SCOPED_TRACE(k);
    const auto spoiled = [&](auto&& spoil) {
      QuasistaticClaim other = claim;
      spoil(other.tree[k]);
      return holds(problem, other);
    };
    const QuasistaticNode& node = claim.tree[k];
    EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.kind = Kind::open; }));
    if (node.y.size() > 0) {
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.y.setZero(); }));
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.y *= -1; }));
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.y(0) = std::nan(""); }));
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.y.conservativeResize(n.y.size() - 1); }));
    }
    if (node.kind == Kind::touch_branch || node.kind == Kind::mode_branch) {
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.children.pop_back(); }));
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.children.back() = n.children.front(); }));
      EXPECT_FALSE(spoiled([&](QuasistaticNode& n) { n.contact = problem.contact_count(); }));
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.children.front() = 0; }));
    }
    if (node.kind == Kind::solution) {
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) { n.solution += 1; }));
    } else {
      EXPECT_FALSE(spoiled([](QuasistaticNode& n) {
        n.kind = Kind::solution;
        n.solution = 0;
      }));
    }
  }
}

void expect_spoiled_solutions_refuted(const QuasistaticProblem& problem, const QuasistaticClaim& claim) {
  for (std::size_t k = 0; k < claim.solutions.size(); ++k) {
    SCOPED_TRACE(k);
    const auto spoiled = [&](auto&& spoil) {
      QuasistaticClaim other = claim;
      spoil(other.solutions[k]);
      return holds(problem, other);
    };
    EXPECT_FALSE(spoiled([](QuasistaticSolution& s) { s.c_n(0) += 0.01 * (1 + s.c_n.maxCoeff()); }));
    EXPECT_FALSE(spoiled([](QuasistaticSolution& s) { s.velocity_unique = !s.velocity_unique; }));
    EXPECT_FALSE(spoiled([](QuasistaticSolution& s) { s.forces_unique = !s.forces_unique; }));
    EXPECT_FALSE(spoiled([](QuasistaticSolution& s) { s.theta_dot(0) += 0.01; }));
    EXPECT_FALSE(spoiled([](QuasistaticSolution& s) { s.tau(0) += 0.01; }));
    EXPECT_FALSE(spoiled([](QuasistaticSolution& s) { s.q_dot.setConstant(std::nan("")); }));
    EXPECT_FALSE(spoiled([](QuasistaticSolution& s) {
      s.modes[0] = s.modes[0] == QuasistaticMode::breaks ? QuasistaticMode::rolls : QuasistaticMode::breaks;
    }));
    QuasistaticClaim fewer = claim;
    fewer.solutions.erase(fewer.solutions.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_FALSE(holds(problem, fewer));
  }
}

void expect_only_the_truth_holds(const QuasistaticProblem& problem) {
  const QuasistaticClaim claim = claim_of(problem);
  ASSERT_TRUE(claim.is_list_complete);
  ASSERT_TRUE(holds(problem, claim));
  for (const auto verdict : {QuasistaticVerdict::unique, QuasistaticVerdict::several, QuasistaticVerdict::none,
                             QuasistaticVerdict::undecided}) {
    QuasistaticClaim other = claim;
    other.verdict = verdict;
    EXPECT_EQ(holds(problem, other), verdict == claim.verdict);
  }
  expect_spoiled_nodes_refuted(problem, claim);
  expect_spoiled_solutions_refuted(problem, claim);
}

TEST(VerifyQuasistatic, AcceptsNothingThatWasTamperedWith) {
  for (int k = 1; k <= 4; ++k) expect_only_the_truth_holds(test::make_data_set(k));
  QuasistaticDice dice(11);
  for (int k = 0; k < 10 && !HasFailure(); ++k) expect_only_the_truth_holds(dice.generic(dice.whole(2, 6)));
}

TEST(VerifyQuasistatic, DoesNotTakeAProofForAnotherProblem) {
  // The proof that set 4 jams says nothing about set 2, which differs in friction alone.
  EXPECT_FALSE(holds(test::make_data_set(2), claim_of(test::make_data_set(4))));
  EXPECT_FALSE(holds(test::make_data_set(4), claim_of(test::make_data_set(2))));
}

TEST(VerifyQuasistatic, ChecksWhatIsSaidAboutForces) {
  // Four contacts around a resting square: the forces can be shared in many ways.
  QuasistaticProblem problem;
  problem.W_n.resize(3, 4);
  problem.W_t.resize(3, 4);
  problem.W_n << 1, 0, -1, 0, 0, 1, 0, -1, 0, 0, 0, 0;
  problem.W_t << 0, -1, 0, 1, 1, 0, -1, 0, -1, -1, -1, -1;
  problem.J_n = problem.J_t = MatrixX<double>::Zero(4, 1);
  problem.is_position_controlled = {true};
  problem.theta_dot = problem.tau = problem.g_man = VectorX<double>::Zero(1);
  problem.g_obj = Eigen::Vector3d(0, -1, 0);
  problem.mu = VectorX<double>::Constant(4, 0.5);
  QuasistaticClaim claim = claim_of(problem);
  ASSERT_TRUE(holds(problem, claim));
  ASSERT_EQ(claim.verdict, QuasistaticVerdict::unique);
  EXPECT_FALSE(claim.solutions[0].forces_unique);
  claim.solutions[0].forces_unique = true;
  EXPECT_FALSE(holds(problem, claim));
}

}  // namespace
}  // namespace thenar::quasistatic_verify_test
