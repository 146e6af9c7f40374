// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What the files of verify.h share: sums with bounds of their rounding.

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "thenar/complementarity/verify.h"

namespace thenar::internal::verify {

using Long = long double;
using LongList = std::vector<Long>;
using Result = Verification::Result;

inline constexpr Long kLongEpsilon = std::numeric_limits<Long>::epsilon();

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A sum with a bound of its rounding.
struct Sum {
  Long value = 0, size = 0;
  int terms = 0;
  void add(Long a, Long b) {
    value += a * b;
    size += std::abs(a * b);
    ++terms;
  }
  Long error() const { return static_cast<Long>(terms + 2) * kLongEpsilon * size; }
  Long upper() const { return value + error(); }
};

inline Verification refuted(std::string reason) { return {Result::refuted, std::move(reason), 0, 0}; }

}  // namespace thenar::internal::verify
