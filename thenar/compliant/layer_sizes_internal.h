// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// How large the numbers of a compliant layer are: what counts as none of it, how it answers to small changes, and how
/// long it takes to settle.

#include <array>

#include "thenar/contact/contact_law.h"
#include "thenar/motion/layer_contacts_internal.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::internal {

/// Forces and depths of a layer that count as none.
struct LayerMargins {
  double force = 0;  ///< N
  double depth = 0;  ///< m
};
/// `size` (m) is that of the scene.
LayerMargins find_layer_margins(const Scales& scales, double size);

/// How a layer answers to small changes of its deflection and of their rates, along N, T, U and about N.
struct LayerSlopes {
  std::array<double, 4> stiffness{}, damping{};  ///< N/m, N s/m; about N with N m, rad
};

/// Slopes of a layer by this law under a normal force, N.
LayerSlopes calc_layer_slopes(const ContactLaw& law, double f_N, const Scales& scales);

/// How long a layer takes to settle, s: a spring and damper under the mass of everything.
double calc_layer_time(const LayerContact& contact, const Scales& scales);

}  // namespace thenar::internal
