// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Branch and bound over what contacts do (quasistatic_proof.h). A node keeps two linear programs, one of the
/// velocities and one of the forces that its decisions leave; where one of them has no point its Farkas vector ends the
/// node. Otherwise velocities and forces are moved towards each other by minimizing their *conflict* Σ f (v_n +
/// forbidden slip), alternately over one of the two (PTL (14), (15) within the node), and the contact with the most of
/// it is branched on. A node without conflict has a solution, and is divided until every contact is decided.
///
/// With all joints position-controlled the velocities are points of R³, so that few contacts can touch at once unless
/// their rows agree, and the tree has as many ends as {v_n ≥ 0} has faces, times the contacts: it is polynomial. With m
/// unknowns it grows like n_cᵐ at worst.

#include <functional>
#include <string>
#include <vector>

#include "thenar/linear_programs/linear_program.h"
#include "thenar/quasistatic/mode_point_internal.h"
#include "thenar/quasistatic/quasistatic_proof.h"

namespace thenar::internal {

struct ModeTreeOptions {
  long long most_nodes = 1'000'000;
  /// The search ends once this is true of the solutions found so far; nothing means never.
  std::function<bool(const std::vector<LabelledPoint>&)> is_enough;
  /// Called for each node with their number; false ends the search.
  std::function<bool(long long)> goes_on;
};

struct ModeTreeResult {
  std::vector<LabelledPoint> solutions;
  std::vector<QuasistaticNode> nodes;
  bool is_complete = false;
  std::string reason;  ///< not complete: why
  long long programs = 0;
};

/// `known`: labels of solutions found by others.
ModeTreeResult search_modes(const ModeRules& rules, const ModeTreeOptions& options,
                            const std::vector<ModeLabels>& known);

}  // namespace thenar::internal
