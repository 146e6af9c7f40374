// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Problems with few contacts, generic ones and all kinds of degenerate ones.

#include <algorithm>
#include <random>

#include "thenar/quasistatic/random_quasistatic.h"

namespace thenar::test {

class QuasistaticDice {
 public:
  explicit QuasistaticDice(unsigned seed) : generator_(seed) {}

  int whole(int low, int high) { return low + static_cast<int>(generator_() % static_cast<unsigned>(high - low + 1)); }
  double draw(double low, double high) { return low + (high - low) * static_cast<double>(generator_()) / 4294967296.0; }

  QuasistaticProblem generic(int contacts) {
    return make_random_quasistatic({contacts, draw(0.2, 1.5), whole(0, std::min(3, 2 * contacts)), generator_()});
  }

  /// Loads and velocities that need not be possible.
  QuasistaticProblem unbalanced(int contacts) {
    QuasistaticProblem out = generic(contacts);
    for (double& entry : out.g_obj) entry = draw(-1, 1);
    for (double& entry : out.theta_dot) entry = draw(-1, 1);
    return out;
  }

  /// Small whole numbers: contacts on the sides of a square, many of them in line, parallel or twice the same;
  /// velocities, loads and friction often zero.
  QuasistaticProblem lattice(int contacts) {
    QuasistaticProblem out;
    const Eigen::Index n = contacts;
    out.W_n = out.W_t = MatrixX<double>::Zero(3, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Vector2d normals[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
      const Eigen::Vector2d normal = normals[whole(0, 3)], t(-normal.y(), normal.x());
      const Eigen::Vector2d r = -normal + whole(-1, 1) * t;
      out.W_n.col(i) << normal, r.x() * normal.y() - r.y() * normal.x();
      out.W_t.col(i) << t, r.x() * t.y() - r.y() * t.x();
    }
    const int joints = whole(1, 2) * contacts;
    out.J_n = out.J_t = MatrixX<double>::Zero(n, joints);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < joints; ++j) {
        out.J_n(i, j) = whole(0, 2) == 0 ? whole(-1, 1) : 0;
        out.J_t(i, j) = whole(0, 2) == 0 ? whole(-1, 1) : 0;
      }
    }
    out.theta_dot = out.tau = out.g_man = VectorX<double>::Zero(joints);
    for (Eigen::Index j = 0; j < joints; ++j) {
      out.theta_dot(j) = whole(0, 1) * whole(-1, 1);
      out.tau(j) = whole(-1, 1);
      out.is_position_controlled.push_back(whole(0, 5) > 0);
    }
    out.g_obj = Eigen::Vector3d(whole(-1, 1), whole(-1, 1), whole(0, 1) * whole(-1, 1));
    out.mu.resize(n);
    for (double& mu : out.mu) mu = 0.5 * whole(0, 2);
    return out;
  }

  /// Contact `to` becomes contact `from`, its finger as well, to `jitter`.
  void duplicate(QuasistaticProblem& problem, int from, int to, double jitter) {
    const auto copy = [&](double& entry, double original) { entry = original * (1 + jitter * draw(-1, 1)); };
    for (int k = 0; k < problem.object_freedoms(); ++k) {
      copy(problem.W_n(k, to), problem.W_n(k, from));
      copy(problem.W_t(k, to), problem.W_t(k, from));
    }
    for (int j = 0; j < problem.joint_count(); ++j) {
      copy(problem.J_n(to, j), problem.J_n(from, j));
      copy(problem.J_t(to, j), problem.J_t(from, j));
    }
  }

 private:
  std::mt19937 generator_;
};

}  // namespace thenar::test
