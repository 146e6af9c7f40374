// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// All solutions of a linear complementarity problem (lcp.h), with a proof that there are no others.
///
/// In every solution each row has z = 0 or w = 0, so that the solutions are the union of 2ᵐ polyhedra (m complementary
/// rows), most of them empty:
///
///     S(α) = {z : wᵢ = 0, zᵢ ≥ 0 for i in α;  zᵢ = 0, wᵢ ≥ 0 for the others},   w = M z + q.                   (1)
///
/// Where M_αα is nonsingular S(α) is one point or nothing; where it is singular S(α) can be a segment, a ray, anything
/// flat. A nonempty S(α) that is not part of another one is a *cell*, given by its vertices, rays and lines.
///
/// The search is a branch and bound over rows. A node has some rows decided, and its relaxation is the polyhedron of
/// the decided equations and all inequalities, without complementarity elsewhere. A row i to be decided next splits it
/// in two, and linear programs (linear_program.h) tell which halves matter:
///
///   - no point of the relaxation has wᵢ = 0: a Farkas vector proves it, and this half ends. Rows whose entries tell it
///     by their signs need no program (interval arithmetic with ends 0 and ∞);
///   - all of its points with wᵢ = 0 have zᵢ = 0 as well: they are part of the other half, and multipliers prove it.
///     This is what keeps degenerate problems from being listed 2ᵐ times;
///   - likewise with z and w exchanged.
///
/// And where the rows that are left have a P-matrix, once those with w = 0 are solved for, they have one solution:
/// Lemke's method finds it, and the node ends.
///
/// Rows of which one half ends are decided first; no such row among those tried: one whose both halves are alive. The
/// tree with its proofs is the certificate (lcp_proof.h): anyone can go through it without solving anything.
///
/// All decisions are made to 1e-8 in scaled units, which do not depend on those of the problem (entries of each row and
/// column of M around 1, largest ones of q near 1). Problems with
/// solutions that close to each other, or that close to none, are answered to that accuracy.

#include <functional>
#include <vector>

#include "thenar/complementarity/lcp.h"
#include "thenar/complementarity/lcp_proof.h"

namespace thenar {

struct AllSolutionsOptions {
  long long most_nodes = 50'000;  ///< of the tree
  int most_cells = 10'000;        ///< 1: any solution will do
  int most_generators = 2'000;    ///< of a cell
  /// Called now and then with the number of nodes so far; false ends the search.
  std::function<bool(long long)> goes_on;
};

enum class SolutionCount : std::uint8_t {
  none,
  unique,
  several,   ///< more than one cell, or one that is more than a point
  undecided  ///< the search ended early; what it found are solutions, but there may be more
};
const char* to_string(SolutionCount count);

struct AllSolutions {
  SolutionCount count = SolutionCount::undecided;
  std::vector<SolutionCell> cells;
  std::vector<ProofNode> tree;  ///< the first is the root; for undecided with open ends
  long long programs = 0;       ///< linear programs solved
  /// undecided: why.
  std::string reason;

  bool is_complete() const { return count != SolutionCount::undecided; }
};

/// Throws std::invalid_argument if M is not square or of another size than q, or a number is not finite.
AllSolutions find_all_solutions(const Lcp& problem, const AllSolutionsOptions& options = {});

}  // namespace thenar
