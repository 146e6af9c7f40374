// SPDX-License-Identifier: BSD-3-Clause
/// Two formulations, one set of cells: grasps in the plane and in space (on the box cone) answered by the branches of
/// solve_modes() and by the sign sets of YY; small ones also by complementary bases. What is found is graded, its proof
/// checked, and a damaged proof has to be noticed.
///
/// THENAR_GRASPS=n takes n grasps of either kind (100 by default), THENAR_GRASPS_SEED=s others of them.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "formulation_comparison.h"
#include "geometric_grasps.h"
#include "reference_solutions.h"
#include "thenar/modes/mode_verify.h"

namespace thenar::two_formulations_test {
namespace {

using Kind = ModeNode::Kind;
using test::GeometricGrasps;

int number_from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}
int grasp_count() { return number_from_environment("THENAR_GRASPS", 100); }
unsigned series() { return static_cast<unsigned>(number_from_environment("THENAR_GRASPS_SEED", 1)); }

/// Forces and motions in units of the problem's own (grade.h): the corners of a cell are solutions of its equations,
/// with the rounding of some ten operations times their condition.
constexpr double kResidual = 1e-10;

/// Damages of claims at random places.
class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  /// False if what was chosen is not there to be damaged.
  bool apply(const ConstraintProblem& problem, ModeClaim& claim) {
    switch (random_.pick(0, 3)) {
      case 0:
        return change_verdict(claim);
      case 1:
        return change_motion(problem, claim);
      case 2:
        return change_force(problem, claim);
      default:
        return change_tree(claim);
    }
  }

 private:
  std::size_t choose(std::size_t count) {
    return static_cast<std::size_t>(random_.pick(0, static_cast<int>(count) - 1));
  }

  bool change_verdict(ModeClaim& claim) {
    constexpr std::array kVerdicts{Verdict::unique, Verdict::unique_motion, Verdict::several, Verdict::none};
    const Verdict other = kVerdicts[choose(kVerdicts.size())];
    // One force is also one motion: that claim is weaker, not wrong.
    const bool is_weaker = claim.verdict == Verdict::unique && other == Verdict::unique_motion;
    const bool is_damage = other != claim.verdict && !is_weaker;
    claim.verdict = other;
    return is_damage;
  }

  bool change_motion(const ConstraintProblem& problem, ModeClaim& claim) {
    if (claim.cells.empty()) return false;
    ModeCell& cell = claim.cells[choose(claim.cells.size())];
    const auto row = static_cast<Eigen::Index>(choose(static_cast<std::size_t>(cell.w.size())));
    const double scale = grade_solution(problem, {cell.z.data(), static_cast<std::size_t>(cell.z.size())}).scale;
    cell.w(row) += 1e-5 * scale * std::sqrt(problem.A()(row, row));  // the scale is that of w / √A
    return true;
  }

  bool change_force(const ConstraintProblem& problem, ModeClaim& claim) {
    if (claim.cells.empty()) return false;
    ModeCell& cell = claim.cells[choose(claim.cells.size())];
    Eigen::Index largest;
    cell.z.cwiseAbs().maxCoeff(&largest);
    cell.z(largest) *= 1 + 1e-5;
    return test::grade(problem, cell.z) > 1e-7;  // near Painlevé's border large changes of forces mean little
  }

  bool change_tree(ModeClaim& claim) {
    if (claim.verdict == Verdict::several) return false;  // rests on its two solutions, not on the tree
    ModeNode& node = claim.tree[choose(claim.tree.size())];
    if (node.kind == Kind::empty) {
      node.y.setZero();  // with another sign it may still be a proof, of a node that is empty for several reasons
    } else if (node.kind == Kind::branch) {
      node.children.pop_back();
    } else {
      node.kind = Kind::unexplored;
    }
    return true;
  }

  GeometricGrasps random_;
};

/// Answers grasps in all ways and counts.
class Trial {
 public:
  explicit Trial(unsigned seed) : comparison_(seed), damage_(seed) {}

