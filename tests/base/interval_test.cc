// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/interval_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "thenar/base/expression_decision_internal.h"
#include "thenar/base/expression_jet_internal.h"
#include "thenar/base/expression_operations_internal.h"

namespace thenar::internal::interval_test {
namespace {

using Random = std::mt19937_64;

constexpr Operation kFirstOperation = Operation::negate;
constexpr Operation kLastOperation = Operation::blend;

std::vector<Operation> all_operations() {
  std::vector<Operation> operations;
  for (int i = static_cast<int>(kFirstOperation); i <= static_cast<int>(kLastOperation); ++i) {
    operations.push_back(static_cast<Operation>(i));
  }
  return operations;
}

// Numbers of all sizes, with those at which functions are special more often than chance would have them.
double draw_number(Random& random) {
  constexpr double kSpecial[] = {0, -0.0,  1,    -1,     0.5,    2,         std::numbers::pi, std::numbers::pi / 2,
                                 3, 1e300, -1e9, 1e-310, 5e-324, kInfinity, -kInfinity};
  const double sign = random() % 2 ? 1 : -1;
  switch (random() % 4) {
    case 0:
      return kSpecial[random() % std::size(kSpecial)];
    case 1:
      return sign * std::exp(std::uniform_real_distribution(-300.0, 300.0)(random));
    case 2:
      return sign * static_cast<double>(random() % 20);
    default:
      return std::uniform_real_distribution(-5.0, 5.0)(random);
  }
}

Interval draw_interval(Random& random) {
  const double a = draw_number(random);
  switch (random() % 4) {
    case 0:
      return a;
    case 1:
      return {a, step_by(a, static_cast<int>(random() % 50))};
    case 2:
      return std::isinf(a) ? Interval(a) : Interval(a, a + std::abs(std::uniform_real_distribution(0.0, 1.0)(random)));
    default: {
      const double b = draw_number(random);
      return {std::min(a, b), std::max(a, b)};
    }
  }
}

double draw_from(const Interval& x, Random& random) {
  switch (random() % 4) {
    case 0:
      return x.lo;
    case 1:
      return x.hi;
    default: {
      const double share = std::uniform_real_distribution(0.0, 1.0)(random);
      const double inside = std::isinf(x.lo) || std::isinf(x.hi) ? draw_number(random) : x.lo + share * (x.hi - x.lo);
      return std::clamp(inside, x.lo, x.hi);
    }
  }
}

TEST(Interval, StepsFromDoubleToDouble) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double x = draw_number(random);
    if (std::isinf(x)) continue;
    EXPECT_EQ(step_by(x, 1), std::nextafter(x, kInfinity));
    EXPECT_EQ(step_by(x, -1), std::nextafter(x, -kInfinity));
    EXPECT_EQ(step_by(step_by(x, 7), -7), x);
  }
  EXPECT_EQ(step_by(kInfinity, 3), kInfinity);
  EXPECT_EQ(step_by(-kInfinity, -3), -kInfinity);
  EXPECT_EQ(step_by(-5e-324, 2), 5e-324);
}

TEST(Interval, ContainsWhatEveryOperationComputes) {
  Random random(2);
  for (const Operation operation : all_operations()) {
    for (int i = 0; i < 5'000; ++i) {
      const Interval sets[] = {draw_interval(random), draw_interval(random), draw_interval(random)};
      const Interval result = apply(operation, sets);
      for (int k = 0; k < 10; ++k) {
        const double x[] = {draw_from(sets[0], random), draw_from(sets[1], random), draw_from(sets[2], random)};
        const double value = apply(operation, x);
        ASSERT_TRUE(result.contains(value))
            << static_cast<int>(operation) << " of " << x[0] << ", " << x[1] << ", " << x[2] << " is " << value
            << ", not in [" << result.lo << ", " << result.hi << "]" << (result.nan ? " or NaN" : "");
      }
    }
  }
}

TEST(Interval, ContainsTheResultOfPossiblyMissingOperands) {
  // NaN among the operands: the result must admit whatever the operation makes of it.
  Random random(3);
  for (const Operation operation : all_operations()) {
    for (int i = 0; i < 2'000; ++i) {
      Interval sets[3];
      double x[3];
      for (int k = 0; k < 3; ++k) {
        sets[k] = draw_interval(random);
        x[k] = draw_from(sets[k], random);
        const bool only = random() % 4 == 0;
        if (only || random() % 2 == 0) {
          sets[k] = only ? Interval::nothing_but_nan() : Interval(sets[k].lo, sets[k].hi, true);
          x[k] = std::nan("");
        }
      }
      ASSERT_TRUE(apply(operation, sets).contains(apply(operation, x)))
          << static_cast<int>(operation) << " of " << x[0] << ", " << x[1] << ", " << x[2];
    }
  }
}

