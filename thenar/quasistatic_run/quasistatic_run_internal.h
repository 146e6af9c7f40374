// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The engine of slow motion, from one list of modes to the next.
///
/// At an event the quasistatic problem is solved with its proof (quasistatic_solver.h); its answer is the list of modes
/// in which the motion goes on (quasistatic_choice_internal.h). Where an event is one of geometry (bodies meet, a stop
/// is met, features or drives change), the problem is that of the moment itself. Where a slip comes to rest or forces
/// leave their bounds, both the old list and the new one are answers at that very moment; so the question is asked a
/// little later, where the old list would be, by so much that it is clearly none any more (kClear), and the answer goes
/// on from the moment.
///
/// **Cutting.** As in event_run_internal.h: a step that was looked into is taken when a later time is asked for, and
/// where one has stopped to look leaves no trace.

#include <optional>
#include <string>

#include "thenar/engine/engine_internal.h"
#include "thenar/engine/event_log.h"
#include "thenar/instant/contact_names.h"
#include "thenar/quasistatic_run/quasistatic_changes_internal.h"
#include "thenar/quasistatic_run/quasistatic_choice_internal.h"
#include "thenar/quasistatic_run/quasistatic_sampler_internal.h"
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
  bool apply_loads();
  bool pass_loads();
  bool pass_switch();
  void find_next_switch();
  double next_limit() const;
  void look_inside(double t);

  // One instant.
  bool settle(const std::optional<QuasistaticCrossing>& at);
  bool note_progress(const std::optional<QuasistaticCrossing>& at);
  bool find_contacts();
  bool is_driven(double t) const { return choice_.is_driven(t); }
  double find_time_asked() const;
  QuasistaticChoice::Place look_behind();
  void keep_end(double t, const QuasistaticProblem& problem, QuasistaticAnswer answer);
  void note_verdict(const QuasistaticAnswer& answer);
  bool report_change(const std::optional<QuasistaticCrossing>& at);

  template <class Archive>
  void archive(Archive& a);
  bool tap(const Sample& sample);
  bool is_interrupted() const;
  Sample look_at_present();

  const Scenario& scenario_;
  const RunTaps& taps_;
  AdvanceEnd ended_by_ = AdvanceEnd::reached;
  Tolerances tolerances_;
  QuasistaticMotion motion_;
  QuasistaticStep step_;
  QuasistaticChoice choice_;
  RunReport report_;
  QuasistaticSampler sampler_;
  ContactFinder finder_;
  LawTable laws_;
  ContactNames names_;
  QuasistaticChanges changes_between_;
  EventLog events_;
  Workspace<double> workspace_;
  Actuation profiles_;  ///< whose jumps are looked for
  std::optional<ExternalLoads> staged_loads_;
  Sample sample_, before_;  ///< before_: before a jump of velocities
  std::optional<ProfileSwitch> switch_;
  std::optional<PendingStep> pending_;
  State state_, view_;
  bool is_inside_ = false, has_begun_ = false;
  double horizon_ = 0;  ///< s
  /// An instant whose question was interrupted is asked again.
  struct DueSettle {
    std::optional<QuasistaticCrossing> at;
  };
  std::optional<DueSettle> due_;
  double last_jump_ = -1;  ///< s
  double moment_ = -1;
  int changes_ = 0;
  bool is_first_ = true, has_settled_ = false;
};

}  // namespace thenar::internal
