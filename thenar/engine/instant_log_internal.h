// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Writes down what an instant has changed: samples before and after a jump, events, the verdict, energy that was lost
/// or put in. Bouncing that has been captured is written down when the series of bounces would have ended.

#include <functional>
#include <string>
#include <vector>

#include "thenar/engine/event_log.h"
#include "thenar/engine/instant_settler_internal.h"
#include "thenar/engine/sample_maker_internal.h"
#include "thenar/trace/run_report.h"

namespace thenar::internal {

class InstantLog {
 public:
  /// A sample of a jump, or nullptr if it has a number that is not finite. False ends the run.
  using SampleTap = std::function<bool(const Sample*)>;

  /// What it looks at.
  struct Sources {
    const Scenario& scenario;
    ConstrainedMotion& motion;
    JointRest& joints;
    Stepper& stepper;
    InstantSettler& settler;
  };

  /// All must outlive it.
  InstantLog(const Sources& sources, SampleMaker& samples, RunReport& report,
             const std::function<void(const Event&)>& on_event, SampleTap tap);

  /// The instant has been settled: from `before` to `after`. False when the run must end.
  bool note_settled(const State& before, const State& after);
  /// Whether any instant has been settled; the first one is the start of the motion, not an event.
  bool has_begun() const { return has_begun_; }

  /// The next end of bouncing that is not written down yet, s; infinity if there is none.
  double next_bounce_end() const;
  void pass_bounce_ends(double t);

  EventLog& events() { return events_; }
  const EventLog& events() const { return events_; }

  template <class Archive>
  void archive(Archive& a);

 private:
  void note_verdict(double t);
  void note_switch(const ModelSwitch& change);
  void note_joint_changes(const State& state, const Mode& before, const Mode& after);
  void note_stop_change(const State& state, int i, bool is_held);
  double calc_reaction(int i);
  double calc_opening(const State& state, int i);
  bool touches_redundantly(const State& state, int i);
  bool is_bouncing(int i) const;
  JointRow& row(int i) { return motion_.rows()[static_cast<std::size_t>(i)]; }

  const Scenario& scenario_;
  ConstrainedMotion& motion_;
  JointRest& joints_;
  Stepper& stepper_;
  InstantSettler& settler_;
  SampleMaker& samples_;
  RunReport& report_;
  SampleTap tap_;
  EventLog events_;
  Mode mode_;  ///< of the joints, since the last instant
  std::vector<BounceEnd> bounce_ends_;
  bool has_begun_ = false;
};

}  // namespace thenar::internal
