// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/expression_decision_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/base/assert.h"

namespace thenar::internal {
namespace {

bool rounds_to_integer(Operation operation) {
  return operation == Operation::floor || operation == Operation::ceil || operation == Operation::round;
}

// What the comparisons, logical operations, step and pulse give: their decision.
Interval apply_decision(Operation operation, const Interval* x) {
  const Decision decision = decide(operation, x);
  return decision.certain ? Interval(decision.value) : Interval(0, 1);
}

Interval apply_select(const Interval* x) {
  const Decision condition = decide(Operation::select, x);
  if (condition.certain) return condition.value != 0 ? x[1] : x[2];
  return hull(x[1], x[2]);
}

// x - y floor(x/y), which lies between 0 and y.
Interval apply_mod(const Interval* operands) {
  const Interval& x = operands[0];
  const Interval& y = operands[1];
  if (!x.is_bounded() || !y.is_bounded() || (y.lo <= 0 && y.hi >= 0)) return {-kInfinity, kInfinity, true};
  const Interval range(std::min(y.lo, 0.0), std::max(y.hi, 0.0));
  const Decision cell = decide(Operation::mod, operands);
  return cell.certain && std::isfinite(cell.value) ? intersect(range, x - y * Interval(cell.value)) : range;
}

// The code of blend's quintic is accurate to some 20 units of rounding, most of them from 10 - 15 s near s = 1.
constexpr int kQuinticMargin = 64;

Interval apply_blend(const Interval* x) {
  const Decision decision = decide(Operation::blend, x);
  if (decision.certain && decision.value != 1) return decision.value / 2;
  const bool nan = !x[0].is_bounded() || !x[1].is_bounded() || !x[2].is_bounded();
  if (nan || x[1].hi >= x[2].lo) return {0, step_by(1, kQuinticMargin), nan};
  const Interval s = (x[0] - x[1]) / (x[2] - x[1]);
  // The quintic rises from 0 to 1.
  const auto quintic = [](double v) {
    const double operands[] = {v, 0, 1};
    return apply(Operation::blend, operands);
  };
  return {std::max(0.0, step_by(quintic(s.lo), -kQuinticMargin)), step_by(quintic(s.hi), kQuinticMargin)};
}

}  // namespace

bool has_pieces(Operation operation) {
  switch (operation) {
    case Operation::logical_not:
    case Operation::abs:
    case Operation::sign:
    case Operation::floor:
    case Operation::ceil:
    case Operation::round:
    case Operation::step:
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::equal:
    case Operation::not_equal:
    case Operation::logical_and:
    case Operation::logical_or:
    case Operation::atan2:
    case Operation::min:
    case Operation::max:
    case Operation::mod:
    case Operation::select:
    case Operation::clamp:
    case Operation::pulse:
    case Operation::blend:
      return true;
    default:
      return false;
  }
}

bool is_smooth(Operation operation) {
  return !has_pieces(operation) || operation == Operation::blend || operation == Operation::atan2;
}

bool depends_on_operand(Operation operation, double decision, int index) {
  if (rounds_to_integer(operation)) return std::isinf(decision);
  switch (operation) {
    case Operation::min:
    case Operation::max:
      return index == (decision != 0 ? 0 : 1);
    case Operation::select:
      return index == (decision != 0 ? 1 : 2);
    case Operation::clamp: {
      constexpr int kTaken[] = {1, 0, 2};
      return index == kTaken[static_cast<int>(decision)];
    }
    case Operation::blend:
      return decision == 1;
    case Operation::abs:
    case Operation::mod:
    case Operation::atan2:
      return true;
    default:
      return !has_pieces(operation);
  }
}

bool is_kink(Operation operation, double from, double to) {
  switch (operation) {
    case Operation::abs:
    case Operation::min:
    case Operation::max:
      return true;
    case Operation::clamp:
    case Operation::blend:
      return std::abs(from - to) < 2;
    default:
      return false;
  }
}

Interval apply(Operation operation, const Interval* x) {
  switch (operation) {
    case Operation::negate:
      return -x[0];
    case Operation::sin:
      return sin(x[0]);
    case Operation::cos:
      return cos(x[0]);
    case Operation::tan:
      return tan(x[0]);
    case Operation::asin:
      return asin(x[0]);
    case Operation::acos:
      return acos(x[0]);
    case Operation::atan:
      return atan(x[0]);
    case Operation::sinh:
      return sinh(x[0]);
    case Operation::cosh:
      return cosh(x[0]);
    case Operation::tanh:
      return tanh(x[0]);
    case Operation::exp:
      return exp(x[0]);
    case Operation::log:
      return log(x[0]);
    case Operation::log10:
      return log10(x[0]);
    case Operation::sqrt:
      return sqrt(x[0]);
    case Operation::cbrt:
      return cbrt(x[0]);
    case Operation::abs:
      return abs(x[0]);
    case Operation::sign:
    case Operation::floor:
    case Operation::ceil:
    case Operation::round:
      return apply_monotone([operation](double v) { return apply(operation, &v); }, x[0]);
    case Operation::add:
      return x[0] + x[1];
    case Operation::subtract:
      return x[0] - x[1];
    case Operation::multiply:
      return x[0] * x[1];
    case Operation::divide:
      return x[0] / x[1];
    case Operation::power:
      return pow(x[0], x[1]);
    case Operation::atan2:
      return atan2(x[0], x[1]);
    case Operation::hypot:
      return hypot(x[0], x[1]);
    case Operation::min:
      return min(x[0], x[1]);
    case Operation::max:
      return max(x[0], x[1]);
    case Operation::mod:
      return apply_mod(x);
    case Operation::select:
      return apply_select(x);
    case Operation::clamp:
      return min(max(x[0], x[1]), x[2]);
    case Operation::blend:
      return apply_blend(x);
    case Operation::step:
    case Operation::logical_not:
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::equal:
    case Operation::not_equal:
    case Operation::logical_and:
    case Operation::logical_or:
    case Operation::pulse:
      return apply_decision(operation, x);
    case Operation::constant:
    case Operation::variable:
      break;
  }
  THENAR_DEMAND(false && "operation with operands");
  return {};
}

Interval apply_piece_of(Operation operation, double decision, const Interval* x) {
  switch (operation) {
    case Operation::abs:
      return decision != 0 ? -x[0] : x[0];
    case Operation::sign:
      return {decision, decision, x[0].nan};
    case Operation::floor:
    case Operation::ceil:
    case Operation::round:
      if (std::isinf(decision)) return x[0];
      return decision == kNoInteger ? Interval::nothing_but_nan() : Interval(decision, decision, x[0].nan);
    case Operation::mod:
      return std::isfinite(decision) && decision != kNoInteger ? x[0] - x[1] * Interval(decision) : apply_mod(x);
    case Operation::min:
    case Operation::max:
      return decision != 0 ? x[0] : x[1];
    case Operation::select:
      return decision != 0 ? x[1] : x[2];
    case Operation::clamp:
      return decision == 1 ? x[0] : (decision == 0 ? x[1] : x[2]);
    case Operation::blend:
      return decision == 1 ? apply_blend(x) : Interval(decision / 2);
    case Operation::atan2:
      return apply(operation, x);
    default:
      THENAR_ASSERT(has_pieces(operation));
      return decision;
  }
}

}  // namespace thenar::internal
