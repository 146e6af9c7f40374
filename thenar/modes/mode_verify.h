// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Checks of verdicts by code that shares nothing with the search: it builds the rows of mode_proof.h anew from the
/// problem, in long double, walks the tree, and looks at every end of it.
///
///   empty, covered   the signs of y, the sums g + Rᵀy and y · r with their rounding. Because numbers are rounded, sums
///                    that should be ≤ 0 can be slightly positive; the proof then says that a further solution would
///                    have to be as large as `reach`, in units in which A and b are about 1.
///   cell             the equations of its decisions are solved. Their solutions z₀ + K t all have the motion A z₀ + b
///                    if A K = 0, and are a point if K has no columns.
///
/// So a verdict rests on: every end is empty, covered, or has the one motion (and force) that is claimed; or, for
/// `several`, on two solutions whose motions differ.

#include <string>
#include <vector>

#include "thenar/modes/mode_cell.h"
#include "thenar/modes/mode_proof.h"
#include "thenar/modes/verdict.h"

namespace thenar {

struct ModeVerification {
  enum class Result : std::uint8_t {
    holds,
    refuted,   ///< the claim is wrong, or the proof does not prove it
    unchecked  ///< cannot be told here
  };
  Result result = Result::refuted;
  std::string reason;           ///< not holds: what is wrong, and where
  double reach = 0;             ///< the least of the tree
  double residual = 0;          ///< the largest violation by a point of a cell (grade.h)
  bool is_list_proved = false;  ///< every solution is in one of the cells

  bool holds() const { return result == Result::holds; }
};
const char* to_string(ModeVerification::Result result);

/// What somebody says about a problem.
struct ModeClaim {
  Verdict verdict = Verdict::undecided;
  std::vector<ModeCell> cells;
  std::vector<ModeNode> tree;
};

/// Proofs whose reach is less prove nothing.
inline constexpr double kLeastModeReach = 1e5;

ModeVerification verify_modes(const ConstraintProblem& problem, const ModeClaim& claim);

}  // namespace thenar
