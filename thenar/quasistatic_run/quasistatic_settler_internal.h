// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One instant of slow motion: what touches, where its question is asked, and the answer that the motion goes on with.
///
/// Where an event is one of geometry (bodies meet, a stop is met, features or drives change), the problem is that of
/// the moment itself. Where a slip comes to rest or forces leave their bounds, both the old list and the new one are
/// answers at that very moment; so the question is asked a little later, where the old list would be, by so much that
/// it is clearly none any more (kClear), and the answer goes on from the moment.

#include <optional>
#include <string>

#include "thenar/engine/engine_internal.h"
#include "thenar/quasistatic_run/quasistatic_choice_internal.h"
#include "thenar/quasistatic_run/quasistatic_touches_internal.h"
#include "thenar/quasistatic_run/quasistatic_watch_internal.h"

namespace thenar::internal {

/// Tells the progress, and whether a run that has come to t is to stop.
bool is_interrupted(const RunTaps& taps, double t);

class QuasistaticSettler {
 public:
  /// All must outlive it. It writes verdicts and the question that the motion ends with into the report.
  QuasistaticSettler(const Scenario& scenario, const Tolerances& tolerances, const RunTaps& taps,
                     QuasistaticMotion& motion, const QuasistaticStep& step, RunReport& report);

  /// An interrupted instant has to be settled again.
  enum class Outcome { settled, interrupted, ended };
  /// Sets the modes of the motion, which is evaluated at the state; q is put on what touches. `at` is what ended the
  /// stretch before, if anything did, and until `smooth_end` (s) drives change neither their rates nor their efforts
  /// at once.
  Outcome settle(State& state, const std::optional<QuasistaticCrossing>& at, double smooth_end);
  /// Why the motion has ended.
  AdvanceEnd cause() const { return cause_; }
  const std::string& reason() const { return reason_; }

  /// Whether nothing has been found as yet: then bodies touch to the accuracy of written numbers.
  bool is_first() const { return is_first_; }
  void set_first(bool is_first) { is_first_ = is_first; }
  /// All but that.
  template <class Archive>
  void archive(Archive& a) {
    a(touches_);
  }

 private:
  using Place = QuasistaticChoice::Place;

  Outcome end(AdvanceEnd cause, std::string reason);
  bool find_contacts(State& state);
  double find_time_asked(double t, double smooth_end) const;
  Place look_behind(const State& state, double smooth_end);
  void note_verdict(double t, const QuasistaticAnswer& answer);
  void keep_end(double t, const QuasistaticProblem& problem, QuasistaticAnswer answer);

  const Scenario& scenario_;
  const RunTaps& taps_;
  QuasistaticMotion& motion_;
  const QuasistaticStep& step_;
  RunReport& report_;
  QuasistaticChoice choice_;
  QuasistaticTouches touches_;
  AdvanceEnd cause_ = AdvanceEnd::failed;
  std::string reason_;
  bool is_first_ = true;
};

}  // namespace thenar::internal
