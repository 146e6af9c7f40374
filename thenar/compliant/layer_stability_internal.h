// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Whether small deflections δ of layers between bodies that touch fade away (SYK 3, physics of hand-over):
///
///     δ̈ = −A (k δ + c δ̇)
///
/// A = Wᵀ M⁻¹ W_μ over the rows along which contacts hold: normals with the friction of what slides, and tangents of
/// what sticks. With K = k̄/ε and C = c̄/√ε the answer does not depend on ε.

#include "thenar/spatial/linear.h"

namespace thenar::internal {

/// The largest real part of the eigenvalues of that motion, 1/s: < 0 where layers are stable. k ≥ 0 (N/m) and c ≥ 0
/// (N s/m) by row; rows without stiffness have a speed but no deflection that could fade. −infinity without rows.
double calc_layer_growth(const MatrixX<double>& A, const VectorX<double>& k, const VectorX<double>& c);

}  // namespace thenar::internal
