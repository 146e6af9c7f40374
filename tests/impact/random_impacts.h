// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random impacts as plain matrices: two free bodies of masses over six decades that meet in a point.

#include <random>

#include "thenar/impact/point_impact.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

class RandomImpacts {
 public:
  explicit RandomImpacts(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  double normal() { return std::normal_distribution<double>()(generator_); }

  /// 1/m − [p]ₓ I⁻¹ [p]ₓ (Chan 4.13), and with torsion.
  Eigen::Matrix4d draw_mobility() {
    const double mass = std::pow(10.0, uniform(-3, 3)), size = std::pow(10.0, uniform(-2, 0));
    const Eigen::Vector3d p = size * Eigen::Vector3d(normal(), normal(), normal());
    const Eigen::Vector3d half = size * Eigen::Vector3d(uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1));
    const Eigen::Vector3d squares = half.cwiseProduct(half);
    Eigen::Vector3d inertia(squares(1) + squares(2), squares(0) + squares(2), squares(0) + squares(1));
    inertia *= mass / 3;
    const Eigen::Matrix3d R =
        Eigen::Quaterniond(Eigen::Vector4d(normal(), normal(), normal(), normal()).normalized()).toRotationMatrix();
    const Eigen::Matrix3d inverse = R * inertia.cwiseInverse().asDiagonal() * R.transpose();
    Eigen::Matrix3d cross;
    cross << 0, -p(2), p(1), p(2), 0, -p(0), -p(1), p(0), 0;
    Eigen::Matrix4d K;
    K.topLeftCorner<3, 3>() = Eigen::Matrix3d::Identity() / mass - cross * inverse * cross;
    // Rotation about N (the first axis) per impulse, and per angular impulse about N.
    K.topRightCorner<3, 1>() = -cross * inverse.col(0);
    K.bottomLeftCorner<1, 3>() = K.topRightCorner<3, 1>().transpose();
    K(3, 3) = inverse(0, 0);
    return 0.5 * (K + K.transpose().eval());
  }

  PointImpact draw(int tangents) {
    PointImpact out;
    out.tangents = tangents;
    Eigen::Matrix4d K = draw_mobility();
    if (uniform(0, 1) < 0.5) K += draw_mobility();
    const int n = 1 + tangents;
    out.K.topLeftCorner(n, n) = K.topLeftCorner(n, n);
    out.u(0) = -std::pow(10.0, uniform(-2, 1));
    for (int k = 1; k < n; ++k)
      out.u(k) = uniform(0, 1) < 0.1 ? 0 : out.u(0) * normal() * std::pow(10.0, uniform(-1, 1));
    const double mu = uniform(0, 3);
    out.friction = {mu, mu, mu * std::pow(10.0, uniform(-3, -1))};
    out.restitution = uniform(0, 1) < 0.1 ? 1 : uniform(0, 1);
    return out;
  }

 private:
  std::mt19937_64 generator_;
};

/// ½ Pᵀ (u⁻ + u⁺): what the impulse does to the kinetic energy.
inline double calc_energy_change(const PointImpact& impact, const PointImpactResult& result) {
  return 0.5 * result.P.dot(impact.u + result.u);
}

}  // namespace thenar::test
