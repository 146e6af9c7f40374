// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// How a solver of contact problems ended.

#include <cstdint>

namespace thenar {

enum class ConeStatus : std::uint8_t {
  solved,      ///< the residual is within the tolerance
  not_solved,  ///< it is not; z is the best answer found. There may be none, or the method missed it
  not_finite   ///< A or b has a NaN or an infinity; z = 0
};

/// The word used in messages.
constexpr const char* to_string(ConeStatus status) {
  switch (status) {
    case ConeStatus::solved:
      return "solved";
    case ConeStatus::not_solved:
      return "not solved";
    case ConeStatus::not_finite:
      return "not finite";
  }
  return "?";
}

}  // namespace thenar
