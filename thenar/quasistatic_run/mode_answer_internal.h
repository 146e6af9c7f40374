// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Velocity and forces of a list of modes, as plain matrices (quasistatic_motion_internal.h says what they mean).

#include <vector>

#include "thenar/quasistatic/mode_rules.h"

namespace thenar::internal {

/// Rows and wrenches that depend on others to this are dependent.
inline constexpr double kSlowRank = 1e-9;

/// What a list of modes asks of the rows of the rules.
struct ModeRows {
  std::vector<int> zero;           ///< rows that are zero
  std::vector<RowSign> strict;     ///< rows that must keep their sign
  std::vector<int> strict_owners;  ///< of which contact or stop each of these is
  std::vector<int> edges;          ///< those that may carry a force
};
/// Of labels as those of ModeRules, none of which breaks.
ModeRows find_mode_rows(const ModeRules& rules, const ModeLabels& labels);

/// The velocity nearest to `reference` (0 if it is empty) at which these rows of v = P u + v₀ are zero, with unknowns
/// in their `units`.
VectorX<double> find_mode_velocity(const ModeRules& rules, const std::vector<int>& zero_rows,
                                   const VectorX<double>& units, const VectorX<double>& reference);

/// Forces of edges, as parts of the usual strength.
struct EdgeForces {
  VectorX<double> f;
  double reserve = 0;  ///< the least of them; below 0 where the loads are not balanced
  int tightest = -1;   ///< the edge that has it; −1 where there is none or the loads are not balanced
};
/// With G f + h = 0: the least forces (in squares), if none of them pulls; else those with the least sum of which none
/// does. `scale` weighs the equations.
EdgeForces find_edge_forces(const MatrixX<double>& G, const VectorX<double>& h, const VectorX<double>& scale);

}  // namespace thenar::internal
