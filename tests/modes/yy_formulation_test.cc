// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/yy_formulation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iostream>

#include "../complementarity/grasp_problems.h"
#include "formulation_comparison.h"
#include "random_problems.h"
#include "thenar/complementarity/p_matrix.h"

namespace thenar::yy_formulation_test {
namespace {

using test::Comparison;
using test::grade;
using test::is_in_cell;
using test::set_faces;

// ---- The same cells as those of solve_modes()
// ---------------------------------------------------------------------------

TEST(YyFormulation, HasTheCellsOfTheModesOnRandomProblems) {
  test::RandomModeProblems random(11);
  Comparison comparison(1);
  for (int k = 0; k < 1000; ++k) {
    const int contacts = k % 50 == 0 ? 3 : random.chance(0.6) ? 1 : 2, freedoms = random.pick(1, 6);
    ConstraintProblem problem = random.make(contacts, freedoms);
    set_faces(problem, kBoxFaces);
    comparison.compare(problem);
  }
  comparison.report("random");
  EXPECT_LE(comparison.undecided, 10);
  EXPECT_GE(comparison.unique, 400);
  EXPECT_GE(comparison.several, 40);
  EXPECT_GE(comparison.none, 25);
  EXPECT_GE(comparison.indeterminate, 80);
  EXPECT_GE(comparison.wide, 200);
}

/// Turns the first contact into one that slides.
void make_first_contact_slide(ConstraintProblem& problem, double angle) {
  const double mu = problem.row(1).limit;
  problem.row(0).faces = 0;
  for (int k = 1; k <= 2; ++k) problem.row(k).kind = RowKind::sliding;
  problem.row(1).limit = -mu * std::cos(angle);
  problem.row(2).limit = -mu * std::sin(angle);
}

TEST(YyFormulation, HasTheCellsOfTheModesOnGrasps) {
  Comparison comparison(2);
  for (unsigned seed = 0; seed < 30; ++seed) {
    test::GraspProblems grasps(seed);
    const bool is_soft = seed % 5 == 0;
    ConstraintProblem problem = grasps.hand(is_soft || seed % 3 == 0 ? 2 : 3, is_soft ? 3 : 2);
    set_faces(problem, kBoxFaces);
    if (!is_soft && seed % 2 == 0) make_first_contact_slide(problem, grasps.uniform(0, 6));
    comparison.compare(problem);
  }
  comparison.report("grasps");
  EXPECT_LE(comparison.undecided, 2);
  EXPECT_GE(comparison.unique, 25);
}

// ---- Closed forms
// -----------------------------------------------------------------------------------------------------

/// A planar contact with a_nn = a_tt = 1; `limit` is μ of a rolling contact or the ratio r of one that slides.
ConstraintProblem make_planar(RowKind kind, double limit, double a_nt, double b_n, double b_t) {
  ConstraintProblem out(2);
  out.A() << 1, a_nt, a_nt, 1;
  out.b() << b_n, b_t;
  out.row(0) = {.kind = RowKind::normal};
  out.row(1) = {.kind = kind, .limit = limit};
  return out;
}

/// Painlevé's rod: w_n = m z_n + b with m = a_nn + r a_nt.
TEST(YyFormulation, SlidingRodHasOneTwoOrNoSolutionAsTheSignsSay) {
  std::array<int, 3> met{};
  for (double a_nt = -0.875; a_nt < 0.9; a_nt += 0.25) {
    for (const double r : {-3.0, -1.5, -0.5, 0.5, 1.5, 3.0}) {
      for (const double b : {-2.0, 0.0, 2.0}) {
        const ConstraintProblem problem = make_planar(RowKind::sliding, r, a_nt, b, 1);
        const double m = 1 + r * a_nt;
        const YyAnswer answer = find_all_yy(problem);
        ASSERT_TRUE(answer.is_complete);
        EXPECT_EQ(answer.sign_sets, 1);
        const std::size_t count = m < 0 && b != 0 ? (b > 0 ? 2 : 0) : 1;
        ASSERT_EQ(answer.cells.size(), count) << "m = " << m << ", b = " << b;
        EXPECT_EQ(answer.verdict, count == 0 ? Verdict::none : count == 1 ? Verdict::unique : Verdict::several);
        ++met[count];
        for (const YyCell& cell : answer.cells) {
          const VectorX<double>& z = cell.vertices.front();
          const bool is_open = cell.states.front() == ContactState::open;
          const double expected = is_open || b == 0 ? 0 : -b / m;
          EXPECT_NEAR(z(0), expected, 1e-14 * std::abs(expected));
          EXPECT_NEAR(z(1), r * z(0), 1e-14 * std::abs(expected));
          EXPECT_EQ(calc_determinacy(problem, z).is_P, m > 0);
        }
        if (count == 2) {
          EXPECT_NE(answer.cells[0].states, answer.cells[1].states);
        }
      }
    }
  }
  for (const int count : met) EXPECT_GE(count, 8);
}

/// m = 0: forces of any size, each with its own slip.
TEST(YyFormulation, RodOnTheBorderHasARay) {
  const YyAnswer answer = find_all_yy(make_planar(RowKind::sliding, -2, 0.5, 0, 1));
  EXPECT_EQ(answer.verdict, Verdict::several);
  ASSERT_EQ(answer.cells.size(), 1u);
  ASSERT_EQ(answer.cells.front().rays.size(), 1u);
  EXPECT_NEAR(answer.cells.front().rays.front()(1) / answer.cells.front().rays.front()(0), -2, 1e-14);
}

/// A block between two walls that may be squeezed: the friction of both contacts at rest has either sign.
TEST(YyFormulation, CutsSqueezeForcesAtTheSideCondition) {
  // Freedoms x, y of a block; contacts push it along +x and −x with friction along y, which carries its weight 1.
  MatrixX<double> J(4, 2);
  J << 1, 0, 0, 1, -1, 0, 0, 1;
  ConstraintProblem problem(4);
  problem.A() = J * J.transpose();
  problem.b() = J * Eigen::Vector2d(0, -1);
  for (const int i : {0, 2}) {
    problem.row(i) = {.kind = RowKind::normal};
    problem.row(i + 1) = {.kind = RowKind::tangent, .limit = 0.5};
  }
  const YyAnswer answer = find_all_yy(problem);
  // z₀ = z₂ = N. It may fall, with N up to 1 (friction 2 μ N ≤ 1 cannot hold it), or be held with N ≥ 1.
  EXPECT_EQ(answer.verdict, Verdict::several);
  double least_held = 1e9, most_falling = 0;
  for (const YyCell& cell : answer.cells) {
    for (const VectorX<double>& z : cell.vertices) {
      EXPECT_LE(grade(problem, z), 1e-14);
      const bool is_held = cell.states.front() == ContactState::stick;
      if (is_held) least_held = std::min(least_held, z(0));
      if (!is_held) most_falling = std::max(most_falling, z(0));
    }
  }
  EXPECT_NEAR(least_held, 1, 1e-14);
  EXPECT_NEAR(most_falling, 1, 1e-14);
}

/// A joint with dry friction f under a load: at rest up to f, else w = (|b| − f) against it.
TEST(YyFormulation, BoxedRowHoldsUpToItsLimit) {
  for (const double b : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}) {
    ConstraintProblem problem(1);
    problem.A() << 1;
    problem.b() << b;
    problem.row(0) = {.kind = RowKind::boxed, .limit = 2};
    const YyAnswer answer = find_all_yy(problem);
    EXPECT_EQ(answer.verdict, Verdict::unique);
    ASSERT_EQ(answer.cells.size(), 1u);  // b = 0 is found with both signs
    EXPECT_NEAR(answer.cells.front().vertices.front()(0), -std::clamp(b, -2.0, 2.0), 1e-15);
  }
}

// ---- Determinacy
// ------------------------------------------------------------------------------------------------------

/// A(Π) of a planar contact by hand: [a_nn − s μ a_nt, s a_nt; s a_nt − μ a_tt, a_tt]; its determinant is that of A.
TEST(Determinacy, PlanarContactIsPWhereItsNormalPivotIsPositive) {
  int yes = 0, no = 0;
  for (const double a_nt : {-0.75, -0.25, 0.25, 0.75}) {
    for (const double mu : {0.25, 1.0, 3.0}) {
      for (const int s : {-1, 1}) {
        ConstraintProblem problem = make_planar(RowKind::tangent, mu, a_nt, 0, 0);
        const Eigen::Vector2d z(1, -s * mu / 2);
        problem.b() = -problem.A() * z;  // sticks
        const Determinacy answer = calc_determinacy(problem, z);
        MatrixX<double> expected(2, 2);
        expected << 1 - s * mu * a_nt, s * a_nt, s * a_nt - mu, 1;
        EXPECT_EQ(answer.signs, std::vector<int>{s});
        EXPECT_EQ(answer.A, expected);
        EXPECT_EQ(answer.is_P, 1 > s * mu * a_nt);
        (answer.is_P == true ? yes : no) += 1;

        // The same signs by slip, which friction at its bound opposes.
        const Eigen::Vector2d slipping(1, -s * mu);
        problem.b() = Eigen::Vector2d(0, s) - problem.A() * slipping;
        EXPECT_EQ(calc_determinacy(problem, slipping).signs, std::vector<int>{s});
        EXPECT_EQ(calc_determinacy(problem, slipping).A, expected);
      }
    }
  }
  EXPECT_GE(yes, 8);
  EXPECT_GE(no, 2);
}

TEST(Determinacy, ForceOnTheNormalNeedsBothSigns) {
  for (const double a_nt : {-0.75, -0.25, 0.25, 0.75}) {
    for (const double mu : {0.25, 1.0, 3.0}) {
      ConstraintProblem problem = make_planar(RowKind::tangent, mu, a_nt, 0, 0);
      const Eigen::Vector2d z(1, 0);
      problem.b() = -problem.A() * z;
      const Determinacy answer = calc_determinacy(problem, z);
      EXPECT_EQ(answer.is_P, 1 > mu * std::abs(a_nt));
      if (answer.is_P == false) {
        EXPECT_EQ(answer.signs, std::vector<int>{a_nt > 0 ? 1 : -1});
      }
    }
  }
}

/// Without friction A(Π) is A with signs, which is definite; P is an open property.
TEST(Determinacy, HoldsForSmallFrictionAndNotForRedundantContacts) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const int tangents : {2, 3}) {
      ConstraintProblem problem = test::GraspProblems(seed).hand(3, tangents);
      for (int i = 0; i < problem.size(); ++i) problem.row(i).limit *= 1e-6;
      ConeSolver solver(problem.size());
      const ConeSolution& solution = solver.solve(problem);
      ASSERT_EQ(solution.status, ConeStatus::solved);
      const VectorX<double> z = Eigen::Map<const VectorX<double>>(solution.z.data(), problem.size());
      const Determinacy answer = calc_determinacy(problem, z);
      EXPECT_EQ(answer.is_P, true) << seed;
      EXPECT_EQ(answer.A.rows(), problem.size());
      EXPECT_EQ(answer.signs.size(), 3u * static_cast<unsigned>(tangents));
    }
    // 24 rows on 21 freedoms.
    const ConstraintProblem redundant = test::GraspProblems(seed).hand(8);
    EXPECT_EQ(calc_determinacy(redundant, VectorX<double>::Zero(24)).is_P, false);
  }
}

