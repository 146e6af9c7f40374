// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Constraints on the coordinates of a model: stops, which a coordinate may touch but not pass, and couplings, which
/// tie one coordinate to others. Both speak about coordinates on lines only (angles and displacements, not quaternions;
/// Model::dof_coordinate).

#include <string>
#include <vector>

#include "thenar/base/expression.h"

namespace thenar {

/// A number, or a smooth function of some coordinates of the model.
struct CoordinateFunction {
  Expression value{};       ///< of the coordinates below, in that order; rad or m
  std::vector<int> dofs{};  ///< the degrees of freedom whose coordinates it takes; none for a number
};

enum class StopSide { lower, upper };

/// A stop of one degree of freedom. Its gap is q − bound (lower) or bound − q (upper) and never becomes negative.
struct Stop {
  int dof = 0;
  StopSide side = StopSide::lower;
  CoordinateFunction bound{};
  double restitution = 0;  ///< speed after an impact / speed before it, 0 … 1
};

/// q(dof) = value at all times: a mimic joint, a tendon over two joints, a gear.
struct Coupling {
  std::string name{};
  int dof = 0;
  CoordinateFunction value{};
};

}  // namespace thenar
