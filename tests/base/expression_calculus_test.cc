// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of expressions, and where their pieces meet.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "thenar/base/expression.h"

namespace thenar::expression_calculus_test {
namespace {

const std::vector<std::string> kNames{"t", "level"};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Expression parse(const std::string& text) { return Expression::parse(text, kNames); }

// ---------------------------------------------------------------------------------------------------------------------
// Derivatives

using LongFunction = std::function<long double(long double t, long double level)>;

struct Differences {
  long double first = 0, second = 0;
};

// Central differences of order 6. With h = 2^-7 both errors are near 1e-14 for derivatives of order one: truncation
// h^6/140 f⁽⁷⁾ and rounding 2^-63/h².
Differences differentiate(const std::function<long double(long double)>& f) {
  const long double h = 0x1p-7L;
  const auto even = [&](int k) { return f(k * h) + f(-k * h); };
  const auto odd = [&](int k) { return f(k * h) - f(-k * h); };
  return {(odd(3) - 9 * odd(2) + 45 * odd(1)) / (60 * h),
          (2 * even(3) - 27 * even(2) + 270 * even(1) - 490 * f(0)) / (180 * h * h)};
}

struct Smooth {
  const char* text;
  LongFunction function;
};

// Operands that change in both variables and are curved, so that every term of every rule takes part; within (0, 1).
long double inner_of(long double t, long double level) { return 0.4L + 0.2L * t - 0.1L * level + 0.05L * t * level; }
long double other_of(long double t, long double level) { return 0.5L - 0.1L * t * t + 0.2L * level; }
const std::string kInner = "(0.4 + 0.2*t - 0.1*level + 0.05*t*level)";
const std::string kOther = "(0.5 - 0.1*t*t + 0.2*level)";

std::string expand(std::string text) {
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"A", kInner}, {"B", kOther}}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
      text.replace(at, 1, value);
    }
  }
  return text;
}

using L = long double;
const Smooth kSmooth[] = {
    {"-A", [](L a, L) { return -a; }},
    {"sin(A)", [](L a, L) { return std::sin(a); }},
    {"cos(A)", [](L a, L) { return std::cos(a); }},
    {"tan(A)", [](L a, L) { return std::tan(a); }},
    {"asin(A)", [](L a, L) { return std::asin(a); }},
    {"acos(A)", [](L a, L) { return std::acos(a); }},
    {"atan(A)", [](L a, L) { return std::atan(a); }},
    {"sinh(A)", [](L a, L) { return std::sinh(a); }},
    {"cosh(A)", [](L a, L) { return std::cosh(a); }},
    {"tanh(A)", [](L a, L) { return std::tanh(a); }},
    {"exp(A)", [](L a, L) { return std::exp(a); }},
    {"log(1 + A)", [](L a, L) { return std::log(1 + a); }},
    {"log10(1 + A)", [](L a, L) { return std::log10(1 + a); }},
    {"sqrt(1 + A)", [](L a, L) { return std::sqrt(1 + a); }},
    {"cbrt(1 + A)", [](L a, L) { return std::cbrt(1 + a); }},
    {"cbrt(-1 - A)", [](L a, L) { return std::cbrt(-1 - a); }},
    {"A + B", [](L a, L b) { return a + b; }},
    {"A - B", [](L a, L b) { return a - b; }},
    {"A * B", [](L a, L b) { return a * b; }},
    {"A / (1 + B)", [](L a, L b) { return a / (1 + b); }},
    {"A^3", [](L a, L) { return a * a * a; }},
    {"(A - 2)^3", [](L a, L) { return (a - 2) * (a - 2) * (a - 2); }},
    {"(A - 2)^-2", [](L a, L) { return 1 / ((a - 2) * (a - 2)); }},
    {"(1 + A)^1.5", [](L a, L) { return std::pow(1 + a, L(1.5)); }},
    {"2.5^A", [](L a, L) { return std::pow(L(2.5), a); }},
    {"(1 + A)^B", [](L a, L b) { return std::pow(1 + a, b); }},
    {"pow(2 - A, 1 + B)", [](L a, L b) { return std::pow(2 - a, 1 + b); }},
    {"atan2(A, B)", [](L a, L b) { return std::atan2(a, b); }},
    {"atan2(-A, -B)", [](L a, L b) { return std::atan2(-a, -b); }},
    {"atan2(1 + A, B - 1)", [](L a, L b) { return std::atan2(1 + a, b - 1); }},
    {"hypot(A, B)", [](L a, L b) { return std::hypot(a, b); }},
    {"hypot(A, 2)", [](L a, L) { return std::hypot(a, L(2)); }},
    {"blend(A, -1, 2)",
     [](L a, L) {
       const L s = (a + 1) / 3;
       return s * s * s * (10 - 15 * s + 6 * s * s);
     }},
    {"blend(A, -1 - B, 2 + B)",
     [](L a, L b) {
       const L s = (a + 1 + b) / (3 + 2 * b);
       return s * s * s * (10 - 15 * s + 6 * s * s);
     }},
    {"sin(A*cos(B))/(2 + exp(-A*B))", [](L a, L b) { return std::sin(a * std::cos(b)) / (2 + std::exp(-a * b)); }},
};

