// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/random_quasistatic.h"

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

using Eigen::Index;
using Eigen::Vector2d;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}
  /// In (low, high), the same on every machine.
  double draw(double low, double high) {
    return low + (high - low) * (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53;
  }
  std::size_t index(std::size_t count) { return generator_() % count; }

 private:
  std::mt19937_64 generator_;
};

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

/// A point of an ellipse, its inward normal, and the tangent that is 90° further, PTL (1).
void add_contact(Dice& dice, double ratio, Index i, QuasistaticProblem& out) {
  const double angle = dice.draw(0, 2 * std::numbers::pi);
  const Vector2d r(std::cos(angle), ratio * std::sin(angle));
  const Vector2d n = -Vector2d(ratio * std::cos(angle), std::sin(angle)).normalized(), t(-n.y(), n.x());
  out.W_n.col(i) << n, cross(r, n);
  out.W_t.col(i) << t, cross(r, t);

  // A finger of two revolute joints that reaches the point from outside, with its base at a distance of 1 to 2.
  const double lean = dice.draw(-1, 1);
  const Vector2d base = r - dice.draw(1, 2) * (std::cos(lean) * n + std::sin(lean) * t);
  const double side = dice.draw(0, 1) < 0.5 ? -1 : 1;
  const Vector2d way = r - base, elbow = base + way / 2 + side * dice.draw(0.3, 1) * Vector2d(-way.y(), way.x());
  const Index first = 2 * i;
  for (const auto& [joint, centre] : {std::pair(first, base), std::pair(first + 1, elbow)}) {
    const Vector2d arm = r - centre, velocity(-arm.y(), arm.x());
    out.J_n(i, joint) = n.dot(velocity);
    out.J_t(i, joint) = t.dot(velocity);
  }
}

/// Loads that random forces balance: Y is not empty.
void add_loads(Dice& dice, QuasistaticProblem& out) {
  VectorX<double> c_n(out.mu.size()), c_t(out.mu.size());
  for (Index i = 0; i < c_n.size(); ++i) {
    c_n(i) = dice.draw(0, 1);
    c_t(i) = dice.draw(-1, 1) * out.mu(i) * c_n(i);
  }
  for (Index j = 0; j < out.tau.size(); ++j) out.tau(j) = dice.draw(-1, 1);
  out.g_obj = -out.W_n * c_n - out.W_t * c_t;
  out.g_man = out.tau - out.J_n.transpose() * c_n - out.J_t.transpose() * c_t;
}

/// Joint velocities that belong to random velocities of the object and of the contacts, v_n ≥ 0: X is not empty.
void add_velocities(Dice& dice, QuasistaticProblem& out) {
  // From the last to the first, one by one: compilers differ in the order in which they evaluate arguments.
  Eigen::Vector3d q_dot;
  for (Index k = 2; k >= 0; --k) q_dot(k) = dice.draw(-1, 1);
  for (Index i = 0; i < out.mu.size(); ++i) {
    const double v_t = dice.draw(-1, 1), v_n = dice.draw(0, 1);
    Eigen::Matrix2d J;
    J << out.J_n.block<1, 2>(i, 2 * i), out.J_t.block<1, 2>(i, 2 * i);
    const Vector2d finger(out.W_n.col(i).dot(q_dot) - v_n, out.W_t.col(i).dot(q_dot) - v_t);
    out.theta_dot.segment<2>(2 * i) = J.inverse() * finger;
  }
}

}  // namespace

QuasistaticProblem make_random_quasistatic(const RandomQuasistatic& options) {
  if (options.contacts < 1 || options.contacts > 1'000) {
    throw std::invalid_argument("make_random_quasistatic: 1 to 1000 contacts expected");
  }
  if (options.effort_joints < 0 || options.effort_joints > 2 * options.contacts) {
    throw std::invalid_argument("make_random_quasistatic: there are two joints for each contact");
  }
  if (!(options.largest_mu >= 0) || !std::isfinite(options.largest_mu)) {
    throw std::invalid_argument("make_random_quasistatic: friction is negative");
  }
  Dice dice(options.seed);
  const Index n = options.contacts;
  QuasistaticProblem out;
  out.W_n = out.W_t = MatrixX<double>::Zero(3, n);
  out.J_n = out.J_t = MatrixX<double>::Zero(n, 2 * n);
  out.theta_dot = out.tau = out.g_man = VectorX<double>::Zero(2 * n);
  out.mu.resize(n);
  const double ratio = dice.draw(0.5, 1);
  for (Index i = 0; i < n; ++i) add_contact(dice, ratio, i, out);
  for (double& mu : out.mu) mu = dice.draw(0, options.largest_mu);
  add_loads(dice, out);
  add_velocities(dice, out);
  out.is_position_controlled.assign(static_cast<std::size_t>(2 * n), true);
  for (int k = 0; k < options.effort_joints;) {
    const std::size_t joint = dice.index(out.is_position_controlled.size());
    if (!out.is_position_controlled[joint]) continue;
    out.is_position_controlled[joint] = false;
    ++k;
  }
  return out;
}

}  // namespace thenar
