// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The event engine: smooth motion (stepper.h) from event to event (event_watch.h, contact_watch.h), each of which is
/// settled as one instant (instant_settler_internal.h), and the energy balance.
///
/// **Cutting.** A step is searched for events before it is taken (`pending_`). Where advance() ends inside of it, the
/// present state is read from its dense output, and the step is taken when a later time is asked for: steps and events
/// do not depend on where a call has ended. Changed loads are different: the step is taken up to the present state, and
/// the motion starts anew from there.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thenar/engine/contact_sampler.h"
#include "thenar/engine/engine_internal.h"
#include "thenar/engine/instant_log_internal.h"
#include "thenar/engine/instant_settler_internal.h"
#include "thenar/engine/run_schedule_internal.h"
#include "thenar/engine/sample_maker_internal.h"
#include "thenar/engine/step_search_internal.h"
#include "thenar/engine/storm_watch_internal.h"
#include "thenar/events/event_watch.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/motion/forces.h"
#include "thenar/motion/stepper.h"
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
  void take_present() override;
  void add_energy(double energy) override { report_.energy.switched += energy; }
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
  long long events() const override { return log_.events().total(); }
  const RunReport& report() override;

 private:
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
  bool pass_failed_step();
  std::string explain_jam();
  double next_limit();
  bool turns_only(const ContactCrossing& at);
  void take(double theta);
  bool handle(const Crossing& crossing);

  // One instant.
  bool settle(const Trigger& trigger);
  bool settle_instant(const Trigger& trigger);
  void take_back(const State& before);
  bool note_settled(const State& before);
  bool bridge(const std::string& why, AdvanceEnd cause);
  bool end_bridge(double t_start, const EventPlace& where, const State& before);
  std::string note_progress();
  std::string name_last_event() const;

  // What is due at a time.
  bool pass_all();
  bool cut_here();
  bool apply_loads();
  bool pass_loads();
  bool pass_switch();
  bool pass_sample();
  bool pass_limit(int dof, int bound);
  bool pass_check();
  bool pass_bounce_ends();
  bool extend_horizon();

  template <class Archive>
  void archive(Archive& a);

  // How a run ends.
  bool is_interrupted();
  AdvanceEnd find_cause(double t);
  bool refuse_state();
  std::string explain_failure();
  bool tap(const Sample* sample);

  Actuation& actuation() { return motion_.actuation(); }

  const Scenario& scenario_;
  const RunTaps& taps_;
  AdvanceEnd ended_by_ = AdvanceEnd::reached;
  bool has_begun_ = false;
  std::optional<ExternalLoads> staged_loads_;  ///< that act from the next restart on
  Tolerances tolerances_;
  ConstrainedMotion motion_;
  JointRest joints_;
  Stepper stepper_;
  EventWatch watch_;
  InstantSettler settler_;
  StepSearch search_;
  RunReport report_;
  SampleMaker samples_;
  std::optional<ContactSampler> sampler_;
  InstantLog log_;
  RunSchedule schedule_;
  StormWatch storm_;
  std::optional<PendingStep> pending_;
  bool is_inside_ = false;  ///< whether the present state is inside the pending step, at view_time_
  double view_time_ = 0;
  State view_;                                 ///< the last one that was asked for
  std::optional<ContactCrossing> at_contact_;  ///< what ended the last step, if it was a contact
  State state_, last_good_;
  long long advances_ = 0;
  bool at_switch_ = false;  ///< what is settled is the instant of a switch
};

}  // namespace thenar::internal
