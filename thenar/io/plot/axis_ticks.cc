// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/axis_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace thenar {
namespace {

/// Labels up to 10^kLargestExponent and down to 10^kSmallestExponent are written out.
constexpr int kLargestExponent = 4, kSmallestExponent = -2;
/// Ticks that differ only after this many digits are labelled by their difference from a constant.
constexpr double kMostStepsFromZero = 1e5;
/// Differences below this part of a number are rounding.
constexpr double kRounding = 1e-13;

/// A step of 1, 2 or 5 times 10^exponent.
struct Step {
  double size = 1;
  int exponent = 0;
};

/// The least step of that kind that is at least `raw`.
Step round_step(double raw) {
  const int exponent = static_cast<int>(std::floor(std::log10(raw)));
  const double power = std::pow(10.0, exponent);
  for (const double mantissa : {1.0, 2.0, 5.0}) {
    // A raw step that is 2 up to rounding is 2.
    if (mantissa * power >= raw * (1 - 1e-9)) return {mantissa * power, exponent};
  }
  return {std::pow(10.0, exponent + 1), exponent + 1};
}

/// The multiple of 3 not above the exponent of `value`.
int engineering_exponent(double value) { return 3 * static_cast<int>(std::floor(std::floor(std::log10(value)) / 3)); }

/// The multiples of `step` from lo to hi; one that lies outside by rounding only is moved in.
std::vector<double> find_multiples(double lo, double hi, double step) {
  constexpr double kSlack = 1e-9;  // Of a step.
  std::vector<double> multiples;
  for (double k = std::ceil(lo / step - kSlack); k <= hi / step + kSlack; ++k) {
    multiples.push_back(std::clamp(k * step, lo, hi));
  }
  return multiples;
}

void replace_minus(std::string& text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at)) text.replace(at, 1, "−");
}

/// A number as a label with so many decimals; no "-0.0".
std::string format_label(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text[0] == '-') text.erase(0, 1);
  replace_minus(text);
  return text;
}

std::string superscript(int number) {
  constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : std::to_string(number)) out += c == '-' ? "⁻" : kDigits[static_cast<std::size_t>(c - '0')];
  return out;
}

/// A round number near lo, so coarse that all ticks are less than ten steps of its grid away.
double round_offset(double lo, double hi) {
  const double grid = std::pow(10.0, std::ceil(std::log10(hi - lo)));
  return std::round(lo / grid) * grid;
}

}  // namespace

AxisTicks find_ticks(double lo, double hi, int most) {
  AxisTicks ticks;
  Step step;
  for (; ticks.at.size() < 2; ++most) {
    step = round_step(hi / most - lo / most);  // Divided first, since the range of the largest numbers is none.
    ticks.at = find_multiples(lo, hi, step.size);
  }
  if (std::max(std::abs(lo), std::abs(hi)) >= kMostStepsFromZero * step.size) ticks.offset = round_offset(lo, hi);

  double largest = step.size;
  for (const double x : ticks.at) largest = std::max(largest, std::abs(x - ticks.offset));
  const int exponent = static_cast<int>(std::floor(std::log10(largest)));
  if (exponent > kLargestExponent || exponent < kSmallestExponent) ticks.exponent = engineering_exponent(largest);
  const int decimals = std::max(0, ticks.exponent - step.exponent);
  const double unit = std::pow(10.0, ticks.exponent);
  for (const double x : ticks.at) ticks.labels.push_back(format_label((x - ticks.offset) / unit, decimals));
  return ticks;
}

AxisRange widen_range(double lo, double hi, double margin) {
  const double size = std::max(std::abs(lo), std::abs(hi));
  // Half first: the distance of the largest numbers is none.
  const double half = 0.5 * hi - 0.5 * lo;
  double move = 2 * margin * half;
  if (half <= kRounding * size || half < std::numeric_limits<double>::min()) {
    move = size < std::numeric_limits<double>::min() / kRounding ? 1 : 0.1 * size;
  }
  const double largest = std::numeric_limits<double>::max();
  return {std::max(lo - move, -largest), std::min(hi + move, largest)};
}

std::string axis_title(const std::string& name, const std::string& unit, const AxisTicks& ticks) {
  std::string title = name, scale = unit;
  if (ticks.offset != 0) {
    title += fmt::format(" {} {}", ticks.offset > 0 ? "−" : "+", format_number(std::abs(ticks.offset), 12));
  }
  if (ticks.exponent != 0) scale = "10" + superscript(ticks.exponent) + (unit.empty() ? "" : " ") + unit;
  return scale.empty() ? title : fmt::format("{} ({})", title, scale);
}

std::string format_number(double value, int digits) {
  std::string text = fmt::format("{:.{}g}", value + 0.0, digits);  // No "-0".
  replace_minus(text);
  return text;
}

}  // namespace thenar
