// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What is due at a time in an event run: loads that change or end, jumps of profiles, samples of controllers, limits
/// of actuators, ends of bouncing and checks of models. Each of them is passed as an instant.

#include <optional>
#include <utility>

#include "thenar/engine/instant_passage_internal.h"

namespace thenar::internal {

class DuePassage {
 public:
  /// Both must outlive it.
  DuePassage(EventRunParts& run, InstantPassage& instants) : run_(run), instants_(instants) {}

  /// Loads that act from the next restart on.
  void stage(const ExternalLoads& loads) { staged_ = loads; }
  bool has_staged_loads() const { return staged_.has_value(); }
  /// Before the run has begun: they act from the start.
  void take_staged_loads() {
    if (staged_) run_.motion.set_loads(*std::exchange(staged_, std::nullopt));
  }
  /// What has been set from outside acts from here on. Forces may jump. As with all that follow: false when the run
  /// must end.
  bool apply_loads();

  /// Passes what is due at the state.
  bool pass_all();
  /// Jumps and samples that are due right at the old horizon were left for the next window: they are passed now.
  bool extend_horizon();
  /// An actuator reaches its limit or comes back from it. Efforts do not jump, so all modes stay.
  bool pass_limit(int dof, int bound);

  template <class Archive>
  void archive(Archive& a) {
    a(staged_);
  }

 private:
  bool pass_loads();
  bool pass_switch();
  bool pass_sample();
  bool pass_check();
  bool pass_bounce_ends();

  EventRunParts& run_;
  InstantPassage& instants_;
  std::optional<ExternalLoads> staged_;
};

}  // namespace thenar::internal
