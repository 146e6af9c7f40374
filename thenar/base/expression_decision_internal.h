// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Decisions: which piece a piecewise operation takes. One definition serves numbers, where a decision is always
/// certain, and intervals, where it is certain only if all their numbers lead to the same one.
///
///   comparisons, && || !, ?:, step, pulse    true or false
///   abs, min, max                            which operand, or sign, is taken
///   sign                                     -1, 0, 1
///   floor, ceil, round, mod                  the integer; beyond 2^52, where all doubles are integers, there is none
///   clamp, blend                             0, 1, 2: below, between, above
///   atan2                                    whether the angle lies in (-π, -π/2), on one side of the cut; that
///   passing
///                                            -π/2 counts too does no harm

#include <cmath>

#include "thenar/base/expression_operations_internal.h"
#include "thenar/base/interval_internal.h"

namespace thenar::internal {

enum class Truth { no, yes, maybe };

inline Truth truth_of(bool value) { return value ? Truth::yes : Truth::no; }
inline Truth invert(Truth a) { return a == Truth::maybe ? a : truth_of(a == Truth::no); }
inline Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::maybe;
}
inline Truth either(Truth a, Truth b) { return invert(both(invert(a), invert(b))); }

inline Truth less(double a, double b) { return truth_of(a < b); }
inline Truth less_equal(double a, double b) { return truth_of(a <= b); }
inline Truth equal(double a, double b) { return truth_of(a == b); }
inline Truth is_nan(double x) { return truth_of(std::isnan(x)); }

// NaN compares as false: it can spoil a certain "yes", never a certain "no".
inline Truth less(const Interval& a, const Interval& b) {
  if (a.lo >= b.hi || a.is_empty() || b.is_empty()) return Truth::no;
  return a.hi < b.lo && !a.nan && !b.nan ? Truth::yes : Truth::maybe;
}
inline Truth less_equal(const Interval& a, const Interval& b) {
  if (a.lo > b.hi || a.is_empty() || b.is_empty()) return Truth::no;
  return a.hi <= b.lo && !a.nan && !b.nan ? Truth::yes : Truth::maybe;
}
inline Truth equal(const Interval& a, const Interval& b) {
  if (a.lo > b.hi || a.hi < b.lo || a.is_empty() || b.is_empty()) return Truth::no;
  return a.lo == b.hi && a.hi == b.lo && !a.nan && !b.nan ? Truth::yes : Truth::maybe;
}
inline Truth is_nan(const Interval& x) {
  if (!x.nan) return Truth::no;
  return x.is_empty() ? Truth::yes : Truth::maybe;
}

struct Decision {
  double value = 0;
  bool certain = false;

  static Decision of(double value) { return {value, true}; }
  static Decision of(Truth truth) { return {truth == Truth::yes ? 1.0 : 0.0, truth != Truth::maybe}; }
};

/// From here on every double is an integer, and floor(x) is x: one smooth piece.
inline constexpr double kAllIntegers = 0x1p52;

/// Stands for the integer of NaN.
inline constexpr double kNoInteger = 0.5;

inline Decision decide_cell(double x, double (*to_integer)(double)) {
  if (std::isnan(x)) return Decision::of(kNoInteger);
  if (std::abs(x) >= kAllIntegers) return Decision::of(std::copysign(kInfinity, x));
  return Decision::of(to_integer(x));
}
inline Decision decide_cell(const Interval& x, double (*to_integer)(double)) {
  if (x.is_empty()) return decide_cell(std::nan(""), to_integer);
  const Decision lo = decide_cell(x.lo, to_integer), hi = decide_cell(x.hi, to_integer);
  return {lo.value, lo.value == hi.value && !x.nan};
}

/// x / y with the floor that mod(x, y) goes by. fmod is exact, so the integer is recovered from its result.
inline double quotient_of_mod(double x, double y) {
  const double operands[] = {x, y};
  return std::round((x - apply(Operation::mod, operands)) / y);
}
inline Interval quotient_of_mod(const Interval& x, const Interval& y) {
  return x.is_bounded() && y.is_bounded() ? x / y : Interval(-kInfinity, kInfinity, true);
}

template <class Number>
Decision decide_sign(const Number& x) {
  const Truth negative = less(x, Number(0.0)), positive = less(Number(0.0), x);
  if (positive == Truth::yes) return Decision::of(1);
  if (negative == Truth::yes) return Decision::of(-1);
  return {0, negative == Truth::no && positive == Truth::no};
}

