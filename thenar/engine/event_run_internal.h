// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The event engine: smooth motion (stepper.h) from event to event (event_watch.h, contact_watch.h), each of which is
/// settled as one instant (instant_settler_internal.h), and the energy balance.
///
/// **Cutting.** A step is searched for events before it is taken (`pending_`). Where advance() ends inside of it, the
/// present state is read from its dense output, and the step is taken when a later time is asked for: steps and events
/// do not depend on where a call has ended. A budget of time may end it before the event at the end of a step, too.
/// Changed loads are different: the step is taken up to the present state, and
/// the motion starts anew from there.

#include <optional>
#include <string>

#include "thenar/engine/due_passage_internal.h"
#include "thenar/engine/engine_internal.h"
#include "thenar/engine/event_run_parts_internal.h"
#include "thenar/engine/instant_passage_internal.h"
#include "thenar/engine/step_search_internal.h"

namespace thenar::internal {

class EventRun final : public Engine {
 public:
  /// Both must outlive it. The scenario has been checked. `start`: where the motion begins, and when.
  EventRun(const Scenario& scenario, const State& start, const RunTaps& taps);
  EventRun(const Scenario& scenario, const RunTaps& taps) : EventRun(scenario, scenario.initial, taps) {}

  bool begin() override;
  bool has_begun() const override { return has_begun_; }
  AdvanceEnd advance(const AdvanceLimits& limits) override;
  double time() const override { return is_inside_ ? view_time_ : run_.state.t; }
  const Sample* make_sample() override;
  const State& state() override;
  void change_loads(const ExternalLoads& loads) override;
  void take_present() override;
  void add_energy(double energy) override { run_.report.energy.switched += energy; }
  Instant solve_present(const InstantOptions& options) override;
  void save(StateWriter& writer) override { archive(writer); }
  void load(StateReader& reader) override { archive(reader); }
  std::string find_silent_law() const override { return run_.actuation().find_silent_law(); }
  std::vector<std::shared_ptr<const Controller>> copy_silent_laws() const override {
    return run_.actuation().copy_silent_laws();
  }
  void adopt_silent_laws(std::span<const std::shared_ptr<const Controller>> laws) override {
    run_.actuation().adopt_silent_laws(laws);
  }
  bool end(AdvanceEnd why, const std::string& reason) override { return run_.end(why, reason); }
  AdvanceEnd ended_by() const override { return run_.ended_by; }
  long long steps() const override { return run_.stepper.steps(); }
  long long events() const override { return run_.log.events().total(); }
  const RunReport& report() override;

 private:
  /// The step that was made, up to what ends it: a contact, a joint, or its length.
  struct PendingStep {
    double theta = 1;
    double t_end = 0;                  ///< s
    std::optional<Crossing> crossing;  ///< of a joint, if that ends it; of a contact: EventRunParts::at_contact
    bool has_turned = false;           ///< the slip that ended it has only changed its direction
    bool is_taken = false;             ///< the state is at its end, before the event there
  };

  // All of these are false when the run must end.
  bool restart_with_loads();
  bool go_on(double t);
  bool prepare();
  bool look_into_step();
  bool commit();
  bool is_before_event() const { return pending_ && pending_->is_taken; }
  bool pass_event();
  bool handle(const Crossing& crossing);
  bool cut_here();
  bool refuse_state();

  bool turns_only(const ContactCrossing& at);
  void take(double theta);
  bool is_interrupted();
  template <class Archive>
  void archive(Archive& a);

  EventRunParts run_;
  StepSearch search_;
  InstantPassage instants_;
  DuePassage due_;
  bool has_begun_ = false;
  std::optional<PendingStep> pending_;
  bool is_inside_ = false;  ///< whether the present state is inside the pending step, at view_time_
  double view_time_ = 0;
  State view_;  ///< the last one that was asked for
  long long advances_ = 0;
};

}  // namespace thenar::internal
