// SPDX-License-Identifier: BSD-3-Clause
// Slow motion in space: polygons of friction against the plane, against the circle, and turned worlds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "thenar/quasistatic/quasistatic_grade.h"
#include "thenar/quasistatic/quasistatic_verify.h"
#include "thenar/quasistatic/random_quasistatic.h"

namespace thenar::spatial_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

void expect_verified(const QuasistaticProblem& problem, const QuasistaticAnswer& answer) {
  const Verification check =
      verify_quasistatic(problem, {answer.verdict, answer.solutions, answer.is_list_complete, answer.tree});
  EXPECT_TRUE(check.holds()) << check.reason;
}

/// A planar problem as one in space whose object cannot leave the plane.
QuasistaticProblem embed(QuasistaticProblem problem, int sides) {
  problem.sides = sides;
  problem.W_u = MatrixX<double>::Zero(problem.object_freedoms(), problem.contact_count());
  problem.J_u = MatrixX<double>::Zero(problem.contact_count(), problem.joint_count());
  return problem;
}

TEST(SpatialQuasistatic, IsThePlanarProblemInThePlane) {
  int decided = 0, several = 0, none = 0;
  for (int seed = 1; seed <= 40; ++seed) {
    const QuasistaticProblem planar = make_random_quasistatic({.contacts = 3 + seed % 3,
                                                               .largest_mu = 1,
                                                               .effort_joints = seed % 2,
                                                               .seed = static_cast<std::uint64_t>(seed)});
    const QuasistaticAnswer expected = solve_quasistatic(planar, {.all = true});
    for (const int sides : {4, 6}) {
      const QuasistaticProblem spatial = embed(planar, sides);
      const QuasistaticAnswer found = solve_quasistatic(spatial, {.all = true});
      expect_verified(spatial, found);
      ASSERT_EQ(found.verdict, expected.verdict) << "seed " << seed << ", " << sides << " sides: " << found.reason;
      ASSERT_EQ(found.solutions.size(), expected.solutions.size());
      for (const QuasistaticSolution& solution : expected.solutions) {
        const bool is_there =
            std::any_of(found.solutions.begin(), found.solutions.end(), [&](const QuasistaticSolution& other) {
              return !solution.velocity_unique ||
                     (other.q_dot - solution.q_dot).norm() < 1e-6 * (1 + solution.q_dot.norm());
            });
        EXPECT_TRUE(is_there) << "seed " << seed;
      }
    }
    ++decided;
    several += expected.verdict == QuasistaticVerdict::several ? 1 : 0;
    none += expected.verdict == QuasistaticVerdict::none ? 1 : 0;
  }
  EXPECT_EQ(decided, 40);
  EXPECT_GT(several, 0);
  EXPECT_GT(none, 0);
}

/// A rigid body touched in points, each by something that moves with a given velocity; all in a turned world.
struct SpatialBench {
  struct Point {
    Vector3d r, normal, velocity;
    double mu = 0;
  };
  std::vector<Point> points;
  Vector3d force = Vector3d::Zero();  ///< at the origin
  int sides = 8;
  Matrix3d turn = Matrix3d::Identity();

  QuasistaticProblem make() const {
    const auto n = static_cast<Eigen::Index>(points.size());
    QuasistaticProblem out;
    out.sides = sides;
    out.W_n = out.W_t = out.W_u = MatrixX<double>::Zero(6, n);
    out.J_n = out.J_t = out.J_u = MatrixX<double>::Zero(n, 3 * n);
    out.theta_dot = out.tau = out.g_man = VectorX<double>::Zero(3 * n);
    out.is_position_controlled.assign(static_cast<std::size_t>(3 * n), true);
    out.mu.resize(n);
    out.g_obj = VectorX<double>::Zero(6);
    out.g_obj.head<3>() = turn * force;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Point& p = points[static_cast<std::size_t>(i)];
      const Vector3d N = p.normal.normalized();
      const Vector3d T = (Vector3d::UnitX() - N.x() * N).norm() > 0.1 ? (Vector3d::UnitX() - N.x() * N).normalized()
                                                                      : (Vector3d::UnitY() - N.y() * N).normalized();
      const Vector3d axes[] = {N, T, N.cross(T)};
      MatrixX<double>* const W[] = {&out.W_n, &out.W_t, &out.W_u};
      MatrixX<double>* const J[] = {&out.J_n, &out.J_t, &out.J_u};
      for (int d = 0; d < 3; ++d) {
        W[d]->col(i).head<3>() = turn * axes[d];
        W[d]->col(i).tail<3>() = turn * p.r.cross(axes[d]);
        (*J[d])(i, 3 * i + d) = 1;
        out.theta_dot(3 * i + d) = axes[d].dot(p.velocity);
      }
      out.mu(i) = p.mu;
    }
    return out;
  }
};

/// A tripod of weight 3 on a table, pushed at the height of the table by a frictionless finger: every foot bears 1.
SpatialBench make_tripod(int sides) {
  SpatialBench out;
  out.sides = sides;
  out.force = {0, 0, -3};
  for (int k = 0; k < 3; ++k) {
    const double angle = 0.3 + 2 * M_PI * k / 3;
    out.points.push_back({{std::cos(angle), std::sin(angle), 0}, {0, 0, 1}, Vector3d::Zero(), 0.4});
  }
  out.points.push_back({{-1.2, 0.35, 0}, {1, 0, 0}, {1, 0, 0}, 0});
  return out;
}

