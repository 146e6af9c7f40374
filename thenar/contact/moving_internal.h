// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Moving<T>: a number with its rate of change, over any scalar of the kernels (Dual holds packs, of which there are
/// none of long double or of duals). A surface evaluated at moving coordinates returns its element with all rates.

#include <cmath>
#include <type_traits>

#include "thenar/base/sincos.h"
#include "thenar/spatial/linear.h"

namespace thenar::internal {

template <class T>
class Moving {
 public:
  Moving() = default;
  Moving(const T& value) : value_(value), rate_(T(0)) {}  // NOLINT: implicit, constants do not move
  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, T>) Moving(Number value)
      : value_(T(value)), rate_(T(0)) {}  // NOLINT
  Moving(const T& value, const T& rate) : value_(value), rate_(rate) {}

  const T& value() const { return value_; }
  const T& rate() const { return rate_; }

  friend Moving operator+(const Moving& a, const Moving& b) { return {a.value_ + b.value_, a.rate_ + b.rate_}; }
  friend Moving operator-(const Moving& a, const Moving& b) { return {a.value_ - b.value_, a.rate_ - b.rate_}; }
  friend Moving operator-(const Moving& a) { return {-a.value_, -a.rate_}; }
  friend Moving operator*(const Moving& a, const Moving& b) {
    return {a.value_ * b.value_, a.rate_ * b.value_ + a.value_ * b.rate_};
  }
  friend Moving operator/(const Moving& a, const Moving& b) {
    const T inverse = T(1) / b.value_, quotient = a.value_ * inverse;
    return {quotient, (a.rate_ - quotient * b.rate_) * inverse};
  }
  Moving& operator+=(const Moving& b) { return *this = *this + b; }
  Moving& operator-=(const Moving& b) { return *this = *this - b; }
  Moving& operator*=(const Moving& b) { return *this = *this * b; }

  friend Moving sqrt(const Moving& a) {
    using std::sqrt;
    const T root = sqrt(a.value_);
    return {root, a.rate_ / (root + root)};
  }
  friend void sincos(const Moving& a, Moving& s, Moving& c) {
    T sine, cosine;
    sincos(a.value_, sine, cosine);
    s = {sine, cosine * a.rate_};
    c = {cosine, -sine * a.rate_};
  }

 private:
  T value_;
  T rate_;
};

}  // namespace thenar::internal

namespace Eigen {

template <class T>
struct NumTraits<thenar::internal::Moving<T>> : thenar::internal::KernelNumTraits<thenar::internal::Moving<T>, T> {};

}  // namespace Eigen
