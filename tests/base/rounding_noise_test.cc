// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/rounding_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace thenar::rounding_noise_test {
namespace {

std::vector<double> make_numbers() {
  std::vector<double> out{0.0, 1.0, -1.0, 1e-300, 1e300};
  for (int i = 1; i <= 1000; ++i) out.push_back(std::sin(i) * std::exp(std::cos(3 * i)));
  return out;
}

bool has_noise() {
#ifdef THENAR_NOISE
  const char* seed = std::getenv("THENAR_NOISE_SEED");
  return seed != nullptr && std::string(seed) != "0";
#else
  return false;
#endif
}

TEST(RoundingNoise, IsAPureFunctionOfTheNumber) {
  for (const double x : make_numbers()) {
    const double once = with_noise(x);
    EXPECT_EQ(once, with_noise(x));
    double in_place = x;
    add_noise(&in_place, 1);
    EXPECT_EQ(once, in_place);
  }
}

TEST(RoundingNoise, IsAFewRoundingsOrNone) {
  // 1e-15 |x|, and half an ulp of the sum: 1.11e-16 |x|.
  double sum = 0;
  int changed = 0;
  for (const double x : make_numbers()) {
    const double noise = with_noise(x) - x;
    EXPECT_LE(std::abs(noise), 1.12e-15 * std::abs(x));
    if (x != 0) sum += noise / x;
    changed += noise != 0;
  }
  if (!has_noise()) {
    EXPECT_EQ(changed, 0);
  } else {
    // Uniform in [-1e-15, 1e-15]: one in eighteen is below half an ulp; the mean of n has deviation 1e-15 / sqrt(3 n).
    EXPECT_GT(changed, 800);
    EXPECT_LT(std::abs(sum), 5 * 1e-15 * std::sqrt(1005 / 3.0));
  }
}

}  // namespace
}  // namespace thenar::rounding_noise_test
