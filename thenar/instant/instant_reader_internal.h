// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// From cells of the constraint problem to what contacts and joints do (contact_instant.h).

#include "thenar/contact/contact_rows.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/force_range_internal.h"
#include "thenar/instant/instant_proof.h"

namespace thenar::internal {

/// Force and motion of a cell in terms of contacts and joints.
class CellReader {
 public:
  /// All must outlive the reader. `rows` are those of the contacts, v the velocities.
  CellReader(const Instant& instant, const std::vector<ContactRows>& rows, const VectorX<double>& v)
      : instant_(instant), rows_(rows), v_(v) {}

  /// Cell `number` of the answer, without margins.
  InstantCell read(std::size_t number);

 private:
  VectorX<double> calc_force_sizes(const VectorX<double>& z) const;
  ContactMode find_mode(std::size_t i, const ModeCell& cell, const VectorX<double>& vdot) const;
  bool slips_without_friction(std::size_t i, const VectorX<double>& vdot) const;
  bool moves(const ContactRows& rows, int row, const VectorX<double>& vdot) const;
  std::array<double, 2> find_slip(std::size_t i, ContactMode mode, const VectorX<double>& vdot) const;

  const Instant& instant_;
  const std::vector<ContactRows>& rows_;
  const VectorX<double>& v_;
  VectorX<double> load_;  ///< sizes of the numbers that v̇ is the sum of
};

/// Adds margins and patches to a cell that was read.
class MarginReader {
 public:
  MarginReader(const Instant& instant, const std::vector<ContactRows>& rows) : instant_(instant), rows_(rows) {}

  void read(InstantCell& cell);

 private:
  /// Contacts that are judged together: a patch, or a contact that belongs to none.
  struct Group {
    std::vector<int> contacts;
    int patch = -1;
  };
  /// What follows from the forces of a group.
  struct Reserve {
    std::optional<double> slip;
    bool is_bound = false;
    VectorX<double> impending;  ///< slips that begin when nothing is left, over the rows, up to a factor
  };

  std::vector<Group> find_groups() const;
  std::vector<int> find_normals(const std::vector<int>& contacts) const;
  Reserve calc_reserve(const InstantCell& cell, const Group& group);
  ForceBracket calc_bracket(const std::vector<int>& normals);
  bool is_loaded(double force) const;
  void read_contact(InstantCell& cell, int contact, const Reserve& reserve);
  void read_slip(const InstantCell& cell, std::size_t contact, ContactMargins& out) const;
  VectorX<double> calc_impending(const std::vector<int>& normals) const;
  PatchAnswer read_patch(const InstantCell& cell, const InstantPatch& patch, const Reserve& reserve);

  const Instant& instant_;
  const std::vector<ContactRows>& rows_;
  const ModeCell* cell_ = nullptr;
  std::optional<ForceRange> range_;  ///< where forces are not unique
};

}  // namespace thenar::internal
