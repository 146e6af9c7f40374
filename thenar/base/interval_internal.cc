// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/interval_internal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace thenar::internal {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
// Below this a product or quotient may lose bits that the residual of fma cannot show.
constexpr double kTiny = 0x1p-960;

// The worst documented error of a function of <cmath> used here (cbrt of older glibc); most stay below 1.
constexpr int kLibraryUlps = 4;
// The computed end point may be off by that much, and so may the values computed inside; 2 for a change of binade.
constexpr int kLibraryMargin = 2 * kLibraryUlps + 2;

double next_down(double x) { return step_by(x, -1); }
double next_up(double x) { return step_by(x, 1); }

// Rounding down of every operation; rounding up follows by symmetry.

// Knuth's two-sum gives the rounding error of a sum exactly.
double add_down(double a, double b) {
  if (a == -kInfinity || b == -kInfinity) return -kInfinity;
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum > 0 && std::isfinite(a) && std::isfinite(b) ? kLargest : sum;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  return error < 0 ? next_down(sum) : sum;
}
double add_up(double a, double b) { return -add_down(-a, -b); }

double multiply_down(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  if (!std::isfinite(product)) return product > 0 && std::isfinite(a) && std::isfinite(b) ? kLargest : product;
  if (product == 0 && (a < 0) == (b < 0)) return 0;  // Underflow keeps the sign.
  const bool rounded_up = std::abs(product) < kTiny || std::fma(a, b, -product) < 0;
  return rounded_up ? next_down(product) : product;
}
double multiply_up(double a, double b) { return -multiply_down(-a, b); }

double divide_down(double a, double b) {
  if (a == 0 || std::isinf(b)) return 0;
  const double quotient = a / b;
  if (!std::isfinite(quotient)) return quotient > 0 && std::isfinite(a) ? kLargest : quotient;
  if (quotient == 0 && (a < 0) == (b < 0)) return 0;
  const double residual = std::fma(-quotient, b, a);  // Exact unless it underflows.
  const bool may_underflow = std::abs(quotient) < kTiny || std::abs(a) < kTiny;
  const bool rounded_up = may_underflow || (residual != 0 && (residual < 0) == (b > 0));
  return rounded_up ? next_down(quotient) : quotient;
}
double divide_up(double a, double b) { return -divide_down(-a, b); }

double sqrt_down(double x) {
  const double root = std::sqrt(x);
  if (x == 0 || std::isinf(x)) return root;
  return x < kTiny || std::fma(-root, root, x) < 0 ? next_down(root) : root;
}
double sqrt_up(double x) {
  const double root = std::sqrt(x);
  if (x == 0 || std::isinf(x)) return root;
  return x < kTiny || std::fma(-root, root, x) > 0 ? next_up(root) : root;
}

bool has_zero(const Interval& x) { return x.lo <= 0 && x.hi >= 0; }
bool has_infinity(const Interval& x) { return x.lo == -kInfinity || x.hi == kInfinity; }

Interval with_nan(Interval x, bool nan) {
  x.nan = x.nan || nan;
  return x;
}

Interval widen(double lo, double hi) { return {step_by(lo, -kLibraryMargin), step_by(hi, kLibraryMargin)}; }

Interval clip(Interval x, double lo, double hi) {
  x.lo = std::clamp(x.lo, lo, hi);
  x.hi = std::clamp(x.hi, lo, hi);
  return x;
}

// A function of <cmath> that never falls, with one exact value f(at) = value.
template <class Function>
Interval rising(const Function& f, const Interval& x, double at, double value) {
  if (x.is_empty()) return x;
  Interval result = widen(f(x.lo), f(x.hi));
  if (x.lo >= at) result = clip(result, value, kInfinity);
  if (x.hi <= at) result = clip(result, -kInfinity, value);
  return with_nan(result, x.nan);
}

