// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A cell: all solutions of a constraint problem with the same decisions (mode_parts.h). Decisions are linear, so that
/// a cell is a polyhedron of forces z; w = A z + b follows.

#include <optional>
#include <vector>

#include "thenar/complementarity/cone_solver.h"
#include "thenar/modes/mode_parts.h"

namespace thenar {

struct ModeCell {
  ModeChoice choice;
  /// Of each normal part, told by the motion inside the cell: open if w > 0, slide if it does not open but its contact
  /// slips, else stick. Rows without friction stick when they do not open; sliding contacts slide.
  std::vector<ContactState> states;

  VectorX<double> z, w;  ///< its point with the smallest sum of squared forces (SI), and the motion there
  /// The cell is the convex hull of the vertices, plus nonnegative multiples of rays, plus multiples of lines; if they
  /// are not `listed` (too many), none.
  std::vector<VectorX<double>> vertices, rays, lines;
  bool is_listed = true;
  MatrixX<double> span;  ///< directions of z that the cell extends in: orthonormal columns, none for a point

  bool forces_unique = true;  ///< a point
  bool motion_unique = true;  ///< w is the same all over the cell
};

}  // namespace thenar