TEST(Determinacy, SeesThroughBilateralRows) {
  // Rows: a coupling twice, and a planar contact.
  test::RandomModeProblems random(5);
  MatrixX<double> J(4, 3);
  for (int i = 1; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) J(i, j) = random.uniform(-1, 1);
  }
  J.row(0) = 2 * J.row(1);
  ConstraintProblem problem(4);
  problem.A() = J * J.transpose();
  problem.b() = J * Eigen::Vector3d(1, 2, 3);
  problem.row(2) = {.kind = RowKind::normal};
  problem.row(3) = {.kind = RowKind::tangent, .limit = 0.5};
  const Determinacy answer = calc_determinacy(problem, VectorX<double>::Zero(4));

  // The contact's rows in the freedoms that the coupling leaves.
  const VectorX<double> coupling = J.row(1).normalized();
  const MatrixX<double> rest = J.bottomRows(2) - J.bottomRows(2) * coupling * coupling.transpose();
  ConstraintProblem alone(2);
  alone.A() = rest * rest.transpose();
  alone.row(0) = problem.row(2), alone.row(1) = problem.row(3);
  const MatrixX<double> expected = make_yy_lcp(alone, answer.signs).lcp.M;
  EXPECT_LE((answer.A - expected).norm(), 1e-14 * problem.A().norm());
  ASSERT_TRUE(answer.is_P.has_value());
  EXPECT_EQ(answer.is_P, test_p_matrix(expected).is_P);
}

