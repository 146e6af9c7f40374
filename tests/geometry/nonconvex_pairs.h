// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random cores and poses for the tests of rings and bowls, and what every place that they report must satisfy.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "placed_vector.h"
#include "thenar/geometry/local_minima_internal.h"

namespace thenar::test {

using Vec = Vec3<double>;

inline const char* name_of(CoreKind kind) {
  constexpr std::array kNames{"point", "segment", "box",        "ellipsoid", "cylinder",
                              "cone",  "plate",   "half-space", "circle",    "bowl"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline GrownCore make_circle(double radius, double tube) { return {{CoreKind::circle, {radius, 0, 0}}, tube}; }
inline GrownCore make_bowl(double radius, double depth) {
  return {{CoreKind::bowl, {radius, std::sqrt(depth * (2 * radius - depth)), depth}}, 0};
}

inline Vec transform(const Pose<double>& X, const Vec& p) { return Vec(Vector3<double>(X * p.eigen())); }

/// Moves B away from A by t (m) along the normal of a place.
inline void move_apart(Pose<double>& X_AB, const Proximity& place, double t) { X_AB.p -= place.N.eigen() * t; }

class RandomCores {
 public:
  explicit RandomCores(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }
  Vector3<double> vector() {
    std::normal_distribution<double> normal;
    const double x = normal(generator_), y = normal(generator_), z = normal(generator_);
    return {x, y, z};
  }
  Matrix3<double> rotation() {
    const Vector3<double> v = vector();
    const double w = std::normal_distribution<double>()(generator_);
    return Eigen::Quaterniond(w, v.x(), v.y(), v.z()).normalized().toRotationMatrix();
  }
  /// One of the 24 rotations that take axes to axes.
  Matrix3<double> aligned_rotation() {
    const Matrix3<double> R = rotation();
    Matrix3<double> out = Matrix3<double>::Zero();
    int row;
    R.col(0).cwiseAbs().maxCoeff(&row);
    out(row, 0) = R(row, 0) > 0 ? 1 : -1;
    const int next = (row + (R((row + 1) % 3, 1) * R((row + 1) % 3, 1) > 0.25 ? 1 : 2)) % 3;
    out(next, 1) = R(next, 1) > 0 ? 1 : -1;
    out.col(2) = out.col(0).cross(out.col(1));
    return out;
  }

  /// Sizes between the limits; half of the boxes and segments are grown.
  GrownCore core(CoreKind kind, double low, double high) {
    const double a = log_uniform(low, high), b = log_uniform(low, high), c = log_uniform(low, high);
    const bool is_bare = below(2) == 0;
    switch (kind) {
      case CoreKind::point:
        return {{kind, {0, 0, 0}}, a};
      case CoreKind::segment:
        return {{kind, {0, 0, a}}, is_bare ? 0 : b};
      case CoreKind::box:
        return {{kind, {a, b, c}}, is_bare ? 0 : 0.3 * a};
      case CoreKind::ellipsoid:
        return {{kind, {a, b, c}}, 0};
      case CoreKind::cylinder:
      case CoreKind::cone:
        return {{kind, {a, 0, b}}, 0};
      case CoreKind::plate:
        return {{kind, {a, b, 0}}, 0};
      case CoreKind::half_space:
        return {{kind, {0, 0, 0}}, 0};
      case CoreKind::circle:
        return make_circle(a, a * uniform(0.02, 0.6));
      case CoreKind::bowl:
        return make_bowl(a, a * uniform(0.1, 1.7));
    }
    return {};
  }

 private:
  std::mt19937_64 generator_;
};

/// p_A − p_B = gap N, and both points on their grown boundaries. Rounding is some tens of eps times the coordinates.
inline void expect_witnesses(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, const Proximity& place) {
  constexpr double kTolerance = 1e-13;
  const double size = 1 + X_AB.p.norm();
  EXPECT_NEAR(norm(place.N), 1, 1e-14);
  EXPECT_LT(norm(place.p_A - place.p_B - place.N * place.gap), kTolerance * size);
  const Pose<double> X_BA = X_AB.inverse();
  const Vec core_A = place.p_A + place.N * A.radius, core_B = place.p_B - place.N * B.radius;
  EXPECT_LT(std::abs(project(A.core, core_A).distance), kTolerance * size);
  EXPECT_LT(std::abs(project(B.core, transform(X_BA, core_B)).distance), kTolerance * size);
}

}  // namespace thenar::test