// The same for an odd function: its values have the sign of x, and vanish only at 0.
template <class Function>
Interval rising_odd(const Function& f, const Interval& x) {
  Interval result = rising(f, x, 0, 0);
  if (x.lo > 0) result.lo = std::max(result.lo, kSmallest);
  if (x.hi < 0) result.hi = std::min(result.hi, -kSmallest);
  return result;
}

// x without what lies outside [lo, hi], where the function gives NaN.
Interval restrict_domain(const Interval& x, double lo, double hi) {
  if (x.is_empty() || x.hi < lo || x.lo > hi) return Interval::nothing_but_nan();
  return {std::max(x.lo, lo), std::min(x.hi, hi), x.nan || x.lo < lo || x.hi > hi};
}

// The integers k with (k + offset) π in x. A margin makes up for the rounding of π and of the quotient; so one too many
// may be counted, which only widens the result.
struct Multiples {
  double first = 0, last = 0;
  bool none() const { return first > last; }
  bool several() const { return first < last; }
  bool is_even() const { return std::fmod(first, 2) == 0; }
};
Multiples multiples_of_pi(const Interval& x, double offset) {
  const double lo = x.lo / std::numbers::pi;
  const double hi = x.hi / std::numbers::pi;
  const double margin = 4 * std::numeric_limits<double>::epsilon() * (1 + std::max(std::abs(lo), std::abs(hi)));
  return {std::ceil(lo - offset - margin), std::floor(hi - offset + margin)};
}

// sin or cos: it has its extrema at (k + offset) π, maxima where k is even, and is monotone between them.
template <class Function>
Interval wave(const Function& f, const Interval& x, double offset) {
  if (x.is_empty()) return x;
  if (has_infinity(x)) return {-1, 1, true};
  const Multiples extrema = multiples_of_pi(x, offset);
  if (extrema.several()) return {-1, 1, x.nan};
  const double at_lo = f(x.lo), at_hi = f(x.hi);
  Interval result = clip(widen(std::min(at_lo, at_hi), std::max(at_lo, at_hi)), -1, 1);
  if (!extrema.none()) (extrema.is_even() ? result.hi : result.lo) = extrema.is_even() ? 1 : -1;
  return with_nan(result, x.nan);
}

// x^y for x ≥ 0. log(x^y) = y log x is bilinear, so the extremes lie at corners.
Interval pow_of_positive(const Interval& x, const Interval& y) {
  const double smallest = std::abs(x.lo);  // -0 would have infinite powers of its own.
  const double largest = std::abs(x.hi);
  const auto [lo, hi] = std::minmax(
      {std::pow(smallest, y.lo), std::pow(smallest, y.hi), std::pow(largest, y.lo), std::pow(largest, y.hi)});
  return clip(widen(lo, hi), 0, kInfinity);
}

Interval pow_of_integer(const Interval& x, double n) {
  if (n == 0) return 1;
  if (n < 0 && has_zero(x)) return std::fmod(n, 2) == 0 ? Interval(0, kInfinity) : Interval::everything();
  if (std::fmod(n, 2) == 0) return pow_of_positive(abs(x), n);
  if (x.lo >= 0) return pow_of_positive(x, n);
  if (x.hi <= 0) return -pow_of_positive(-x, n);
  return hull(-pow_of_positive({0, -x.lo}, n), pow_of_positive({0, x.hi}, n));
}

}  // namespace

double step_by(double x, int count) {
  // Read as integers of sign and magnitude, the bits of doubles have the order of the doubles.
  constexpr std::int64_t kSign = std::numeric_limits<std::int64_t>::min();
  const std::int64_t infinity = std::bit_cast<std::int64_t>(kInfinity);
  const auto bits = std::bit_cast<std::int64_t>(x);
  const std::int64_t position = bits < 0 ? kSign - bits : bits;
  const std::int64_t moved = std::clamp(position + count, -infinity, infinity);
  return std::bit_cast<double>(moved < 0 ? kSign - moved : moved);
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.nan || b.nan};
}

