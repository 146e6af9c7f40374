// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>

#include "thenar/engine/instant_settler_internal.h"
#include "thenar/events/event_watch.h"
#include "thenar/motion/stepper.h"

namespace thenar::internal {

/// Finds what ends the step that the stepper has made: the first event of a joint or of a contact, or the length of the
/// step. A watch that cannot tell asks for a shorter step, which is then made and searched in place of the first.
class StepSearch {
 public:
  /// All must outlive it.
  StepSearch(const Scenario& scenario, Stepper& stepper, EventWatch& joints, InstantSettler& contacts)
      : scenario_(scenario), stepper_(stepper), joints_(joints), contacts_(contacts) {}

  /// False where a shorter step was asked for and does not succeed. `stalled`: settled instants without progress.
  bool find(int stalled);

  // Of the last find():
  /// The end of the step, as a part of it.
  double theta() const { return theta_; }
  /// The event at its end: of a contact, or of a joint, or neither.
  std::optional<ContactCrossing> take_contact() { return std::exchange(at_contact_, std::nullopt); }
  std::optional<Crossing> take_crossing() { return std::exchange(crossing_, std::nullopt); }

 private:
  bool look_at_joints();
  bool look_at_contacts(int stalled);
  bool retry(double h);

  const Scenario& scenario_;
  Stepper& stepper_;
  EventWatch& joints_;
  InstantSettler& contacts_;
  double theta_ = 1;
  std::optional<ContactCrossing> at_contact_;
  std::optional<Crossing> crossing_;
};

}  // namespace thenar::internal
