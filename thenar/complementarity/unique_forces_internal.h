// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Whether the z of a solved problem is the only one. All solutions share w, hence A z; they differ by d with
///
///     A d = 0,   dᵢ = 0 where wᵢ ≠ 0 (zᵢ must stay at its bound),   dᵢ ≥ 0 at a lower bound,  dᵢ ≤ 0 at an upper one.
///
/// A_CC is nonsingular, so some row k outside the basis has d_k ≠ 0; for each such k and each sign that d_k may have,
/// the smallest ½ dᵀ A d with d_k = ±1 is asked for, a problem of the same kind (by convexity A d = 0 iff it is 0).
/// Before that, two cheap answers that settle almost all cases.

#include "thenar/complementarity/bound_qp_internal.h"

namespace thenar::internal {

class UniqueForces {
 public:
  explicit UniqueForces(int capacity);
  /// `qp` has been solved.
  bool check(BoundQp& qp);

 private:
  /// Signs that a change of zᵢ may have.
  struct Freedom {
    bool up = false, down = false;
    bool any() const { return up || down; }
  };

  void find_freedoms(BoundQp& qp);
  bool can_shift(BoundQp& qp, int k) const;
  bool are_independent(const BoundQp& qp);
  bool can_shift_with_others(const BoundQp& qp, int k, double sign);

  std::vector<Freedom> freedom_;  ///< of all rows
  std::vector<int> loose_;        ///< rows outside the basis that have some
  std::vector<int> moving_;       ///< rows of a smaller problem
  HeldFactor factor_;
  BoundQp probe_;
};

}  // namespace thenar::internal
