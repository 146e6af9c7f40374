// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/compliant/layer_stability_internal.h"
#include "thenar/spatial/decompositions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

namespace thenar::internal::layer_stability_test {
namespace {

using Complex = std::complex<double>;

/// With one stiffness and one damping for all, every eigenvalue a of A has its own λ² + a (c λ + k) = 0.
double calc_growth_by_roots(const MatrixX<double>& A, double k, double c) {
  double out = -std::numeric_limits<double>::infinity();
  for (const Complex a : eigenvalues_of(A)) {
    const Complex root = std::sqrt(a * a * c * c - 4.0 * a * k);
    for (const double sign : {-1.0, 1.0}) out = std::max(out, (0.5 * (-a * c + sign * root)).real());
  }
  return out;
}

MatrixX<double> make_random(std::mt19937& random, Eigen::Index n) {
  std::normal_distribution<double> normal;
  return MatrixX<double>::NullaryExpr(n, n, [&] { return normal(random); });
}

TEST(LayerStability, GrowthIsThatOfTheQuadraticOfEachEigenvalue) {
  std::mt19937 random(1);
  int stable = 0;
  for (int i = 0; i < 400; ++i) {
    const Eigen::Index n = 1 + i % 5;
    const MatrixX<double> A = make_random(random, n) + 1.5 * MatrixX<double>::Identity(n, n);
    const double k = std::pow(10.0, i % 7), c = 1.5 * std::sqrt(k);
    const VectorX<double> all = VectorX<double>::Ones(n);
    const double expected = calc_growth_by_roots(A, k, c), found = calc_layer_growth(A, k * all, c * all);
    EXPECT_NEAR(found, expected, 1e-6 * c * A.norm()) << i;
    stable += expected < 0;
  }
  EXPECT_GT(stable, 40);
  EXPECT_LT(stable, 360);
}

TEST(LayerStability, DampingMustOutweighTheTwistOfA) {
  // Eigenvalues x ± i y of A are stable where c² x (x² + y²) > k y² (Routh and Hurwitz for complex coefficients).
  for (const double x : {0.3, 1.0, 2.0}) {
    for (const double y : {0.5, 1.0, 3.0}) {
      Eigen::Matrix2d A;
      A << x, -y, y, x;
      const double k = 50, limit = std::sqrt(k * y * y / (x * (x * x + y * y)));
      const VectorX<double> one = VectorX<double>::Ones(2);
      EXPECT_GT(calc_layer_growth(A, k * one, 0.999 * limit * one), 0);
      EXPECT_LT(calc_layer_growth(A, k * one, 1.001 * limit * one), 0);
    }
  }
}

TEST(LayerStability, SymmetricMatricesAreStableWithAnyLayers) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0.1, 10);
  for (int i = 0; i < 50; ++i) {
    const MatrixX<double> B = make_random(random, 4), A = B * B.transpose() + 0.01 * MatrixX<double>::Identity(4, 4);
    VectorX<double> k = VectorX<double>::NullaryExpr(4, [&] { return uniform(random); });
    const VectorX<double> c = VectorX<double>::NullaryExpr(4, [&] { return uniform(random); });
    EXPECT_LT(calc_layer_growth(A, k, c), 0);
    k(2) = 0;  // a row that only damps has nothing that could fade
    EXPECT_LT(calc_layer_growth(A, k, c), 0);
  }
}

/// Layers that differ, against the motion itself: by the exponential of its matrix after a long time.
TEST(LayerStability, GrowthIsWhatIsLeftOfTheMotionInTheEnd) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0.5, 2);
  for (int i = 0; i < 20; ++i) {
    const MatrixX<double> A = make_random(random, 3) + MatrixX<double>::Identity(3, 3);
    const VectorX<double> k = VectorX<double>::NullaryExpr(3, [&] { return uniform(random); });
    const VectorX<double> c = VectorX<double>::NullaryExpr(3, [&] { return uniform(random); });
    MatrixX<double> step = MatrixX<double>::Identity(6, 6), term = step, motion = MatrixX<double>::Zero(6, 6);
    motion.topRightCorner<3, 3>().setIdentity();
    motion.bottomLeftCorner<3, 3>() = -A * k.asDiagonal();
    motion.bottomRightCorner<3, 3>() = -A * c.asDiagonal();
    constexpr double kStep = 1e-2;
    for (int n = 1; n < 20; ++n) step += term = term * motion * kStep / n;
    // Squaring 20 times; what is left grows by exp(growth t), up to the size of the eigenvectors.
    double log_size = 0;
    for (int n = 0; n < 20; ++n) {
      step = (step * step).eval();
      log_size *= 2;
      const double size = step.norm();
      log_size += std::log(size);
      step /= size;
    }
    EXPECT_NEAR(calc_layer_growth(A, k, c), log_size / (std::ldexp(kStep, 20)), 1e-2) << i;
  }
}

}  // namespace
}  // namespace thenar::internal::layer_stability_test