TEST(ExpressionDerivatives, AgreeWithDifferencesForEverySmoothOperation) {
  const std::array<double, 2> lines[] = {{1, 0}, {0, 1}, {0.7, -1.3}};
  for (const Smooth& item : kSmooth) {
    const Expression expression = parse(expand(item.text));
    EXPECT_TRUE(expression.is_smooth()) << item.text;
    for (const std::array<double, 2>& values : {std::array{0.3, 0.2}, std::array{-0.4, 0.6}}) {
      for (const std::array<double, 2>& rates : lines) {
        const auto along = [&](long double s) {
          const long double t = values[0] + s * rates[0], level = values[1] + s * rates[1];
          return item.function(inner_of(t, level), other_of(t, level));
        };
        const Expression::Taylor found = expression.evaluate_along(values, rates);
        const Differences expected = differentiate(along);
        EXPECT_EQ(found.value, expression.evaluate(values)) << item.text;
        EXPECT_NEAR(found.value, static_cast<double>(along(0)), 1e-14) << item.text;
        // The differences are good to 1e-14 times derivatives that here stay below 100.
        EXPECT_NEAR(found.first, static_cast<double>(expected.first), 1e-12) << item.text;
        EXPECT_NEAR(found.second, static_cast<double>(expected.second), 1e-12) << item.text;
      }
    }
  }
}

void expect_taylor(const std::string& text, double t, double value, double first, double second) {
  const double values[] = {t, 0}, rates[] = {1, 0};
  const Expression::Taylor found = parse(text).evaluate_along(values, rates);
  EXPECT_EQ(found.value, value) << text << " at " << t;
  EXPECT_EQ(found.first, first) << text << " at " << t;
  EXPECT_EQ(found.second, second) << text << " at " << t;
}

TEST(ExpressionDerivatives, PowersAreExactAtZeroAndForNegativeBases) {
  expect_taylor("t^0", 0, 1, 0, 0);
  expect_taylor("t^1", 0, 0, 1, 0);
  expect_taylor("t^2", 0, 0, 0, 2);
  expect_taylor("t^3", 0, 0, 0, 0);
  expect_taylor("t^2.5", 0, 0, 0, 0);
  expect_taylor("t^2", -3, 9, -6, 2);
  expect_taylor("t^3", -2, -8, 12, -12);
  expect_taylor("t^-1", -2, -0.5, -0.25, -0.25);
  expect_taylor("t^(2 + 0*t)", -3, 9, -6, 2);
  expect_taylor("0^t", 2, 0, 0, 0);
  expect_taylor("0^(t^2)", 2, 0, 0, 0);
  expect_taylor("1^t", 5, 1, 0, 0);
  expect_taylor("t^t", 1, 1, 1, 2);        // (t^t)'' = t^t ((1 + log t)² + 1/t).
  expect_taylor("t^(3 + t)", 0, 0, 0, 0);  // Like t³ near 0, up to a logarithm.
}

TEST(ExpressionDerivatives, TakeThePieceThatEvaluateTakes) {
  expect_taylor("abs(t^2 - 4)", 1, 3, -2, -2);
  expect_taylor("abs(t^2 - 4)", 3, 5, 6, 2);
  expect_taylor("min(t^2, 3*t)", 2, 4, 4, 2);
  expect_taylor("max(t^2, 3*t)", 2, 6, 3, 0);
  expect_taylor("clamp(t^2, 1, 9)", 2, 4, 4, 2);
  expect_taylor("clamp(t^2, t, 9)", 0.5, 0.5, 1, 0);
  expect_taylor("clamp(t^2, 1, 2*t)", 3, 6, 2, 0);
  expect_taylor("t > 1 ? t^2 : 1/0", 2, 4, 4, 2);
  expect_taylor("t > 1 ? sqrt(1 - t) : t^3", 0.5, 0.125, 0.75, 3);
  expect_taylor("mod(t^2, 2)", 1.5, 0.25, 3, 2);
  expect_taylor("mod(5, t)", 1.5, 0.5, -3, 0);  // 5 - 3 t.
  expect_taylor("t*floor(t)", 2.5, 5, 2, 0);
  expect_taylor("t^2*sign(-t)", 3, -9, -6, -2);
  expect_taylor("(t < 3)*t + step(t) + ceil(t) + round(t) + pulse(t, 1, 2) + !t + (t && 1) + (t || 0)", 1.25, 8.25, 1,
                0);
  expect_taylor("blend(t, 1, 2)", 0, 0, 0, 0);
  expect_taylor("blend(t, 1, 2)", 1, 0, 0, 0);
  expect_taylor("blend(t, 1, 2)", 1.5, 0.5, 1.875, 0);
  expect_taylor("blend(t, 1, 2)", 3, 1, 0, 0);
  expect_taylor("floor(t)*2^-53", 0x1p53, 1, 0x1p-53, 0);  // All doubles are integers here: floor(t) is t.
}

