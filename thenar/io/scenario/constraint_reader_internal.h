// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reads what files say about the coordinates of a hand beyond its tree: the `limits` of joints and the `couplings`
/// between them. Both may be functions of other coordinates, which `with` names:
///
///     limits: {upper: 0.35*cos(flexion), with: {flexion: index_mcp.1}}

#include <optional>
#include <string>
#include <vector>

#include "thenar/io/scenario/model_reader.h"
#include "thenar/io/scenario/part_reader_internal.h"

namespace thenar::internal {

/// A joint as the limits and couplings of its hand name it, without the prefix of the hand.
struct NamedJoint {
  std::string name;
  JointKind kind = JointKind::fixed;
  int first_dof = 0;            ///< its first degree of freedom in the model
  std::optional<Field> limits;  ///< as written
};

/// Adds the stops and couplings of one hand to a model that has all its bodies: stops in the order of `joints`,
/// couplings in the order of the file except that each comes after those whose joints it follows. Where they were
/// written goes into `added`.
void read_constraints(const std::string& hand, const std::vector<NamedJoint>& joints,
                      const std::optional<Field>& couplings, const Parameters& parameters, ModelBuilder& builder,
                      AddedBodies& added);

}  // namespace thenar::internal
