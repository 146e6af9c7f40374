// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// All solutions of a constraint problem with polyhedral cones, by branch and bound over what its contacts do: open or
/// held, stick or slip and whither (mode_parts.h). The relaxation of a node is a linear program (mode_proof.h); where
/// it has no point, a Farkas vector says so, and the node ends. What is left when everything is decided are cells
/// (mode_cell.h). The tree with its vectors is the proof that there are no others.
///
/// Known solutions end a node whose solutions all have the motion of one (`one_motion`). With polyhedral cones a node
/// takes less time than this test; with smooth ones there is no other way.
///
/// A row that nothing decides doubles the cells in degenerate problems: four legs of a table, each of which may carry
/// nothing and not open either. A child whose solutions a sibling has as well is therefore dropped (`covered`).
///
/// Unlike the search over complementary bases (all_solutions.h), which takes the problem as an LCP with a row for each
/// corner of each cone, this one decides a contact with a few questions; hands that hold an object with 8 contacts take
/// some hundred to some thousand nodes.

#include <string>
#include <vector>

#include "thenar/modes/mode_cell.h"
#include "thenar/modes/mode_proof.h"
#include "thenar/modes/mode_search_options.h"

namespace thenar {

struct ModeSearchResult {
  bool is_complete = false;
  std::string reason;  ///< not complete: why
  std::vector<ModeCell> cells;
  std::vector<ModeNode> tree;  ///< the first is the root
  long long programs = 0;      ///< linear programs solved
};

/// `known` are solutions, the first cells of the result. Throws std::invalid_argument for problems with a fault, smooth
/// limit surfaces or numbers that are not finite.
///
/// On smooth cones the decisions do not say all there is. A node where everything is decided and a contact slips ends
/// as `one_motion`, with a known solution or one that is found there; else the search is not complete. It ends with the
/// second motion, which is all there is to know.
ModeSearchResult search_modes(const ConstraintProblem& problem, const ModeSearchOptions& options = {},
                              const std::vector<ModeCell>& known = {});

}  // namespace thenar