TEST(ExpressionDerivatives, OfWhatDoesNotMoveAreZeroEvenAtSingularities) {
  const double values[] = {2, 0}, rates[] = {3, 0};
  const Expression::Taylor found =
      parse("t^2 + sqrt(level) + hypot(level, 0) + cbrt(level)").evaluate_along(values, rates);
  EXPECT_EQ(found.value, 4);
  EXPECT_EQ(found.first, 12);
  EXPECT_EQ(found.second, 18);
}

TEST(ExpressionDerivatives, SurviveExtremeArguments) {
  const double rates[] = {1, 1};
  const double huge[] = {3e200, 4e200};
  EXPECT_DOUBLE_EQ(parse("hypot(t, level)").evaluate_along(huge, rates).first, 1.4);
  EXPECT_DOUBLE_EQ(parse("atan2(t, level)").evaluate_along(huge, rates).first, (4 - 3) / 25e200);
  const double far[] = {800, 0};
  EXPECT_EQ(parse("tanh(t)").evaluate_along(far, rates).first, 0);
  EXPECT_EQ(parse("tanh(t)").evaluate_along(far, rates).second, 0);
}

TEST(ExpressionSmoothness, IsLostByAnyPiecewiseOperationOnVariables) {
  for (const char* text : {"t < 1",          "t <= 1",         "t > 1",
                           "t >= 1",         "t == 1",         "t != 1",
                           "t && 1",         "t || 0",         "!t",
                           "t ? 1 : 2",      "abs(t)",         "sign(t)",
                           "floor(t)",       "ceil(t)",        "round(t)",
                           "step(t)",        "min(t, 1)",      "max(1, t)",
                           "mod(t, 1)",      "mod(1, t)",      "clamp(t, 0, 1)",
                           "clamp(0, t, 1)", "pulse(t, 0, 1)", "sin(2 + 3*abs(level))",
                           "0*abs(t)",       "t ? t : t"}) {
    EXPECT_FALSE(parse(text).is_smooth()) << text;
  }
  for (const char* text : {"1", "t", "sin(t)*exp(-t)/(1 + level^2)", "blend(t, 0, 1)", "atan2(t, level)",
                           "hypot(t, level)", "sqrt(t) + cbrt(t) + t^level", "t*max(1, 2) + abs(-3) + (1 < 2 ? 3 : 4)",
                           "1 ? sin(t) : abs(t)", "0 ? step(t) : blend(t, 0, 1)"}) {
    EXPECT_TRUE(parse(text).is_smooth()) << text;
  }
  EXPECT_TRUE(Expression().is_smooth());
  EXPECT_TRUE(Expression(3).is_smooth());
}

TEST(ExpressionSmoothness, ConstantConditionsChooseWhenParsed) {
  const double values[] = {3, 5};
  EXPECT_EQ(parse("1 ? t + 1 : level").evaluate(values), 4);
  EXPECT_EQ(parse("0 ? t + 1 : level - 1").evaluate(values), 4);
  EXPECT_EQ(parse("2*(1 ? t*level : level) + (0 ? level : (1 ? t : 7*t))").evaluate(values), 33);
  EXPECT_EQ(parse("1 ? t : level").variable_count(), 1u);
  EXPECT_TRUE(parse("1 ? 2 : t").is_constant());
}

// ---------------------------------------------------------------------------------------------------------------------
// Switches

std::optional<Expression::Switch> find(const std::string& text, double from, double to, double level = 0) {
  const double values[] = {std::nan(""), level};  // What stands for t itself is not to be read.
  return parse(text).find_switch(values, 0, from, to);
}

// All switches in order, as a caller would go from one to the next.
std::vector<Expression::Switch> find_all(const Expression& expression, double from, double to,
                                         std::size_t most = 1000) {
  const double values[] = {std::nan(""), 0};
  std::vector<Expression::Switch> all;
  while (all.size() < most) {
    const auto next = expression.find_switch(values, 0, from, to);
    if (!next) break;
    EXPECT_GE(next->before, from) << expression.text();
    EXPECT_LE(next->after, to) << expression.text();
    EXPECT_EQ(next->after, std::nextafter(next->before, kInfinity)) << expression.text();
    all.push_back(*next);
    from = next->after;
  }
  return all;
}

