// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Tells of a change of modes: its events, and samples before and after a jump of velocities. And of changes that come
/// again and again.

#include <optional>

#include "thenar/engine/engine_internal.h"
#include "thenar/engine/event_log.h"
#include "thenar/quasistatic_run/quasistatic_changes_internal.h"
#include "thenar/quasistatic_run/quasistatic_sampler_internal.h"

namespace thenar::internal {

class QuasistaticTeller {
 public:
  /// All must outlive it.
  QuasistaticTeller(const Scenario& scenario, const RunTaps& taps, const QuasistaticMotion& motion,
                    QuasistaticSampler& sampler, EventLog& events);

  /// A list of modes has ended at the state; at the start of a run there is none.
  void begin(const State& state, bool is_start);
  /// The motion has another one and is evaluated, the state still has the velocities of the old one. False if the
  /// caller wants to go no further.
  bool tell_change(const State& state, const std::optional<QuasistaticCrossing>& at);
  /// The state has the new velocities. False as above.
  bool tell_after(const State& state);

  template <class Archive>
  void archive(Archive& a) {
    a(last_jump_);
  }

 private:
  bool has_jump(const State& state) const;
  bool tap(const Sample& sample) const { return !taps_.on_jump || taps_.on_jump(sample); }

  const RunTaps& taps_;
  const QuasistaticMotion& motion_;
  QuasistaticSampler& sampler_;
  EventLog& events_;
  QuasistaticChanges changes_between_;
  Sample before_;
  bool jumps_ = false;
  double last_jump_ = -1;  ///< s
};

/// Counts changes of modes within a moment.
class ModeChangeCount {
 public:
  /// One at t, s; a moment is a part of the length of the run. False if there are too many.
  bool note(double t, double run_length);

  template <class Archive>
  void archive(Archive& a) {
    a(moment_, changes_);
  }

 private:
  double moment_ = -1;  ///< s
  int changes_ = 0;
};

}  // namespace thenar::internal