/// Blocks that are P, but neither definite nor dominated by their diagonal.
TEST(Determinacy, SaysWhenAMatrixIsTooLarge) {
  const auto find_whether_p = [](int contacts) {
    ConstraintProblem problem(2 * contacts);
    VectorX<double> z(problem.size());
    for (int c = 0; c < contacts; ++c) {
      const ConstraintProblem one = make_planar(RowKind::tangent, 3, 0.3, 0, 0);
      problem.A().block(2 * c, 2 * c, 2, 2) = one.A();
      for (int k = 0; k < 2; ++k) problem.row(2 * c + k) = one.row(k);
      z.segment(2 * c, 2) << 1, -1.5;
    }
    problem.b() = -problem.A() * z;
    return calc_determinacy(problem, z).is_P;
  };
  EXPECT_EQ(find_whether_p(4), true);
  EXPECT_EQ(find_whether_p(9), true);
  EXPECT_EQ(find_whether_p(kMostDeterminacyRows / 2 + 1), std::nullopt);
}

// ---- Units, limits, arguments
// -----------------------------------------------------------------------------------------

/// A problem in other units: forces z become factor D⁻¹ z.
struct OtherUnits {
  OtherUnits(const ConstraintProblem& original, test::RandomModeProblems& random)
      : problem(original), factor(std::pow(10, random.uniform(-4, 4))), D(original.size()) {
    int normal = -1;
    for (int i = 0; i < problem.size(); ++i) {
      ConstraintRow& row = problem.row(i);
      const bool is_friction = row.kind == RowKind::tangent || row.kind == RowKind::sliding;
      if (row.kind == RowKind::normal) normal = i;
      // One unit for a contact, but for torsion.
      const bool shares = is_friction && i <= normal + 2;
      D(i) = shares ? D(normal) : std::pow(10, random.uniform(-3, 3));
      if (row.kind == RowKind::boxed) row.limit *= factor / D(i);
      if (is_friction) row.limit *= D(normal) / D(i);
    }
    problem.A() = D.asDiagonal() * original.A() * D.asDiagonal();
    problem.b() = factor * D.asDiagonal() * original.b();
  }