// Expects the switches to be where `after` lists them, to the last bit.
void expect_switches(const std::string& text, double from, double to, const std::vector<double>& after) {
  const std::vector<Expression::Switch> found = find_all(parse(text), from, to);
  ASSERT_EQ(found.size(), after.size()) << text;
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(found[i].after, after[i]) << text << ", switch " << i;
}

double next(double x) { return std::nextafter(x, kInfinity); }

TEST(ExpressionSwitch, IsExactForEveryPiecewiseOperation) {
  expect_switches("step(t - 1)", 0, 10, {1});
  expect_switches("pulse(t, 1, 2)", 0, 10, {1, 2});
  expect_switches("sign(t - 1)", 0, 10, {1, next(1)});
  expect_switches("t < 2 ? sin(t) : cos(t)", 0, 10, {2});
  expect_switches("t <= 2 ? sin(t) : cos(t)", 0, 10, {next(2)});
  expect_switches("t > 2", 0, 10, {next(2)});
  expect_switches("t >= 2", 0, 10, {2});
  expect_switches("t == 2", 0, 10, {2, next(2)});
  expect_switches("t != 2", 0, 10, {2, next(2)});
  expect_switches("t > 1 && t < 3", 0, 10, {next(1), 3});
  expect_switches("t < 1 || t > 3", 0, 10, {1, next(3)});
  expect_switches("!(t < 1)", 0, 10, {1});
  expect_switches("abs(t - 1)", 0, 10, {1});
  expect_switches("min(t, 2)", 0, 10, {2});
  expect_switches("min(2, t)", 0, 10, {next(2)});
  expect_switches("max(t, 2, 2*t - 3)", 0, 10, {next(2), 3});
  expect_switches("clamp(t, 1, 2)", 0, 10, {next(1), 2});
  expect_switches("floor(t)", 0, 3.5, {1, 2, 3});
  expect_switches("ceil(t)", 0.5, 3.5, {next(1), next(2), next(3)});
  expect_switches("round(t)", 0, 3, {0.5, 1.5, 2.5});
  expect_switches("mod(t, 0.5)", 0.25, 1.75, {0.5, 1, 1.5});
  expect_switches("blend(t, 1, 2)", 0, 10, {next(1), 2});
  expect_switches("blend(t, 1, 1)", 0, 10, {1});
  expect_switches("atan2(t - 1, -1)", 0, 10, {1});
  expect_switches("(t - 5) ? 1 : 0", 0, 10, {5, next(5)});
}

TEST(ExpressionSwitch, FindsNestedDecisions) {
  expect_switches("step(abs(t - 3) - 1)", 0, 10, {next(2), 3, 4});
  expect_switches("t < 5 ? (t < 2 ? 1 : 2) : (t < 7 ? 3 : 4)", 0, 10, {2, 5, 7});
  expect_switches("floor(2*clamp(t, 1, 2))", 0, 10, {next(1), 1.5, 2});
  expect_switches("sin(max(t, 1))*blend(t, 3, 4) + 2*pulse(mod(t, 4), 1, 2)", 0.5, 7.5,
                  {1, 2, next(3), 4, 5, 6});  // At 1 and 4 two of them meet.
}

TEST(ExpressionSwitch, FindsPulsesHoweverShort) {
  expect_switches("pulse(t, 1, 1.001)", 0, 10, {1, 1.001});
  expect_switches("pulse(t, 3, 3.000000001)", 0, 10, {3, 3.000000001});
  expect_switches("pulse(t, 3, 3.000000000000001)", 0, 1e6, {3, 3.000000000000001});
  expect_switches("5*(t > 7 && t < 7.0000000001)*sin(t)", 0, 10, {next(7), 7.0000000001});
  const std::vector<Expression::Switch> parabola = find_all(parse("step(1e-18 - (t - 4)^2)"), 0, 10);
  ASSERT_EQ(parabola.size(), 2u);
  EXPECT_NEAR(parabola[0].after, 4 - 1e-9, 1e-15);
  EXPECT_NEAR(parabola[1].after, 4 + 1e-9, 1e-15);
  // Beside a decision that rounding hides everywhere.
  expect_switches("max(sin(t), 0.5*(sin(t) + sin(t))) + pulse(t, 3, 3.000000001)", 0, 10, {3, 3.000000001});
}

TEST(ExpressionSwitch, FollowsOneAnotherWhenPeriodic) {
  const std::vector<Expression::Switch> all = find_all(parse("sign(sin(2*pi*t))"), 0, 10);
  // At 0 the value is 0 for that one number. Near k/2 the computed sine passes 0 without ever being 0; since the
  // double pi is a little less than π, the last time is just after 10.
  ASSERT_EQ(all.size(), 20u);
  EXPECT_EQ(all[0].before, 0);
  for (int k = 1; k <= 19; ++k) EXPECT_NEAR(all[k].after, 0.5 * k, 4e-15) << k;

  const std::vector<Expression::Switch> fast = find_all(parse("step(sin(1e6*t + 0.1))"), 0, 1e-3);
  ASSERT_EQ(fast.size(), 318u);  // (1000 + 0.1)/π, rounded down.
  for (int k = 1; k <= 318; ++k) EXPECT_NEAR(fast[k - 1].after, (k * std::numbers::pi - 0.1) * 1e-6, 1e-18);
}

