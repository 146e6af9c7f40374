// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/expression_operations_internal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/base/assert.h"

namespace thenar::internal {
namespace {

constexpr std::array kFunctions = std::to_array<Function>({
    {"sin", Operation::sin},     {"cos", Operation::cos},     {"tan", Operation::tan},     {"asin", Operation::asin},
    {"acos", Operation::acos},   {"atan", Operation::atan},   {"atan2", Operation::atan2}, {"sinh", Operation::sinh},
    {"cosh", Operation::cosh},   {"tanh", Operation::tanh},   {"exp", Operation::exp},     {"log", Operation::log},
    {"log10", Operation::log10}, {"sqrt", Operation::sqrt},   {"cbrt", Operation::cbrt},   {"abs", Operation::abs},
    {"sign", Operation::sign},   {"floor", Operation::floor}, {"ceil", Operation::ceil},   {"round", Operation::round},
    {"min", Operation::min},     {"max", Operation::max},     {"mod", Operation::mod},     {"pow", Operation::power},
    {"hypot", Operation::hypot}, {"step", Operation::step},   {"clamp", Operation::clamp}, {"pulse", Operation::pulse},
    {"blend", Operation::blend},
});

double calc_sign(double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : x); }

// The first operand wins if it is NaN; if the second is NaN the comparison fails and it is returned: NaN is kept.
double calc_min(double a, double b) { return a < b || std::isnan(a) ? a : b; }
double calc_max(double a, double b) { return a > b || std::isnan(a) ? a : b; }

double calc_mod(double x, double y) {
  const double remainder = std::fmod(x, y);
  const bool wrong_side = remainder != 0 && (remainder < 0) != (y < 0);
  return wrong_side ? remainder + y : remainder;
}

double calc_blend(double t, double t0, double t1) {
  if (t >= t1) return 1;
  if (t <= t0) return 0;
  const double s = (t - t0) / (t1 - t0);
  return s * s * s * (10 + s * (6 * s - 15));
}

double apply1(Operation operation, double x) {
  switch (operation) {
    case Operation::negate:
      return -x;
    case Operation::logical_not:
      return x == 0;
    case Operation::sin:
      return std::sin(x);
    case Operation::cos:
      return std::cos(x);
    case Operation::tan:
      return std::tan(x);
    case Operation::asin:
      return std::asin(x);
    case Operation::acos:
      return std::acos(x);
    case Operation::atan:
      return std::atan(x);
    case Operation::sinh:
      return std::sinh(x);
    case Operation::cosh:
      return std::cosh(x);
    case Operation::tanh:
      return std::tanh(x);
    case Operation::exp:
      return std::exp(x);
    case Operation::log:
      return std::log(x);
    case Operation::log10:
      return std::log10(x);
    case Operation::sqrt:
      return std::sqrt(x);
    case Operation::cbrt:
      return std::cbrt(x);
    case Operation::abs:
      return std::abs(x);
    case Operation::sign:
      return calc_sign(x);
    case Operation::floor:
      return std::floor(x);
    case Operation::ceil:
      return std::ceil(x);
    case Operation::round:
      return std::round(x);
    case Operation::step:
      return x < 0 ? 0 : 1;
    default:
      break;
  }
  THENAR_DEMAND(false && "operation with one operand");
  return 0;
}

double apply2(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::less:
      return a < b;
    case Operation::less_equal:
      return a <= b;
    case Operation::greater:
      return a > b;
    case Operation::greater_equal:
      return a >= b;
    case Operation::equal:
      return a == b;
    case Operation::not_equal:
      return a != b;
    case Operation::logical_and:
      return a != 0 && b != 0;
    case Operation::logical_or:
      return a != 0 || b != 0;
    case Operation::atan2:
      return std::atan2(a, b);
    case Operation::hypot:
      return std::hypot(a, b);
    case Operation::min:
      return calc_min(a, b);
    case Operation::max:
      return calc_max(a, b);
    case Operation::mod:
      return calc_mod(a, b);
    default:
      break;
  }
  THENAR_DEMAND(false && "operation with two operands");
  return 0;
}

double apply3(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::select:
      return a != 0 ? b : c;
    case Operation::clamp:
      return calc_min(calc_max(a, b), c);
    case Operation::pulse:
      return b <= a && a < c;
    case Operation::blend:
      return calc_blend(a, b, c);
    default:
      break;
  }
  THENAR_DEMAND(false && "operation with three operands");
  return 0;
}

}  // namespace

int operand_count(Operation operation) {
  if (operation < Operation::negate) return 0;
  if (operation < Operation::add) return 1;
  if (operation < Operation::select) return 2;
  return 3;
}

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [name](const Function& function) { return function.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  return names;
}

double apply(Operation operation, const double* operands) {
  switch (operand_count(operation)) {
    case 1:
      return apply1(operation, operands[0]);
    case 2:
      return apply2(operation, operands[0], operands[1]);
    default:
      return apply3(operation, operands[0], operands[1], operands[2]);
  }
}

}  // namespace thenar::internal
