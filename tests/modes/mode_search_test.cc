// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_search.h"

#include <gtest/gtest.h>

#include "../complementarity/grasp_problems.h"
#include "random_problems.h"
#include "reference_solutions.h"
#include "thenar/complementarity/grade.h"
#include "thenar/modes/mode_cells_internal.h"
#include "thenar/modes/mode_solver.h"

namespace thenar::mode_search_test {
namespace {

using test::ReferenceSolutions;

double grade(const ConstraintProblem& problem, const VectorX<double>& z) {
  return grade_solution(problem, std::span<const double>(z.data(), static_cast<std::size_t>(z.size()))).worst();
}

bool is_in_a_cell(const ConstraintProblem& problem, const std::vector<ModeCell>& cells, const VectorX<double>& z) {
  const internal::ScaledProblem scaled(problem);
  const ModeParts parts = make_mode_parts(problem);
  ModeCell point;
  point.vertices.push_back(z);
  return std::any_of(cells.begin(), cells.end(), [&](const ModeCell& cell) {
    return is_part_of(point, scaled, describe_cell(problem, scaled, parts, cell.choice));
  });
}

/// A disc is loaded a little beyond a point of its rim and begins to tip about it. However little it is, that is an
/// answer; where it is next to nothing, what opens is not told from what stays.
TEST(ModeSearch, LosesNoAnswerBetweenOpenAndHeld) {
  constexpr std::array<double, 5> kAngles{0, 0.2, M_PI / 2, M_PI, 1.5 * M_PI};
  for (double beyond = 1e-11; beyond < 1e-3; beyond *= 1.3) {
    const auto row = [&](double angle, double radius) {
      return Vector3<double>(1, radius * std::cos(angle), radius * std::sin(angle));
    };
    ConstraintProblem problem(5);
    const Vector3<double> response(1, 3, 3), load = -9.81 * row(kAngles[1], 1 + beyond);
    Eigen::Matrix<double, 5, 3> J;
    for (std::size_t k = 0; k < kAngles.size(); ++k) J.row(static_cast<Eigen::Index>(k)) = row(kAngles[k], 1);
    const MatrixX<double> A = J * response.asDiagonal() * J.transpose();
    const VectorX<double> b = J * response.asDiagonal() * load;
    for (int i = 0; i < 5; ++i) problem.row(i).kind = RowKind::unilateral;
    problem.A() = A;
    problem.b() = b;
    const ModeSearchResult result = search_modes(problem);
    EXPECT_TRUE(result.is_complete) << result.reason;
    ASSERT_FALSE(result.cells.empty()) << beyond;
    EXPECT_LE(grade(problem, result.cells.front().z), 1e-8) << beyond;
  }
}

TEST(ModeSearch, FindsWhatComplementaryBasesFind) {
  test::RandomModeProblems random(7);
  int compared = 0, several = 0, none = 0, indeterminate = 0, undecided = 0;
  for (int k = 0; k < 300; ++k) {
    const int contacts = random.pick(1, 3), freedoms = random.pick(1, 6);
    const ConstraintProblem problem = random.make(contacts, freedoms);
    const ReferenceSolutions reference(problem);
    if (!reference.is_complete) continue;
    ++compared;
    const ModeAnswer answer = solve_modes(problem);
    for (const VectorX<double>& z : reference.points) {
      EXPECT_TRUE(is_in_a_cell(problem, answer.cells, z)) << "problem " << k << ", z = " << z.transpose();
    }
    for (const ModeCell& cell : answer.cells) {
      EXPECT_LE(grade(problem, cell.z), 1e-9) << "problem " << k;
      for (const VectorX<double>& z : cell.vertices) EXPECT_LE(grade(problem, z), 1e-9) << "problem " << k;
    }
    const Verdict verdict = reference.verdict(problem);
    several += verdict == Verdict::several;
    none += verdict == Verdict::none;
    indeterminate += verdict == Verdict::unique_motion;
    undecided += answer.verdict == Verdict::undecided;
    if (answer.verdict == Verdict::undecided) {
      std::cout << "problem " << k << ": " << answer.reason << '\n';
    } else {
      EXPECT_EQ(answer.verdict, verdict) << "problem " << k << ": " << to_string(answer.verdict) << ", not "
                                         << to_string(verdict);
    }
  }
  std::cout << compared << " problems: " << several << " with several motions, " << none << " without any, "
            << indeterminate << " with one motion and many forces, " << undecided << " undecided\n";
  EXPECT_GE(compared, 290);
  EXPECT_GE(several, 10);
  EXPECT_GE(none, 10);
  EXPECT_GE(indeterminate, 30);
}

}  // namespace
}  // namespace thenar::mode_search_test