TEST(ExpressionSwitch, LiesBetweenDecisionsThatDiffer) {
  // A jump across the whole range of doubles of a step function of time: the two sides differ by it.
  for (const char* text : {"step(sin(3*t) - 0.2)", "sign(exp(t) - 2*t^2 - 0.5)", "floor(3*sin(t))", "round(t^3/7)",
                           "t*log(1 + t) > 1", "mod(t*t, 0.7) > 0.3", "pulse(cos(5*t), 0.1, 0.2)"}) {
    const Expression expression = parse(text);
    const std::vector<Expression::Switch> all = find_all(expression, 0.1, 3);
    EXPECT_FALSE(all.empty()) << text;
    for (const Expression::Switch& item : all) {
      const double before[] = {item.before, 0}, after[] = {item.after, 0};
      if (std::string(text).find("mod") == std::string::npos) {
        EXPECT_NE(expression.evaluate(before), expression.evaluate(after)) << text << " at " << item.after;
      }
    }
  }
}

TEST(ExpressionSwitch, IsAbsentFromSmoothStretches) {
  EXPECT_FALSE(find("3", 0, 10));
  EXPECT_FALSE(find("sin(t)/t", -1, 1));
  EXPECT_FALSE(find("step(level)", 0, 10));
  EXPECT_FALSE(find("step(t - 1)", 0, 0.999));
  EXPECT_FALSE(find("step(t - 1)", 1, 10));
  EXPECT_FALSE(find("abs(2 + sin(t))", 0, 100));
  EXPECT_FALSE(find("max(t, t - 1)", 0, 10));
  EXPECT_FALSE(find("floor(0.5 + 0.4*sin(1000*t))", 0, 10));
  EXPECT_FALSE(find("clamp(t, -1, 11)", 0, 10));
  EXPECT_FALSE(find("mod(t, 20)", 1, 10));
  EXPECT_FALSE(find("blend(t, 0, 10)", 1, 9));
  EXPECT_FALSE(find("atan2(t, 1)", -5, 5));
  EXPECT_FALSE(find("t*t - t + 0.26 > 0", 0, 10));  // Its least value is 0.01.
  EXPECT_FALSE(find("step(t - 1)", 3, 3));
  EXPECT_FALSE(find("step(t - 1)", 3, 0));
}

TEST(ExpressionSwitch, KeepsOtherVariablesFixed) {
  const double values[] = {2, 0};
  const Expression expression = parse("step(t - level) + sqrt(t)*(level > 7)");
  const auto found = expression.find_switch(values, 1, 0, 5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->before, 2);
  EXPECT_EQ(find("t > level ? 1 : 2", 0, 5, 3)->before, 3);
  // Rounding of what does not move is no doubt: 3*level is 0.30000000000000004, for evaluate() as well.
  EXPECT_FALSE(find("3*level > 0.3 ? t : -t", 0, 1, 0.1));
}

TEST(ExpressionSwitch, PassesWhatDoesNotMatter) {
  expect_switches("t < 5 ? 1 : sign(sin(50*t))*(t < 5.05)", 0, 5.01, {5});
  expect_switches("t < 1e-3 ? 0 : floor(1/t)", 0, 1e-3, {1e-3});
  expect_switches("max(2, sign(sin(t)))", 0, 100, {});
  expect_switches("floor(t) < 100", 0, 50, {});
  expect_switches("t > 20 && sin(t) > 0", 0, 10, {});
  expect_switches("clamp(5 + sign(t - 1), 0, 1)", 0, 10, {});
}

TEST(ExpressionSwitch, AtTheStartIsPastUnlessItJumps) {
  EXPECT_FALSE(find("clamp(t, 0, 1)", 0, 0.5));
  EXPECT_FALSE(find("blend(t, 0, 1)", 0, 0.5));
  EXPECT_FALSE(find("abs(t)", 0, 1));
  EXPECT_FALSE(find("max(0, t)", 0, 1));
  EXPECT_FALSE(find("max(t, 0)", 0, 1));
  EXPECT_FALSE(find("step(t)", 0, 1));
  EXPECT_EQ(find("sign(t)", 0, 1)->before, 0);
  EXPECT_EQ(find("t > 0", 0, 1)->before, 0);
  // What comes after is found all the same.
  EXPECT_EQ(find("clamp(t, 0, 1)", 0, 5)->after, 1);
}

