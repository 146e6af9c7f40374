// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The proof that a list of solutions is complete: a tree over what contacts do. At its root nothing is decided but
/// v_n ≥ 0 everywhere. A branch decides one contact, in two steps: first whether it breaks or touches, and once it
/// touches, what it does there. Decisions fix signs of rows of v = P u + v₀, and with them which edges of the friction
/// cone can carry force:
///
///     undecided   v_n ≥ 0
///     break       v_n > 0               no force
///     touch       v_n = 0               both edges
///     slide+      v_n = 0, v_t > 0      the edge c_t = −μ c_n
///     slide−      v_n = 0, v_t < 0      the edge c_t = +μ c_n
///     roll        v_n = v_t = 0         both edges
///
/// An end of the tree is one of
///
///   no_motion   numbers y, one for each row of v: zero where the sign of a row is open, y ≥ 0 where it is ≥ 0 or > 0,
///               y ≤ 0 where it is < 0, any where it is = 0. With Pᵀy = 0, every velocity of the node has
///               0 ≤ y · v = y · v₀. So y · v₀ < 0 excludes it; and so does y · v₀ = 0 if y ≠ 0 where a sign is strict;
///   no_forces   a virtual motion z, one number for each unknown of u: no edge that may carry force resists it,
///               z · Pᵀ(edge) ≥ 0, while the load h does work in it, z · h > 0. Then Pᵀc + h = 0 has no solution;
///   solution    every contact is decided: the number of the solution with these labels;
///   open        not explored.
///
/// Numbers are rounded: strict signs mean more than kStill, and quasistatic_verify.h tells how large a velocity or a
/// force would have to be to slip through.

#include <cstdint>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

struct QuasistaticNode {
  enum class Kind : std::uint8_t { open, touch_branch, mode_branch, no_motion, no_forces, solution };
  Kind kind = Kind::open;
  int contact = -1;           ///< branches
  std::vector<int> children;  ///< touch_branch: break, touch; mode_branch: slide+, slide−, roll; in
                              ///< space sectors 0 … 2k − 1, roll, or the one way of a contact without friction
  VectorX<double> y;          ///< no_motion: of the rows of v; no_forces: z
  int solution = -1;
};

}  // namespace thenar
