// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The engine of slow motion, from one list of modes to the next.
///
/// At an event the quasistatic problem is solved with its proof (quasistatic_solver.h); its answer is the list of modes
/// in which the motion goes on (quasistatic_settler_internal.h).
///
/// **Cutting.** As in event_run_internal.h: a step that was looked into is taken when a later time is asked for, and
/// where one has stopped to look leaves no trace.

#include <optional>
#include <string>

#include "thenar/engine/engine_internal.h"
#include "thenar/engine/event_log.h"
#include "thenar/quasistatic_run/quasistatic_sampler_internal.h"
#include "thenar/quasistatic_run/quasistatic_schedule_internal.h"
#include "thenar/quasistatic_run/quasistatic_settler_internal.h"
#include "thenar/quasistatic_run/quasistatic_teller_internal.h"
#include "thenar/quasistatic_run/quasistatic_watch_internal.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

class QuasistaticRun final : public Engine {
 public:
  /// Both must outlive it. The scenario has been checked. `start`: where the motion begins, and when.
  QuasistaticRun(const Scenario& scenario, const State& start, const RunTaps& taps);

  bool begin() override;
  bool has_begun() const override { return has_begun_; }
  AdvanceEnd advance(const AdvanceLimits& limits) override;
  double time() const override { return is_inside_ ? view_.t : state_.t; }
  const Sample* make_sample() override;
  const State& state() override { return is_inside_ ? view_ : state_; }
  void change_loads(const ExternalLoads& loads) override;
  void take_present() override { cut_here(); }
  void add_energy(double energy) override { report_.energy.switched += energy; }
  Instant solve_present(const InstantOptions& options) override;
  void save(StateWriter& writer) override { archive(writer); }
  void load(StateReader& reader) override { archive(reader); }
  std::string find_silent_law() const override { return {}; }
  bool end(AdvanceEnd why, const std::string& reason) override;
  AdvanceEnd ended_by() const override { return ended_by_; }
  long long steps() const override { return step_.steps(); }
  long long events() const override { return events_.total(); }
  const RunReport& report() override;

 private:
  /// A step that was made, and what ends it.
  struct PendingStep {
    double theta = 1;
    std::optional<QuasistaticCrossing> crossing;
  };

  // From event to event. All of these are false when the motion has ended.
  bool prepare();
  bool commit();
  bool cut_here();
  void take(double theta);
  void set_loads(const ExternalLoads& loads);
  bool apply_loads();
  bool pass_loads();
  bool pass_switch();
  void look_inside(double t);

  // One instant.
  bool settle(const std::optional<QuasistaticCrossing>& at);
  bool start_stretch(const std::optional<QuasistaticCrossing>& at);

  template <class Archive>
  void archive(Archive& a);

  const Scenario& scenario_;
  const RunTaps& taps_;
  AdvanceEnd ended_by_ = AdvanceEnd::reached;
  Tolerances tolerances_;
  QuasistaticMotion motion_;
  QuasistaticStep step_;
  RunReport report_;
  QuasistaticSettler settler_;
  QuasistaticSampler sampler_;
  EventLog events_;
  QuasistaticTeller teller_;
  QuasistaticSchedule schedule_;
  std::optional<ExternalLoads> staged_loads_;
  Sample sample_;
  std::optional<PendingStep> pending_;
  State state_, view_;
  bool is_inside_ = false, has_begun_ = false;
  /// An instant whose question was interrupted is asked again.
  struct DueSettle {
    std::optional<QuasistaticCrossing> at;
  };
  std::optional<DueSettle> due_;
  ModeChangeCount changes_;
  bool has_settled_ = false;
};

}  // namespace thenar::internal
