// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "thenar/base/dual.h"
#include "thenar/base/pack.h"

namespace thenar::scalar_test {
namespace {

Pack4 counting() {
  Pack4 x;
  for (int i = 0; i < Pack4::kLanes; ++i) x.set(i, i + 1);
  return x;
}

TEST(Pack, ComputesLaneByLane) {
  const Pack4 x = counting();
  const Pack4 y = (x * x + 2.0) / x - -x;
  for (int i = 0; i < Pack4::kLanes; ++i) {
    const double a = i + 1;
    EXPECT_DOUBLE_EQ(y[i], (a * a + 2) / a + a);
    EXPECT_DOUBLE_EQ(sqrt(x)[i], std::sqrt(a));
    EXPECT_DOUBLE_EQ(abs(Pack4(0.0) - x)[i], a);
  }
}

TEST(Pack, SelectsByLane) {
  const Pack4 x = counting();
  const Pack4 y = select(less(x, Pack4(2.5)), x, Pack4(-1.0));
  for (int i = 0; i < Pack4::kLanes; ++i) EXPECT_EQ(y[i], i < 2 ? i + 1 : -1);
}

TEST(Pack, LoadsStoresAndSums) {
  double memory[5];
  counting().store(memory + 1);  // not aligned
  EXPECT_EQ(memory[4], 4);
  EXPECT_EQ(Pack4::load(memory + 1)[2], 3);
  EXPECT_EQ(sum_lanes(Pack4::load(memory + 1)), 10);
}

/// Every rule of differentiation against the hand-made derivative of one expression.
TEST(Dual, DifferentiatesExpressions) {
  Dual4 x(0.8), y(1.7);
  x.seed(0, 1);
  y.seed(1, 1);
  const Dual4 f = x * y / (x + y) - sqrt(x) * atan2(y, x) + abs(-y) + sin(x) * cos(y);
  const double a = 0.8, b = 1.7, r2 = a * a + b * b;
  EXPECT_NEAR(f.value(), a * b / (a + b) - std::sqrt(a) * std::atan2(b, a) + b + std::sin(a) * std::cos(b), 1e-15);
  EXPECT_NEAR(f.gradient()[0],
              b * b / ((a + b) * (a + b)) - 0.5 / std::sqrt(a) * std::atan2(b, a) + std::sqrt(a) * b / r2 +
                  std::cos(a) * std::cos(b),
              1e-15);
  EXPECT_NEAR(f.gradient()[1], a * a / ((a + b) * (a + b)) - std::sqrt(a) * a / r2 + 1 - std::sin(a) * std::sin(b),
              1e-15);
  EXPECT_EQ(f.gradient()[2], 0);
}

}  // namespace
}  // namespace thenar::scalar_test