  VectorX<double> restore(const VectorX<double>& z) const { return D.cwiseProduct(z) / factor; }

  ConstraintProblem problem;
  double factor;
  VectorX<double> D;
};

TEST(YyFormulation, DoesNotDependOnUnits) {
  test::RandomModeProblems random(21);
  int cells = 0, yes = 0, no = 0;
  for (int k = 0; k < 80; ++k) {
    const int contacts = random.pick(1, 2), freedoms = random.pick(2, 6);
    ConstraintProblem problem =
        k % 10 == 0 ? test::GraspProblems(static_cast<unsigned>(k)).hand(2, 3) : random.make(contacts, freedoms);
    set_faces(problem, kBoxFaces);
    const OtherUnits other(problem, random);
    const YyAnswer here = find_all_yy(problem), there = find_all_yy(other.problem);
    EXPECT_EQ(here.verdict, there.verdict) << k;
    ASSERT_EQ(here.cells.size(), there.cells.size()) << k;
    const internal::ScaledProblem scaled(problem);
    for (const YyCell& cell : there.cells) {
      const auto is_same = [&](const YyCell& mine) {
        return mine.states == cell.states &&
               std::all_of(cell.vertices.begin(), cell.vertices.end(),
                           [&](const auto& z) { return is_in_cell(scaled, mine, other.restore(z)); });
      };
      EXPECT_TRUE(std::any_of(here.cells.begin(), here.cells.end(), is_same)) << k;
      const VectorX<double>& z = cell.vertices.front();
      const Determinacy mine = calc_determinacy(problem, other.restore(z)), its = calc_determinacy(other.problem, z);
      EXPECT_EQ(mine.is_P, its.is_P) << k;
      EXPECT_EQ(mine.signs, its.signs) << k;
      ++cells;
      yes += mine.is_P == true;
      no += mine.is_P == false;
    }
  }
  std::cout << cells << " cells, " << yes << " of them determinate, " << no << " not\n";
  EXPECT_GE(yes, 30);
  EXPECT_GE(no, 30);
}

