// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A circle grown by a ball (a torus, or with radius 0 a rim) against any other shape.
///
/// With c(φ) the point of the circle at the angle φ and S_B the signed distance from the core of B, which project()
/// gives with its gradient n,
///
///     gap = min f(φ) − r_A − r_B,      f(φ) = S_B(c(φ)),      f' = n · c'                                       (1)
///
/// That is the distance when the shapes are apart. It is continuous for all poses and changes by no more than the
/// shapes move; while the tubes overlap but the cores do not it is the shortest way out of the nearest place. A ring
/// can touch in several places: every local minimum of f is one.
///
/// The minima are found globally. If B is convex, so is S_B, and |c''| = R gives f'' ≥ −K with K = R, kinks included.
/// From samples of f and f' at two angles h apart follows
///
///     f ≥ parabolas of curvature −K through the samples;   no minimum in between if f'(a) > K h or f'(b) < −K h  (2)
///
/// Intervals that (2) does not exclude are halved until f' is as good as a quadratic function on them, so that the
/// number of its roots is known; then the root is found by inverse interpolation. Two minima are told apart down to a
/// distance of 1e-5 rad. A circle B is not convex, but S_B'' ≥ −1/ρ with ρ the distance from its axis, which
/// replaces K.
///
/// Where f hardly changes there is more than a point: a ring lying on a table, or around a finger that fills it. Four
/// points fixed in the circle (0°, 90°, 180°, 270°) are then added, and over a flat face of B the ends of the arcs that
/// are above it, each with its own gap. A minimum that is none because f is constant to rounding is left out.

#include "thenar/geometry/local_minima_internal.h"

namespace thenar::internal {

/// A is a grown circle. Fills `out`, in the frame of A: the nearest place always, and all others with gap ≤ margin (m).
void find_ring_minima(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin,
                      LocalMinima& out);

}  // namespace thenar::internal
