// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The front for linear complementarity problems: picks the method, and says what is proved.
///
///   one solution    Lemke's method (lemke.h). Where its paths end without one, the search of all_solutions.h, which
///                   ends with a solution, with a proof that there is none, or at its limit of nodes.
///   all solutions   positive definite matrices have one for every q: Lemke's, and the matrix is the proof. Otherwise
///                   the search, from beginning to end.

#include <string>

#include "thenar/complementarity/all_solutions.h"

namespace thenar {

enum class LcpStatus : std::uint8_t {
  solved,
  infeasible,  ///< there is no solution, and `tree` proves it
  unsolved     ///< neither found nor excluded within the limits
};
const char* to_string(LcpStatus status);

/// What an answer rests on.
enum class LcpProof : std::uint8_t {
  none,
  solution,           ///< z solves the problem; there may be others
  positive_definite,  ///< and M is positive definite, so that there are no others
  tree                ///< `cells` are all solutions
};

struct LcpOptions {
  bool all = false;  ///< every solution, not only one
  AllSolutionsOptions search;
};

struct LcpAnswer {
  LcpStatus status = LcpStatus::unsolved;
  VectorX<double> z;    ///< solved
  double residual = 0;  ///< calc_residual() of z
  std::string reason;   ///< unsolved or undecided: why

  SolutionCount count = SolutionCount::undecided;
  LcpProof proof = LcpProof::none;
  std::vector<SolutionCell> cells;  ///< with `all`
  std::vector<ProofNode> tree;

  long long pivots = 0, nodes = 0;  ///< what it took: pivots of Lemke's method, nodes of the search
};

/// Residuals up to this make a solution.
inline constexpr double kSolvedResidual = 1e-9;

/// Throws std::invalid_argument for sizes that do not fit and numbers that are not finite.
LcpAnswer solve_lcp(const Lcp& problem, const LcpOptions& options = {});

}  // namespace thenar