  void run(const ConstraintProblem& problem) {
    SCOPED_TRACE("grasp " + std::to_string(comparison_.problems));
    const ModeAnswer answer = comparison_.compare(problem);
    for (const ModeCell& cell : answer.cells) {
      EXPECT_LE(test::grade(problem, cell.z), kResidual);
      for (const VectorX<double>& z : cell.vertices) EXPECT_LE(test::grade(problem, z), kResidual);
    }
    if (answer.verdict == Verdict::undecided) {
      std::cout << "grasp " << comparison_.problems - 1 << ": " << answer.reason << '\n';
      return;
    }
    check_proof(problem, {answer.verdict, answer.cells, answer.tree});
    if (problem.size() <= kMostReferenceRows && comparison_.problems % 4 == 0) compare_with_bases(problem, answer);
  }

  void report(const char* title) const {
    comparison_.report(title);
    std::cout << "  " << damaged << " damaged proofs refuted; " << referred << " compared with complementary bases\n";
  }

  const test::Comparison& comparison() const { return comparison_; }
  int damaged = 0, referred = 0;

 private:
  /// Rows of problems whose facets have few enough complementary bases.
  static constexpr int kMostReferenceRows = 8;

  void check_proof(const ConstraintProblem& problem, const ModeClaim& claim) {
    const ModeVerification verification = verify_modes(problem, claim);
    EXPECT_TRUE(verification.holds()) << verification.reason;
    EXPECT_LE(verification.residual, kResidual);
    ModeClaim changed = claim;
    if (!damage_.apply(problem, changed)) return;
    ++damaged;
    EXPECT_FALSE(verify_modes(problem, changed).holds());
  }

  void compare_with_bases(const ConstraintProblem& problem, const ModeAnswer& answer) {
    const test::ReferenceSolutions reference(problem);
    if (!reference.is_complete) return;
    ++referred;
    EXPECT_EQ(answer.verdict, reference.verdict(problem));
    if (!answer.is_list_complete) return;
    const internal::ScaledProblem scaled(problem);
    const ModeParts parts = make_mode_parts(problem);
    for (const VectorX<double>& z : reference.points) {
      ModeCell point;
      point.vertices.push_back(z);
      EXPECT_TRUE(std::any_of(answer.cells.begin(), answer.cells.end(),
                              [&](const ModeCell& cell) {
                                return is_part_of(point, scaled, describe_cell(problem, scaled, parts, cell.choice));
                              }))
          << "no cell has z = " << z.transpose();
    }
  }

  test::Comparison comparison_;
  Damage damage_;
};

/// Every kind of answer is among the grasps, at least this part of them.
void expect_variety(const test::Comparison& comparison) {
  const int n = comparison.problems;
  EXPECT_LE(comparison.undecided, n / 50);
  EXPECT_GE(comparison.unique, n / 4);
  EXPECT_GE(comparison.several, n / 50);
  EXPECT_GE(comparison.none, n / 100);
  EXPECT_GE(comparison.indeterminate, n / 50);
}

TEST(TwoFormulations, HaveTheSameCellsOnPlanarGrasps) {
  GeometricGrasps grasps(series());
  Trial trial(series());
  for (int k = 0; k < grasp_count(); ++k) trial.run(grasps.planar());
  trial.report("planar grasps");
  expect_variety(trial.comparison());
  EXPECT_GE(trial.damaged, grasp_count() / 2);
  EXPECT_GE(trial.referred, grasp_count() / 10);
}

TEST(TwoFormulations, HaveTheSameCellsOnSpatialGrasps) {
  GeometricGrasps grasps(series() + 1000);
  Trial trial(series());
  for (int k = 0; k < grasp_count(); ++k) trial.run(grasps.spatial());
  trial.report("spatial grasps");
  expect_variety(trial.comparison());
  EXPECT_GE(trial.damaged, grasp_count() / 2);
  EXPECT_GE(trial.referred, grasp_count() / 10);
}

}  // namespace
}  // namespace thenar::two_formulations_test
