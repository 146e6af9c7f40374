// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What the classes of an event run share: the motion, what watches and settles it, books, and the state.

#include <optional>
#include <string>

#include "thenar/engine/contact_sampler.h"
#include "thenar/engine/engine_internal.h"
#include "thenar/engine/instant_log_internal.h"
#include "thenar/engine/instant_settler_internal.h"
#include "thenar/engine/run_schedule_internal.h"
#include "thenar/engine/sample_maker_internal.h"
#include "thenar/engine/storm_watch_internal.h"
#include "thenar/events/event_watch.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/motion/stepper.h"
#include "thenar/trace/run_report.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

struct EventRunParts {
  /// Scenario and taps must outlive it. `start`: where the motion begins, and when.
  EventRunParts(const Scenario& scenario, const State& start, const RunTaps& taps);

  const Scenario& scenario;
  const RunTaps& taps;
  AdvanceEnd ended_by = AdvanceEnd::reached;
  Tolerances tolerances;
  ConstrainedMotion motion;
  JointRest joints;
  Stepper stepper;
  EventWatch watch;
  InstantSettler settler;
  RunReport report;
  SampleMaker samples;
  std::optional<ContactSampler> sampler;
  InstantLog log;
  RunSchedule schedule;
  StormWatch storm;
  std::optional<ContactCrossing> at_contact;  ///< what ended the last step, if it was a contact
  State state, last_good;                     ///< at the end of the last step, and at that of the one before
  bool at_switch = false;                     ///< what is settled is the instant of a switch

  Actuation& actuation() { return motion.actuation(); }
  const Actuation& actuation() const { return motion.actuation(); }
  bool has_ended() const { return ended_by != AdvanceEnd::reached; }
  /// The run ends here, if it has not. Always false.
  bool end(AdvanceEnd why, const std::string& reason);
  /// Shows a sample to the caller. False when the run must end.
  bool tap(const Sample* sample);
  /// Where the next step must end at the latest.
  double next_limit();
};

}  // namespace thenar::internal