// min(max(x, lo), hi), with the rule of min and max for NaN.
template <class Number>
Decision decide_clamp(const Number& x, const Number& lo, const Number& hi) {
  const Truth takes_x = either(less(lo, x), is_nan(x));
  const Truth x_below = either(less(x, hi), is_nan(x));
  const Truth lo_below = either(less(lo, hi), is_nan(lo));
  const Truth below = either(both(takes_x, x_below), both(invert(takes_x), lo_below));
  if (below == Truth::no || (x_below == Truth::no && lo_below == Truth::no)) return Decision::of(2);
  return {takes_x == Truth::yes ? 1.0 : 0.0, below == Truth::yes && takes_x != Truth::maybe};
}

template <class Number>
Decision decide_blend(const Number& t, const Number& t0, const Number& t1) {
  const Truth above = less_equal(t1, t), below = less_equal(t, t0);
  if (above == Truth::yes) return Decision::of(2);
  return {below == Truth::yes ? 0.0 : 1.0, above == Truth::no && below != Truth::maybe};
}

/// The decision of an operation for its operands; for a smooth operation always the same.
template <class Number>
Decision decide(Operation operation, const Number* x) {
  const Number zero(0.0);
  switch (operation) {
    case Operation::abs:
      return Decision::of(less(x[0], zero));
    case Operation::step:
      return Decision::of(invert(less(x[0], zero)));
    case Operation::sign:
      return decide_sign(x[0]);
    case Operation::floor:
      return decide_cell(x[0], [](double v) { return std::floor(v); });
    case Operation::ceil:
      return decide_cell(x[0], [](double v) { return std::ceil(v); });
    case Operation::round:
      return decide_cell(x[0], [](double v) { return std::round(v); });
    case Operation::mod:
      return decide_cell(quotient_of_mod(x[0], x[1]), [](double v) { return std::floor(v); });
    case Operation::less:
      return Decision::of(less(x[0], x[1]));
    case Operation::less_equal:
      return Decision::of(less_equal(x[0], x[1]));
    case Operation::greater:
      return Decision::of(less(x[1], x[0]));
    case Operation::greater_equal:
      return Decision::of(less_equal(x[1], x[0]));
    case Operation::equal:
      return Decision::of(equal(x[0], x[1]));
    case Operation::not_equal:
      return Decision::of(invert(equal(x[0], x[1])));
    case Operation::logical_not:
      return Decision::of(equal(x[0], zero));
    case Operation::logical_and:
      return Decision::of(both(invert(equal(x[0], zero)), invert(equal(x[1], zero))));
    case Operation::logical_or:
      return Decision::of(either(invert(equal(x[0], zero)), invert(equal(x[1], zero))));
    case Operation::select:
      return Decision::of(invert(equal(x[0], zero)));
    case Operation::min:
      return Decision::of(either(less(x[0], x[1]), is_nan(x[0])));
    case Operation::max:
      return Decision::of(either(less(x[1], x[0]), is_nan(x[0])));
    case Operation::pulse:
      // The last condition follows from the first two; for intervals it may be the only one that is certain.
      return Decision::of(both(both(less_equal(x[1], x[0]), less(x[0], x[2])), less(x[1], x[2])));
    case Operation::clamp:
      return decide_clamp(x[0], x[1], x[2]);
    case Operation::blend:
      return decide_blend(x[0], x[1], x[2]);
    case Operation::atan2:
      return Decision::of(both(less(x[0], zero), less(x[1], zero)));
    default:
      return Decision::of(0);
  }
}

/// Whether the operation is made of pieces.
bool has_pieces(Operation operation);

/// Whether first and second derivative are continuous wherever they are finite. blend is smooth although it has pieces;
/// so is atan2, apart from the jump of 2π at its cut.
bool is_smooth(Operation operation);

/// Whether the result still depends on operand `index` once the decision is known: not on the branch that is not taken,
/// not on x in floor(x).
bool depends_on_operand(Operation operation, double decision, int index);

/// Whether the value is continuous where the decision changes from one to the other.
bool is_kink(Operation operation, double from, double to);

/// Result for operand_count(operation) operands: contains what apply() gives for numbers of them.
Interval apply(Operation operation, const Interval* operands);

/// The same if the decision is known, although the intervals may not tell.
Interval apply_piece_of(Operation operation, double decision, const Interval* operands);

}  // namespace thenar::internal
