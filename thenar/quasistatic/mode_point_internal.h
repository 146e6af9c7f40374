// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The velocities and forces of one list of labels. Velocities are those of an affine space (rows that vanish) in which
/// strict inequalities hold: if there is one at all, it is the only one exactly if that space is a point. Forces are a
/// polyhedron: its largest set of edges that can carry force together is found by linear programs, and the forces are
/// the only ones exactly if different forces of contacts that these edges make have different wrenches.

#include <optional>
#include <vector>

#include "thenar/quasistatic/mode_rules.h"
#include "thenar/quasistatic/quasistatic_proof.h"

namespace thenar::internal {

/// A point, or why there is none: numbers y of an end of the proof, by elimination of the rows that vanish. That is
/// more accurate than a linear program, which meets each of these rows to its tolerance only.
struct ModeFinding {
  std::optional<ModePoint> point;
  QuasistaticNode::Kind end = QuasistaticNode::Kind::solution;  ///< or no_motion, no_forces; open: a program failed
  VectorX<double> y;
};

ModeFinding find_mode_point(const ModeRules& rules, const ModeLabels& labels);

/// The labels of a velocity whose normal rows are not negative.
ModeLabels find_labels(const ModeRules& rules, const VectorX<double>& u);

}  // namespace thenar::internal
