// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A run of the event engine that can be held: smooth motion (stepper.h) from event to event (event_watch.h,
/// instant.h), and the books of energy, up to any time and on from there.
///
/// **Cutting.** A step is looked into for events before it is taken (`pending_`). Where advance() ends inside of it,
/// the present state is read from its dense output, and the step is taken when a later time is asked for: steps and
/// events do not depend on where one has stopped to look. Changed loads are another matter: the step is taken up to the
/// present state, and the motion starts anew from there.
///
/// **Horizon.** Profiles are searched for jumps up to RunOptions::until, and no step goes beyond it; a run that is
/// advanced further goes on by as much again.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thenar/engine/contact_sampler.h"
#include "thenar/engine/engine_internal.h"
#include "thenar/engine/event_teller.h"
#include "thenar/engine/instant_settler_internal.h"
#include "thenar/engine/sample_maker_internal.h"
#include "thenar/engine/storm_watch_internal.h"
#include "thenar/events/event_watch.h"
#include "thenar/instant/instant.h"
#include "thenar/motion/forces.h"
#include "thenar/motion/state_energy.h"
#include "thenar/motion/stepper.h"
#include "thenar/trace/row_times.h"
#include "thenar/trace/run_report.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

class EventRun final : public Engine {
 public:
  /// Both must outlive it. The scenario has been checked. `start`: where the motion begins, and when.
  EventRun(const Scenario& scenario, const State& start, const RunTaps& taps);
  EventRun(const Scenario& scenario, const RunTaps& taps) : EventRun(scenario, scenario.initial, taps) {}

  bool begin() override;
  bool has_begun() const override { return has_begun_; }
  AdvanceEnd advance(const AdvanceLimits& limits) override;
  double time() const override { return is_inside_ ? view_time_ : state_.t; }
  const Sample* make_sample() override;
  const State& state() override;
  void change_loads(const ExternalLoads& loads) override;
  Instant solve_present(const InstantOptions& options) override;
  void save(StateWriter& writer) override { archive(writer); }
  void load(StateReader& reader) override { archive(reader); }
  std::string find_silent_law() const override { return motion_.actuation().find_silent_law(); }
  std::vector<std::shared_ptr<const Controller>> copy_silent_laws() const override {
    return motion_.actuation().copy_silent_laws();
  }
  void adopt_silent_laws(std::span<const std::shared_ptr<const Controller>> laws) override {
    motion_.actuation().adopt_silent_laws(laws);
  }
  bool end(AdvanceEnd why, const std::string& reason) override;
  AdvanceEnd ended_by() const override { return ended_by_; }
  long long steps() const override { return stepper_.steps(); }
  long long events() const override { return teller_.total(); }
  const RunReport& report() override;

 private:
  /// A stop on which bouncing ends at a time in the near future.
  struct PendingRest {
    double t;
    int row;
    long long strikes;
  };

  /// The step that was made, up to what ends it: a contact, a joint, or its length.
  struct PendingStep {
    double theta = 1;
    double t_end = 0;                  ///< s
    std::optional<Crossing> crossing;  ///< of a joint, if that ends it; of a contact: at_contact_
  };

  // From event to event. All of these are false when the run must end.
  bool go_on(double t);
  bool prepare();
  bool look_into_step();
  bool commit();
  bool pass_all();
  bool pass_failed_step();
  double next_limit() const;
  bool look_for_crossing(std::optional<Crossing>& crossing);
  bool retry_step(double h);
  bool look_for_contacts(std::optional<Crossing>& crossing);
  bool turns_only(const ContactCrossing& at);
  void take(double theta);
  bool handle(const Crossing& crossing);
  bool extend_horizon();

  // One instant.
  bool settle(const Trigger& trigger);
  bool settle_instant(Trigger trigger);
  bool settle_contacts(Trigger trigger);
  void take_back(const State& before);
  bool tell_settled(const Mode& mode_before, const State& before);
  bool bridge(const std::string& why, AdvanceEnd cause);
  bool end_bridge(double t_start, const std::string& where, const State& before);
  void note_switch(const ModelSwitch& change);
  void note_verdict();
  bool tell_contacts(const Mode& mode_before, const State& before);
  bool take_as_plastic();
  bool find_finished_bounces();
  void note_zeno(int i, double rate, double fall);
  std::string note_progress();
  std::string name_last_event() const;

  // Events and samples that the run reports.
  bool tell_instant(const Mode& before, const VectorX<double>& v_before);
  void tell_changes(const Mode& before, const Mode& after);
  void tell_stop_change(int i, bool held);
  double calc_reaction(int i);
  double calc_opening(int i);
  bool touches_redundantly(int i);

  // Loads that change, profiles that jump, bounces that end.
  bool cut_here();
  bool apply_loads();
  bool pass_loads();
  void find_next_switch();
  bool pass_switch();
  bool pass_sample();
  bool pass_limit(int dof, int bound);
  bool pass_check();
  bool pass_zeno();

  template <class Archive>
  void archive(Archive& a);

  // How a run ends.
  bool is_interrupted();
  AdvanceEnd find_cause(double t);
  bool refuse_state();
  bool refuse_instant();
  std::string explain_failure();
  bool tap(const Sample* sample);

  Actuation& actuation() { return motion_.actuation(); }
  JointRow& row(int i) { return motion_.rows()[static_cast<std::size_t>(i)]; }

  const Scenario& scenario_;
  const RunTaps& taps_;
  AdvanceEnd ended_by_ = AdvanceEnd::reached;
  bool has_begun_ = false;
  std::optional<ExternalLoads> staged_loads_;  ///< that act from the next restart on
  Tolerances tolerances_;
  ConstrainedMotion motion_;
  InstantSolver instant_;
  Stepper stepper_;
  EventWatch watch_;
  EventTeller teller_;
  RunReport report_;
  RowTimes grid_;            ///< where fixed steps end, and bridges at the latest
  long long grid_next_ = 1;  ///< the first place of the grid that has not been reached
  SampleMaker samples_;
  StormWatch storm_;
  std::optional<InstantSettler> contacts_;
  std::optional<ContactSampler> sampler_;
  std::optional<PendingStep> pending_;
  bool is_inside_ = false;  ///< whether the present state is inside the pending step, at view_time_
  double view_time_ = 0;
  State view_;  ///< the last one that was asked for
  double horizon_ = 0;                         ///< s
  std::optional<ContactCrossing> at_contact_;  ///< what ended the last step, if it was a contact
  std::vector<BounceEnd> bounce_ends_;
  Mode joint_mode_;  ///< of a run with contacts, since the last event
  State state_, last_good_;
  long long advances_ = 0;
  double energy_lost_ = 0;               ///< J, at the last instant
  double energy_switched_ = 0;           ///< J, put in there by contacts that changed their model
  std::vector<StopResponse> responses_;  ///< per row
  std::vector<Strike> strikes_;
  std::vector<long long> strikes_in_a_row_;  ///< per row, since the joint last rested there
  std::vector<PendingRest> pending_rests_;
  std::optional<ProfileSwitch> switch_;
  bool at_switch_ = false;   ///< what is settled is its instant
  bool is_settled_ = false;  ///< whether the first instant has passed
};

}  // namespace thenar::internal
