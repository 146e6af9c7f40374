// SPDX-License-Identifier: BSD-3-Clause
/// Polygons and the circle: how the answers on k-sided cones approach that of the circular cone, and that only the
/// latter does not care how the tangents of a contact are turned.
///
/// The inscribed polygon is weaker than the circle by 1 − cos(π/k), of order 1/k². But friction on it stands in a
/// corner for all slips of a sector of 2π/k, or slips have the direction of a ray for all forces of an edge: directions
/// of forces and slips are off by up to π/k. Answers therefore converge with order 1; with order 2 where the tangents
/// are turned so that the middle of an edge opposes the slip, which leaves nothing but the weakness.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iostream>
#include <numbers>
#include <optional>
#include <vector>

#include "formulation_comparison.h"
#include "geometric_grasps.h"
#include "thenar/complementarity/cone_solver.h"

namespace thenar::cone_convergence_test {
namespace {

using test::GeometricGrasps;
using test::grade;
using test::set_faces;

/// An answer in units in which A has 1 on its diagonal; errors are in parts of `scale` (grade.h).
struct ScaledAnswer {
  ScaledAnswer(const ConstraintProblem& problem, const VectorX<double>& forces) {
    const VectorX<double> unit = problem.A().diagonal().cwiseSqrt();
    z = forces.cwiseProduct(unit);
    w = (problem.A() * forces + problem.b()).cwiseQuotient(unit);
    scale = grade_solution(problem, {forces.data(), static_cast<std::size_t>(forces.size())}).scale;
  }

  double calc_motion_error(const ScaledAnswer& exact) const {
    return (w - exact.w).lpNorm<Eigen::Infinity>() / exact.scale;
  }
  double calc_force_error(const ScaledAnswer& exact) const {
    return (z - exact.z).lpNorm<Eigen::Infinity>() / exact.scale;
  }

  VectorX<double> z, w;
  double scale = 1;
};

struct ConeAnswer {
  VectorX<double> z;
  bool slides = false;
};

std::optional<ConeAnswer> solve_cone(const ConstraintProblem& problem) {
  ConeSolver solver(problem.size(), {.tolerance = 1e-12});
  const ConeSolution& solution = solver.solve(problem);
  if (solution.status != ConeStatus::solved) return std::nullopt;
  ConeAnswer out{Eigen::Map<const VectorX<double>>(solution.z.data(), problem.size())};
  for (const ContactState state : solution.contact) out.slides |= state == ContactState::slide;
  return out;
}

constexpr std::array kFaces{4, 8, 16, 32, 64};

/// The only answer on k-sided cones, if there is one.
std::optional<VectorX<double>> solve_polygon(ConstraintProblem problem, int faces) {
  set_faces(problem, faces);
  const ModeAnswer answer = solve_modes(problem);
  if (answer.verdict != Verdict::unique) return std::nullopt;
  EXPECT_LE(grade(problem, answer.cells.front().z), 1e-10);
  return answer.cells.front().z;
}

/// The slope of log(error) over log(1/k) from 16 faces on: with few faces some contacts slip that the circle holds.
double fit_order(const std::array<double, kFaces.size()>& errors) {
  return std::log2(errors[kFaces.size() - 3] / errors[kFaces.size() - 1]) / 2;
}

/// Turns the tangents of contact c by angles[c]: A ← Q A Qᵀ, b ← Q b. Returns Q.
MatrixX<double> turn_tangents(ConstraintProblem& problem, const std::vector<double>& angles) {
  MatrixX<double> Q = MatrixX<double>::Identity(problem.size(), problem.size());
  for (int i = 0; i < problem.size(); i += 3) {
    Q.block(i + 1, i + 1, 2, 2) = Eigen::Rotation2Dd(angles[static_cast<std::size_t>(i / 3)]).toRotationMatrix();
  }
  const MatrixX<double> A = Q * problem.A() * Q.transpose();
  problem.A() = 0.5 * (A + A.transpose());
  problem.b() = (Q * problem.b()).eval();
  return Q;
}

std::vector<double> make_angles(const ConstraintProblem& problem, GeometricGrasps& random) {
  std::vector<double> out;
  for (int i = 0; i < problem.size(); i += 3) out.push_back(random.uniform(0, 2 * std::numbers::pi));
  return out;
}

/// Grasps with a slip whose circular answer is known.
class SlippingGrasps {
 public:
  explicit SlippingGrasps(unsigned seed) : grasps_(seed) {}

