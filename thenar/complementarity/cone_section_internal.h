// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The friction forces under a normal force r, in units in which the friction coefficients are 1: a ball of one to
/// three dimensions of radius r; or the regular k-gon inscribed in the circle of radius r, with an interval [−r, r] for
/// torsion beside it; or such an interval for every direction ((7) to (9) of constraint_problem.h). Solvers need the
/// nearest point of this set and how it moves.

#include <Eigen/Core>
#include <algorithm>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar::internal {

/// Three tangent directions; those that a contact does not have are 0, which no formula here minds. Fixed sizes make
/// straight-line code.
using Tangent = Eigen::Vector3d;
using TangentMatrix = Eigen::Matrix3d;

struct ConeSection {
  int tangents = 2;
  int faces = 0;  ///< 0: ball; k: k-gon in the first two directions, the third (if any) by itself; kBoxFaces: box

  bool is_smooth() const { return faces == 0; }
  bool is_box() const { return faces == kBoxFaces; }
};

/// The nearest point p of r C to x, and its derivatives: δp = Dx δx + Dr δr.
struct SectionPoint {
  Tangent p, Dr;
  TangentMatrix Dx;
  bool inside = false;  ///< p = x
};

/// r ≥ 0; p = 0 for smaller r.
SectionPoint project_on_section(const ConeSection& section, const Tangent& x, double r);

/// Its p alone.
inline Tangent nearest_on_section(const ConeSection& section, const Tangent& x, double r) {
  if (!section.is_smooth()) return project_on_section(section, x, r).p;
  const double length = x.norm();
  return length <= r ? x : Tangent(std::max(r, 0.0) / length * x);
}

}  // namespace thenar::internal
