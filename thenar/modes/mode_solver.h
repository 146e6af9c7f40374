// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The front: what the contacts of a constraint problem do, and whether that is the only answer.
///
/// Three steps: the cone solver finds a solution; if that alone proves that there is no other motion ((4) of
/// mode_proof.h) all is said. Else the search (mode_search.h) finds all cells; their motions and forces make the
/// verdict, which is claimed only if verify_modes() confirms the tree. A search that ends early still proves `several`
/// once two motions were found.
///
/// Circular and elliptic cones: the search excludes all that contradicts the polygons around them (mode_parts.h), and
/// closes what is left with solutions on the true cone and (4). Limit surfaces of soft fingers have the first two steps
/// only. What is not proved is `undecided`, with the solutions found.

#include <string>

#include "thenar/modes/mode_search.h"
#include "thenar/modes/mode_verify.h"

namespace thenar {

struct ModeAnswer {
  Verdict verdict = Verdict::undecided;
  bool is_list_complete = false;  ///< the cells are all there are, and the tree proves it
  std::string reason;             ///< undecided, or not complete: why
  std::vector<ModeCell> cells;
  std::vector<ModeNode> tree;
  long long programs = 0;  ///< linear programs solved
};

/// Throws std::invalid_argument for problems with a fault or numbers that are not finite.
ModeAnswer solve_modes(const ConstraintProblem& problem, const ModeSearchOptions& options = {});

}  // namespace thenar