Interval intersect(const Interval& a, const Interval& b) {
  const double lo = std::max(a.lo, b.lo), hi = std::min(a.hi, b.hi);
  return lo <= hi ? Interval(lo, hi, a.nan && b.nan) : a;
}

Interval operator-(const Interval& a) { return {-a.hi, -a.lo, a.nan}; }

Interval operator+(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::nothing_but_nan();
  const bool opposite = (a.hi == kInfinity && b.lo == -kInfinity) || (a.lo == -kInfinity && b.hi == kInfinity);
  return {add_down(a.lo, b.lo), add_up(a.hi, b.hi), a.nan || b.nan || opposite};
}

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::nothing_but_nan();
  Interval result(kInfinity, -kInfinity, a.nan || b.nan);
  for (const double x : {a.lo, a.hi}) {
    for (const double y : {b.lo, b.hi}) {
      result.lo = std::min(result.lo, multiply_down(x, y));
      result.hi = std::max(result.hi, multiply_up(x, y));
    }
  }
  return with_nan(result, (has_zero(a) && has_infinity(b)) || (has_infinity(a) && has_zero(b)));
}

Interval operator/(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::nothing_but_nan();
  const bool nan = a.nan || b.nan || (has_zero(a) && has_zero(b)) || (has_infinity(a) && has_infinity(b));
  if (has_zero(b) || (has_infinity(a) && has_infinity(b))) return {-kInfinity, kInfinity, nan};
  Interval result(kInfinity, -kInfinity, nan);
  for (const double x : {a.lo, a.hi}) {
    for (const double y : {b.lo, b.hi}) {
      result.lo = std::min(result.lo, divide_down(x, y));
      result.hi = std::max(result.hi, divide_up(x, y));
    }
  }
  return result;
}

Interval abs(const Interval& x) {
  if (x.is_empty() || x.lo >= 0) return x;
  if (x.hi <= 0) return -x;
  return {0, std::max(-x.lo, x.hi), x.nan};
}

Interval square(const Interval& x) {
  const Interval size = abs(x);
  return size.is_empty() ? size : Interval(multiply_down(size.lo, size.lo), multiply_up(size.hi, size.hi), x.nan);
}

Interval sqrt(const Interval& x) {
  const Interval inside = restrict_domain(x, 0, kInfinity);
  return inside.is_empty() ? inside : Interval(sqrt_down(inside.lo), sqrt_up(inside.hi), inside.nan);
}

Interval cbrt(const Interval& x) {
  return rising_odd([](double v) { return std::cbrt(v); }, x);
}

Interval exp(const Interval& x) {
  const Interval result = rising([](double v) { return std::exp(v); }, x, 0, 1);
  return result.is_empty() ? result : clip(result, 0, kInfinity);
}

Interval log(const Interval& x) {
  return rising([](double v) { return std::log(v); }, restrict_domain(x, 0, kInfinity), 1, 0);
}

Interval log10(const Interval& x) {
  return rising([](double v) { return std::log10(v); }, restrict_domain(x, 0, kInfinity), 1, 0);
}

Interval sin(const Interval& x) {
  const auto f = [](double v) { return std::sin(v); };
  const bool within_rise = x.lo >= -1.5 && x.hi <= 1.5;  // Around 0, where the sign is exact.
  return within_rise ? rising_odd(f, x) : wave(f, x, 0.5);
}

Interval cos(const Interval& x) {
  if (x.lo == 0 && x.hi == 0) return {1, 1, x.nan};
  return wave([](double v) { return std::cos(v); }, x, 0);
}

Interval tan(const Interval& x) {
  if (x.is_empty()) return x;
  if (has_infinity(x)) return {-kInfinity, kInfinity, true};
  if (!multiples_of_pi(x, 0.5).none()) return {-kInfinity, kInfinity, x.nan};
  const auto f = [](double v) { return std::tan(v); };
  const bool around_zero = x.lo >= -1.5 && x.hi <= 1.5;
  return around_zero ? rising_odd(f, x) : with_nan(widen(f(x.lo), f(x.hi)), x.nan);
}

