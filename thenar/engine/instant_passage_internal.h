// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// How an event run passes an instant: settled, or where that is not possible bridged by a step of its own, or not at
/// all, with the reason.

#include <string>

#include "thenar/engine/event_run_parts_internal.h"

namespace thenar::internal {

class InstantPassage {
 public:
  /// `run` must outlive it.
  explicit InstantPassage(EventRunParts& run) : run_(run) {}

  /// Impacts, if there are any, and the mode of what follows. False when the run must end.
  bool settle(const Trigger& trigger);

  /// No step from the present state succeeds: contacts that jam let none succeed, nor do those whose places are lost,
  /// which a bridge may pass. False when the run must end.
  bool pass_failed_step();

  /// A run that does not get past an instant first takes impacts as plastic, then does not go on by itself: the answer
  /// is why. Empty while all is well.
  std::string note_progress();

 private:
  bool settle_instant(const Trigger& trigger);
  void take_back(const State& before);
  bool note_settled(const State& before);
  bool bridge(const std::string& why, AdvanceEnd cause);
  bool end_bridge(double t_start, const EventPlace& where, const State& before);
  std::string name_last_event() const;
  std::string explain_jam();
  AdvanceEnd find_cause(double t);
  std::string explain_failure();

  EventRunParts& run_;
};

}  // namespace thenar::internal