TEST(YyFormulation, SaysWhenThereAreTooManySets) {
  ConstraintProblem problem = test::GraspProblems(0).hand(3);
  set_faces(problem, kBoxFaces);
  const YyAnswer limited = find_all_yy(problem, {.most_sign_sets = 63, .most_cells = 10, .search = {}});
  EXPECT_EQ(limited.verdict, Verdict::undecided);
  EXPECT_FALSE(limited.is_complete);
  EXPECT_EQ(limited.reason, "2^6 sets of signs, more than 63");
  EXPECT_EQ(limited.sign_sets, 0);
  EXPECT_TRUE(find_all_yy(problem, {.most_sign_sets = 64, .most_cells = 10, .search = {}}).is_complete);
  ConstraintProblem large = test::GraspProblems(0).hand(40);
  set_faces(large, kBoxFaces);
  EXPECT_EQ(find_all_yy(large).verdict, Verdict::undecided);
}

/// Rows without unknowns: friction of strength 0, and a tangent without friction.
TEST(YyFormulation, TakesProblemsWithoutDirections) {
  ConstraintProblem problem(1);
  problem.A() << 1;
  problem.b() << 3;
  problem.row(0) = {.kind = RowKind::boxed, .limit = 0};
  EXPECT_EQ(find_all_yy(problem).verdict, Verdict::unique);
  EXPECT_EQ(find_all_yy(ConstraintProblem(0)).verdict, Verdict::unique);
  EXPECT_EQ(calc_determinacy(problem, VectorX<double>::Zero(1)).is_P, true);
  const ConstraintProblem smooth = make_planar(RowKind::tangent, 0, 0.5, -1, 1);
  const YyAnswer answer = find_all_yy(smooth);
  EXPECT_EQ(answer.sign_sets, 1);
  ASSERT_EQ(answer.cells.size(), 1u);
  EXPECT_EQ(answer.cells.front().vertices.front(), Eigen::Vector2d(1, 0));
  EXPECT_EQ(answer.cells.front().states.front(), ContactState::slide);
}

TEST(YyFormulation, RefusesOtherConesAndSigns) {
  ConstraintProblem problem = test::GraspProblems(0).hand(1);
  EXPECT_THROW(find_all_yy(problem), std::invalid_argument);  // circular
  set_faces(problem, 4);
  EXPECT_THROW(find_all_yy(problem), std::invalid_argument);
  EXPECT_THROW(make_yy_lcp(problem, std::vector<int>{1}), std::invalid_argument);
  EXPECT_THROW(make_yy_lcp(problem, std::vector<int>{1, 0}), std::invalid_argument);
  EXPECT_THROW(calc_determinacy(problem, VectorX<double>::Zero(2)), std::invalid_argument);
  set_faces(problem, kBoxFaces);
  EXPECT_NO_THROW(find_all_yy(problem));
  problem.b()(0) = std::nan("");
  EXPECT_THROW(find_all_yy(problem), std::invalid_argument);
  EXPECT_THROW(calc_determinacy(problem, VectorX<double>::Zero(3)), std::invalid_argument);
}

}  // namespace
}  // namespace thenar::yy_formulation_test