// The exact result, as far as long double tells it: its own error is 2^-11 units in the last place of a double, which
// the bounds, being doubles themselves, contain up to that much.
TEST(Interval, ContainsTheExactResult) {
  struct Case {
    Operation operation;
    std::function<long double(long double, long double)> function;
  };
  const Case cases[] = {
      {Operation::sin, [](long double x, long double) { return std::sin(x); }},
      {Operation::cos, [](long double x, long double) { return std::cos(x); }},
      {Operation::tan, [](long double x, long double) { return std::tan(x); }},
      {Operation::asin, [](long double x, long double) { return std::asin(x); }},
      {Operation::acos, [](long double x, long double) { return std::acos(x); }},
      {Operation::atan, [](long double x, long double) { return std::atan(x); }},
      {Operation::sinh, [](long double x, long double) { return std::sinh(x); }},
      {Operation::cosh, [](long double x, long double) { return std::cosh(x); }},
      {Operation::tanh, [](long double x, long double) { return std::tanh(x); }},
      {Operation::exp, [](long double x, long double) { return std::exp(x); }},
      {Operation::log, [](long double x, long double) { return std::log(x); }},
      {Operation::log10, [](long double x, long double) { return std::log10(x); }},
      {Operation::sqrt, [](long double x, long double) { return std::sqrt(x); }},
      {Operation::cbrt, [](long double x, long double) { return std::cbrt(x); }},
      {Operation::add, [](long double x, long double y) { return x + y; }},
      {Operation::subtract, [](long double x, long double y) { return x - y; }},
      {Operation::multiply, [](long double x, long double y) { return x * y; }},
      {Operation::divide, [](long double x, long double y) { return x / y; }},
      {Operation::power, [](long double x, long double y) { return std::pow(x, y); }},
      {Operation::atan2, [](long double x, long double y) { return std::atan2(x, y); }},
      {Operation::hypot, [](long double x, long double y) { return std::hypot(x, y); }},
      {Operation::mod, [](long double x, long double y) { return x - y * std::floor(x / y); }},
  };
  Random random(4);
  std::uniform_real_distribution<double> draw(-4, 4);
  for (const Case& item : cases) {
    for (int i = 0; i < 5'000; ++i) {
      const double x[] = {draw(random), draw(random)};
      const long double value = item.function(x[0], x[1]);
      // Points: nothing but the rounding of the operation itself widens them.
      const Interval sets[] = {x[0], x[1]};
      const Interval result = apply(item.operation, sets);
      if (std::isnan(value)) {
        EXPECT_TRUE(result.nan);
        continue;
      }
      const long double slack = 0x1p-62L * std::abs(value) + (item.operation == Operation::mod ? 0x1p-62L * 4 : 0);
      ASSERT_TRUE(result.lo <= value + slack && value - slack <= result.hi)
          << static_cast<int>(item.operation) << " of " << x[0] << ", " << x[1];
    }
  }
}

TEST(Interval, RoundsExactResultsNowhere) {
  const auto expect_point = [](const Interval& x, double value) {
    EXPECT_EQ(x.lo, value);
    EXPECT_EQ(x.hi, value);
    EXPECT_FALSE(x.nan);
  };
  expect_point(Interval(1) - Interval(1), 0);
  expect_point(Interval(0.5) + Interval(0.25), 0.75);
  expect_point(Interval(3) * Interval(0.1) * Interval(0), 0);
  expect_point(Interval(1.5) * Interval(1.5), 2.25);
  expect_point(Interval(1) / Interval(4), 0.25);
  expect_point(sqrt(Interval(2.25)), 1.5);
  expect_point(sin(Interval(0)), 0);
  expect_point(cos(Interval(0)), 1);
  expect_point(exp(Interval(0)), 1);
  expect_point(log(Interval(1)), 0);
  expect_point(tanh(Interval(0)), 0);
  expect_point(hypot(Interval(-3), Interval(0)), 3);
}

