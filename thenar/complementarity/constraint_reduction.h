// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Constraint problems as LCPs, for everything that LCPs have: all solutions, proofs, matrices that are neither
/// symmetric nor semidefinite. All row kinds but smooth cones in two or three directions, which are not polyhedral.
///
/// Forces are written as z = T x + z⁰ with x ≥ 0 (free for bilateral rows), their rows of the LCP are Sᵀ w with S = T
/// but for contacts that slide, and what bounds x is a row of its own:
///
///     bilateral    z = x, x free, w = 0
///     unilateral   z = x,                                w ⊥ x
///     boxed, f     z = x − f,                        w + y ⊥ x,   2f − x ⊥ y
///     contact      zₙ = xₙ,                             wₙ ⊥ xₙ
///                  z_t = D β, columns of D the corners of the friction section at zₙ = 1 (Stewart and Trinkle 1996),
///                                            Dᵀ w_t + λ ⊥ β,   xₙ − Σ β ⊥ λ
///
///     sliding      zₙ = xₙ, zₖ = rₖ xₙ,                 wₙ ⊥ xₙ
///
/// λ is the speed of slip, seen along the corner that opposes it best. A third tangential row (torsion) has corners ±μ₃
/// and a λ of its own, as has every direction of a box cone; directions without friction (μ = 0) have no unknowns.

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/complementarity/lcp.h"

namespace thenar {

/// Whether all rows of the problem are polyhedral.
bool is_polyhedral(const ConstraintProblem& problem);

class ConstraintReduction {
 public:
  /// Throws std::invalid_argument for a problem with a fault or with smooth cones.
  explicit ConstraintReduction(const ConstraintProblem& problem);

  const Lcp& lcp() const { return lcp_; }
  /// Forces of the constraint problem from x.
  VectorX<double> recover(const VectorX<double>& x) const { return origin_ + recover_direction(x); }
  /// The same for a direction along which x goes.
  VectorX<double> recover_direction(const VectorX<double>& x) const { return T_ * x.head(T_.cols()); }

 private:
  Lcp lcp_;
  MatrixX<double> T_;       ///< rows of the problem × leading unknowns of the LCP
  VectorX<double> origin_;  ///< z⁰
};

}  // namespace thenar
