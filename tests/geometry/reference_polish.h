// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// First-order conditions of nearest points, solved by Newton's method in long double.
///
/// Bodies A and B are given by constraints (reference_core.h), B at p + R x_B in the frame of A. With the sets of
/// active constraints given, the unknowns are a and b (each in its own frame), the unit normal n from B into A, the gap
/// g and a multiplier for every active constraint:
///
///     n = −Σ λ_i ∇c_i(a)      n = R Σ μ_j ∇c_j(b)      a − p − R b = g n      n · n = 1      c_i(a) = c_j(b) = 0
///
/// This is regular for g > 0, = 0 and < 0 alike. An active inequality with a negative multiplier is let go, a violated
/// one is taken up, until none is left of either.

#include "reference_core.h"

namespace thenar::reference {

struct NearestPoints {
  Vec a = Vec::Zero(), b = Vec::Zero();  ///< in the frames of A and B
  Vec n = Vec::Zero();                   ///< in the frame of A
  Real gap = 0;                          ///< of the bodies without their balls
  ActiveSet set_A, set_B;
  /// How much n (rad/m) and the points (m/m) change with the place of B: Frobenius norms of ∂n/∂p and of ∂a/∂p, ∂b/∂p.
  Real normal_sensitivity = 0, point_sensitivity = 0;
  /// For convex bodies: the separation s(n) has a local maximum here, not a saddle. Its second derivative on the sphere
  /// is −(H + gap), H being that of the support functions, and ∂n/∂p = −(H + gap)⁻¹.
  bool is_maximum = false;
};

/// Improves a guess of a, b, n and of the active sets. False when no consistent sets are found.
bool polish(const Body& A, const Body& B, const Pose<Real>& X_AB, NearestPoints& at);

}  // namespace thenar::reference
