// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Complementarity with two bounds: dry friction of known strength, actuators that saturate, stops on both sides, with
/// any square matrix. With w = M z + q, row by row
///
///     lower ≤ z ≤ upper,   w = 0 inside,   w ≥ 0 where z = lower,   w ≤ 0 where z = upper.                     (1)
///
/// Bounds may be infinite (both: a free row) or equal (z is known, w is anything). Lcp is the special case of bounds 0
/// and ∞. Every such problem is an Lcp in disguise:
///
///     lower only     x = z − lower
///     upper only     x = upper − z, and the row negated
///     both           x = z − lower with w + y ⊥ x and a further row upper − lower − x ⊥ y,  y = max(−w, 0)      (2)
///
/// so that all solvers and proofs for Lcp serve here, too.

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "thenar/complementarity/lcp.h"

namespace thenar {

struct BoxedLcp {
  MatrixX<double> M;
  VectorX<double> q, lower, upper;

  int size() const { return static_cast<int>(q.size()); }
  /// What is wrong with the sizes or the bounds (NaN, lower > upper, lower = ∞); empty when all is well.
  std::string find_fault() const;
};

/// How far z is from a solution: the largest |z − mid(lower, upper, z − w)|, over 1 + max |q|. For bounds 0 and ∞ this
/// is calc_residual() of an Lcp. Sums in long double.
double calc_residual(const BoxedLcp& problem, std::span<const double> z);

/// The Lcp of (2), and the way back. Free rows come first in it.
class BoxedReduction {
 public:
  /// Throws std::invalid_argument for a problem with a fault.
  explicit BoxedReduction(const BoxedLcp& problem);

  const Lcp& lcp() const { return lcp_; }
  /// z of the boxed problem from x of the Lcp.
  VectorX<double> recover(const VectorX<double>& x) const;
  /// The same for a direction along which x goes.
  VectorX<double> recover_direction(const VectorX<double>& x) const;

 private:
  struct Place {
    int row = -1;     ///< of the Lcp; −1: z is known
    double sign = 1;  ///< z = origin + sign x
    double origin = 0;
  };
  std::vector<Place> places_;
  Lcp lcp_;
};

/// The text form: a head, the number of rows, M row by row, then q and the bounds. "inf" and "-inf" are bounds.
///
///     thenar boxed lcp 1
///     2
///     2 1
///     1 3
///     -1 0.5       # q
///     0 -0.2       # lower
///     inf 0.2      # upper
///
/// Numbers read back bit-equal. '#' starts a comment. Throws InputError, with the line, for anything else.
BoxedLcp read_boxed_lcp(std::istream& in, const std::string& name = "");
void write_boxed_lcp(std::ostream& out, const BoxedLcp& problem);

}  // namespace thenar
