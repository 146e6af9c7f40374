// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A small expression language for numbers and functions of time in input files, such as
/// "0.3*sin(2*pi*t) + $offset". It reads no files, calls nothing outside itself, and cannot loop.
///
///   c ? a : b                right associative
///   a || b,  a && b          0 is false, anything else is true; the result is 0 or 1
///   < <= > >= == !=          0 or 1; they do not chain (a < b < c is an error)
///   + -   * /                left associative
///   - + !                    unary; binds looser than ^, so -2^2 is -4
///   ^                        right associative, 2^3^2 is 2^9; 2^-1 is allowed
///   1, 1.5, .5, 1e-3         numbers; pi, e; the variables; $name, a parameter replaced when the text is parsed
///
///   sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt cbrt abs floor ceil round(x)   as in <cmath>
///   atan2(y,x) pow(x,y) hypot(x,y)   as in <cmath>
///   min(a,b,...) max(a,b,...)        of two or more; NaN if any is NaN
///   sign(x)                          -1, 0 or 1
///   mod(x,y)                         x - y*floor(x/y): has the sign of y, so mod(t, 2) is periodic for all t
///   step(x)                          0 for x < 0, else 1
///   clamp(x,lo,hi)                   min(max(x,lo),hi)
///   pulse(t,t0,t1)                   1 for t0 <= t < t1, else 0
///   blend(t,t0,t1)                   0 up to t0, 1 from t1 on, between them 10s^3 - 15s^4 + 6s^5, s = (t-t0)/(t1-t0):
///                                    value, first and second derivative are continuous
///
/// `?:`, `&&` and `||` evaluate all their operands and then select one, so an untaken branch may divide by zero
/// without harm to the result. Division by zero and functions outside their domain give inf and NaN, never an error.
///
/// Limits: 4096 characters, 100 levels of nesting, 64 intermediate values. All are checked when the text is parsed.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thenar/base/text.h"

namespace thenar {

/// Bad expression; offset() counts bytes into the text.
class ExpressionError : public TextError {
 public:
  using TextError::TextError;
};

/// Value of the parameter written `$name` (asked without the `$`), or empty when there is none.
using ParameterLookup = std::function<std::optional<double>(std::string_view name)>;

namespace internal {
/// Postfix code: an operation takes its operands from the top of the stack and leaves its result there.
struct Instruction {
  std::uint8_t operation = 0;  ///< an internal enumeration of the source files
  std::uint32_t variable = 0;  ///< index into the values; used by "push variable" only
  double constant = 0;         ///< used by "push constant" only
};
}  // namespace internal

/// An expression compiled once and evaluated often. A value: copying it copies its code.
class Expression {
 public:
  /// The constant zero.
  Expression() : Expression(0.0) {}
  /// A constant.
  explicit Expression(double value);

  /// Compiles `text`. `variables` are the names that evaluate() receives values for; a variable hides a constant of
  /// the same name. Throws ExpressionError.
  static Expression parse(std::string_view text, std::span<const std::string> variables,
                          const ParameterLookup& parameters = {});

  /// Value for `values`, given in the order of `variables`, at least as many. Allocates nothing and throws nothing.
  double evaluate(std::span<const double> values) const noexcept;

  /// Value and its first two derivatives with respect to s where the variables are values + s rates. Of a piecewise
  /// operation it is the piece that evaluate() takes. Allocates nothing and throws nothing.
  struct Taylor {
    double value = 0, first = 0, second = 0;
  };
  Taylor evaluate_along(std::span<const double> values, std::span<const double> rates) const noexcept;

  /// Bounds of the value for all finite values of the variables, by interval arithmetic: certain, but often wider than
  /// need be.
  struct Range {
    double lowest = 0, highest = 0;
  };
  Range calc_range() const noexcept;

  /// True when it is made of functions whose first and second derivatives are continuous wherever they are finite: no
  /// comparison, logical operation, ?:, abs, sign, floor, ceil, round, step, min, max, mod, clamp or pulse of anything
  /// that contains a variable. blend is smooth, and so is atan2, apart from its jump of 2π when the angle passes ±π.
  bool is_smooth() const { return is_smooth_; }

  /// Where the expression passes from one smooth piece to the next: the last number before and the first after.
  struct Switch {
    double before = 0, after = 0;  ///< neighbouring doubles
  };
  /// The first switch while variable `index` grows from `from` to `to` (both finite; before ≥ from, after ≤ to) and the
  /// others keep their values: a jump or a kink of one of the operations that is_smooth() names, an end of blend, the
  /// cut of atan2. None is missed, however short the piece: interval arithmetic proves that the rest has none.
  ///
  /// - Parts that do not matter do not count: the branch of ?: that is not taken, the larger operand of min, the inner
  ///   floor of floor(t) < 100.
  /// - A kink at `from` belongs to the past; a jump at `from`, as of sign(t) at 0, is a switch with before == from.
  /// - Where rounding hides on which side a decision falls, as in max(1, sin(t)^2 + cos(t)^2), what counts is whether
  ///   it is the same before and after; so touching is no switch. But if evaluate() decides differently at `from` and
  ///   at `to`, there is one.
  /// - Kinks that arise where a smooth function has an infinite slope or none, sqrt(t^2), hypot(t, 0), asin(sin(t)),
  ///   are not found: nothing is decided there. Neither are poles.
  /// - The work is bounded. When the bound is reached, which takes hundreds of places where it touches, the place
  ///   reached so far is returned as if it were a switch.
  ///
  /// Allocates nothing.
  std::optional<Switch> find_switch(std::span<const double> values, std::size_t index, double from, double to) const;

  /// How many values evaluate() needs: one more than the highest index of a variable that occurs.
  std::size_t variable_count() const { return variable_count_; }
  /// True when no variable occurs, so that evaluate({}) gives the value.
  bool is_constant() const { return variable_count_ == 0; }

  /// The text it was parsed from.
  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;

  std::string text_;
  std::vector<internal::Instruction> code_;
  std::size_t variable_count_ = 0;  // One more than the highest variable index in the code.
  bool has_pieces_ = false;         // Whether some operation in the code is made of pieces.
  bool is_smooth_ = true;
};

}  // namespace thenar
