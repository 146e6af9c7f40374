// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The solutions of an LCP with given rows at z = 0 and at w = 0, S(α) of all_solutions.h, and how they become cells.
/// In scaled units (lcp_scale_internal.h) unless said otherwise.

#include "thenar/complementarity/generators.h"
#include "thenar/complementarity/lcp_proof.h"
#include "thenar/complementarity/lcp_scale_internal.h"

namespace thenar::internal {

/// What is zero: a few tolerances of the linear programs.
inline constexpr double kZero = 1e-8;
/// Pivots of M_αα below this make it singular, as do errors of data in double.
inline constexpr long double kRank = 1e-11L;

/// S(α) by its corners; without vertices if it is empty. Nothing if there are more than `most`.
std::optional<Generators> find_solution_set(const Lcp& scaled, const std::vector<bool>& in_basis, int most);

/// Leaves out the cells (in the units of the problem) that are part of others. Nodes of the tree that name them name
/// the others then.
void merge_cells(const Lcp& scaled, const LcpScale& scale, std::vector<SolutionCell>& cells,
                 std::vector<ProofNode>& tree);

}  // namespace thenar::internal
