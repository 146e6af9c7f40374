// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/sincos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace thenar::sincos_test {
namespace {

/// Absolute error: half a unit in the last place of 1 (1.1e-16) from rounding the result, plus the argument reduction.
TEST(Sincos, AgreesWithLongDoubleToRounding) {
  std::mt19937_64 generator(1);
  for (const double range : {1e-8, 1.0, 4.0, 100.0, 1e4, 1.5e6}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 200000; ++i) {
      const double x = uniform(generator);
      double s, c;
      sincos(x, s, c);
      const long double exact = x;
      ASSERT_LE(std::abs(s - std::sin(exact)), 1.7e-16L) << x;
      ASSERT_LE(std::abs(c - std::cos(exact)), 1.7e-16L) << x;
    }
  }
}

TEST(Sincos, IsExactWhereItMatters) {
  double s, c;
  sincos(0.0, s, c);
  EXPECT_EQ(s, 0.0);
  EXPECT_EQ(c, 1.0);
  for (int k = -8; k <= 8; ++k) {
    sincos(k * std::numbers::pi / 2, s, c);
    EXPECT_NEAR(s, std::sin(k * std::numbers::pi / 2), 1e-16);
    EXPECT_NEAR(c, std::cos(k * std::numbers::pi / 2), 1e-16);
  }
}

TEST(Sincos, FallsBackForHugeAnglesAndPassesNaNOn) {
  for (const double x : {1.7e6, -3.2e9, 1e22}) {
    double s, c;
    sincos(x, s, c);
    EXPECT_EQ(s, std::sin(x));
    EXPECT_EQ(c, std::cos(x));
  }
  double s, c;
  sincos(std::numeric_limits<double>::infinity(), s, c);
  EXPECT_TRUE(std::isnan(s) && std::isnan(c));
  sincos(std::numeric_limits<double>::quiet_NaN(), s, c);
  EXPECT_TRUE(std::isnan(s) && std::isnan(c));
}

TEST(Sincos, LanesEqualSingleNumbers) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> uniform(-10, 10);
  for (int i = 0; i < 10000; ++i) {
    Pack4 x, s, c;
    for (int lane = 0; lane < Pack4::kLanes; ++lane) x.set(lane, lane == 3 && i % 10 == 0 ? 1e9 : uniform(generator));
    sincos(x, s, c);
    for (int lane = 0; lane < Pack4::kLanes; ++lane) {
      double s1, c1;
      sincos(x[lane], s1, c1);
      // The same operations; only the compiler's choice of fused steps may differ.
      ASSERT_NEAR(s[lane], s1, 1.2e-16);
      ASSERT_NEAR(c[lane], c1, 1.2e-16);
    }
  }
}

TEST(Sincos, DualCarriesTheDerivative) {
  Dual4 x(0.7), s, c;
  x.seed(2, 3.0);
  sincos(x, s, c);
  EXPECT_DOUBLE_EQ(s.gradient()[2], 3 * std::cos(0.7));
  EXPECT_DOUBLE_EQ(c.gradient()[2], -3 * std::sin(0.7));
  EXPECT_EQ(s.gradient()[0], 0);
}

}  // namespace
}  // namespace thenar::sincos_test
