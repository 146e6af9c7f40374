// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Finds where an expression passes from one smooth piece to the next (Expression::find_switch).
///
/// 1. Interval arithmetic over [from, to] proves most decisions constant. If all are, or if those that are not do not
///    matter for the result, that one evaluation is the whole work.
/// 2. Otherwise the first decision in the code that is in doubt is followed from `from` on, by its operands alone:
///    stretches over which it is proven to keep its value are passed at once; others are halved, down to neighbouring
///    doubles. The proof uses the operands' bounds, and where these are too wide the mean value forms (Taylor forms of
///    order 1 and 2 about both ends) of the functions whose sign decides, such as a - b for a < b. So the effort near
///    a zero grows with the logarithm of the resolution, also where the function only touches zero. Where that function
///    is monotone, the change is located by bisection of the decision itself.
/// 3. The search goes on with the next decision in doubt, now up to the switch found so far; there the decisions done
///    with are known to keep their values, whatever the intervals say. Decisions come after those of their operands,
///    and branches of ?: after its condition, so what is guarded is searched only where it matters.
///
/// Intervals enclose the exact real values as well as the computed ones, so "proven" means beyond rounding. A stretch
/// on which the deciding function passes the point of change by no more than a few of its rounding errors is passed as
/// well, the decision being hidden there; what counts is whether it comes out with another value. Where not even that
/// can be shown (two operands that are equal but computed differently), strides grow with the zone crossed so far.

#include <cstddef>
#include <optional>
#include <span>

#include "thenar/base/expression.h"

namespace thenar::internal {

struct Bracket {
  double before = 0;
  double after = 0;
};

/// See Expression::find_switch.
std::optional<Bracket> find_switch(std::span<const Instruction> code, std::span<const double> values, std::size_t index,
                                   double from, double to);

}  // namespace thenar::internal
