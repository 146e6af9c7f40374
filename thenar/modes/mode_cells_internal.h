// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// From decisions to cells: the polyhedron of a complete choice, its corners, its motion; and which cells are part of
/// others. In the units of ScaledProblem unless said otherwise.

#include "thenar/complementarity/generators.h"
#include "thenar/modes/mode_cell.h"
#include "thenar/modes/mode_relaxation_internal.h"

namespace thenar::internal {

/// Forces and motions that are zero, scaled: a few tolerances of the linear programs.
inline constexpr double kModeZero = 1e-8;

/// {z : E z + e = 0, G z + g ≥ 0}.
struct CellPolyhedron {
  LongMatrix E, G;
  LongVector e, g;
};

/// Of a choice that decides everything but friction under open normals. Slips on smooth sections are those of the
/// motion w, which has to be given where there are any.
CellPolyhedron describe_cell(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts,
                             const ModeChoice& choice, const VectorX<double>* w = nullptr);

/// In the units of the problem; nothing if the polyhedron is empty beyond kModeZero.
std::optional<ModeCell> make_cell(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts,
                                  const ModeChoice& choice, int most_generators, const VectorX<double>* w = nullptr);

/// The state of each normal part where the scaled motion is w.
std::vector<ContactState> find_states(const ConstraintProblem& problem, const ModeParts& parts,
                                      const VectorX<double>& w, double tolerance);

/// Whether all of `cell` is part of the polyhedron.
bool is_part_of(const ModeCell& cell, const ScaledProblem& scaled, const CellPolyhedron& polyhedron);

}  // namespace thenar::internal