TEST(ExpressionSwitch, AtTheEndIsReportedOnce) {
  EXPECT_EQ(find("step(t - 1)", 0, 1)->after, 1);
  EXPECT_FALSE(find("step(t - 1)", 0, std::nextafter(1, 0)));
  EXPECT_EQ(find("step(t - 1)", std::nextafter(1, 0), 1)->after, 1);
}

// Touching, and ties that last: the search must neither find anything nor give up, which would show as a switch.
TEST(ExpressionSwitch, IsAbsentWhereDecisionsOnlyTouch) {
  for (const char* text : {
           "abs(t^2)",                              // exact zero at 0
           "max(t^2, 0)",                           // exact tie at 0
           "abs(t^2 - 2*t + 1)",                    // double zero at 1, hidden by rounding
           "step(t^2 - 2*t + 1 + 1e-15)",           // the same, just missed
           "max(0, 0*t)",                           // tie everywhere, exact
           "max(t, 0.5*(t + t))",                   // tie everywhere, exact
           "min(sin(t), sin(t))",                   // the same
           "max(t^2, t*t)",                         // tie everywhere, up to rounding
           "max(1, sin(t)^2 + cos(t)^2)",           // the same
           "max(exp(t), exp(t/2)^2)",               // the same
           "clamp(min(t, -1) + 1, 0, 1)*(t > -2)",  // rests on its bound beyond -1
           "clamp(sin(t), -1, 1)",                  // touches its bounds
           "min(1, cos(t))",                        // touches
           "max(1 - cos(t), 0)",                    // touches
           "sign(2 + sin(t) + cos(1.5*t))*0",       // near a zero
           "(t - 0.3)^4 < 0",                       // fourfold zero
       }) {
    std::vector<Expression::Switch> found = find_all(parse(text), -1, 3);
    EXPECT_TRUE(found.empty()) << text << " at " << (found.empty() ? 0 : found[0].after);
  }
}

// In rounding noise the signs of these change many times; the run must get across with few switches.
TEST(ExpressionSwitch, IsOneOfManyInRoundingNoise) {
  const std::vector<Expression::Switch> cubic = find_all(parse("step(t^3 - 3*t^2 + 3*t - 1)"), 0, 3);
  ASSERT_EQ(cubic.size(), 1u);
  EXPECT_NEAR(cubic[0].after, 1, 2e-5);  // Where |t - 1|³ is 8 units of rounding of 1.
  const std::vector<Expression::Switch> tangent = find_all(parse("max(sin(t), t)"), -1, 1);
  ASSERT_EQ(tangent.size(), 1u);
  EXPECT_NEAR(tangent[0].after, 0, 1e-7);
}

TEST(ExpressionSwitch, IsFoundJustAboveRoundingNoise) {
  // The bounds of this parabola are about 5e-15 wide at t = 1, so it is positive by 20 of them.
  const std::vector<Expression::Switch> found = find_all(parse("step(1e-13 - (t^2 - 2*t + 1))"), 0, 3);
  ASSERT_EQ(found.size(), 2u);
  const double half = std::sqrt(1e-13);
  const double blur = 5e-15 / (2 * half);  // Of the parabola over its slope.
  EXPECT_NEAR(found[0].after, 1 - half, blur);
  EXPECT_NEAR(found[1].after, 1 + half, blur);
}

