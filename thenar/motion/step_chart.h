// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The chart in which a step is written. Positions live on a product of lines and rotation groups; following
/// Runge–Kutta–Munthe-Kaas, they are q = q₀ ⊕ x around the start q₀ of the step, with exponential coordinates x,
///
///     ẋ = J⁻¹(x) v,   x(0) = 0,
///
/// and J the left Jacobian of the rotation group (1 on lines): a vector space, where every method has its order. The
/// chart is good while rotations stay below half a turn or so.

#include "thenar/model/model.h"

namespace thenar {

/// Velocities become rates of the chart: rate ← J⁻¹(x) rate at every rotation in space.
void turn_into_chart_rate(const Model& model, const double* x, double* rate);

/// Largest angle that a rotation in space has in x, rad.
double calc_largest_rotation(const Model& model, const double* x);

}  // namespace thenar
