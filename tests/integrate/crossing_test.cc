// SPDX-License-Identifier: BSD-3-Clause
//
// Narrowing a crossing: the bracket holds it, is as narrow as asked for, and costs few evaluations whatever the
// function looks like; each of them is an evaluation of the whole motion.

#include "thenar/integrate/crossing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace thenar::crossing_test {
namespace {

constexpr double kWidth = 1e-15;

struct Case {
  const char* name;
  std::function<double(double)> function;  ///< ≥ 0 at 0, < 0 at 1
  int most;                                ///< evaluations
};

class RefineCrossing : public testing::TestWithParam<Case> {};

TEST_P(RefineCrossing, EndsNarrowSoon) {
  int count = 0;
  const auto counted = [&](double x) {
    ++count;
    return GetParam().function(x);
  };
  const CrossingFinder::Bracket found = refine_crossing({0, 1}, kWidth, counted);
  EXPECT_GE(GetParam().function(found.before), 0);
  EXPECT_LT(GetParam().function(found.after), 0);
  // Where numbers themselves are farther apart, two of them.
  EXPECT_LE(found.after - found.before, kWidth + 2.3e-16);
  EXPECT_GE(found.after, found.before);
  EXPECT_LE(count, GetParam().most);
}

// Bisection alone takes 52.
INSTANTIATE_TEST_SUITE_P(Functions, RefineCrossing,
                         testing::Values(Case{"straight", [](double x) { return 0.3 - x; }, 6},
                                         Case{"curved", [](double x) { return 0.3 - x * x; }, 16},
                                         Case{"flat", [](double x) { return 0.001 - x * x * x; }, 30},
                                         Case{"growing", [](double x) { return 3 - std::exp(2 * x); }, 16},
                                         Case{"at_its_start", [](double x) { return -x; }, 6},
                                         Case{"just_behind_its_start", [](double x) { return 1e-18 - x; }, 6},
                                         Case{"at_its_end", [](double x) { return x < 1 ? 1 - x : -1e-16; }, 60},
                                         Case{"noisy", [](double x) { return 0.3 - x + 1e-12 * std::sin(1e14 * x); },
                                              60},
                                         Case{"root", [](double x) { return std::sqrt(0.5) - std::sqrt(x); }, 16},
                                         Case{"jump", [](double x) { return x < 0.317 ? 1 : -1e-3; }, 202},
                                         Case{"kink", [](double x) { return x < 0.5 ? 1e-9 : 0.5 - x + 1e-9; }, 60}),
                         [](const testing::TestParamInfo<Case>& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace thenar::crossing_test
