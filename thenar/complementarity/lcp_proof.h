// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Proofs about the solutions of an LCP: what a solver hands over so that others need not trust it.
///
/// The proof of "these are all solutions" is a tree. At the root nothing is decided; a branch decides one row, z = 0 in
/// one child and w = 0 in the other. With Z and W the rows decided so far, every solution of the node has w = M z + q,
/// z ≥ 0, w ≥ 0, zᵢ = 0 for i in Z, wᵢ = 0 for i in W (and in free rows). A leaf is one of
///
///   infeasible    y with yᵢ ≥ 0 for i not in W, (yᵀM)ⱼ ≤ 0 for j not in Z (= 0 for free rows) and yᵀq < 0: no
///                 solution, for 0 ≤ yᵀw = yᵀM z + yᵀq < 0;
///   z_vanishes    the child w = 0 of a branch at row i. y as above but (yᵀM)ᵢ ≤ −1 and yᵀq ≤ 0: zᵢ ≤ yᵀq, so that
///                 zᵢ = 0, and all solutions of this node are in its sibling;
///   w_vanishes    the child z = 0 of a branch at row i. y with (yᵀM)ⱼ + Mᵢⱼ ≤ 0 and yᵀq + qᵢ ≤ 0: likewise for wᵢ;
///   cell          all rows decided: the solutions are part of the cell with that number;
///   unique        some rows U are not decided, but the Schur complement S = M_UU − M_UW M_WW⁻¹ M_WU is a P-matrix, so
///   that
///                 the rows U and W alone (with z of W free) have one solution. It has w = 0 in `basis` and z = 0
///                 elsewhere, and is part of a cell; or a z in W or a w in Z is negative, and there is none (cell −1);
///   open          not explored.
///
/// Numbers are rounded, so that (yᵀM)ⱼ ≤ 0 can fail by δ. The proof then says that a solution would have to be as large
/// as yᵀq/δ; verify.h tells how large.

#include <cstdint>
#include <string>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

/// Solutions with the same rows at z = 0 and at w = 0: convex sums of the vertices, plus nonnegative multiples of the
/// rays, plus multiples of the lines.
struct SolutionCell {
  std::vector<bool> in_basis;  ///< where w = 0 all over the cell and z may be positive; free rows among them
  std::vector<VectorX<double>> vertices, rays, lines;

  bool is_point() const { return vertices.size() == 1 && rays.empty() && lines.empty(); }
};

struct ProofNode {
  enum class Kind : std::uint8_t { open, branch, infeasible, z_vanishes, w_vanishes, cell, unique };
  Kind kind = Kind::open;
  int row = -1;                    ///< branch
  int z_child = -1, w_child = -1;  ///< branch: nodes with z = 0 and w = 0 in `row`
  VectorX<double> y;               ///< infeasible, z_vanishes, w_vanishes
  int cell = -1;                   ///< cell, unique
  std::vector<bool> basis;         ///< unique
};
const char* to_string(ProofNode::Kind kind);

}  // namespace thenar
