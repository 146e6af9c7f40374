// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Rigid pieces of a model: bodies welded together, named by their body next to the world (the root). Unlike links, the
/// things fixed to the world are pieces of their own: a table and the base of a hand do not move on each other, but the
/// fingers are neighbours of the base only.

#include <cstdint>
#include <span>
#include <vector>

#include "thenar/contact/body_shape.h"

namespace thenar::internal {

/// What a body is for its contacts, in the order in which it becomes A rather than B (physics: a movable object before
/// a link, a link before the ground).
enum class ContactRole : std::uint8_t {
  object,  ///< a piece on a free or planar joint that carries nothing
  link,    ///< part of a tree
  ground   ///< fixed to the world, and carries nothing
};

class RigidPieces {
 public:
  RigidPieces(const Model& model, std::span<const BodyShape> shapes);

  BodyIndex root(BodyIndex body) const { return root_[static_cast<std::size_t>(body)]; }
  ContactRole role(BodyIndex body) const;

  /// The roots of the pieces that the piece of a root is joined to, towards the world: the next one; and the one beyond
  /// it, if that next one is but a part of the joint, since it has neither mass nor shape or since both its joints turn
  /// about one point. None for a free joint, which joins nothing, and never the world: the ground is no neighbour.
  std::vector<BodyIndex> find_carriers(BodyIndex root) const;

 private:
  bool turns_about_one_point(const Body& child) const;

  const Model& model_;
  std::vector<BodyIndex> root_;  ///< by body
  std::vector<bool> is_hollow_;  ///< by root: neither mass nor shape
  std::vector<bool> carries_;    ///< by root: something moves on it
};

}  // namespace thenar::internal
