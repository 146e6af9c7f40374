// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Interval arithmetic. For every function f below and all numbers x of X,
///
///     f(X) contains the real number f(x), and also the double that the plain code computes for it,
///
/// so a statement that holds for the interval holds for both. The end points of + - * / sqrt are rounded outward, and
/// not at all where the operation is exact: [1,1] - [1,1] is [0,0]. The functions of <cmath> are trusted to 4 units
/// in the last place, and to be exact where every library is: f(0) = 0 with the sign kept, exp(0) = 1, |sin| ≤ 1.
///
/// `nan` says whether NaN is among the results, as sqrt([-1,4]) = [0,2] or NaN. It may be said too often, never too
/// seldom. A bound of ±inf stands for "arbitrarily large" and for the double inf alike.

#include "thenar/base/numbers.h"

namespace thenar::internal {

struct Interval {
  double lo;
  double hi;
  bool nan;

  /// Not initialized, like double: evaluation makes stacks of them.
  Interval() = default;
  /// The one number, or NaN.
  Interval(double value) : lo(value), hi(value), nan(false) {  // NOLINT: implicit, a number is a set of one
    if (value != value) *this = nothing_but_nan();
  }
  Interval(double low, double high, bool may_be_nan = false) : lo(low), hi(high), nan(may_be_nan) {}

  static Interval everything() { return {-kInfinity, kInfinity}; }
  static Interval nothing_but_nan() { return {kInfinity, -kInfinity, true}; }

  /// No number, only NaN.
  bool is_empty() const { return lo > hi; }
  bool is_bounded() const { return !nan && lo > -kInfinity && hi < kInfinity; }
  bool contains(double x) const { return x == x ? lo <= x && x <= hi : nan; }
};

/// The double that lies `count` doubles above x (below, if negative), at most ±inf.
double step_by(double x, int count);

/// The smallest interval that contains both.
Interval hull(const Interval& a, const Interval& b);
/// What both contain; they must not be disjoint unless by rounding, in which case it is `a`.
Interval intersect(const Interval& a, const Interval& b);

Interval operator-(const Interval& a);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
/// Everything, if b contains 0.
Interval operator/(const Interval& a, const Interval& b);

Interval square(const Interval& x);
Interval sqrt(const Interval& x);
Interval cbrt(const Interval& x);
Interval exp(const Interval& x);
Interval log(const Interval& x);
Interval log10(const Interval& x);
Interval sin(const Interval& x);
Interval cos(const Interval& x);
Interval tan(const Interval& x);
Interval asin(const Interval& x);
Interval acos(const Interval& x);
Interval atan(const Interval& x);
Interval sinh(const Interval& x);
Interval cosh(const Interval& x);
Interval tanh(const Interval& x);
Interval abs(const Interval& x);
Interval atan2(const Interval& y, const Interval& x);
Interval hypot(const Interval& a, const Interval& b);
Interval pow(const Interval& x, const Interval& y);
/// NaN if either is.
Interval min(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);

/// f(X) for a function that never falls and is computed without error, such as std::floor.
template <class Function>
Interval apply_monotone(const Function& f, const Interval& x) {
  return x.is_empty() ? x : Interval(f(x.lo), f(x.hi), x.nan);
}

}  // namespace thenar::internal