TEST(Interval, RoundsInexactResultsOutwardToNeighbours) {
  for (const Interval& x :
       {Interval(0.1) + Interval(0.2), Interval(0.1) * Interval(0.3), Interval(1) / Interval(3), sqrt(Interval(2)),
        Interval(1e-200) * Interval(1e-200), Interval(1e200) * Interval(1e200)}) {
    EXPECT_EQ(step_by(x.lo, 1), x.hi);
  }
}

// Otherwise the enclosure would be right and useless.
TEST(Interval, StaysNarrow) {
  Random random(5);
  std::uniform_real_distribution<double> draw(0.1, 0.9);
  for (const Operation operation : all_operations()) {
    if (operation == Operation::mod) continue;  // Its cancellation in x - y floor(x/y) is not relative to the result.
    for (int i = 0; i < 100; ++i) {
      const Interval points[] = {draw(random), draw(random), draw(random)};
      const Interval result = apply(operation, points);
      EXPECT_LE(result.hi, step_by(result.lo, 160)) << static_cast<int>(operation);
    }
  }
  const Interval wave = sin(Interval(1, 2));
  EXPECT_EQ(wave.hi, 1);
  EXPECT_NEAR(wave.lo, std::sin(1.0), 1e-14);
  EXPECT_EQ(cos(Interval(3, 4)).lo, -1);
  EXPECT_EQ(tan(Interval(1, 2)).hi, kInfinity);
  EXPECT_NEAR(tan(Interval(2, 4)).hi, std::tan(4.0), 1e-14);
  EXPECT_EQ(pow(Interval(-2, 1), 2).lo, 0);
  EXPECT_NEAR(pow(Interval(-2, 1), 3).lo, -8, 1e-13);
}

// Decisions certain for intervals are those of all their numbers.
TEST(Decision, CertainMeansTheSameForAllNumbers) {
  Random random(6);
  for (const Operation operation : all_operations()) {
    int certain = 0;
    for (int i = 0; i < 5'000; ++i) {
      Interval sets[] = {draw_interval(random), draw_interval(random), draw_interval(random)};
      const bool with_nan = random() % 8 == 0;
      if (with_nan) sets[random() % 3].nan = true;
      const Decision decision = decide(operation, sets);
      if (!decision.certain) continue;
      ++certain;
      for (int k = 0; k < 10; ++k) {
        double x[3];
        for (int j = 0; j < 3; ++j) x[j] = sets[j].nan && random() % 2 ? std::nan("") : draw_from(sets[j], random);
        const Decision one = decide(operation, x);
        ASSERT_TRUE(one.certain);
        ASSERT_EQ(one.value, decision.value)
            << static_cast<int>(operation) << " of " << x[0] << ", " << x[1] << ", " << x[2];
      }
    }
    EXPECT_GT(certain, 500) << static_cast<int>(operation);
  }
}

// Bounds of derivatives over an interval contain the derivatives at its numbers, up to the rounding of the latter.
TEST(IntervalJet, ContainsDerivativesAtEveryPoint) {
  Random random(7);
  std::uniform_real_distribution<double> draw(-3, 3);
  const auto draw_set = [&] {
    const double a = draw(random), b = random() % 2 ? draw(random) : a + 0.1 * draw(random);
    return Interval(std::min(a, b), std::max(a, b));
  };
  const auto contains = [](const Interval& set, double x) {
    if (std::isnan(x)) return true;  // Of no meaning, such as the slope of log at -1.
    const double slack = 1e-9 * (1 + std::abs(x));
    return set.lo <= x + slack && x - slack <= set.hi;
  };
  for (const Operation operation : all_operations()) {
    int bounded = 0;
    for (int i = 0; i < 5'000; ++i) {
      Jet<Interval> sets[3];
      Jet<double> x[3];
      for (int k = 0; k < 3; ++k) {
        sets[k] = {draw_set(), draw_set(), draw_set()};
        x[k] = {draw_from(sets[k].value, random), draw_from(sets[k].first, random), draw_from(sets[k].second, random)};
      }
      const Jet<Interval> result = apply(operation, sets);
      const Jet<double> one = apply(operation, x);
      ASSERT_TRUE(contains(result.value, one.value));
      ASSERT_TRUE(contains(result.first, one.first)) << static_cast<int>(operation) << ": " << one.first;
      ASSERT_TRUE(contains(result.second, one.second)) << static_cast<int>(operation) << ": " << one.second;
      bounded += result.first.is_bounded();
    }
    EXPECT_GT(bounded, 100) << static_cast<int>(operation);
  }
}

}  // namespace
}  // namespace thenar::internal::interval_test