/// The slow motion of the same with circles of friction: of all motions that the finger allows the one that loses
/// least power. Returns (v_x, v_y, ω).
Vector3d find_least_power(const SpatialBench& tripod) {
  const SpatialBench::Point& finger = tripod.points.back();
  const auto power = [&](double v_y, double w) {
    const double v_x = 1 + w * finger.r.y();
    double out = 0;
    for (int k = 0; k < 3; ++k) {
      const Vector3d& r = tripod.points[static_cast<std::size_t>(k)].r;
      out += std::hypot(v_x - w * r.y(), v_y + w * r.x());
    }
    return out;
  };
  const auto minimize = [](const std::function<double(double)>& f) {
    double low = -3, high = 3;
    for (int i = 0; i < 120; ++i) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
    }
    return (low + high) / 2;
  };
  const double w = minimize([&](double x) { return power(minimize([&](double y) { return power(y, x); }), x); });
  const double v_y = minimize([&](double y) { return power(y, w); });
  return {1 + w * finger.r.y(), v_y, w};
}

TEST(SpatialQuasistatic, PushedTripodApproachesTheCircleAsPolygonsGetMoreSides) {
  const Vector3d circle = find_least_power(make_tripod(8));
  double last = 1;
  for (const int sides : {8, 16, 32}) {
    const QuasistaticProblem problem = make_tripod(sides).make();
    const QuasistaticAnswer answer = solve_quasistatic(problem, {.all = false});
    expect_verified(problem, answer);
    ASSERT_FALSE(answer.solutions.empty()) << sides << " sides";
    double error = 0;
    for (const QuasistaticSolution& solution : answer.solutions) {
      const Vector3d found(solution.q_dot(0), solution.q_dot(1), solution.q_dot(5));
      error = std::max(error, (found - circle).norm());
      EXPECT_NEAR(solution.c_n.head<3>().sum(), 3, 1e-9);
    }
    // Directions of slip are told to an angle of π/k: the error falls in proportion.
    EXPECT_LT(error, 0.7 * last) << sides << " sides";
    last = error;
  }
}

TEST(SpatialQuasistatic, DoesNotDependOnHowTheWorldIsTurned) {
  SpatialBench tripod = make_tripod(6);
  const QuasistaticAnswer expected = solve_quasistatic(tripod.make(), {.all = true});
  ASSERT_TRUE(expected.is_list_complete) << expected.reason;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random)).normalized();
    tripod.turn = turn.toRotationMatrix();
    const QuasistaticProblem problem = tripod.make();
    const QuasistaticAnswer found = solve_quasistatic(problem, {.all = true});
    expect_verified(problem, found);
    EXPECT_EQ(found.verdict, expected.verdict);
    ASSERT_EQ(found.solutions.size(), expected.solutions.size());
    for (const QuasistaticSolution& solution : expected.solutions) {
      EXPECT_TRUE(std::any_of(found.solutions.begin(), found.solutions.end(),
                              [&](const QuasistaticSolution& other) { return other.has_modes_of(solution); }));
    }
  }
}

TEST(SpatialQuasistatic, FixedFingersThatPressCannotMoveWhatIsBetweenThem) {
  // Three fingers at rest hold a weight by friction: one answer, at rest, with forces that are not the only ones.
  SpatialBench grasp;
  grasp.sides = 8;
  grasp.force = {0, 0, -1};
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * M_PI * k / 3;
    const Vector3d r(std::cos(angle), std::sin(angle), 0);
    grasp.points.push_back({r, -r, Vector3d::Zero(), 0.5});
  }
  const QuasistaticProblem problem = grasp.make();
  const QuasistaticAnswer answer = solve_quasistatic(problem);
  expect_verified(problem, answer);
  const auto rests = std::find_if(answer.solutions.begin(), answer.solutions.end(),
                                  [](const QuasistaticSolution& solution) { return solution.q_dot.norm() < 1e-9; });
  ASSERT_NE(rests, answer.solutions.end());
  EXPECT_FALSE(rests->forces_unique);
  // Fingers that come together crush it: no velocity is left.
  for (SpatialBench::Point& point : grasp.points) point.velocity = -0.1 * point.r;
  const QuasistaticProblem crushed = grasp.make();
  const QuasistaticAnswer jam = solve_quasistatic(crushed);
  EXPECT_EQ(jam.verdict, QuasistaticVerdict::none);
  expect_verified(crushed, jam);
}

TEST(SpatialQuasistatic, ProofsThatWereTamperedWithAreRefuted) {
  SpatialBench tripod = make_tripod(4);
  const QuasistaticProblem problem = tripod.make();
  QuasistaticAnswer answer = solve_quasistatic(problem, {.all = true});
  ASSERT_TRUE(answer.is_list_complete) << answer.reason;
  ASSERT_FALSE(answer.solutions.empty());
  QuasistaticClaim claim{answer.verdict, answer.solutions, true, answer.tree};
  claim.solutions.front().c_u(0) += 0.01;
  EXPECT_FALSE(verify_quasistatic(problem, claim).holds());
  claim = {answer.verdict, answer.solutions, true, answer.tree};
  claim.solutions.front().sectors[0] = (claim.solutions.front().sectors[0] + 3) % (2 * problem.sides);
  EXPECT_FALSE(verify_quasistatic(problem, claim).holds());
  int refuted = 0, ends = 0;
  for (std::size_t k = 0; k < answer.tree.size(); ++k) {
    if (answer.tree[k].y.size() == 0) continue;
    claim = {answer.verdict, answer.solutions, true, answer.tree};
    claim.tree[k].y = -claim.tree[k].y;
    refuted += verify_quasistatic(problem, claim).holds() ? 0 : 1;
    ++ends;
  }
  EXPECT_EQ(refuted, ends);
}

}  // namespace
}  // namespace thenar::spatial_test
