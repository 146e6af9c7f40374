// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Checks of proofs about LCPs (lcp_proof.h) that share nothing with the solvers: plain loops over the problem's own
/// numbers, sums in long double with their rounding bounded, own elimination, own scaling. Whoever distrusts the
/// search reads the files named verify, and nothing else of the folder but the forms of the problem and the proof.
///
/// Units: those of zⱼ and wᵢ are such that in them the entries of each row and column of M have a geometric mean of 1,
/// and the largest entry of q is 1 in every set of rows that hang together through M. They follow the units of the
/// problem.

#include <string>
#include <vector>

#include "thenar/complementarity/lcp.h"
#include "thenar/complementarity/lcp_proof.h"

namespace thenar {

struct Verification {
  enum class Result : std::uint8_t {
    holds,
    refuted,   ///< the claim is wrong, or the proof does not prove it
    unchecked  ///< too large to go through
  };
  Result result = Result::refuted;
  std::string reason;  ///< not holds: what is wrong, and where

  /// Any further solution would have Σ zⱼ > reach, in the units above; infinite where rounding is out of the question.
  double reach = 0;
  /// The largest violation by a vertex, ray or line of a cell, in these units.
  double residual = 0;

  bool holds() const { return result == Result::holds; }
};
const char* to_string(Verification::Result result);

/// Proofs whose reach is less prove nothing.
inline constexpr double kLeastReach = 1e5;

/// Claim: every solution is in one of the cells, and every point of a cell is a solution. No cells: there is none.
Verification verify_all_solutions(const Lcp& problem, const std::vector<SolutionCell>& cells,
                                  const std::vector<ProofNode>& tree);

/// Claim: z is a solution, to `tolerance` in the units above.
Verification verify_solution(const Lcp& problem, const VectorX<double>& z, double tolerance);

/// Claim: M is positive definite, xᵀM x > 0 for all x ≠ 0, or a P-matrix (of up to 24 rows), beyond rounding. Then the
/// LCP has one solution for every q.
Verification verify_positive_definite(const MatrixX<double>& M);
Verification verify_p_matrix(const MatrixX<double>& M);

/// Claim: xᵢ (M x)ᵢ ≤ 0 in every row, x ≠ 0, to rounding: M is not a P-matrix.
Verification verify_not_p_matrix(const MatrixX<double>& M, const VectorX<double>& x);

}  // namespace thenar
