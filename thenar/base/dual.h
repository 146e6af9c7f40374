// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Dual<S, N>: a number with its derivatives along N directions (forward-mode differentiation). A kernel run on
/// duals whose inputs carry the unit directions returns its Jacobian, exact to rounding, N columns per run.

#include <cmath>

#include "thenar/base/pack.h"

namespace thenar {

template <class S, int N>
class Dual {
 public:
  using Scalar = S;
  using Gradient = Pack<S, N>;
  static constexpr int kDirections = N;

  Dual() = default;
  Dual(S value) : value_(value), gradient_(S(0)) {}  // NOLINT: implicit, constants have no derivative
  Dual(int value) : Dual(static_cast<S>(value)) {}
  Dual(S value, Gradient gradient) : value_(value), gradient_(gradient) {}

  S value() const { return value_; }
  const Gradient& gradient() const { return gradient_; }
  /// Marks this number as the independent variable of `direction`.
  void seed(int direction, S slope) { gradient_.set(direction, slope); }

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value_ + b.value_, a.gradient_ + b.gradient_}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value_ - b.value_, a.gradient_ - b.gradient_}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value_ * b.value_, a.gradient_ * b.value_ + b.gradient_ * a.value_};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const S inverse = S(1) / b.value_;
    const S quotient = a.value_ * inverse;
    return {quotient, (a.gradient_ - b.gradient_ * quotient) * inverse};
  }
  friend Dual operator-(const Dual& a) { return {-a.value_, -a.gradient_}; }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend bool less(const Dual& a, const Dual& b) { return a.value_ < b.value_; }
  friend Dual select(bool mask, const Dual& a, const Dual& b) { return mask ? a : b; }

  friend Dual sqrt(const Dual& a) {
    const S root = std::sqrt(a.value_);
    return {root, a.gradient_ * (S(0.5) / root)};
  }
  friend Dual abs(const Dual& a) { return a.value_ < 0 ? -a : a; }
  friend Dual sin(const Dual& a) { return {std::sin(a.value_), a.gradient_ * std::cos(a.value_)}; }
  friend Dual cos(const Dual& a) { return {std::cos(a.value_), a.gradient_ * -std::sin(a.value_)}; }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const S norm2 = x.value_ * x.value_ + y.value_ * y.value_;
    return {std::atan2(y.value_, x.value_), (y.gradient_ * x.value_ - x.gradient_ * y.value_) * (S(1) / norm2)};
  }

 private:
  S value_;
  Gradient gradient_;
};

/// The number that a decision may look at: x itself, or the value of a dual (also of a dual of duals).
template <class T>
auto plain(const T& x) {
  if constexpr (requires { x.value(); }) {
    return plain(x.value());
  } else {
    return x;
  }
}

/// The width that derivatives of the dynamics use: four columns per run.
using Dual4 = Dual<double, 4>;

}  // namespace thenar
