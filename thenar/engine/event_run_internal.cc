// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/event_run_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "thenar/scenario/state_check.h"

namespace thenar::internal {
namespace {

constexpr int kStepsPerProgress = 256;

}  // namespace

EventRun::EventRun(const Scenario& scenario, const State& start, const RunTaps& taps)
    : run_(scenario, start, taps),
      search_(scenario, run_.stepper, run_.watch, run_.settler),
      instants_(run_),
      due_(run_, instants_) {}

bool EventRun::begin() {
  has_begun_ = true;
  due_.take_staged_loads();
  run_.report.control_samples +=
      run_.actuation().take_samples({run_.state.t, run_.state.q.data(), run_.state.v.data()});
  const bool is_settled = instants_.settle({});
  run_.report.energy.start += run_.samples.calc_layer_energy(run_.state);
  if (is_settled) run_.schedule.find_next_switch(run_.state.t);
  return is_settled;
}

const RunReport& EventRun::report() {
  run_.report.last = run_.state;
  run_.report.energy.end = calc_energy(run_.scenario.model, run_.state) + run_.samples.calc_layer_energy(run_.state);
  run_.report.steps = run_.stepper.steps();
  run_.report.implicit_steps = run_.stepper.implicit_steps();
  run_.report.rejected_steps = run_.stepper.rejected();
  run_.report.evaluations = run_.motion.evaluations();
  run_.report.events = run_.log.events().counts();
  if (!run_.report.verdicts.empty()) run_.report.verdicts.back().to = run_.state.t;
  return run_.report;
}

// --- From event to event ----------------------------------------------------------------------------------------

AdvanceEnd EventRun::advance(const AdvanceLimits& limits) {
  if (due_.has_staged_loads() && !restart_with_loads()) return run_.ended_by;
  const AdvanceMeter meter(limits, steps(), events());
  while (!has_ended() && (time() < limits.t || is_before_event())) {
    if (pending_ && limits.t < pending_->t_end) {
      is_inside_ = true;
      view_time_ = limits.t;
      return AdvanceEnd::reached;
    }
    if (!pending_ && is_interrupted()) return AdvanceEnd::interrupted;
    if (!go_on(limits.t)) return run_.ended_by;
    // A call may also end between making a step, taking it, and its event: each of them may use up a budget.
    const AdvanceEnd end = is_before_event() ? meter.check_time(steps(), events()) : meter.check(steps(), events());
    if (end != AdvanceEnd::reached) return end;
  }
  return run_.ended_by;
}

/// With fixed steps loads change at the end of a step.
bool EventRun::restart_with_loads() {
  if (is_before_event() && !pass_event()) return false;
  if (run_.stepper.has_error_control()) return cut_here() && due_.apply_loads();
  return pending_ || due_.apply_loads();
}

/// Makes a step, or takes the one that was made.
bool EventRun::go_on(double t) {
  if (pending_) return is_before_event() ? pass_event() : commit();
  if (run_.state.t >= run_.schedule.horizon() && run_.state.t < t && !due_.extend_horizon()) return false;
  return prepare();
}

/// Makes the next step and looks into it, or passes what is due at the state without one.
bool EventRun::prepare() {
  const double t_limit = run_.next_limit();
  if (!(t_limit > run_.state.t)) return due_.pass_all();
  if (run_.stepper.step(t_limit) && look_into_step()) return true;
  return instants_.pass_failed_step() && due_.pass_all();
}

/// Finds what ends the step that the stepper has made. False where that asked for a shorter one, which does not
/// succeed.
bool EventRun::look_into_step() {
  const bool is_found = search_.find(run_.storm.stalled());
  run_.at_contact = search_.take_contact();
  if (!is_found) return false;
  const double theta = search_.theta();
  const double t_end = theta == 1 ? run_.stepper.t_end() : run_.stepper.t() + theta * run_.stepper.h();
  pending_ = PendingStep{theta, t_end, search_.take_crossing()};
  return true;
}

/// Takes the pending step. An event at its end is still to be passed.
bool EventRun::commit() {
  is_inside_ = false;
  const bool has_event = run_.at_contact || pending_->crossing;
  if (has_event) run_.samples.note_contacts(pending_->theta);
  pending_->has_turned = run_.at_contact && turns_only(*run_.at_contact);
  pending_->is_taken = true;
  take(pending_->theta);
  if (!is_good(run_.state)) return refuse_state();
  return has_event || pass_event();
}

/// Passes what has ended the step that was taken, and what is due there.
bool EventRun::pass_event() {
  const PendingStep step = std::move(*pending_);
  pending_.reset();
  if (step.has_turned) {
    run_.stepper.start(run_.state);
  } else if (run_.at_contact ? !instants_.settle({}) : step.crossing && !handle(*step.crossing)) {
    return false;
  }
  return due_.pass_all();
}

/// A slip that is at right angles to where it began is no slip that ends.
bool EventRun::turns_only(const ContactCrossing& at) {
  return at.kind == ContactCrossingKind::stick && !run_.settler.is_at_rest(at);
}

/// The step, up to theta, is done.
void EventRun::take(double theta) {
  const EnergyFlow<double> flow = run_.stepper.accept(theta);
  run_.last_good = run_.state;
  run_.state = run_.stepper.state();
  run_.report.energy.work += flow.work;
  run_.report.energy.dissipated += flow.dissipated;
  run_.samples.note_extremes(run_.state);
}

bool EventRun::handle(const Crossing& crossing) {
  if (crossing.kind == CrossingKind::effort) return due_.pass_limit(crossing.row, crossing.at_upper ? 1 : -1);
  Trigger trigger;
  if (crossing.kind == CrossingKind::slip) {
    run_.state.v(run_.motion.rows()[static_cast<std::size_t>(crossing.row)].dof()) = 0;
  }
  if (crossing.kind == CrossingKind::reaction) {
    trigger = {
        .row = crossing.row, .at_upper = crossing.at_upper, .insists = run_.storm.stalled() > StormWatch::kPatience};
  }
  return instants_.settle(trigger);
}

// --- Loads and the present state ----------------------------------------------------------------------------------

void EventRun::change_loads(const ExternalLoads& loads) {
  due_.stage(loads);
  if (!has_ended()) return;
  run_.ended_by = AdvanceEnd::reached;
  run_.report.status = RunStatus::done;
  run_.report.reason.clear();
}

/// The present state becomes the end of a step that is taken; what was made of it besides is given up.
bool EventRun::cut_here() {
  if (std::exchange(is_inside_, false)) {
    const double theta = (view_time_ - run_.stepper.t()) / run_.stepper.h();
    run_.samples.note_contacts(theta);
    take(theta);
    run_.state.t = view_time_;
  }
  pending_.reset();
  return is_good(run_.state) || refuse_state();
}

void EventRun::take_present() {
  if (is_before_event()) pass_event();
  if (run_.stepper.has_error_control()) cut_here();
}

// --- How a run ends ---------------------------------------------------------------------------------------------

bool EventRun::is_interrupted() {
  if (run_.taps.on_progress && ++advances_ % kStepsPerProgress == 0) run_.taps.on_progress(run_.state.t);
  return run_.taps.interrupt != nullptr && run_.taps.interrupt->load(std::memory_order_relaxed);
}

/// The step before gave numbers that are no state: the run ends with the state before it.
bool EventRun::refuse_state() {
  const State bad = run_.state;
  pending_.reset();
  run_.state = run_.last_good;
  return run_.end(AdvanceEnd::not_finite,
                  fmt::format("{} in step {} (t = {:.9g} s to {:.9g} s); the motion ran away, a shorter "
                              "step or a tighter tolerance may help",
                              find_bad_entry(run_.scenario.model, bad), run_.stepper.steps(), run_.last_good.t, bad.t));
}

/// Contacts keep the axes that they have, and actuators what they have sampled.
Instant EventRun::solve_present(const InstantOptions& options) {
  const State& present = state();
  InstantOptions now = options;
  now.time = time();
  AssemblyContext context(run_.scenario, present);
  context.motion().actuation().take_over(run_.actuation());
  context.motion().set_loads(run_.actuation().loads());
  run_.settler.prepare_question(present, context);
  return internal::solve_instant(context, present, now);
}

const Sample* EventRun::make_sample() {
  const Sample* const sample = is_inside_ ? run_.samples.make_inside(view_time_) : run_.samples.make(run_.state);
  if (sample == nullptr) run_.end(AdvanceEnd::not_finite, run_.samples.fault());
  return sample;
}

const State& EventRun::state() {
  if (!is_inside_) return run_.state;
  view_ = run_.samples.look_inside(view_time_);
  return view_;
}

/// Between two instants. Switches of profiles are found again.
template <class Archive>
void EventRun::archive(Archive& a) {
  a(run_.motion, run_.joints, run_.stepper, run_.log, run_.report, run_.schedule, run_.samples, run_.storm,
    run_.settler);
  if (run_.sampler) a(*run_.sampler);
  char has_pending = pending_ ? 1 : 0;
  a(has_pending);
  if constexpr (Archive::kReads) {
    pending_.reset();
    if (has_pending != 0) pending_ = PendingStep();
  }
  if (pending_) a(pending_->theta, pending_->t_end, pending_->crossing, pending_->has_turned, pending_->is_taken);
  a(has_begun_, run_.ended_by, due_, is_inside_, view_time_, run_.at_contact, run_.state, run_.last_good, advances_);
  if constexpr (Archive::kReads) {
    if (has_begun_) run_.schedule.find_next_switch(run_.state.t);
  }
}
THENAR_INSTANTIATE_ARCHIVE(EventRun);

}  // namespace thenar::internal
