// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "thenar/base/expression.h"

namespace thenar {

/// The name of the approach speed in an expression for restitution.
inline const std::array<std::string, 1> kRestitutionVariables{"v"};

/// How much of an impact is given back, e: a number from 0 to 1, or a function of the speed of approach (m/s), which
/// falls with it for real materials.
class Restitution {
 public:
  Restitution(double value = 0) : value_(value) {}  // NOLINT: a number is a restitution
  /// An expression of kRestitutionVariables.
  explicit Restitution(Expression function) : function_(std::move(function)), is_constant_(false) {}

  bool is_constant() const { return is_constant_; }
  /// Of a constant one.
  double value() const { return value_; }
  /// The expression's text; empty for a number.
  const std::string& text() const { return function_.text(); }

  /// e at an approach speed ≥ 0, what the expression gives there, kept within 0 and 1; NaN stays NaN.
  double at(double speed) const {
    if (is_constant_) return value_;
    const double found = function_.evaluate(std::array<double, 1>{speed});
    return std::isnan(found) ? found : std::clamp(found, 0.0, 1.0);
  }

  friend bool operator==(const Restitution& a, const Restitution& b) {
    return a.is_constant_ == b.is_constant_ && (a.is_constant_ ? a.value_ == b.value_ : a.text() == b.text());
  }

 private:
  double value_ = 0;
  Expression function_;
  bool is_constant_ = true;
};

}  // namespace thenar
