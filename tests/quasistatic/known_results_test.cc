// SPDX-License-Identifier: BSD-3-Clause
// Textbook results about pushed, jammed and wedged bodies, each on both sides of its limit.

#include <gtest/gtest.h>

#include <cmath>

#include "thenar/quasistatic/quasistatic_solver.h"

namespace thenar::known_results_test {
namespace {

using Eigen::Vector2d;
using Mode = QuasistaticMode;
using Modes = std::vector<Mode>;

/// A planar object with points of contact, each on a body that moves with a given velocity.
class Bench {
 public:
  explicit Bench(const Eigen::Vector3d& load) : load_(load) {}

  /// `r` from the point that the load acts on, `normal` into the object, `velocity` of the other body.
  Bench& touch(Vector2d r, Vector2d normal, double mu, Vector2d velocity = Vector2d::Zero()) {
    points_.push_back({r, normal.normalized(), velocity, mu});
    return *this;
  }

  QuasistaticProblem make() const {
    const auto n = static_cast<Eigen::Index>(points_.size());
    QuasistaticProblem out;
    out.W_n = out.W_t = MatrixX<double>::Zero(3, n);
    out.J_n = out.J_t = MatrixX<double>::Zero(n, 2 * n);
    out.theta_dot = out.tau = out.g_man = VectorX<double>::Zero(2 * n);
    out.mu.resize(n);
    out.g_obj = load_;
    out.is_position_controlled.assign(static_cast<std::size_t>(2 * n), true);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Point& p = points_[static_cast<std::size_t>(i)];
      const Vector2d t(-p.normal.y(), p.normal.x());
      out.W_n.col(i) << p.normal, p.r.x() * p.normal.y() - p.r.y() * p.normal.x();
      out.W_t.col(i) << t, p.r.x() * t.y() - p.r.y() * t.x();
      out.J_n(i, 2 * i) = out.J_t(i, 2 * i + 1) = 1;
      out.theta_dot(2 * i) = p.normal.dot(p.velocity);
      out.theta_dot(2 * i + 1) = t.dot(p.velocity);
      out.mu(i) = p.mu;
    }
    return out;
  }

  QuasistaticAnswer solve() const { return solve_quasistatic(make(), {.all = true}); }

