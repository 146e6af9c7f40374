// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Numbers that every module spells alike.

#include <limits>
#include <numbers>

namespace thenar {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr double kPi = std::numbers::pi;

}  // namespace thenar
