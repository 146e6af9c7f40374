// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Projections of a state at an instant, all with the smallest change of the kinetic energy's metric:
/// positions of bodies that have just met onto each other, so that rounding does not add up from bounce to bounce;
/// velocities that an impact or an ended slip should have made 0, and that are rounding, onto 0.

#include <functional>
#include <string>
#include <vector>

#include "thenar/engine/contact_changes_internal.h"
#include "thenar/engine/settle_parts_internal.h"
#include "thenar/events/contact_watch.h"

namespace thenar::internal {

class TouchKeeper {
 public:
  /// `parts` must outlive it.
  explicit TouchKeeper(SettleParts& parts) : parts_(parts) {}

  /// Puts bodies that touch on each other, and joints that this would lead beyond a stop on the stop. Reports how fast
  /// bodies approach. False if bodies overlap: fault() names them.
  bool put_in_touch(State& state, ContactChanges& changes);
  const std::string& fault() const { return fault_; }

  /// The slip of the contact that `at` names has ended, and so has that of others whose slip rests().
  void bring_to_rest(State& state, const ContactCrossing& at);

  /// Whether the slip of a contact is zero within rounding and the error of steps, or too slow to have a direction.
  bool rests(const HeldContact& contact, const VectorX<double>& v) const;

  /// Speeds below `slow` (m/s) become 0: of opening where contacts stay in touch, of slip where they stick.
  void calm(State& state, double slow);

 private:
  void project_positions(State& state, const std::vector<HeldContact>& touching);
  std::vector<int> list_joints(const State& state, const std::function<bool(const JointRow&)>& is_chosen);
  std::vector<int> list_passed_stops(const VectorX<double>& before, const VectorX<double>& after);
  double find_deepest(const State& state);

  SettleParts& parts_;
  std::string fault_;
};

}  // namespace thenar::internal