TEST(ExpressionSwitch, IsFoundBesidePoles) {
  // atan(1/t) - t/2 falls, except that it jumps up from -π/2 at 0. It is above -1.2 at both ends, and below it for a
  // short while before the jump; taken for monotone, it would be above all the time.
  const Expression expression = parse("atan(t^-1) - 0.5*t > -1.2");
  const std::vector<Expression::Switch> found = find_all(expression, -2, 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(std::atan(1 / found[0].after) - 0.5 * found[0].after, -1.2, 1e-15);
  EXPECT_NEAR(found[1].after, 0, 1e-300);
}

TEST(ExpressionSwitch, MovesOnWhenItGivesUp) {
  // Touches 160,000 times: each call gets as far as its bound allows.
  const Expression expression = parse("sign(1 + sin(1e6*t))");
  const double values[] = {0, 0};
  const auto first = expression.find_switch(values, 0, 0, 1);
  ASSERT_TRUE(first);
  EXPECT_GT(first->before, 1e-4);
  const auto second = expression.find_switch(values, 0, first->after, 1);
  ASSERT_TRUE(second);
  EXPECT_GT(second->before, 2e-4);
}

TEST(ExpressionSwitch, LivesWithNumbersThatAreNone) {
  expect_switches("sqrt(t - 1) < 2", 0, 10, {1, 5});
  expect_switches("log(t) > 100", -1, 1, {});
  expect_switches("max(sqrt(t), 2)", -1, 1, {0});
  EXPECT_FALSE(find("floor(0/0*t)", 0, 1));
  EXPECT_FALSE(find("t < 1/0", 0, 1));
  EXPECT_FALSE(find("mod(t, 0)", 0, 1));
  EXPECT_TRUE(find("1/t > 5", -1, 1));
  EXPECT_TRUE(find("tan(t) > 1", 0, 3));
}

// ---------------------------------------------------------------------------------------------------------------------
// Random expressions against sampling. An evaluator of its own keeps the books of decisions.

class Node {
 public:
  enum Kind { variable, constant, smooth1, smooth2, less, floor, sign, step, abs, min, max, clamp, select, blend, mod };

  using Signature = std::vector<double>;
  struct Result {
    double value = 0;
    Signature all;      // every decision
    Signature matters;  // those on which the value depends
  };

  static std::unique_ptr<Node> draw(std::mt19937& random, int depth) {
    auto node = std::make_unique<Node>();
    if (depth == 0) {
      node->kind_ = random() % 3 ? variable : constant;
    } else {
      node->kind_ = static_cast<Kind>(smooth1 + random() % (mod - smooth1 + 1));
    }
    constexpr double kRound[] = {0, 1, 0.5, 2, -1};
    node->number_ = random() % 3 ? std::uniform_real_distribution(-2.0, 2.0)(random) : kRound[random() % 5];
    node->which_ = static_cast<int>(random() % 4);
    constexpr int kOperands[] = {0, 0, 1, 2, 2, 1, 1, 1, 1, 2, 2, 1, 3, 1, 1};
    for (int i = 0; i < kOperands[node->kind_]; ++i) {
      const int below = depth == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(depth));
      node->operands_.push_back(draw(random, below));
    }
    return node;
  }

  std::string text() const {
    const auto operand = [this](std::size_t i) { return operands_[i]->text(); };
    const std::string number = "(" + format(number_) + ")";
    const std::string above = "(" + format(number_ + 0.75) + ")";
    constexpr const char* kUnary[] = {"sin", "exp", "atan", "cos"};
    constexpr const char* kBinary[] = {"+", "-", "*", "*"};
    switch (kind_) {
      case variable:
        return "t";
      case constant:
        return number;
      case smooth1:
        return std::string(kUnary[which_]) + "(" + number + "*" + operand(0) + ")";
      case smooth2:
        return "(" + operand(0) + kBinary[which_] + operand(1) + ")";
      case less:
        return "(" + operand(0) + " < " + operand(1) + ")";
      case floor:
        return "floor(" + operand(0) + ")";
      case sign:
        return "sign(" + operand(0) + ")";
      case step:
        return "step(" + operand(0) + ")";
      case abs:
        return "abs(" + operand(0) + ")";
      case min:
        return "min(" + operand(0) + ", " + operand(1) + ")";
      case max:
        return "max(" + operand(0) + ", " + operand(1) + ")";
      case clamp:
        return "clamp(" + operand(0) + ", " + number + ", " + above + ")";
      case select:
        return "(" + operand(0) + " ? " + operand(1) + " : " + operand(2) + ")";
      case blend:
        return "blend(" + operand(0) + ", " + number + ", " + above + ")";
      case mod:
        return "mod(" + operand(0) + ", 0.75)";
    }
    return "";
  }

  Result evaluate(double t) const {
    std::vector<Result> x;
    Result result;
    for (const auto& operand : operands_) {
      x.push_back(operand->evaluate(t));
      result.all.insert(result.all.end(), x.back().all.begin(), x.back().all.end());
    }
    const auto decide = [&result](double decision) {
      result.all.push_back(decision);
      result.matters.push_back(decision);
    };
    const auto use = [&](std::size_t i) {
      result.matters.insert(result.matters.end(), x[i].matters.begin(), x[i].matters.end());
    };
    const auto take = [&](std::size_t i) {
      use(i);
      result.value = x[i].value;
    };
    const double lower = number_, upper = number_ + 0.75;
    switch (kind_) {
      case variable:
        result.value = t;
        break;
      case constant:
        result.value = number_;
        break;
      case smooth1: {
        use(0);
        const double scaled = number_ * x[0].value;
        const double values[] = {std::sin(scaled), std::exp(scaled), std::atan(scaled), std::cos(scaled)};
        result.value = values[which_];
        break;
      }
      case smooth2: {
        use(0);
        use(1);
        const double a = x[0].value, b = x[1].value;
        result.value = which_ == 0 ? a + b : (which_ == 1 ? a - b : a * b);
        break;
      }
      case less:
        decide(result.value = x[0].value < x[1].value);
        break;
      case floor:
        decide(result.value = std::floor(x[0].value));
        break;
      case sign:
        decide(result.value = x[0].value > 0 ? 1 : (x[0].value < 0 ? -1 : 0));
        break;
      case step:
        decide(result.value = x[0].value < 0 ? 0 : 1);
        break;
      case abs:
        decide(x[0].value < 0);
        use(0);
        result.value = std::abs(x[0].value);
        break;
      case min:
        decide(x[0].value < x[1].value);
        take(x[0].value < x[1].value ? 0 : 1);
        break;
      case max:
        decide(x[0].value > x[1].value);
        take(x[0].value > x[1].value ? 0 : 1);
        break;
      case clamp:
        decide(x[0].value >= upper ? 2 : x[0].value > lower);
        if (x[0].value > lower && x[0].value < upper) use(0);
        result.value = std::clamp(x[0].value, lower, upper);
        break;
      case select:
        decide(x[0].value != 0);
        take(x[0].value != 0 ? 1 : 2);
        break;
      case blend: {
        decide(x[0].value >= upper ? 2 : x[0].value > lower);
        if (x[0].value > lower && x[0].value < upper) use(0);
        // The polynomial of the library, as other code may contract other products and sums into one rounding.
        static const Expression quintic = Expression::parse("blend(x, a, b)", std::vector<std::string>{"x", "a", "b"});
        result.value = quintic.evaluate(std::array{x[0].value, lower, upper});
        break;
      }
      case mod: {
        double remainder = std::fmod(x[0].value, 0.75);
        if (remainder < 0) remainder += 0.75;
        decide(std::round((x[0].value - remainder) / 0.75));
        use(0);
        result.value = remainder;
        break;
      }
    }
    return result;
  }

 private:
  // All digits, so that the text means the same number.
  static std::string format(double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", x);
    return buffer;
  }

  Kind kind_ = variable;
  double number_ = 0;
  int which_ = 0;
  std::vector<std::unique_ptr<Node>> operands_;
};

