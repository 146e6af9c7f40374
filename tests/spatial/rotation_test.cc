// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/spatial/rotation.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <random>

namespace thenar::rotation_test {
namespace {

std::mt19937_64 generator(5);

Vector3<double> random_vector(double scale) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  return {uniform(generator), uniform(generator), uniform(generator)};
}

Vector4<double> unit_quaternion(const Vector3<double>& phi) { return quaternion_from_rotation_vector<double>(phi); }

/// Laws of the group at the identity, near it and anywhere.
TEST(Rotation, LogarithmUndoesExponential) {
  for (const double scale : {0.0, 1e-12, 1e-8, 1e-5, 1e-4, 1e-2, 1.0, 1.7}) {
    for (int i = 0; i < 1000; ++i) {
      const Vector3<double> phi = random_vector(scale);  // |phi| < 1.7 √3 < π
      const Vector3<double> back = rotation_vector_from_quaternion<double>(unit_quaternion(phi)).eigen();
      EXPECT_LE((back - phi).norm(), 1e-15 * (1 + phi.norm()) + 4e-16) << phi.transpose();
    }
  }
}

TEST(Rotation, ExponentialEqualsAngleAxis) {
  for (int i = 0; i < 1000; ++i) {
    const Vector3<double> phi = random_vector(3);
    const Vector4<double> q = unit_quaternion(phi);
    const Matrix3<double> R = rotation_from_quaternion(q(0), q(1), q(2), q(3)).eigen();
    EXPECT_LE((R - rotation_about_axis(phi.normalized(), phi.norm())).norm(), 1e-14);
    EXPECT_TRUE(is_rotation(R, 1e-14));
  }
}

TEST(Rotation, QuaternionNormIsDividedOut) {
  const Vector4<double> q = unit_quaternion({0.3, -0.2, 0.9}) * 3.7;
  EXPECT_TRUE(is_rotation(rotation_from_quaternion(q(0), q(1), q(2), q(3)).eigen(), 1e-15));
}

TEST(Rotation, ProductOfQuaternionsIsProductOfMatrices) {
  for (int i = 0; i < 100; ++i) {
    const Vector4<double> a = unit_quaternion(random_vector(2)), b = unit_quaternion(random_vector(2));
    const Vector4<double> c = multiply_quaternions<double>(a, b);
    const auto matrix = [](const Vector4<double>& q) {
      return rotation_from_quaternion(q(0), q(1), q(2), q(3)).eigen();
    };
    EXPECT_LE((matrix(a) * matrix(b) - matrix(c)).norm(), 1e-14);
    const Vector4<double> back = quaternion_from_rotation(matrix(a));
    EXPECT_LE(std::min((back - a).norm(), (back + a).norm()), 1e-14);
    EXPECT_GE(back(0), 0);
  }
}

/// φ̇ = J⁻¹ ω along exp(ω h) R, so J⁻ᵀ x · ω = x · dφ/dh.
TEST(Rotation, LeftJacobianEqualsDifferences) {
  for (const double scale : {1e-6, 5e-3, 6e-3, 0.3, 1.5}) {
    for (int i = 0; i < 200; ++i) {
      const Vector3<double> phi = random_vector(scale), w = random_vector(1), x = random_vector(1);
      const double h = 1e-5;
      const auto displaced = [&](double step) {
        const Vector4<double> q = multiply_quaternions<double>(unit_quaternion(w * step), unit_quaternion(phi));
        return rotation_vector_from_quaternion<double>(q).eigen();
      };
      const double by_difference = x.dot(displaced(h) - displaced(-h)) / (2 * h);
      const double by_formula = left_jacobian_inverse_transpose<double>(phi, x).eigen().dot(w);
      EXPECT_NEAR(by_formula, by_difference, 1e-9);
    }
  }
}

TEST(Rotation, SeriesJoinTheClosedFormsSmoothly) {
  // Both sides of each threshold must agree to rounding: the dropped term of the series is below it.
  for (const double angle : {0.99e-4, 1.01e-4, 0.999e-2, 1.001e-2}) {
    const Vector3<double> phi(0, angle, 0), x(1, 0.5, -0.25);
    using L = long double;
    const Vector3<double> coarse = left_jacobian_inverse_transpose<double>(phi, x).eigen();
    const Vec3<L> fine = left_jacobian_inverse_transpose<L>(Vec3<double>(phi).cast<L>(), Vec3<double>(x).cast<L>());
    // 1 − (a/2) cot(a/2) cancels to a²/12: above the threshold it keeps ε/a² of k, times φ² gives ε.
    EXPECT_LE((coarse - fine.eigen().cast<double>()).norm(), 5e-16);
    const Vector4<double> q = quaternion_from_rotation_vector<double>(phi);
    EXPECT_NEAR(q(0), std::cos(angle / 2), 1.2e-16);
    EXPECT_NEAR(q(2), std::sin(angle / 2), 1e-20);
  }
}

TEST(Rotation, RpyIsYawPitchRoll) {
  const Vector3<double> rpy(0.3, -0.7, 1.1);
  const Matrix3<double> expected =
      (Eigen::AngleAxisd(1.1, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.7, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  EXPECT_LE((rotation_from_rpy(rpy) - expected).norm(), 1e-15);
}

TEST(Rotation, ZAlongAnyDirection) {
  EXPECT_EQ(rotation_with_z_along(Vector3<double>::UnitZ()), (Matrix3<double>::Identity()));
  for (int i = 0; i < 1000; ++i) {
    Vector3<double> z = random_vector(1).normalized();
    if (i == 0) z = -Vector3<double>::UnitZ();
    const Matrix3<double> R = rotation_with_z_along(z);
    EXPECT_TRUE(is_rotation(R, 1e-14));
    EXPECT_LE((R.col(2) - z).norm(), 1e-15);
  }
}

}  // namespace
}  // namespace thenar::rotation_test
