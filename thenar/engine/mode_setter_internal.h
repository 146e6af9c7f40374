// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// From the answer of an instant to the constrained motion that follows: one held contact for each contact that the
/// answer does not open, and the mode of the joints.

#include <array>
#include <optional>

#include "thenar/compliant/compliant_contacts_internal.h"
#include "thenar/engine/settle_parts_internal.h"
#include "thenar/events/contact_watch.h"

namespace thenar::internal {

class ModeSetter {
 public:
  /// Both must outlive it.
  ModeSetter(SettleParts& parts, CompliantContacts& layers) : parts_(parts), layers_(layers) {}

  /// An instant begins, at which the run has been `patience` times. After some times, a contact that left its bounds
  /// again gives way whatever the instant says: where pressure can be shared in several ways, answer and motion may
  /// share it differently.
  void begin(const std::optional<ContactCrossing>& at, int patience);

  /// The motion becomes that of this answer.
  void set(const State& state, const Instant& instant, const InstantCell& cell, Trigger trigger);

  /// Whether a contact begins to slip from rest with two directions to choose from: the motion is stiff at first.
  bool begins_to_slip(const Instant& instant, const InstantCell& cell) const;

 private:
  /// A contact that leaves its bounds whatever the instant says.
  struct Insistent {
    FoundContact place;
    bool opens = false;
    std::array<double, 3> slip{};
  };
  bool is_insistent(const FoundContact& place) const { return insistent_ && is_same(insistent_->place, place); }

  SettleParts& parts_;
  CompliantContacts& layers_;
  std::optional<Insistent> insistent_;
};

}  // namespace thenar::internal
