// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The implicit midpoint rule in canonical momenta, order 2, fixed steps: symplectic for motions without damping and
/// friction, so that energy does not drift however long the run; it oscillates within O(h²).
///
/// In the chart q = q₀ ⊕ x of a step the Lagrangian is L(x, ẋ) with v = J(x) ẋ, the momentum π = ∂L/∂ẋ = Jᵀ M v, and
///
///     π̇ = ∂L/∂x + Jᵀ τ = d/ds π(x + s ẋ, ẋ) + Jᵀ (τ − ID(q, v, v̇ₛ)),   v̇ₛ = d/ds J(x + s ẋ) ẋ,              (1)
///
/// because π̇ − d/ds π is what ẍ adds, Jᵀ M J ẍ, and M (v̇ − v̇ₛ) = τ − ID(q, v, v̇ₛ) by inverse dynamics. Both derivatives
/// along the motion come from dual numbers. A step solves, for the mean velocity ẋₘ,
///
///     π(h ẋₘ/2, ẋₘ) = π₀ + h/2 π̇(h ẋₘ/2, ẋₘ),   then   x₁ = h ẋₘ,   π₁ = π₀ + h π̇,   v₁ = M(q₁)⁻¹ J⁻ᵀ π₁.      (2)
///
/// Going from one chart to the next is a change of coordinates of positions, hence canonical: the whole map is
/// symplectic in (q, M v) also where joints are spherical or free. (v alone is no canonical momentum; the midpoint rule
/// in (q, v) is not symplectic when M depends on q.)

#include <memory>

#include "thenar/simulate/motion.h"

namespace thenar {

/// The motion must outlive it.
std::unique_ptr<Integrator> make_symplectic_integrator(ConstrainedMotion& motion);

}  // namespace thenar
