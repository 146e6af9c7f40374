// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One judge for all solvers: how well z answers a constraint problem. It shares no arithmetic with any solver (sums in
/// long double, w from A, b and z alone), and uses the scaled units of constraint_problem.h, so that rows of different
/// units weigh alike: ẑᵢ = zᵢ √Aᵢᵢ, ŵᵢ = wᵢ / √Aᵢᵢ. Where Aᵢᵢ = 0 the row cannot be moved and has no unit of its own;
/// it is taken as it is.

#include <span>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar {

/// Violations, each divided by `scale`; 0 is perfect. NaN in z gives NaN.
struct ConstraintGrade {
  double scale = 0;  ///< maxᵢ (|b̂ᵢ| + Σⱼ |Âᵢⱼ ẑⱼ|): the numbers whose sum is ŵᵢ; 1 where all are 0
  double bounds = 0;           ///< z outside its bounds
  double motion = 0;           ///< w with a sign (or at all, if bilateral) that its row does not admit
  double complementarity = 0;  ///< min(distance of z to the bound that allows this w, |w|)
  int worst_row = -1;          ///< row of the largest violation; −1 when there is none

  double worst() const;
};

/// Grades z (one number per row; throws std::invalid_argument otherwise).
ConstraintGrade grade_solution(const ConstraintProblem& problem, std::span<const double> z);

/// Judges a proof that a problem has no solution (ConstraintSolution::certificate).
struct CertificateGrade {
  double cone = 0;  ///< largest forbidden component of ŷ / |ŷ|₁: negative on unilateral rows, nonzero on boxed ones
  double gain = 0;  ///< −b̂ᵀ ŷ / (|ŷ|₁ max |b̂|); must be positive
  /// Any solution would need |ẑ|₁ > reach · max |b̂|, reach = −b̂ᵀ ŷ / (|Â ŷ|∞ max |b̂|); infinite for exact data.
  double reach = 0;

  /// No forbidden component, and no solution with forces below 10⁵ times the scale of b. Solvers ask for more of
  /// theirs, so that a difference in scaling cannot turn the judgement.
  bool proves() const { return cone == 0 && gain > 0 && reach > 1e5; }
};
CertificateGrade grade_certificate(const ConstraintProblem& problem, std::span<const double> y);

}  // namespace thenar
