// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// How far the forces of one motion (force_set_internal.h) reach. Asked is
///
///     bracket   the least and the largest sum of some normal forces
///     share     the least t for which z_t ∈ t zₙ C is possible for all of some contacts at once                   (1)
///
/// Both are linear programs over that set, the bracket with s = 1, the share with Σ yₙ = 1. The least δ with
/// |y_t|_C ≤ t yₙ + δ falls with t, and is 0 at the least share. It is searched from t = 1 by Newton's method, with the
/// slope from the multipliers; where that leaves the bracket of what is known to be too much and too little, by halving
/// it.
///
/// With smooth sections the share is less than the true one by no more than kSectionError.

#include <optional>
#include <span>
#include <vector>

#include "thenar/instant/contact_instant.h"
#include "thenar/instant/force_set_internal.h"

namespace thenar::internal {

/// The least share, and forces that have it, up to a factor.
struct LeastShare {
  double share = 0;
  VectorX<double> z;
  /// Over the rows of the problem: motions of the tangent rows when the contacts begin to slip, up to a factor. They
  /// are the multipliers of the half-planes: slips −g whose power the forces cannot outweigh. 0 where a contact holds
  /// on.
  VectorX<double> slip;
};

class ForceRange {
 public:
  /// The motion is that of the cell's point.
  ForceRange(const ConstraintProblem& problem, const ModeCell& cell) : set_(problem, cell) {}

  /// Of the sum of these normal rows; nothing if a program fails.
  std::optional<ForceBracket> calc_bracket(std::span<const int> normals);

  /// Of the contacts with these normal rows; nothing if they carry no force or have no friction, or a program fails.
  std::optional<LeastShare> calc_least_share(std::span<const int> normals);

 private:
  ForceSet::Question ask_sum(std::span<const int> normals, double side) const;
  std::optional<VectorX<double>> find_loaded(std::span<const int> normals);
  double calc_excess(const ForceSet::Question& question) const;

  ForceSet set_;
};

}  // namespace thenar::internal
