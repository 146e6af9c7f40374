// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Where the bodies of a model touch or nearly touch: broad phase, then distance of the pairs that are left, then the
/// contact frame of every point.
///
/// A is a movable object before a link, a link before the ground; among equals, the body that comes first in the model.
/// A movable object is a rigid piece on a free or planar joint that carries nothing; the ground is what is fixed to the
/// world and carries nothing.
///
/// Storage grows with the number of pairs and points; a call that finds no more of them than calls before it does not
/// touch the heap.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "thenar/contact/body_shape.h"
#include "thenar/contact/broad_phase.h"
#include "thenar/contact/contact_rules.h"
#include "thenar/contact/found_contact.h"
#include "thenar/dynamics/workspace.h"
#include "thenar/geometry/distance.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

class ContactFinder {
 public:
  /// The model must outlive the finder.
  ContactFinder(const Model& model, std::vector<BodyShape> shapes, const ContactRules& rules);

  /// Finds all contact points with gap ≤ margin (m). Needs update_positions. Throws NoInstantError when far too many
  /// shapes are near each other (BroadPhase).
  void update(const Workspace<double>& workspace, double margin);
  /// Finds the contact points of two shapes alone.
  void update_pair(const Workspace<double>& workspace, double margin, int shape_A, int shape_B);

  /// The next update does not depend on earlier ones, not even by rounding.
  void forget();

  /// Pairs of bodies for which this says no are left out from the next update on; none at first.
  void set_filter(std::function<bool(BodyIndex, BodyIndex)> filter) { filter_ = std::move(filter); }

  /// The points of two bodies follow each other; bodies are in the order of the model, by the first of the two.
  std::span<const FoundContact> contacts() const { return contacts_; }

  /// Further points of a rim or a ring that are to be looked at from the next update on (distance.h): those of shape_A
  /// or of shape_B of a pair that was near each other at the last one. None of a pair that was not.
  ArcPoints* arc_points(int shape_A, int shape_B, bool is_of_A);
  /// Gives up all of them but these contacts.
  void keep_arc_points(std::span<const FoundContact> kept);

  /// Gives up those of the last update that are not wanted.
  void drop_if(const std::function<bool(const FoundContact&)>& is_unwanted);

  /// What later updates depend on: the memories of the pairs that are near each other.
  template <class Archive>
  void archive(Archive& a);

  /// The shapes in the order of their bodies.
  std::span<const BodyShape> shapes() const { return shapes_; }
  const GrownCore& core(int shape) const { return broad_phase_.shapes()[static_cast<std::size_t>(shape)].shape; }
  /// Whether nothing leaves the x-y plane.
  bool is_planar() const { return is_planar_; }
  /// How many pairs of bodies may touch at all.
  std::int64_t pair_count() const { return broad_phase_.filter().count_pairs(); }
  /// How many pairs of shapes the last update looked at.
  std::size_t near_pair_count() const { return broad_phase_.pairs().size(); }

  /// Diagonal of the box around all bounded shapes, m; 0 without any. Needs update_positions.
  double calc_size(const Workspace<double>& workspace);

 private:
  /// A pair of this call and the place of its memory, which it keeps while it stays near.
  struct Pair {
    ShapePair shapes;
    std::size_t memory = 0;
  };

  void update_pose(const Workspace<double>& workspace, std::size_t shape);
  void update_poses(const Workspace<double>& workspace);
  const Pair* find_pair(int shape_A, int shape_B) const;
  void carry_memories();
  std::size_t take_memory();
  void look_at(const Pair& pair, double margin);
  void number_points();

  const Model* model_;
  std::vector<BodyShape> shapes_;
  std::vector<int> rank_;  ///< by shape; the lower one of a pair is A
  bool is_planar_;
  BroadPhase broad_phase_;
  std::function<bool(BodyIndex, BodyIndex)> filter_;
  std::vector<Pose<double>> X_WS_;
  std::vector<Pair> pairs_, previous_pairs_;
  std::vector<PairMemory> memories_;
  std::vector<std::size_t> free_memories_;
  ContactList list_;
  std::vector<FoundContact> contacts_;
};

/// The name of a contact: "box/table", or "box/table#2" when the two bodies have several points.
std::string contact_name(const Model& model, const FoundContact& contact);

/// Whether nothing of the model leaves the x-y plane: all hinges are parallel to z, and all slides lie in the plane.
bool is_planar(const Model& model);

}  // namespace thenar