TEST(ExpressionSwitch, OfRandomExpressionsMissNoChangeThatSamplingSees) {
  constexpr double kFrom = -1.5, kTo = 2.5;
  constexpr int kSamples = 1000;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> draw(kFrom, kTo);
  long long switches = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto tree = Node::draw(random, 4);
    const std::string text = tree->text();
    const Expression expression = parse(text);
    const std::vector<Expression::Switch> found = find_all(expression, kFrom, kTo, 300);
    if (found.size() == 300) continue;  // floor(exp(...)) may have millions.
    switches += static_cast<long long>(found.size());

    for (const Expression::Switch& item : found) {
      ASSERT_NE(tree->evaluate(item.before).all, tree->evaluate(item.after).all) << text << " at " << item.after;
    }

    std::vector<double> samples(kSamples);
    for (double& sample : samples) sample = draw(random);
    std::sort(samples.begin(), samples.end());
    std::size_t passed = 0;
    Node::Result last = tree->evaluate(samples[0]);
    for (std::size_t k = 1; k < samples.size(); ++k) {
      Node::Result now = tree->evaluate(samples[k]);
      while (passed < found.size() && found[passed].after <= samples[k - 1]) ++passed;
      const bool has_switch = passed < found.size() && found[passed].after <= samples[k];
      if (now.matters != last.matters) {
        ASSERT_TRUE(has_switch) << text << " between " << samples[k - 1] << " and " << samples[k];
      }
      last = std::move(now);
    }
  }
  EXPECT_GT(switches, 1500);
}

TEST(ExpressionDerivatives, OfRandomExpressionsHaveTheirValue) {
  std::mt19937 random(12);
  for (int i = 0; i < 2000; ++i) {
    const auto tree = Node::draw(random, 4);
    const Expression expression = parse(tree->text());
    for (const double t : {-1.0, 0.0, 0.7}) {
      const double values[] = {t, 0}, rates[] = {1, 0};
      const double value = expression.evaluate(values);
      EXPECT_EQ(value, expression.evaluate_along(values, rates).value) << expression.text();
      EXPECT_EQ(value, tree->evaluate(t).value) << expression.text() << " at " << t;
    }
  }
}

TEST(ExpressionRange, EnclosesAllValuesAndIsTightForSimpleOnes) {
  const std::vector<std::string> variables{"x"};
  const auto range = [&](const char* text) { return Expression::parse(text, variables).calc_range(); };
  // Outward rounding of two operations: a few units in the last place.
  EXPECT_NEAR(range("0.5*cos(x)").lowest, -0.5, 1e-15);
  EXPECT_NEAR(range("0.5*cos(x)").highest, 0.5, 1e-15);
  EXPECT_LE(range("0.5*cos(x)").lowest, -0.5);
  EXPECT_GE(range("0.5*cos(x)").highest, 0.5);
  EXPECT_EQ(range("3").lowest, 3);
  EXPECT_GE(range("blend(x, 0, 1)").lowest, -1e-12);
  // Nothing is known of what grows without bound or may be no number.
  EXPECT_GT(range("x^2").highest, 1e300);
  EXPECT_EQ(range("sqrt(x)").lowest, -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace thenar::expression_calculus_test
