// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <utility>
#include <vector>

namespace thenar {
namespace {

constexpr int kMaxExponent = 9;
constexpr int kMaxFactors = 16;

// 1 unit = numerator / denominator * 10^decade in SI. Kept apart so that nothing is rounded before the end.
struct Unit {
  std::string_view name;
  Dimension dimension;
  int decade = 0;
  double numerator = 1;
  double denominator = 1;
};

constexpr std::array kUnits = std::to_array<Unit>({
    {"m", kLength, 0},    {"km", kLength, 3},    {"cm", kLength, -2},
    {"mm", kLength, -3},  {"um", kLength, -6},   {"kg", kMass, 0},
    {"g", kMass, -3},     {"mg", kMass, -6},     {"s", kTime, 0},
    {"ms", kTime, -3},    {"us", kTime, -6},     {"min", kTime, 0, 60},
    {"rad", kAngle, 0},   {"mrad", kAngle, -3},  {"deg", kAngle, 0, std::numbers::pi, 180},
    {"N", kForce, 0},     {"mN", kForce, -3},    {"kN", kForce, 3},
    {"Nm", kTorque, 0},   {"mNm", kTorque, -3},  {"J", kTorque, 0},
    {"W", kPower, 0},     {"Hz", kFrequency, 0}, {"kHz", kFrequency, 3},
    {"Pa", kPressure, 0}, {"kPa", kPressure, 3}, {"MPa", kPressure, 6},
});

const Unit* find_unit(std::string_view name) {
  const auto found = std::find_if(kUnits.begin(), kUnits.end(), [name](const Unit& unit) { return unit.name == name; });
  return found == kUnits.end() ? nullptr : &*found;
}

[[noreturn]] void fail_unknown_unit(std::string_view name, std::size_t offset) {
  std::vector<std::string> names;
  for (const Unit& unit : kUnits) names.emplace_back(unit.name);
  std::string message = fmt::format("unknown unit {}", quote(name));
  if (const auto close = closest_match(name, names)) message += fmt::format(" (did you mean '{}'?)", *close);
  throw UnitError(message + fmt::format("; known: {}", list_words(names, names.size())), offset);
}

class QuantityParser {
 public:
  explicit QuantityParser(std::string_view text) : text_(text) {}

  Quantity parse() {
    skip_spaces();
    const double number = parse_number();
    skip_spaces();
    if (at_end()) return {number, std::nullopt};
    parse_units();
    return {calc_value(number), dimension_};
  }

 private:
  double parse_number() {
    const std::size_t start = position_;
    const bool negative = peek() == '-';
    if (negative || peek() == '+') ++position_;
    const auto number = scan_number(text_.substr(position_));
    if (!number) fail(start, fmt::format("expected a number, found {}", found(start)));
    position_ += number->length;
    if (!number->value) fail(start, fmt::format("number {} is out of range", quote(taken_since(start))));
    return negative ? -*number->value : *number->value;
  }

  void parse_units() {
    bool after_slash = false;
    if (peek() != '/') parse_factor(1);
    while (skip_spaces(), !at_end()) {
      const std::size_t start = position_;
      const bool slash = take('/');
      if (!slash) take('*');
      if (after_slash && !slash) {
        fail(start, "a product after '/' is ambiguous; write 'a/b/c' or 'a c/b' instead of 'a/b c'");
      }
      after_slash = slash;
      skip_spaces();
      parse_factor(slash ? -1 : 1);
    }
  }

  void parse_factor(int sign) {
    const std::size_t start = position_;
    while (is_letter(peek())) ++position_;
    const std::string_view name = taken_since(start);
    if (name.empty()) fail_no_unit();
    const Unit* unit = find_unit(name);
    if (!unit) fail_unknown_unit(name, start);
    if (++factors_ > kMaxFactors) fail(start, fmt::format("more than {} units in one product", kMaxFactors));
    multiply_by(*unit, sign * parse_exponent());
  }

  int parse_exponent() {
    if (!take('^')) return 1;
    const std::size_t start = position_;
    int exponent = 0;
    const auto [end, error] = std::from_chars(text_.data() + start, text_.data() + text_.size(), exponent);
    position_ = static_cast<std::size_t>(end - text_.data());
    const bool good = error == std::errc{} && exponent != 0 && std::abs(exponent) <= kMaxExponent;
    if (!good) fail(start, fmt::format("expected an exponent such as 2 or -1 (up to {}) after '^'", kMaxExponent));
    if (is_digit(peek()) || peek() == '.' || peek() == '^') fail(start, "expected a whole exponent after '^'");
    return exponent;
  }

