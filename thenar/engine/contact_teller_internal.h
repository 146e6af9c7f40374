// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Events of contacts in words and numbers: what touches, slips, sticks, breaks or goes over to other features between
/// two stretches of smooth motion.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "thenar/engine/event_teller.h"
#include "thenar/events/contact_watch.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/motion/held_contact.h"

namespace thenar::internal {

class ContactTeller {
 public:
  /// All must outlive it.
  ContactTeller(const Scenario& scenario, const ConstrainedMotion& motion, const ContactFinder& finder);

  /// An instant begins: contacts are as the motion holds them now.
  void begin();
  /// Bodies touch at this point, and approach each other at this rate, m/s.
  void note_approach(const FoundContact& place, double rate) { approaches_.push_back({place, rate}); }

  /// How an instant was settled.
  struct Settled {
    const Instant& instant;
    const InstantCell& cell;
    const std::vector<ContactStrike>& strikes;
  };
  /// What has changed since begin(), `at` being what has ended the motion before. The motion is that which follows.
  std::vector<Event> tell(double t, const Settled& settled, const std::optional<ContactCrossing>& at);

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

  int find_in_instant(const FoundContact& place) const;
  std::string explain_slip(const HeldContact& contact) const;
  std::string explain_spin(std::size_t contact, const char* symbol, const char* unit) const;
  std::string explain_stick(const HeldContact& contact) const;
  std::string explain_touch(const HeldContact& contact) const;
  std::string explain_break(const Known& contact) const;
  std::string explain_face(const HeldContact& contact) const;

  const Scenario& scenario_;
  const ConstrainedMotion& motion_;
  const ContactFinder& finder_;
  std::vector<Known> before_;
  std::vector<Approach> approaches_;
  const Settled* settled_ = nullptr;  ///< while it tells
};

}  // namespace thenar::internal
