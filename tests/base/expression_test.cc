// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace thenar::expression_test {
namespace {

const std::vector<std::string> kNames{"t", "level"};

std::optional<double> lookup(std::string_view name) {
  if (name == "mu") return 0.5;
  if (name == "m_2") return 3.0;
  return std::nullopt;
}

double value_of(std::string_view text, double t = 0, double level = 0) {
  const double values[] = {t, level};
  return Expression::parse(text, kNames, lookup).evaluate(values);
}

// Expects an error at `offset` whose message contains `part`.
void expect_error(const std::string& text, std::size_t offset, const std::string& part) {
  try {
    Expression::parse(text, kNames, lookup);
    ADD_FAILURE() << "accepted: " << text.substr(0, 80);
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.offset(), offset) << text.substr(0, 80) << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Expression, ReadsNumbers) {
  EXPECT_EQ(value_of("1"), 1);
  EXPECT_EQ(value_of("1.5"), 1.5);
  EXPECT_EQ(value_of(".5"), 0.5);
  EXPECT_EQ(value_of("1e-3"), 1e-3);
  EXPECT_EQ(value_of("  2.5E2  "), 250);
  EXPECT_EQ(value_of("\n1\r\n+\t1"), 2);
}

TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(value_of("1+2*3"), 7);
  EXPECT_EQ(value_of("(1+2)*3"), 9);
  EXPECT_EQ(value_of("-2^2"), -4);
  EXPECT_EQ(value_of("2^-1"), 0.5);
  EXPECT_EQ(value_of("2*-3"), -6);
  EXPECT_EQ(value_of("--2"), 2);
  EXPECT_EQ(value_of("+2 - +3"), -1);
  EXPECT_EQ(value_of("2*3^2"), 18);
  EXPECT_EQ(value_of("!0 + 1"), 2);
  EXPECT_EQ(value_of("1 + 1 < 3"), 1);
  EXPECT_EQ(value_of("1 < 2 && 3 < 2"), 0);
  EXPECT_EQ(value_of("1 || 0 && 0"), 1);
  EXPECT_EQ(value_of("0 || 0 ? 5 : 6 + 1"), 7);
}

TEST(Expression, AssociatesLeftExceptPowersAndConditions) {
  EXPECT_EQ(value_of("10-4-3"), 3);
  EXPECT_EQ(value_of("100/10/5"), 2);
  EXPECT_EQ(value_of("2^3^2"), 512);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value_of("1 ? 0 ? 1 : 2 : 3"), 2);
}

TEST(Expression, ComparesToZeroOrOne) {
  EXPECT_EQ(value_of("1<2"), 1);
  EXPECT_EQ(value_of("2<=2"), 1);
  EXPECT_EQ(value_of("1>2"), 0);
  EXPECT_EQ(value_of("2>=3"), 0);
  EXPECT_EQ(value_of("2==2"), 1);
  EXPECT_EQ(value_of("2!=2"), 0);
  EXPECT_EQ(value_of("!(2!=2)"), 1);
  EXPECT_EQ(value_of("!5"), 0);
  EXPECT_EQ(value_of("5 && -1"), 1);
}

TEST(Expression, UsesVariablesConstantsAndParameters) {
  EXPECT_EQ(value_of("t + 10*level", 1, 2), 21);
  EXPECT_EQ(value_of("pi"), std::numbers::pi);
  EXPECT_EQ(value_of("e"), std::numbers::e);
  EXPECT_EQ(value_of("-$mu*$m_2"), -1.5);
  const std::vector<std::string> hiding{"e"};
  const double values[] = {7};
  EXPECT_EQ(Expression::parse("e", hiding).evaluate(values), 7);
}

TEST(Expression, FunctionsAgreeWithTheStandardLibrary) {
  struct Case {
    const char* name;
    double (*function)(double);
  };
  const Case cases[] = {
      {"sin", [](double x) { return std::sin(x); }},   {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},   {"asin", [](double x) { return std::asin(x); }},
      {"acos", [](double x) { return std::acos(x); }}, {"atan", [](double x) { return std::atan(x); }},
      {"sinh", [](double x) { return std::sinh(x); }}, {"cosh", [](double x) { return std::cosh(x); }},
      {"tanh", [](double x) { return std::tanh(x); }}, {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},   {"log10", [](double x) { return std::log10(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }}, {"cbrt", [](double x) { return std::cbrt(x); }},
      {"abs", [](double x) { return std::abs(x); }},   {"floor", [](double x) { return std::floor(x); }},
      {"ceil", [](double x) { return std::ceil(x); }}, {"round", [](double x) { return std::round(x); }},
  };
  for (const Case& item : cases) {
    for (const double x : {-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.5}) {
      const double found = value_of(std::string(item.name) + "(t)", x);
      const double expected = item.function(x);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(found)) << item.name << "(" << x << ")";
      } else {
        EXPECT_EQ(found, expected) << item.name << "(" << x << ")";
      }
    }
  }
  EXPECT_EQ(value_of("atan2(t, level)", -1, -2), std::atan2(-1, -2));
  EXPECT_EQ(value_of("pow(t, level)", 1.5, 2.5), std::pow(1.5, 2.5));
  EXPECT_EQ(value_of("hypot(t, level)", 3, 4), 5);
}

