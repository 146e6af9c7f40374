// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Powers in a step of slow motion, and what they add up to: its books of energy.

#include <vector>

#include "thenar/integrate/step_view.h"
#include "thenar/spatial/linear.h"

namespace thenar::internal {

/// Of the polynomials through the places of a step.
inline constexpr int kSlowDegree = 8;

/// At kSlowDegree + 1 places, Chebyshev–Lobatto nodes.
struct StepPowers {
  VectorX<double> work, dissipated;  ///< of actuators and wrenches, and of friction, W
  double usual = 0;                  ///< the largest usual one, W

  /// Whether every second place tells the same as all of them.
  bool are_smooth() const;
  /// Work and dissipation (J) up to theta of a step of length h (s).
  StepPoint integrate(const std::vector<double>& nodes, double h, double theta) const;
};

}  // namespace thenar::internal
