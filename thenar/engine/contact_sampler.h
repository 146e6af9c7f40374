// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Contacts in the rows of a trace: of those that hold, mode, force, slip, coordinates and margin; of bodies that are
/// near each other and not in touch, the gap.

#include <functional>
#include <vector>

#include "thenar/events/contact_watch.h"
#include "thenar/trace/sample.h"

namespace thenar {

/// Name, gap, place and frame of a contact that holds.
Contact describe_place(const HeldContact& contact);
/// Bodies that are near each other by the finder's last update and not in touch: the nearest point of each pair.
void list_free_pairs(const Model& model, const ContactFinder& nearby,
                     const std::function<bool(BodyIndex, BodyIndex)>& is_near_only, std::vector<Contact>& out);

class ContactSampler {
 public:
  /// All must outlive it.
  ContactSampler(const Scenario& scenario, ConstrainedMotion& motion, ContactWatch& watch,
                 const Tolerances& tolerances);

  /// Contacts of a row at `state`, near which the motion was evaluated last.
  void fill(const State& state, std::vector<Contact>& out);

  template <class Archive>
  void archive(Archive& a) {
    a(nearby_, seen_);
  }

  /// Deepest overlap at the state of shapes without a layer between them, m; 0 if there is none.
  double calc_penetration(const State& state);

 private:
  Contact read_contact(std::size_t contact, const Vector4<double>& force) const;
  Contact read_place(const HeldContact& contact, const Vector4<double>& force) const;
  Contact read_layer(const internal::LayerContact& contact) const;
  bool is_in_touch(BodyIndex body_A, BodyIndex body_B) const;
  void share_margins(std::vector<Contact>& out);
  double calc_margin(const HeldContact& contact, const Vector4<double>& force) const;
  ContactMode find_motion(const HeldContact& contact) const;
  bool turns(const HeldContact& contact) const;
  void look_around(const State& state);
  void add_free_pairs(const State& state, std::vector<Contact>& out);

  const Scenario& scenario_;
  ConstrainedMotion& motion_;
  ContactWatch& watch_;
  const Tolerances& tolerances_;
  Workspace<double> workspace_;
  ContactFinder nearby_;
  VectorX<double> seen_;  ///< q of its last update
  double margin_ = 0;     ///< m: what is nearer is listed
};

}  // namespace thenar
