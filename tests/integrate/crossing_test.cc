// SPDX-License-Identifier: BSD-3-Clause
//
// Narrowing a crossing: the bracket holds it, is as narrow as asked for, and costs few evaluations whatever the
// function looks like; each of them is an evaluation of the whole motion.

#include "thenar/integrate/crossing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

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

// --- The first crossing of a step ---

VectorX<double> sample(const CrossingFinder& finder, const std::function<double(double)>& function) {
  VectorX<double> out(static_cast<Eigen::Index>(finder.nodes().size()));
  for (Eigen::Index k = 0; k < out.size(); ++k) out(k) = function(finder.nodes()[static_cast<std::size_t>(k)]);
  return out;
}

TEST(CrossingFinder, NodesAreThoseOfChebyshevAndLobatto) {
  for (const int degree : {1, 4, 8}) {
    const std::vector<double> nodes = CrossingFinder::make_nodes(degree);
    ASSERT_EQ(nodes.size(), static_cast<std::size_t>(degree) + 1);
    EXPECT_EQ(nodes.front(), 0);
    EXPECT_EQ(nodes.back(), 1);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      EXPECT_NEAR(nodes[k] + nodes[nodes.size() - 1 - k], 1, 1e-15) << "symmetric about the middle";
    }
  }
}

/// (a − x)(x − 0.6)(x − 0.9) falls below zero at a, comes back at 0.6 and falls again at 0.9.
TEST(CrossingFinder, FindsTheFirstOfSeveralCrossings) {
  CrossingFinder finder(CrossingFinder::make_nodes(8));
  for (const double a : {0.1, 0.32, 0.5}) {
    const auto function = [a](double x) { return (a - x) * (x - 0.6) * (x - 0.9); };
    const auto bracket = finder.find(sample(finder, function), function);
    ASSERT_TRUE(bracket);
    EXPECT_LE(bracket->before, a + 1e-12);
    EXPECT_GT(bracket->after, a);
    EXPECT_LT(bracket->after, 0.6) << "before it comes back";
    EXPECT_NEAR(refine_crossing(*bracket, kWidth, function).after, a, 1e-12);
  }
}

/// A dip below zero that lasts 2 · 1e-4 of the step, or just does not happen.
TEST(CrossingFinder, SeesADipHoweverShort) {
  CrossingFinder finder(CrossingFinder::make_nodes(8));
  for (const double place : {0.0371, 0.5, 0.777}) {
    for (const double depth : {1e-8, -1e-8}) {
      const auto function = [=](double x) { return (x - place) * (x - place) - depth; };
      const auto bracket = finder.find(sample(finder, function), function);
      EXPECT_EQ(bracket.has_value(), depth > 0) << place;
      if (bracket) {
        EXPECT_NEAR(refine_crossing(*bracket, kWidth, function).after, place - 1e-4, 1e-10);
      }
    }
  }
}

/// The polynomial says where to look; what counts is the function itself.
TEST(CrossingFinder, BelievesTheFunctionRatherThanThePolynomial) {
  CrossingFinder finder(CrossingFinder::make_nodes(4));
  const auto falls = [](double x) { return 0.5 - x; };
  EXPECT_FALSE(finder.find(sample(finder, falls), [](double) { return 1.0; }));
  EXPECT_TRUE(finder.find(sample(finder, falls), falls));
  EXPECT_FALSE(finder.find(VectorX<double>::Ones(5), falls)) << "nothing to look at";
}

TEST(CrossingFinder, AStartOnTheBoundIsNoCrossing) {
  CrossingFinder finder(CrossingFinder::make_nodes(8));
  const auto rises = [](double x) { return x + x * x; };
  EXPECT_FALSE(finder.find(sample(finder, rises), rises));
  const auto returns = [](double x) { return x * (0.8 - x); };
  const auto bracket = finder.find(sample(finder, returns), returns);
  ASSERT_TRUE(bracket);
  EXPECT_NEAR(refine_crossing(*bracket, kWidth, returns).after, 0.8, 1e-12);
}

}  // namespace
}  // namespace thenar::crossing_test
