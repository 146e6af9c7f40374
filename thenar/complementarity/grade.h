// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One judge for all solvers: how well z answers a constraint problem. It shares no arithmetic with any solver (sums in
/// long double, w from A, b and z alone), and uses the scaled units of constraint_problem.h, so that rows of different
/// units weigh alike: ẑᵢ = zᵢ √Aᵢᵢ, ŵᵢ = wᵢ / √Aᵢᵢ. Where Aᵢᵢ = 0 the row cannot be moved and has no unit of its own;
/// it is taken as it is.
///
/// Contacts ((6) of constraint_problem.h) are judged as a whole: the normal row as a unilateral one; the friction force
/// by what is missing to the cone, and by how far it is from the force that takes most power from the slip. The
/// friction of contacts that slide (10) is judged by its distance from the ratios alone.

#include <span>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar {

/// Violations, each divided by `scale`; 0 is perfect. NaN in z gives NaN.
struct ConstraintGrade {
  double scale = 0;  ///< maxᵢ (|b̂ᵢ| + Σⱼ |Âᵢⱼ ẑⱼ|): the numbers whose sum is ŵᵢ; 1 where all are 0
  /// z outside its bounds. Outside a cone: the smaller of the changes that would repair it, that of the normal force or
  /// that of the friction force. Where a contact slides: |ẑ_t − r ẑₙ|, the change of the friction force.
  double bounds = 0;
  double motion = 0;           ///< w with a sign (or at all, if bilateral) that its row does not admit
  double complementarity = 0;  ///< min(distance of z to the bound that allows this w, |w|)
  /// Friction that is not the best for its slip: the distance of z_t from the admissible friction force next to
  /// z_t − w_t, in units in which friction coefficients are 1. For slips small beside the force this is the force's
  /// error in angle times the slip, or the slip itself where the force is inside its cone; for large slips it is what
  /// is missing to the best force.
  double dissipation = 0;
  /// How far a solver's own w is from A z + b: momentum that came from nowhere. 0 where only z was given.
  double momentum = 0;
  int worst_row = -1;  ///< row of the largest violation (the normal row of a contact); −1 when there is none

  double worst() const;
};

/// Grades z (one number per row; throws std::invalid_argument otherwise).
ConstraintGrade grade_solution(const ConstraintProblem& problem, std::span<const double> z);
/// The same, with `momentum` of the motions that the solver states.
ConstraintGrade grade_solution(const ConstraintProblem& problem, std::span<const double> z, std::span<const double> w);

/// Judges a proof that a problem has no solution (ConstraintSolution::certificate).
struct CertificateGrade {
  /// Largest forbidden component of ŷ / |ŷ|₁: negative on unilateral rows, nonzero on boxed ones and on those of
  /// contacts, where A y = 0 and bᵀ y < 0 prove nothing: slip adds |w_t|_C to wₙ.
  double cone = 0;
  double gain = 0;  ///< −b̂ᵀ ŷ / (|ŷ|₁ max |b̂|); must be positive
  /// Any solution would need |ẑ|₁ > reach · max |b̂|, reach = −b̂ᵀ ŷ / (|Â ŷ|∞ max |b̂|); infinite for exact data.
  double reach = 0;

  /// No forbidden component, and no solution with forces below 10⁵ times the scale of b. Solvers ask for more of
  /// theirs, so that a difference in scaling cannot turn the judgement.
  bool proves() const { return cone == 0 && gain > 0 && reach > 1e5; }
};
CertificateGrade grade_certificate(const ConstraintProblem& problem, std::span<const double> y);

}  // namespace thenar
