// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Second-order Taylor arithmetic for the operations of the expression language: f(x(s)) with x(s), x'(s), x''(s)
/// given,
///
///     f' = f₁ x',   f'' = f₂ x'² + f₁ x''     (f₁, f₂: derivatives of f by its operand)
///
/// and likewise for several operands. Number is double: value and derivatives at a point; or Interval: bounds of them
/// over an interval of s, with which the mean value theorem holds. There, a piecewise operation that has no certain
/// decision gets the derivatives of all its pieces if it has kinks only, and "everything" if it may jump; so does a
/// function with a pole or a gap in its domain.

#include <cmath>
#include <numbers>

#include "thenar/base/expression_decision_internal.h"
#include "thenar/base/expression_operations_internal.h"
#include "thenar/base/interval_internal.h"

namespace thenar::internal {

inline double square(double x) { return x * x; }

/// Not initialized by default, like its numbers.
template <class Number>
struct Jet {
  Number value;
  Number first;
  Number second;
};

template <class Number>
Jet<Number> flat(const Number& value) {
  return {value, 0.0, 0.0};
}

template <class Number>
Jet<Number> operator-(const Jet<Number>& a) {
  return {-a.value, -a.first, -a.second};
}
template <class Number>
Jet<Number> operator+(const Jet<Number>& a, const Jet<Number>& b) {
  return {a.value + b.value, a.first + b.first, a.second + b.second};
}
template <class Number>
Jet<Number> operator-(const Jet<Number>& a, const Jet<Number>& b) {
  return {a.value - b.value, a.first - b.first, a.second - b.second};
}
template <class Number>
Jet<Number> operator*(const Jet<Number>& a, const Jet<Number>& b) {
  return {a.value * b.value, a.first * b.value + a.value * b.first,
          a.second * b.value + Number(2.0) * a.first * b.first + a.value * b.second};
}
/// From a = q b: a' = q' b + q b', a'' = q'' b + 2 q' b' + q b''.
template <class Number>
Jet<Number> operator/(const Jet<Number>& a, const Jet<Number>& b) {
  const Number value = a.value / b.value;
  const Number first = (a.first - value * b.first) / b.value;
  return {value, first, (a.second - Number(2.0) * first * b.first - value * b.second) / b.value};
}

template <class Number>
Jet<Number> chain(const Number& f, const Number& f1, const Number& f2, const Jet<Number>& x) {
  return {f, f1 * x.first, f2 * square(x.first) + f1 * x.second};
}

/// A function of one operand; f is its value.
template <class Number>
Jet<Number> apply_smooth(Operation operation, const Number& f, const Jet<Number>& operand) {
  using std::cos, std::cosh, std::sin, std::sinh, std::sqrt;
  const Number& x = operand.value;
  const Number one(1.0), two(2.0);
  switch (operation) {
    case Operation::sin:
      return chain<Number>(f, cos(x), -f, operand);
    case Operation::cos:
      return chain<Number>(f, -sin(x), -f, operand);
    case Operation::tan: {
      const Number slope = one + square(f);
      return chain<Number>(f, slope, two * f * slope, operand);
    }
    case Operation::asin: {
      const Number slope = one / sqrt((one - x) * (one + x));
      return chain<Number>(f, slope, x * slope * square(slope), operand);
    }
    case Operation::acos: {
      const Number slope = one / sqrt((one - x) * (one + x));
      return chain<Number>(f, -slope, -x * slope * square(slope), operand);
    }
    case Operation::atan: {
      const Number slope = one / (one + square(x));
      return chain<Number>(f, slope, -two * x * square(slope), operand);
    }
    case Operation::sinh:
      return chain<Number>(f, cosh(x), f, operand);
    case Operation::cosh:
      return chain<Number>(f, sinh(x), f, operand);
    case Operation::tanh: {
      const Number slope = one / square(Number(cosh(x)));  // 1 - f² would cancel.
      return chain<Number>(f, slope, -two * f * slope, operand);
    }
    case Operation::exp:
      return chain<Number>(f, f, f, operand);
    case Operation::log:
      return chain<Number>(f, one / x, -one / square(x), operand);
    case Operation::log10: {
      const Number scale(std::numbers::log10e);
      return chain<Number>(f, scale / x, -scale / square(x), operand);
    }
    case Operation::sqrt:
      return chain<Number>(f, one / (two * f), -one / (Number(4.0) * f * x), operand);
    case Operation::cbrt:
      return chain<Number>(f, one / (Number(3.0) * square(f)), -two / (Number(9.0) * square(f) * x), operand);
    default:
      return operand;
  }
}

inline bool is_zero(double x) { return x == 0; }
inline bool is_zero(const Interval& x) { return x.lo == 0 && x.hi == 0; }

/// c x^p; 0 if c is, even where x^p is infinite: the derivatives of x² at 0.
template <class Number>
Number scaled_power(const Number& c, const Number& x, const Number& p) {
  using std::pow;
  return is_zero(c) ? c : Number(c * pow(x, p));
}

/// x^p (log x)^n, n = 1 or 2; its limit 0 at x = 0 where p > 0.
template <class Number>
Number power_log(const Number& x, const Number& p, int n) {
  using std::log, std::pow;
  if (is_zero(x) && less(Number(0.0), p) == Truth::yes) return 0.0;
  const Number logarithm = log(x);
  return pow(x, p) * (n == 1 ? logarithm : square(logarithm));
}

/// f = x^y, with its partial derivatives
///
///     f_x = y x^(y-1),  f_y = x^y log x,  f_xx = y (y-1) x^(y-2),  f_xy = x^(y-1) (1 + y log x),  f_yy = x^y log² x
///
/// An exponent that does not change takes only those by x, so that x may be zero or negative.
template <class Number>
Jet<Number> apply_power(const Number& f, const Jet<Number>& x, const Jet<Number>& y) {
  const Number one(1.0), two(2.0);
  const Number& p = y.value;
  const Number f_x = scaled_power<Number>(p, x.value, p - one);
  const Number f_xx = scaled_power<Number>(p * (p - one), x.value, p - two);
  Jet<Number> result = chain<Number>(f, f_x, f_xx, x);
  if (is_zero(y.first) && is_zero(y.second)) return result;
  const Number f_y = power_log<Number>(x.value, p, 1);
  const Number f_yy = power_log<Number>(x.value, p, 2);
  if (is_zero(x.first) && is_zero(x.second)) return chain<Number>(f, f_y, f_yy, y);
  const Number f_xy = scaled_power<Number>(one, x.value, p - one) + p * power_log<Number>(x.value, p - one, 1);
  result.first = result.first + f_y * y.first;
  result.second = result.second + f_y * y.second + f_yy * square(y.first) + two * f_xy * x.first * y.first;
  return result;
}

/// The angle and the length of the vector (x, y), with its unit vector (u, v):
///
///     θ' = (u y' - v x') / r,   θ'' = (u y'' - v x'' - 2 θ' r') / r
///     r' = u x' + v y',         r'' = u x'' + v y'' + r θ'²
template <class Number>
Jet<Number> apply_polar(Operation operation, const Number& f, const Jet<Number>& x, const Jet<Number>& y) {
  using std::hypot;
  const Number r = hypot(x.value, y.value);
  const Number u = x.value / r;
  const Number v = y.value / r;
  const Number along = u * x.first + v * y.first;
  const Number turn = (u * y.first - v * x.first) / r;
  if (operation == Operation::hypot) return {f, along, u * x.second + v * y.second + r * square(turn)};
  return {f, turn, (u * y.second - v * x.second - Number(2.0) * turn * along) / r};
}

inline double clip_to_unit(double x) { return x; }  // Between the ends it is within.
inline Interval clip_to_unit(const Interval& x) { return min(max(x, 0.0), 1.0); }

/// Between its ends, and for intervals over them as well: the quintic and two derivatives join smoothly.
/// f₁ = 30 s² (1-s)², f₂ = 60 s (1-s) (1-2s).
template <class Number>
Jet<Number> apply_blend(const Number& f, const Jet<Number>& t, const Jet<Number>& t0, const Jet<Number>& t1) {
  const Jet<Number> position = (t - t0) / (t1 - t0);
  const Number s = clip_to_unit(position.value);
  const Number one(1.0);
  const Number product = s * (one - s);
  return chain<Number>(f, Number(30.0) * square(product), Number(60.0) * product * (one - Number(2.0) * s), position);
}

/// A piecewise operation whose decision is known.
template <class Number>
Jet<Number> apply_piece(Operation operation, double decision, const Number& f, const Jet<Number>* x) {
  switch (operation) {
    case Operation::abs:
      return decision != 0 ? -x[0] : x[0];
    case Operation::floor:
    case Operation::ceil:
    case Operation::round:
      return std::isinf(decision) ? x[0] : flat(f);
    case Operation::min:
    case Operation::max:
      return decision != 0 ? x[0] : x[1];
    case Operation::mod:
      return x[0] - flat(Number(decision)) * x[1];
    case Operation::select:
      return decision != 0 ? x[1] : x[2];
    case Operation::clamp:
      return decision == 1 ? x[0] : (decision == 0 ? x[1] : x[2]);
    case Operation::blend:
      return decision == 1 ? apply_blend(f, x[0], x[1], x[2]) : flat(f);
    case Operation::atan2:
      return apply_polar(operation, f, x[1], x[0]);
    default:  // Comparisons, logical operations, sign, step, pulse.
      return flat(f);
  }
}

inline Jet<Interval> unknown_slope(const Interval& value) {
  return {value, Interval::everything(), Interval::everything()};
}

/// A piecewise operation over an interval in which its decision may change.
inline Jet<Interval> apply_all_pieces(Operation operation, const Interval& f, const Jet<Interval>* x) {
  switch (operation) {
    case Operation::abs:
      return {f, hull(x[0].first, -x[0].first), Interval::everything()};
    case Operation::min:
    case Operation::max:
      return {f, hull(x[0].first, x[1].first), Interval::everything()};
    case Operation::clamp:
      return {f, hull(hull(x[0].first, x[1].first), x[2].first), Interval::everything()};
    case Operation::blend:
      if (x[1].value.hi < x[2].value.lo) return apply_blend(f, x[0], x[1], x[2]);
      return unknown_slope(f);
    default:
      return unknown_slope(f);
  }
}
inline Jet<double> apply_all_pieces(Operation, double f, const Jet<double>*) { return flat(f); }  // Never in doubt.

/// A pole or a gap in the domain breaks the mean value theorem: forget the derivatives.
inline Jet<Interval> forget_beyond_gaps(const Jet<Interval>& x) {
  return x.value.is_bounded() ? x : unknown_slope(x.value);
}
inline Jet<double> forget_beyond_gaps(const Jet<double>& x) { return x; }

/// Result for operand_count(operation) operands; of a piecewise operation the piece that is taken.
template <class Number>
Jet<Number> apply(Operation operation, const Jet<Number>* x) {
  Number values[3];
  for (int i = 0; i < operand_count(operation); ++i) values[i] = x[i].value;
  const Number f = apply(operation, values);
  Jet<Number> result;
  if (has_pieces(operation)) {
    const Decision decision = decide(operation, values);
    result = decision.certain ? apply_piece(operation, decision.value, f, x) : apply_all_pieces(operation, f, x);
  } else if (operation == Operation::negate) {
    result = -x[0];
  } else if (operation == Operation::add) {
    result = x[0] + x[1];
  } else if (operation == Operation::subtract) {
    result = x[0] - x[1];
  } else if (operation == Operation::multiply) {
    result = x[0] * x[1];
  } else if (operation == Operation::divide) {
    result = x[0] / x[1];
  } else if (operation == Operation::power) {
    result = apply_power(f, x[0], x[1]);
  } else if (operation == Operation::hypot) {
    result = apply_polar(operation, f, x[0], x[1]);
  } else {
    result = apply_smooth(operation, f, x[0]);
  }
  result.value = f;
  return forget_beyond_gaps(result);
}

/// The same for a decision that is known although the intervals may not tell.
inline Jet<Interval> apply_piece_of(Operation operation, double decision, const Jet<Interval>* x) {
  const Interval values[] = {x[0].value, x[1].value, x[2].value};
  const Interval f = apply_piece_of(operation, decision, values);
  Jet<Interval> result = apply_piece(operation, decision, f, x);
  result.value = f;
  return forget_beyond_gaps(result);
}

}  // namespace thenar::internal
