// SPDX-License-Identifier: BSD-3-Clause
/// The proof that there is no second motion: (2)–(4) of mode_proof.h.

#include <gtest/gtest.h>

#include "../complementarity/grasp_problems.h"
#include "random_problems.h"
#include "thenar/complementarity/grade.h"
#include "thenar/modes/mode_solver.h"
#include "thenar/modes/motion_form_internal.h"

namespace thenar::one_motion_test {
namespace {

using internal::MotionForm;
using internal::ScaledProblem;
using Kind = ModeNode::Kind;

bool is_short_proof(const ModeAnswer& answer) {
  return answer.tree.size() == 1 && answer.tree.front().kind == Kind::one_motion;
}

ConstraintProblem make_grasp(unsigned seed, int contacts, int tangents, int faces, double rougher = 1) {
  ConstraintProblem out = test::GraspProblems(seed).hand(contacts, tangents);
  for (int i = 0; i < out.size(); ++i) {
    if (out.row(i).kind == RowKind::normal) out.row(i).faces = faces;
    if (out.row(i).kind == RowKind::tangent) out.row(i).limit *= rougher;
  }
  return out;
}

/// Where there are two motions, (4) says F ≤ 0 for their difference, whatever the weights: none may be found, from
/// either of the two.
TEST(OneMotion, IsNeverProvedWhereThereAreTwo) {
  test::RandomModeProblems random(11);
  int pairs = 0;
  for (int k = 0; k < 1500; ++k) {
    const int contacts = random.pick(1, 3), freedoms = random.pick(1, 6);
    const ConstraintProblem problem = random.make(contacts, freedoms);
    const ModeSearchResult found = search_modes(problem);
    const ScaledProblem scaled(problem);
    for (std::size_t i = 0; i < found.cells.size(); ++i) {
      for (std::size_t j = 0; j < found.cells.size(); ++j) {
        const ModeCell &a = found.cells[i], &b = found.cells[j];
        const VectorX<double> difference = (b.z - a.z).cwiseQuotient(scaled.force_unit);
        if (i == j || (scaled.A * difference).norm() < 1e-3 * difference.norm()) continue;
        ++pairs;
        const MatrixX<double> V = difference.normalized();
        EXPECT_FALSE(MotionForm(problem, scaled, a.z).find_weights(V, MotionForm::Effort::all)) << k;
      }
    }
  }
  EXPECT_GE(pairs, 100);
}

/// Two rows that say the same: a difference of forces that is nearly theirs moves something, but so little that nothing
/// can be told of it.
TEST(OneMotion, TellsNothingOfWhatHardlyMoves) {
  ConstraintProblem problem;
  problem.resize(2);
  problem.A().setOnes();
  problem.b().setConstant(-1);
  for (int i = 0; i < 2; ++i) problem.row(i) = {.kind = RowKind::unilateral, .id = static_cast<std::uint64_t>(i)};
  const ScaledProblem scaled(problem);
  MatrixX<double> V(2, 1);
  V << 1 + 1e-7, -1 + 1e-7;
  const VectorX<double> z = VectorX<double>::Constant(2, 0.5);
  EXPECT_FALSE(MotionForm(problem, scaled, z).find_weights(V.normalized(), MotionForm::Effort::all));
}

/// The short proof and the search, which knows no answer when it begins, agree.
TEST(OneMotion, AgreesWithTheSearch) {
  test::RandomModeProblems random(12);
  int proved = 0;
  for (int k = 0; k < 400; ++k) {
    const int contacts = random.pick(1, 3), freedoms = random.pick(2, 8);
    const ConstraintProblem problem = random.make(contacts, freedoms);
    const ModeAnswer answer = solve_modes(problem);
    if (!is_short_proof(answer)) continue;
    ++proved;
    const ModeSearchResult found = search_modes(problem);
    ASSERT_TRUE(found.is_complete) << found.reason;
    const ScaledProblem scaled(problem);
    ASSERT_EQ(found.cells.empty(), answer.cells.empty());
    for (const ModeCell& cell : found.cells) {
      EXPECT_TRUE(cell.motion_unique);
      const VectorX<double> difference = (cell.w - answer.cells.front().w).cwiseQuotient(scaled.motion_unit);
      EXPECT_LE(difference.lpNorm<Eigen::Infinity>(), 1e-7) << k;
    }
    const bool has_one_force = found.cells.size() == 1 && found.cells.front().forces_unique;
    EXPECT_EQ(answer.verdict, has_one_force ? Verdict::unique : Verdict::unique_motion) << k;
  }
  EXPECT_GE(proved, 150);
}

/// Hands that hold a box: circular cones are decided, most of them by the short proof.
TEST(OneMotion, DecidesGraspsWithCircularCones) {
  int short_proofs = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const ConstraintProblem problem = make_grasp(seed, 1 + static_cast<int>(seed % 5), 2, 0);
    const ModeAnswer answer = solve_modes(problem);
    EXPECT_EQ(answer.verdict, Verdict::unique) << seed << ": " << answer.reason;
    short_proofs += is_short_proof(answer);
    const VectorX<double>& z = answer.cells.front().z;
    EXPECT_LE(grade_solution(problem, {z.data(), static_cast<std::size_t>(z.size())}).worst(), 1e-10);
  }
  EXPECT_GE(short_proofs, 55);
}

TEST(OneMotion, DecidesSoftFingers) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ModeAnswer answer = solve_modes(make_grasp(seed, 1 + static_cast<int>(seed % 2), 3, 0));
    EXPECT_EQ(answer.verdict, Verdict::unique) << seed << ": " << answer.reason;
    EXPECT_TRUE(is_short_proof(answer));
  }
}

/// More friction than the proof can stand: it must not claim anything that a finer look denies. With 24-sided cones the
/// search decides; its verdict is that of the circle unless they are close to a border.
TEST(OneMotion, ClaimsNothingThatPolygonsDeny) {
  int compared = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const ModeAnswer smooth = solve_modes(make_grasp(seed, 2, 2, 0, 3));
    if (smooth.verdict != Verdict::unique) continue;
    const ModeAnswer polygon = solve_modes(make_grasp(seed, 2, 2, 24, 3));
    ++compared;
    EXPECT_EQ(polygon.verdict, Verdict::unique) << seed;
    const double size = smooth.cells.front().z.norm();
    EXPECT_LE((polygon.cells.front().z - smooth.cells.front().z).norm(), 0.1 * size) << seed;
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace thenar::one_motion_test