  void next() {
    do {
      problem = grasps_.spatial_rolling(grasps_.pick(1, 3));
      answer = solve_cone(problem);
    } while (!answer || !answer->slides);
  }

  ConstraintProblem problem;
  std::optional<ConeAnswer> answer;

 private:
  GeometricGrasps grasps_;
};

/// Root mean squares of the errors with 4 to 64 faces.
struct Errors {
  std::array<double, kFaces.size()> motion{}, force{};
  int grasps = 0;

  void report() const {
    for (std::size_t i = 0; i < kFaces.size(); ++i) {
      std::cout << kFaces[i] << " faces: motion " << motion[i] << ", forces " << force[i] << '\n';
    }
    std::cout << grasps << " grasps, order " << fit_order(motion) << " of motions, " << fit_order(force)
              << " of forces\n";
  }
};

/// Errors of grasps whose answers are unique for all numbers of faces; the tangents are turned by `find_angles`, a
/// function of the grasp and the faces.
template <class FindAngles>
Errors measure_errors(const FindAngles& find_angles) {
  constexpr int kTrials = 120;
  Errors out;
  SlippingGrasps grasp(5);
  for (int k = 0; k < kTrials; ++k) {
    grasp.next();
    const ScaledAnswer exact(grasp.problem, grasp.answer->z);
    std::array<double, kFaces.size()> motion{}, force{};
    bool is_unique = true;
    for (std::size_t i = 0; i < kFaces.size() && is_unique; ++i) {
      ConstraintProblem turned = grasp.problem;
      const MatrixX<double> Q = turn_tangents(turned, find_angles(grasp, kFaces[i]));
      const std::optional<VectorX<double>> z = solve_polygon(turned, kFaces[i]);
      is_unique = z.has_value();
      if (!is_unique) break;
      const ScaledAnswer answer(grasp.problem, Q.transpose() * *z);
      motion[i] = answer.calc_motion_error(exact), force[i] = answer.calc_force_error(exact);
    }
    if (!is_unique) continue;
    ++out.grasps;
    for (std::size_t i = 0; i < kFaces.size(); ++i) {
      out.motion[i] += motion[i] * motion[i], out.force[i] += force[i] * force[i];
    }
  }
  for (std::size_t i = 0; i < kFaces.size(); ++i) {
    out.motion[i] = std::sqrt(out.motion[i] / out.grasps), out.force[i] = std::sqrt(out.force[i] / out.grasps);
  }
  return out;
}

TEST(ConeConvergence, PolygonsApproachTheCircleWithOrderOne) {
  GeometricGrasps random(6);
  const Errors errors =
      measure_errors([&](const SlippingGrasps& grasp, int) { return make_angles(grasp.problem, random); });
  errors.report();
  EXPECT_GE(errors.grasps, 80);
  // Angles are random: a mean of 100 squares is off by some tenths, its root at both ends by half of that.
  EXPECT_NEAR(fit_order(errors.motion), 1, 0.25);
  EXPECT_NEAR(fit_order(errors.force), 1, 0.25);
  for (std::size_t i = 0; i < kFaces.size(); ++i) {
    // Friction in a direction that is off by π/k.
    EXPECT_LE(errors.motion[i], std::numbers::pi / kFaces[i]);
    EXPECT_LE(errors.force[i], std::numbers::pi / kFaces[i]);
  }
}

TEST(ConeConvergence, PolygonsWithAnEdgeAgainstTheSlipApproachTheCircleWithOrderTwo) {
  const Errors errors = measure_errors([](const SlippingGrasps& grasp, int faces) {
    const VectorX<double> w = grasp.problem.A() * grasp.answer->z + grasp.problem.b();
    std::vector<double> angles;
    // The middle of the first edge is at π/k.
    for (int i = 0; i < grasp.problem.size(); i += 3) {
      angles.push_back(std::numbers::pi / faces - std::atan2(-w(i + 2), -w(i + 1)));
    }
    return angles;
  });
  errors.report();
  EXPECT_GE(errors.grasps, 80);
  EXPECT_NEAR(fit_order(errors.motion), 2, 0.1);
  EXPECT_NEAR(fit_order(errors.force), 2, 0.1);
  for (std::size_t i = 0; i < kFaces.size(); ++i) {
    const double weakness = 1 - std::cos(std::numbers::pi / kFaces[i]);
    EXPECT_LE(errors.motion[i], weakness);
    EXPECT_LE(errors.force[i], weakness);
  }
}

/// To 1e-9: the cone solver ends at 1e-12, times the condition of A.
TEST(ConeConvergence, CircularAnswersTurnWithTheTangentsAndPolygonsDoNot) {
  GeometricGrasps random(7);
  SlippingGrasps grasp(8);
  int compared = 0, polygons = 0, moved = 0, proved = 0;
  for (int k = 0; k < 100; ++k) {
    grasp.next();
    if (!solve_polygon(grasp.problem, 64)) continue;  // the circle may have several answers
    ConstraintProblem turned = grasp.problem;
    const MatrixX<double> Q = turn_tangents(turned, make_angles(turned, random));
    const std::optional<ConeAnswer> round = solve_cone(turned);
    ASSERT_TRUE(round);
    const ScaledAnswer exact(grasp.problem, grasp.answer->z), again(grasp.problem, Q.transpose() * round->z);
    EXPECT_LE(again.calc_motion_error(exact), 1e-9) << k;
    EXPECT_LE(again.calc_force_error(exact), 1e-9) << k;
    ++compared;

    const ModeAnswer here = solve_modes(grasp.problem), there = solve_modes(turned);
    proved += here.verdict == Verdict::unique;
    ASSERT_FALSE(here.cells.empty() || there.cells.empty());
    const ScaledAnswer mode_here(grasp.problem, here.cells.front().z);
    const ScaledAnswer mode_there(grasp.problem, Q.transpose() * there.cells.front().z);
    EXPECT_LE(mode_here.calc_motion_error(exact), 1e-9) << k;
    EXPECT_LE(mode_there.calc_motion_error(exact), 1e-9) << k;

    const std::optional<VectorX<double>> z = solve_polygon(grasp.problem, 6), turned_z = solve_polygon(turned, 6);
    if (!z || !turned_z) continue;
    ++polygons;
    const ScaledAnswer before(grasp.problem, *z), after(grasp.problem, Q.transpose() * *turned_z);
    moved += after.calc_motion_error(before) > 1e-3;
  }
  std::cout << compared << " grasps, " << proved << " proved to have one circular answer; " << moved << " of "
            << polygons << " six-sided answers moved\n";
  EXPECT_GE(compared, 70);
  EXPECT_GE(moved, polygons / 2);
}

/// Contacts that stick or open: the circular verdict is proved, with tangents turned or not.
TEST(ConeConvergence, VerdictsOfCircularConesTurnWithTheTangents) {
  GeometricGrasps random(9);
  int proved = 0;
  for (int k = 0; k < 200; ++k) {
    const ConstraintProblem problem = random.spatial_rolling(1 + k % 3);
    ConstraintProblem turned = problem;
    const MatrixX<double> Q = turn_tangents(turned, make_angles(problem, random));
    const ModeAnswer here = solve_modes(problem), there = solve_modes(turned);
    // Sectors of slips are cut along the tangents: what one sees excluded, the other may leave undecided.
    if (here.verdict == Verdict::undecided || there.verdict == Verdict::undecided) continue;
    ++proved;
    EXPECT_EQ(here.verdict, there.verdict) << k;
    if (here.verdict != Verdict::unique) continue;
    const ScaledAnswer exact(problem, here.cells.front().z);
    const ScaledAnswer again(problem, Q.transpose() * there.cells.front().z);
    EXPECT_LE(again.calc_motion_error(exact), 1e-9) << k;
    EXPECT_LE(again.calc_force_error(exact), 1e-9) << k;
  }
  std::cout << proved << " verdicts of circular cones compared\n";
  EXPECT_GE(proved, 50);
}

}  // namespace
}  // namespace thenar::cone_convergence_test
