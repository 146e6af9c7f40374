// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace thenar {

/// A state at which no contact problem can be posed: bodies overlap or are about to strike, surfaces that touch do not
/// face each other, or a number is not finite. A run ends there or takes another step; what() is for the user.
class NoInstantError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace thenar
