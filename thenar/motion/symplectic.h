// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The implicit midpoint rule in momenta p = M v, order 2, fixed steps: symplectic for motions without damping and
/// friction. It is the variational integrator (Marsden and West 2001, HairerLubichWanner2006 VI.6) of
///
///     L_d(q₀, q₁) = h L(qₘ, ξ),   q₁ = q₀ ⊕ h ξ,   qₘ = q₀ ⊕ h ξ/2,
///
/// which does not depend on a chart, so the step is symplectic also where joints are spherical or free. (The midpoint
/// rule in (q, v) is not, when M depends on q; nor is the one in a chart that moves along with q₀.) With J the left
/// Jacobian of the rotation group (1 on lines), μ = M(qₘ) ξ, and τ the forces at the midpoint,
///
///     G = ∂L/∂q + τ = d/ds M(qₘ ⊕ s ξ) ξ − ξ × μ + τ − ID(qₘ, ξ, 0)                                      (1)
///     p₀ = J⁻ᵀ(−h ξ) (μ − h/2 Jᵀ(−h ξ/2) G),   solved for ξ;                                             (2)
///     p₁ = J⁻ᵀ(h ξ) (μ + h/2 Jᵀ(h ξ/2) G),   v₁ = M(q₁)⁻¹ p₁.                                            (3)
///
/// (1) follows from inverse dynamics ID at v̇ = 0, since d/dt μ + ξ × μ − ∂L/∂q = τ is the equation of motion in
/// velocities that are expressed in fixed axes (the cross product stands on rotations in space only); the derivative
/// along the motion comes from dual numbers. (2) and (3) are p₀ = −∂L_d/∂q₀ and p₁ = ∂L_d/∂q₁, with forces at the
/// midpoint (discrete d'Alembert principle).

#include <memory>

#include "thenar/motion/motion.h"

namespace thenar {

/// The motion must outlive it.
std::unique_ptr<Integrator> make_symplectic_integrator(ConstrainedMotion& motion);

}  // namespace thenar
