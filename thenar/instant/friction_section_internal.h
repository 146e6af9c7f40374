// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The section C of a friction cone, z_t ∈ zₙ C, of a contact of a constraint problem.
///
/// Sections are intersections of half-planes g · s ≤ 1; of smooth ones these are tangents, as many as have been asked
/// for (force_set_internal.h).

#include <vector>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar::internal {

/// The section C of a contact as half-planes, over its tangent rows with friction.
struct Section {
  int normal = 0;             ///< normal row of the contact
  std::vector<int> rows;      ///< tangent rows with friction
  VectorX<double> limits;     ///< their coefficients
  MatrixX<double> gradients;  ///< a column g for each half-plane; of smooth sections the tangents known so far
  int polygon = 0;            ///< corners of the regular polygon over the first two rows; 0 without one
  bool is_smooth = false;

  VectorX<double> friction(const VectorX<double>& z) const { return z(rows); }
  /// |s|_C = max g · s, 1 on the border.
  double calc_gauge(const VectorX<double>& s) const;
  /// The g that this maximum belongs to: normal to the border where the ray through s leaves C; the mean at a corner.
  VectorX<double> find_gradient(const VectorX<double>& s) const;
  /// The largest −w · s over s ∈ C.
  double calc_power(const VectorX<double>& w) const;
};

/// Of the contact whose normal row is given; no rows if it has no friction or slides already.
Section make_section(const ConstraintProblem& problem, int normal);

/// Part of its section that the friction force of a contact takes; 0 without a normal force.
double calc_share(const Section& section, const VectorX<double>& z);

}  // namespace thenar::internal
