// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace thenar::internal {

/// Largest |entry| over its weight, infinite if one is not finite. As many entries as weights.
inline double calc_weighted_norm(const double* entries, std::span<const double> weights) {
  double largest = 0;
  bool finite = true;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double ratio = std::abs(entries[i]) / weights[i];
    largest = ratio > largest ? ratio : largest;
    finite &= ratio <= std::numeric_limits<double>::max();
  }
  return finite ? largest : std::numeric_limits<double>::infinity();
}

}  // namespace thenar::internal