TEST(Expression, OwnFunctionsFollowTheirDefinitions) {
  EXPECT_EQ(value_of("sign(t)", -3), -1);
  EXPECT_EQ(value_of("sign(t)", 0), 0);
  EXPECT_EQ(value_of("sign(t)", 0.1), 1);
  EXPECT_EQ(value_of("min(3, 1, 2)"), 1);
  EXPECT_EQ(value_of("max(t, level)", 3, 5), 5);
  EXPECT_EQ(value_of("max(t, 1, level, 2)", 3, 5), 5);
  EXPECT_EQ(value_of("mod(t, 2)", 5.5), 1.5);
  EXPECT_EQ(value_of("mod(t, 2)", -0.5), 1.5);
  EXPECT_EQ(value_of("mod(t, -2)", 0.5), -1.5);
  EXPECT_EQ(value_of("mod(t, 2)", -4), 0);
  EXPECT_EQ(value_of("step(t)", -1e-300), 0);
  EXPECT_EQ(value_of("step(t)", 0), 1);
  EXPECT_EQ(value_of("clamp(t, 0, 1)", -1), 0);
  EXPECT_EQ(value_of("clamp(t, 0, 1)", 0.5), 0.5);
  EXPECT_EQ(value_of("clamp(t, 0, 1)", 2), 1);
  EXPECT_EQ(value_of("pulse(t, 1, 2)", 0.9), 0);
  EXPECT_EQ(value_of("pulse(t, 1, 2)", 1), 1);
  EXPECT_EQ(value_of("pulse(t, 1, 2)", 2), 0);
  EXPECT_TRUE(std::isnan(value_of("min(0/0, 1)")));
  EXPECT_TRUE(std::isnan(value_of("max(1, 0/0)")));
}

TEST(Expression, BlendIsTheQuinticAndJumpsWhenItsEndsCoincide) {
  EXPECT_EQ(value_of("blend(t, 1, 3)", 1), 0);
  EXPECT_EQ(value_of("blend(t, 1, 3)", 2), 0.5);
  EXPECT_EQ(value_of("blend(t, 1, 3)", 3), 1);
  const double s = 0.25;
  // The Horner form rounds differently from the sum: a few ulp of 1.
  EXPECT_NEAR(value_of("blend(t, 1, 3)", 1.5), 10 * s * s * s - 15 * s * s * s * s + 6 * s * s * s * s * s, 1e-15);
  EXPECT_EQ(value_of("blend(t, 1, 1)", 0.999), 0);
  EXPECT_EQ(value_of("blend(t, 1, 1)", 1), 1);
}

TEST(Expression, UntakenBranchDoesNotPoisonTheResult) {
  EXPECT_EQ(value_of("t == 0 ? 1 : sin(t)/t", 0), 1);
  EXPECT_EQ(value_of("1 ? 2 : 0/0"), 2);
  EXPECT_EQ(value_of("t > 0 && log(t) > 0", -1), 0);
  EXPECT_TRUE(std::isinf(value_of("1/t", 0)));
}

TEST(Expression, KnowsWhetherItIsConstant) {
  EXPECT_TRUE(Expression::parse("2*$mu + sin(1)", kNames, lookup).is_constant());
  EXPECT_FALSE(Expression::parse("0*t", kNames, lookup).is_constant());
  EXPECT_EQ(Expression::parse("2*3", {}).evaluate({}), 6);
  EXPECT_EQ(Expression().evaluate({}), 0);
  EXPECT_EQ(Expression(2.5).evaluate({}), 2.5);
  EXPECT_EQ(Expression(2.5).text(), "2.5");
  EXPECT_EQ(Expression::parse(" 2*t ", kNames).text(), " 2*t ");
}

TEST(Expression, CopiesEvaluateAlike) {
  const double values[] = {2, 3};
  const Expression original = Expression::parse("t^2 + level", kNames);
  Expression copy = original;
  EXPECT_EQ(copy.evaluate(values), 7);
  const Expression moved = std::move(copy);
  EXPECT_EQ(moved.evaluate(values), 7);
}

