// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// All impacts at one instant, round after round until nothing approaches any more.
///
/// **Rest.** An impact leaves speeds of the size of its solver's error where a contact comes to rest or sticks; they
/// are projected away before the instant is solved.

#include <string>
#include <vector>

#include "thenar/engine/bounce_capture_internal.h"
#include "thenar/engine/event_log.h"
#include "thenar/engine/touch_keeper_internal.h"
#include "thenar/instant/contact_impact.h"

namespace thenar::internal {

class ImpactRounds {
 public:
  /// All must outlive it.
  ImpactRounds(SettleParts& parts, TouchKeeper& touch, BounceCapture& bounces)
      : parts_(parts), touch_(touch), bounces_(bounces) {}

  /// An instant begins.
  void begin() { strikes_.clear(); }

  /// Velocities become those after all impacts; with `is_plastic`, nothing rebounds. False if that fails: fault() says
  /// why.
  bool resolve(State& state, bool is_plastic);
  const std::string& fault() const { return fault_; }
  /// Whether the fault is that impacts do not come to an end.
  bool is_stuck() const { return is_stuck_; }

  /// What was struck at this instant.
  const std::vector<StrikeReport>& strikes() const { return strikes_; }

 private:
  void note_strikes(const ImpactInstant& impact, const VectorX<double>& v);

  SettleParts& parts_;
  TouchKeeper& touch_;
  BounceCapture& bounces_;
  std::vector<StrikeReport> strikes_;
  std::string fault_;
  bool is_stuck_ = false;
};

}  // namespace thenar::internal
