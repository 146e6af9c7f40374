// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "../complementarity/grasp_problems.h"
#include "random_problems.h"
#include "thenar/modes/mode_solver.h"

namespace thenar::mode_verify_test {
namespace {

using Kind = ModeNode::Kind;

ConstraintProblem make_grasp(unsigned seed, int contacts, int faces) {
  ConstraintProblem out = test::GraspProblems(seed).hand(contacts);
  for (int i = 0; i < out.size(); ++i) {
    if (out.row(i).kind == RowKind::normal) out.row(i).faces = faces;
  }
  return out;
}

ModeClaim make_claim(const ModeAnswer& answer) { return {answer.verdict, answer.cells, answer.tree}; }

/// The same verdict, proved by the search alone, which knows no answer when it begins.
ModeClaim make_long_claim(const ConstraintProblem& problem, const ModeAnswer& answer) {
  const ModeSearchResult found = search_modes(problem);
  EXPECT_TRUE(found.is_complete) << found.reason;
  return {answer.verdict, found.cells, found.tree};
}

/// A problem with its right answer.
struct Case {
  ConstraintProblem problem;
  ModeClaim claim;
};

std::vector<Case> make_cases() {
  std::vector<Case> out;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const ConstraintProblem problem = make_grasp(seed, 2 + static_cast<int>(seed % 3), seed % 2 == 0 ? 4 : 2);
    const ModeAnswer answer = solve_modes(problem);
    out.push_back({problem, seed < 6 ? make_claim(answer) : make_long_claim(problem, answer)});
  }
  test::RandomModeProblems random(3);
  while (out.size() < 80) {
    const int contacts = random.pick(1, 3), freedoms = random.pick(1, 6);
    const ConstraintProblem problem = random.make(contacts, freedoms);
    const ModeAnswer answer = solve_modes(problem);
    if (!answer.is_list_complete) continue;
    out.push_back({problem, out.size() % 2 == 0 ? make_claim(answer) : make_long_claim(problem, answer)});
  }
  return out;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> out = make_cases();
  return out;
}

TEST(ModeVerify, ConfirmsRightAnswers) {
  for (const Case& c : cases()) {
    const ModeVerification verification = verify_modes(c.problem, c.claim);
    EXPECT_TRUE(verification.holds()) << to_string(c.claim.verdict) << ": " << verification.reason;
    EXPECT_TRUE(verification.is_list_proved);
    EXPECT_GE(verification.reach, kLeastModeReach);
    EXPECT_LE(verification.residual, 1e-9);
  }
}

/// Changes every claim that `change` can be made to, and expects that it is no longer confirmed. Returns how many.
int expect_refuted(const std::function<bool(Case&)>& change) {
  int count = 0;
  for (const Case& original : cases()) {
    Case changed = original;
    if (!change(changed)) continue;
    ++count;
    EXPECT_FALSE(verify_modes(changed.problem, changed.claim).holds()) << to_string(original.claim.verdict);
  }
  return count;
}

TEST(ModeVerify, RefutesOtherVerdicts) {
  for (const Verdict verdict : {Verdict::unique, Verdict::unique_motion, Verdict::several, Verdict::none}) {
    const int count = expect_refuted([&](Case& c) {
      // One force is also one motion: that claim is weaker, not wrong.
      if (c.claim.verdict == Verdict::unique && verdict == Verdict::unique_motion) return false;
      const bool is_other = c.claim.verdict != verdict;
      c.claim.verdict = verdict;
      return is_other;
    });
    EXPECT_GE(count, 10) << to_string(verdict);
  }
}

TEST(ModeVerify, RefutesChangedForces) {
  EXPECT_GE(expect_refuted([](Case& c) {
              if (c.claim.cells.empty()) return false;
              Eigen::Index largest;
              VectorX<double>& z = c.claim.cells.back().z;
              if (z.cwiseAbs().maxCoeff(&largest) < 1e-9) return false;
              z(largest) *= 1 + 1e-5;
              return true;
            }),
            20);
}

TEST(ModeVerify, RefutesChangedMotions) {
  EXPECT_GE(expect_refuted([](Case& c) {
              if (c.claim.cells.empty()) return false;
              c.claim.cells.front().w(0) += 1e-5 * (1 + c.problem.b().cwiseAbs().maxCoeff());
              return true;
            }),
            40);
}

TEST(ModeVerify, RefutesChangedStates) {
  EXPECT_GE(expect_refuted([](Case& c) {
              if (c.claim.cells.empty() || !c.claim.cells.front().motion_unique) return false;
              ContactState& state = c.claim.cells.front().states.front();
              state = state == ContactState::open ? ContactState::stick : ContactState::open;
              return true;
            }),
            30);
}

/// Every node of a kind in turn.
int expect_refuted_nodes(Kind kind, const std::function<void(ModeNode&)>& change) {
  int count = 0;
  for (const Case& original : cases()) {
    if (original.claim.verdict == Verdict::several) continue;  // rests on its two solutions, not on the tree
    for (std::size_t i = 0; i < original.claim.tree.size(); ++i) {
      if (original.claim.tree[i].kind != kind) continue;
      ModeClaim claim = original.claim;
      change(claim.tree[i]);
      ++count;
      EXPECT_FALSE(verify_modes(original.problem, claim).holds()) << to_string(kind) << ' ' << i;
    }
  }
  return count;
}

TEST(ModeVerify, RefutesVectorsThatProveNothing) {
  EXPECT_GE(expect_refuted_nodes(Kind::empty, [](ModeNode& node) { node.y.setZero(); }), 500);
  EXPECT_GE(expect_refuted_nodes(Kind::empty, [](ModeNode& node) { node.y(0) = std::nan(""); }), 500);
  EXPECT_GE(expect_refuted_nodes(Kind::empty, [](ModeNode& node) { node.y.conservativeResize(node.y.size() - 1); }),
            500);
}

TEST(ModeVerify, RefutesWeightsThatProveNothing) {
  const auto expect = [](const std::function<void(ModeNode&)>& change) {
    EXPECT_GE(expect_refuted_nodes(Kind::one_motion, change), 15);
  };
  expect([](ModeNode& node) { node.y = -node.y; });
  expect([](ModeNode& node) { node.y(0) = std::nan(""); });
  expect([](ModeNode& node) { node.y.conservativeResize(node.y.size() - 1); });
  expect([](ModeNode& node) { node.cell = -1; });
  expect([](ModeNode& node) { node.cell = 1000; });
}

TEST(ModeVerify, RefutesTreesWithHoles) {
  EXPECT_GE(expect_refuted_nodes(Kind::branch, [](ModeNode& node) { node.children.pop_back(); }), 200);
  EXPECT_GE(expect_refuted_nodes(Kind::branch, [](ModeNode& node) { node.children.back() = 0; }), 200);
  EXPECT_GE(expect_refuted_nodes(Kind::branch, [](ModeNode& node) { node.part = 1000; }), 200);
  EXPECT_GE(expect_refuted_nodes(Kind::branch, [](ModeNode& node) { node.kind = Kind::cell; }), 200);
  EXPECT_GE(expect_refuted_nodes(Kind::cell,
                                 [](ModeNode& node) {
                                   node.kind = Kind::empty;
                                   node.y.setZero(1);
                                 }),
            40);
  for (const Kind kind : {Kind::branch, Kind::empty, Kind::covered, Kind::cell, Kind::one_motion}) {
    EXPECT_GE(expect_refuted_nodes(kind, [](ModeNode& node) { node.kind = Kind::unexplored; }), 5) << to_string(kind);
  }
}

TEST(ModeVerify, NoticesThatACellIsMissing) {
  int count = 0;
  for (const Case& original : cases()) {
    if (original.claim.cells.size() < 2) continue;
    ModeClaim claim = original.claim;
    claim.cells.pop_back();
    const ModeVerification verification = verify_modes(original.problem, claim);
    EXPECT_FALSE(verification.is_list_proved);
    ++count;
  }
  EXPECT_GE(count, 2);
}

/// A proof belongs to its problem.
TEST(ModeVerify, RefutesProofsOfOtherProblems) {
  int count = 0;
  for (const Case& original : cases()) {
    if (original.claim.verdict == Verdict::several) continue;
    Case changed = original;
    changed.problem.b() = -original.problem.b();
    count += !verify_modes(changed.problem, changed.claim).holds();
  }
  EXPECT_GE(count, 50);
}

}  // namespace
}  // namespace thenar::mode_verify_test