  void multiply_by(const Unit& unit, int exponent) {
    dimension_.length += unit.dimension.length * exponent;
    dimension_.mass += unit.dimension.mass * exponent;
    dimension_.time += unit.dimension.time * exponent;
    dimension_.angle += unit.dimension.angle * exponent;
    decade_ += unit.decade * exponent;
    const bool up = exponent > 0;
    for (int i = 0; i < std::abs(exponent); ++i) {
      numerator_ *= up ? unit.numerator : unit.denominator;
      denominator_ *= up ? unit.denominator : unit.numerator;
    }
  }

  // 10^n is exact up to n = 22, so one multiplication or division rounds once and "12 mm" is the double 0.012.
  double calc_value(double number) const {
    const double scaled = numerator_ == denominator_ ? number : number * numerator_ / denominator_;
    const double power = std::pow(10.0, std::abs(decade_));
    const double value = decade_ < 0 ? scaled / power : scaled * power;
    if (!std::isfinite(value) || (value == 0 && number != 0)) fail(0, "value is out of range in SI units");
    return value;
  }

  bool at_end() const { return position_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[position_]; }

  bool take(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }

  void skip_spaces() {
    while (is_space(peek())) ++position_;
  }

  std::string_view taken_since(std::size_t start) const { return text_.substr(start, position_ - start); }

  std::string found(std::size_t offset) const {
    const std::string_view rest = trim(text_.substr(offset));
    return rest.empty() ? "nothing" : quote(rest);
  }

  [[noreturn]] void fail_no_unit() const {
    const bool arithmetic = std::string_view("+-()<>?$^").find(peek()) != std::string_view::npos && !at_end();
    fail(position_, fmt::format("expected a unit, found {}{}", found(position_),
                                arithmetic ? "; an expression takes plain SI numbers, without units" : ""));
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const { throw UnitError(message, offset); }

  std::string_view text_;
  std::size_t position_ = 0;
  int factors_ = 0;
  Dimension dimension_;
  int decade_ = 0;
  double numerator_ = 1;
  double denominator_ = 1;
};

struct NamedDimension {
  Dimension dimension;
  std::string_view description;
};

constexpr std::array kDescriptions = std::to_array<NamedDimension>({
    {kNumber, "a number without unit"},
    {kLength, "a length (m)"},
    {kArea, "an area (m^2)"},
    {kVolume, "a volume (m^3)"},
    {kMass, "a mass (kg)"},
    {kTime, "a time (s)"},
    {kFrequency, "a frequency (Hz)"},
    {kAngle, "an angle (rad)"},
    {kVelocity, "a velocity (m/s)"},
    {kAngularVelocity, "an angular velocity (rad/s)"},
    {kAcceleration, "an acceleration (m/s^2)"},
    {kAngularAcceleration, "an angular acceleration (rad/s^2)"},
    {kForce, "a force (N)"},
    {kTorque, "a torque (N m)"},
    {kPower, "a power (W)"},
    {kPressure, "a pressure (Pa)"},
    {kInertia, "a moment of inertia (kg m^2)"},
    {kDensity, "a density (kg/m^3)"},
    {kLinearStiffness, "a stiffness (N/m)"},
    {kLinearDamping, "a damping (N s/m)"},
    {kAngularStiffness, "an angular stiffness (N m/rad)"},
    {kAngularDamping, "an angular damping (N m s/rad)"},
});

}  // namespace

std::string describe(Dimension dimension) {
  for (const NamedDimension& named : kDescriptions) {
    if (named.dimension == dimension) return std::string(named.description);
  }
  std::string unit;
  const std::pair<std::string_view, int> factors[] = {
      {"kg", dimension.mass}, {"m", dimension.length}, {"s", dimension.time}, {"rad", dimension.angle}};
  for (const auto& [name, exponent] : factors) {
    if (exponent == 0) continue;
    unit += unit.empty() ? "" : " ";
    unit += exponent == 1 ? std::string(name) : fmt::format("{}^{}", name, exponent);
  }
  return "a quantity in " + unit;
}

bool compatible(Dimension found, Dimension expected) {
  if (expected.length != 0 || expected.mass != 0) found.angle = expected.angle;
  return found == expected;
}

Quantity parse_quantity(std::string_view text) { return QuantityParser(text).parse(); }

bool looks_like_quantity(std::string_view text) {
  text = trim(text);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto number = scan_number(text);
  if (!number) return false;
  const std::string_view rest = trim(text.substr(number->length));
  if (rest.empty() || is_letter(rest[0])) return true;
  if (rest[0] != '/') return false;
  // "2/s" is a quantity; "2/pi", "2/5" and "2/min(1, 3)" are expressions.
  const std::string_view divisor = trim(rest.substr(1));
  const std::size_t length =
      static_cast<std::size_t>(std::find_if_not(divisor.begin(), divisor.end(), is_word_character) - divisor.begin());
  const std::string_view after = trim(divisor.substr(length));
  return find_unit(divisor.substr(0, length)) != nullptr && !after.starts_with('(');
}

}  // namespace thenar