Interval asin(const Interval& x) {
  return rising_odd([](double v) { return std::asin(v); }, restrict_domain(x, -1, 1));
}

Interval acos(const Interval& x) {
  return -rising([](double v) { return -std::acos(v); }, restrict_domain(x, -1, 1), 1, 0);
}

Interval atan(const Interval& x) {
  return rising_odd([](double v) { return std::atan(v); }, x);
}

Interval sinh(const Interval& x) {
  return rising_odd([](double v) { return std::sinh(v); }, x);
}

Interval cosh(const Interval& x) {
  return rising([](double v) { return std::cosh(v); }, abs(x), 0, 1);
}

Interval tanh(const Interval& x) {
  const Interval result = rising_odd([](double v) { return std::tanh(v); }, x);
  return result.is_empty() ? result : clip(result, -1, 1);
}

Interval atan2(const Interval& y, const Interval& x) {
  if (y.is_empty() || x.is_empty()) return Interval::nothing_but_nan();
  const bool nan = y.nan || x.nan;
  // With the origin or the cut along negative x in the box, every angle is possible.
  const bool clear_of_cut = x.lo > 0 || y.lo > 0 || y.hi < 0;
  if (!clear_of_cut) return with_nan(widen(-std::numbers::pi, std::numbers::pi), nan);
  // Seen from a point outside, the extreme directions of a box are corners.
  const auto [lo, hi] =
      std::minmax({std::atan2(y.lo, x.lo), std::atan2(y.lo, x.hi), std::atan2(y.hi, x.lo), std::atan2(y.hi, x.hi)});
  Interval result = widen(lo, hi);
  if (y.lo >= 0) result = clip(result, 0, kInfinity);
  if (y.hi <= 0) result = clip(result, -kInfinity, 0);
  return with_nan(result, nan);
}

Interval hypot(const Interval& a, const Interval& b) {
  const bool nan = a.nan || b.nan;
  if (a.is_empty() || b.is_empty()) return {0, kInfinity, true};  // hypot(inf, NaN) is inf.
  const Interval x = abs(a), y = abs(b);
  // Not below either leg, and exact if one of them is 0.
  const Interval result = widen(std::hypot(x.lo, y.lo), std::hypot(x.hi, y.hi));
  const double largest = x.hi == 0 ? y.hi : (y.hi == 0 ? x.hi : result.hi);
  return with_nan({std::max({result.lo, x.lo, y.lo}), largest}, nan);
}

Interval pow(const Interval& x, const Interval& y) {
  const bool nan = x.nan || y.nan;
  // pow(NaN, 0) and pow(1, NaN) are 1; infinite bases have their own table.
  if (x.is_empty() || y.is_empty() || x.lo == -kInfinity) return {-kInfinity, kInfinity, true};
  const bool is_point = y.lo == y.hi && std::isfinite(y.lo);
  if (is_point && y.lo == std::trunc(y.lo)) return with_nan(pow_of_integer(x, y.lo), nan);
  // pow(-0, -1) is -inf.
  if (x.lo > 0 || (x.lo == 0 && (is_point || y.lo >= 0))) return with_nan(pow_of_positive(x, y), nan);
  if (!is_point) return {-kInfinity, kInfinity, true};  // Integers among y would give numbers of either sign.
  if (x.hi < 0) return Interval::nothing_but_nan();
  return with_nan(pow_of_positive({0, x.hi}, y), true);
}

Interval min(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::nothing_but_nan();
  return {std::min(a.lo, b.lo), std::min(a.hi, b.hi), a.nan || b.nan};
}

Interval max(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return Interval::nothing_but_nan();
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi), a.nan || b.nan};
}

}  // namespace thenar::internal