 private:
  struct Point {
    Vector2d r, normal, velocity;
    double mu;
  };
  Eigen::Vector3d load_;
  std::vector<Point> points_;
};

/// A block of width w and height 2 on a floor, pushed to the right at height h by a frictionless finger. The friction
/// μ G of the floor and the push make a couple μ G h that the weight can balance up to G w / 2.
QuasistaticAnswer push_block(double h, double mu) {
  const double w = 1, middle = 1;
  return Bench({0, -1, 0})
      .touch({-w / 2, -middle}, {0, 1}, mu)
      .touch({w / 2, -middle}, {0, 1}, mu)
      .touch({-w / 2, h - middle}, {1, 0}, 0, {0.1, 0})
      .solve();
}

TEST(PushedBlock, SlidesBelowTheHeightAtWhichItTips) {
  const double mu = 0.4, limit = 1 / (2 * mu);
  const QuasistaticAnswer low = push_block(0.98 * limit, mu);
  ASSERT_EQ(low.verdict, QuasistaticVerdict::unique);
  // The tangent of the floor points to −x, so that sliding to the right is slide−.
  EXPECT_EQ(low.solutions[0].modes, (Modes{Mode::slides_minus, Mode::slides_minus, Mode::rolls}));
  EXPECT_NEAR(low.solutions[0].q_dot.x(), 0.1, 1e-12);
  EXPECT_NEAR(low.solutions[0].c_n(2), mu, 1e-12) << "the finger feels the friction of the floor";

  const QuasistaticAnswer high = push_block(1.02 * limit, mu);
  ASSERT_EQ(high.verdict, QuasistaticVerdict::unique);
  const QuasistaticSolution& tips = high.solutions[0];
  EXPECT_EQ(tips.modes[0], Mode::breaks);
  EXPECT_EQ(tips.modes[1], Mode::rolls) << "the centre of rotation is the far corner";
  // It turns clockwise about that corner, as fast as the finger comes: ω h = 0.1.
  EXPECT_NEAR(tips.q_dot.z(), -0.1 / (1.02 * limit), 1e-12);
  EXPECT_NEAR(tips.c_n(2) * 1.02 * limit, 0.5, 1e-12) << "moments about the corner";
}

/// A drawer whose walls touch it at two corners, a distance l apart along its way, pulled at an offset e from its
/// middle against a resistance D. P = D + 2 μ N and N l = P e give P (1 − 2 μ e / l) = D.
QuasistaticAnswer pull_drawer(double l, double e, double mu) {
  const double width = 0.5;
  return Bench({-1, 0, 0})
      .touch({l / 2, width}, {0, -1}, mu)
      .touch({-l / 2, -width}, {0, 1}, mu)
      .touch({0, e}, {1, 0}, 0, {0.1, 0})
      .solve();
}

TEST(Drawer, JamsAtTheTextbookRatio) {
  const double l = 1.2, mu = 0.5, limit = l / (2 * mu);  // of e
  // Pulled above its middle it turns clockwise: the front lower and the rear upper corner would touch; pulled below it
  // touches with the other two, which are those here.
  for (const double share : {0.1, 0.5, 0.9, 0.99}) {
    const double e = -share * limit;
    const QuasistaticAnswer answer = pull_drawer(l, e, mu);
    ASSERT_EQ(answer.verdict, QuasistaticVerdict::unique) << share;
    EXPECT_NEAR(answer.solutions[0].c_n(2), 1 / (1 - share), 1e-9 / (1 - share));
    EXPECT_NEAR(answer.solutions[0].q_dot.x(), 0.1, 1e-12);
    EXPECT_NEAR(answer.solutions[0].q_dot.z(), 0, 1e-12);
  }
  for (const double share : {1.01, 1.5, 4.0}) {
    EXPECT_EQ(pull_drawer(l, -share * limit, mu).verdict, QuasistaticVerdict::none) << share;
  }
}

/// A block between a wall on its left and a floor, pushed into the corner by fingers from above and from the right that
/// stand still: nothing moves. If the right one moves on, there is no room.
TEST(PegInCorner, StaysOrJams) {
  const auto corner = [](double speed) {
    return Bench({0, -1, 0})
        .touch({-1, 0.5}, {1, 0}, 0.3)
        .touch({-1, -0.5}, {1, 0}, 0.3)
        .touch({-0.5, -1}, {0, 1}, 0.3)
        .touch({0.5, -1}, {0, 1}, 0.3)
        .touch({1, 0}, {-1, 0}, 0.3, {speed, 0})
        .solve();
  };
  const QuasistaticAnswer rest = corner(0);
  ASSERT_EQ(rest.verdict, QuasistaticVerdict::unique);
  EXPECT_LT(rest.solutions[0].q_dot.norm(), 1e-12);
  EXPECT_FALSE(rest.solutions[0].forces_unique);
  EXPECT_EQ(corner(-0.1).verdict, QuasistaticVerdict::none);
  // Moving away, it lets the block alone.
  const QuasistaticAnswer away = corner(0.1);
  ASSERT_EQ(away.verdict, QuasistaticVerdict::unique);
  EXPECT_EQ(away.solutions[0].modes[4], Mode::breaks);
}

/// A wedge between a fixed wall and an inclined finger that closes on it: it is squeezed out against a load of 1 if its
/// half angle is larger than the angle of friction, and jams if it is smaller.
QuasistaticAnswer squeeze_wedge(double half_angle, double mu) {
  const double s = std::sin(half_angle), c = std::cos(half_angle);
  return Bench({0, -1, 0}).touch({-1, 0}, {c, s}, mu, {0.1, 0}).touch({1, 0}, {-c, s}, mu, {-0.1, 0}).solve();
}

TEST(Wedge, LocksBelowTheAngleOfFriction) {
  const double mu = 0.3, friction_angle = std::atan(mu);
  const QuasistaticAnswer steep = squeeze_wedge(1.05 * friction_angle, mu);
  bool rises = false;
  for (const QuasistaticSolution& solution : steep.solutions) {
    const bool slides = solution.modes[0] != Mode::rolls && solution.modes[1] != Mode::rolls;
    if (!slides) continue;
    rises = true;
    // Both sides close with 0.1, so that it rises with 0.1 cot of its half angle.
    EXPECT_NEAR(solution.q_dot.y(), 0.1 / std::tan(1.05 * friction_angle), 1e-9);
    EXPECT_NEAR(solution.c_n(0), 0.5 / (std::sin(1.05 * friction_angle) - mu * std::cos(1.05 * friction_angle)), 1e-6);
  }
  EXPECT_TRUE(rises);
  EXPECT_EQ(squeeze_wedge(0.95 * friction_angle, mu).verdict, QuasistaticVerdict::none);
}

/// Two fingers that move to the right at the same speed carry a block between them; with weight it needs friction.
TEST(TwoFingers, CarryABlockIfTheySqueezeItWithAnEffort) {
  const auto carry = [](double mu, double effort) {
    // The left finger is position-controlled, the right one pushes to the left with an effort.
    QuasistaticProblem problem = Bench({0, -1, 0})
                                     .touch({-1, 0.2}, {1, 0}, mu, {0.1, 0})
                                     .touch({-1, -0.2}, {1, 0}, mu, {0.1, 0})
                                     .touch({1, 0}, {-1, 0}, mu)
                                     .make();
    // Joint 5 moves the right finger along its normal (−x); joint 6 holds its height.
    problem.is_position_controlled[4] = false;
    problem.tau(4) = effort;
    return solve_quasistatic(problem, {.all = true});
  };
  // 2 μ N = 1 at the limit.
  const QuasistaticAnswer held = carry(0.5, 1.05);
  bool carries = false;
  for (const QuasistaticSolution& solution : held.solutions) {
    carries =
        carries || std::all_of(solution.modes.begin(), solution.modes.end(), [](Mode m) { return m == Mode::rolls; });
    EXPECT_NEAR(solution.c_n(2), 1.05, 1e-9);
  }
  EXPECT_TRUE(carries);
  for (const QuasistaticSolution& solution : carry(0.5, 0.95).solutions) {
    EXPECT_FALSE(std::all_of(solution.modes.begin(), solution.modes.end(), [](Mode m) { return m == Mode::rolls; }));
  }
  EXPECT_EQ(carry(0.5, 0.95).verdict, QuasistaticVerdict::none) << "nothing else can carry the weight";
}

}  // namespace
}  // namespace thenar::known_results_test
