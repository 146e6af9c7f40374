// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Round numbers for the axis of a chart. Ticks are multiples of 1, 2 or 5 times a power of ten. Labels stay short: a
/// power of ten common to all goes into the axis title ("10⁻³ rad"), and so does a large constant beside which the
/// ticks hardly differ ("q − 1000"). A tick at x is thus labelled (x − offset) / 10^exponent.

#include <string>
#include <vector>

namespace thenar {

struct AxisTicks {
  std::vector<double> at;           ///< ascending, all within the range
  std::vector<std::string> labels;  ///< with the typographic minus sign
  int exponent = 0;                 ///< a multiple of 3
  double offset = 0;
};

/// Ticks between lo and hi: at least 2, and at most `most` + 1 where that allows 2. lo < hi, both finite and not equal
/// up to rounding (widen_range).
AxisTicks find_ticks(double lo, double hi, int most);

/// A range that can be drawn: lo and hi moved apart by `margin` of their distance on either side, or, when they are
/// equal up to rounding, by a tenth of their size (by 1 for zero).
struct AxisRange {
  double lo = 0, hi = 1;
};
AxisRange widen_range(double lo, double hi, double margin);

/// The title of an axis: "q (rad)", "q (10⁻³ rad)", "q − 1000 (rad)", "count"; the unit may be empty.
std::string axis_title(const std::string& name, const std::string& unit, const AxisTicks& ticks);

/// The number with the typographic minus sign, in %g form with `digits` digits.
std::string format_number(double value, int digits);

}  // namespace thenar