TEST(ExpressionErrors, PointAtTheFault) {
  expect_error("", 0, "empty expression");
  expect_error("   ", 3, "empty expression");
  expect_error("1 +", 3, "expected a number, a name or '(', found the end");
  expect_error("1 + * 2", 4, "found '*'");
  expect_error("(1 + 2", 6, "expected ')', found the end");
  expect_error("(1 2)", 3, "expected ')', found '2'");
  expect_error("1)", 1, "found ')' without its '('");
  expect_error("1 2", 2, "expected an operator or the end, found '2'");
  expect_error("2 t", 2, "found 't'");
  expect_error("1 # 2", 2, "found '#'");
  expect_error("1 ü", 2, "found 'ü'");
  expect_error("t = 1", 2, "equality is written '=='");
  expect_error("t & 1", 2, "found '&'");
  expect_error("2 ** 3", 2, "written with '^'");
  expect_error("1 < 2 < 3", 6, "do not chain");
  expect_error("1 ? 2", 5, "expected ':' of '? :', found the end");
  expect_error("1e999", 0, "number '1e999' is out of range");
  expect_error("$", 1, "expected the name of a parameter after '$', found the end");
  expect_error("$ mu", 1, "expected the name of a parameter after '$', found ' '");
  expect_error("$2", 1, "found '2'");
  expect_error("1 + $nu", 4, "unknown parameter '$nu'");
  expect_error("0x10", 1, "found 'x10'");
}

TEST(ExpressionErrors, NameWhatIsKnown) {
  expect_error("2*lvel", 2,
               "unknown name 'lvel' in expression; did you mean 'level'? known: t, level, pi, e, and parameters "
               "written $name");
  expect_error("foo", 0, "unknown name 'foo' in expression; known: t, level, pi, e, and parameters written $name");
  expect_error("1+sinn(2)", 2, "unknown function 'sinn'; did you mean 'sin'? known: sin, cos,");
  expect_error("t(2)", 0, "unknown function 't'");
  expect_error("2*sin", 2, "function 'sin' needs its arguments: sin(...)");
  // A name that only other readers know.
  expect_error("tau", 0, "unknown name 'tau'");
}

TEST(ExpressionErrors, CountArguments) {
  expect_error("sin()", 0, "function 'sin' takes 1 argument, found 0");
  expect_error("1+sin(1,2)", 2, "function 'sin' takes 1 argument, found 2");
  expect_error("atan2(1)", 0, "function 'atan2' takes 2 arguments, found 1");
  expect_error("max(1)", 0, "function 'max' takes at least 2 arguments, found 1");
  expect_error("clamp(1,2,3,4)", 0, "takes 3 arguments, found 4");
  expect_error("sin(1", 5, "expected ',' or ')', found the end");
  expect_error("sin(,1)", 4, "found ','");
}

TEST(ExpressionErrors, HostileTextsEndInAnError) {
  expect_error(std::string(100'000, '('), 4096, "at most 4096");
  expect_error(std::string(4000, '('), 100, "nested more than 100 levels");
  expect_error(std::string(4000, '-') + "1", 100, "nested more than 100 levels");
  std::string tower = "t";
  for (int i = 0; i < 1000; ++i) tower += "^t";
  EXPECT_THROW(Expression::parse(tower, kNames), ExpressionError);
  std::string chain = "1";
  for (int i = 0; i < 600; ++i) chain = "t?1:" + chain;
  EXPECT_THROW(Expression::parse(chain, kNames), ExpressionError);
  std::string wide = "t";
  for (int i = 0; i < 70; ++i) wide = "t+(" + wide + ")";
  EXPECT_THROW(Expression::parse(wide, kNames), ExpressionError);
  expect_error(std::string("1\0+1", 4), 1, "expected an operator or the end");
}

TEST(Expression, LongFlatTextNeedsLittleStack) {
  std::string sum = "t";
  for (int i = 0; i < 1000; ++i) sum += "+t";
  EXPECT_EQ(value_of(sum, 1), 1001);
}

TEST(ExpressionErrors, RandomTextsNeverCrash) {
  const std::string pieces[] = {"1", "t", "level", "$mu", "(", ")", "+", "-", "*", "/",    "^",    "?",   ":",
                                "<", "=", "!",     "&&",  ",", "e", ".", " ", "$", "sin(", "max(", "\xff"};
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    const auto length = random() % 20;
    for (unsigned k = 0; k < length; ++k) text += pieces[random() % std::size(pieces)];
    try {
      value_of(text, 0.3, 2);
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.offset(), text.size());
    }
  }
}

}  // namespace
}  // namespace thenar::expression_test
