// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Events of rigid contacts between two stretches of smooth motion: what touches, slips, sticks, breaks or goes over to
/// other features.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "thenar/engine/event_log.h"
#include "thenar/events/contact_watch.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/motion/held_contact.h"

namespace thenar::internal {

class RimChange;

class ContactChanges {
 public:
  /// All must outlive it.
  ContactChanges(const Scenario& scenario, const ConstrainedMotion& motion, const ContactFinder& finder);

  /// An instant begins: contacts are as the motion holds them now.
  void begin();
  /// Bodies touch at this point, and approach each other at this rate, m/s.
  void note_approach(const FoundContact& place, double rate) { approaches_.push_back({place, rate}); }

  /// How an instant was settled.
  struct Settled {
    const Instant& instant;
    const InstantCell& cell;
    const std::vector<StrikeReport>& strikes;
  };
  /// What has changed since begin(), `at` being what has ended the motion before. The motion is that which follows.
  std::vector<Event> list(double t, const Settled& settled, const std::optional<ContactCrossing>& at);

 private:
  struct Known {
    std::string name;
    ContactHold hold;
    FoundContact place;
    std::array<double, 3> slip;  ///< direction, of what slides
    double gap, rate;            ///< m, m/s
  };
  /// A point at which bodies touch, and its rate of approach before anything is done about it, m/s.
  struct Approach {
    FoundContact place;
    double rate;
  };

  std::vector<char> list_old(const RimChange& rims, bool is_face, bool is_stick, std::vector<Event>& out) const;
  void compare(const Known& old, const HeldContact& now, bool is_stick, std::vector<Event>& out) const;
  void list_new(const RimChange& rims, bool is_face, const std::vector<char>& is_new, std::vector<Event>& out) const;
  bool was_struck(const FoundContact& place) const;
  int find_in_instant(const FoundContact& place) const;
  Event make_slip(const HeldContact& contact) const;
  Event make_stick(const HeldContact& contact) const;
  Event make_touch(const HeldContact& contact) const;
  Event make_break(const Known& contact) const;
  Event make_face(const HeldContact& contact) const;

  const Scenario& scenario_;
  const ConstrainedMotion& motion_;
  const ContactFinder& finder_;
  std::vector<Known> before_;
  std::vector<Approach> approaches_;
  const Settled* settled_ = nullptr;  ///< during list()
  double t_ = 0;                      ///< s, then
};

}  // namespace thenar::internal
