// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_run_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {

QuasistaticRun::QuasistaticRun(const Scenario& scenario, const State& start, const RunTaps& taps)
    : scenario_(scenario),
      taps_(taps),
      tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
      motion_(scenario, tolerances_),
      step_(scenario, motion_, tolerances_),
      settler_(scenario, tolerances_, taps, motion_, step_, report_),
      sampler_(scenario, motion_, tolerances_, report_),
      events_(scenario.model, motion_.stops(), taps.on_event),
      teller_(scenario, taps, motion_, sampler_, events_),
      schedule_(scenario, start.t),
      state_(start) {
  report_.first = report_.last = state_;
  report_.q_min = report_.q_max = state_.q;
}

bool QuasistaticRun::begin() {
  has_begun_ = true;
  if (staged_loads_) set_loads(*std::exchange(staged_loads_, std::nullopt));
  motion_.assembler().place_driven(state_.t, state_.q);
  state_.v.setZero();
  report_.first = state_;
  schedule_.find_next_switch(state_.t);
  const bool is_settled = settle({});
  report_.first = state_;
  report_.energy.start = sampler_.calc_potential(state_.q);
  sampler_.note_extremes(state_.q);
  return is_settled;
}

const RunReport& QuasistaticRun::report() {
  report_.steps = step_.steps();
  report_.rejected_steps = step_.rejected();
  report_.evaluations = motion_.evaluations();
  report_.events = events_.counts();
  report_.last = state_;
  report_.energy.end = sampler_.calc_potential(state_.q);
  if (!report_.verdicts.empty()) report_.verdicts.back().to = state_.t;
  return report_;
}

// --- From event to event ----------------------------------------------------------------------------------------

AdvanceEnd QuasistaticRun::advance(const AdvanceLimits& limits) {
  if (due_ && !settle(std::exchange(due_, std::nullopt)->at)) return due_ ? AdvanceEnd::interrupted : ended_by_;
  if (staged_loads_ && !(cut_here() && apply_loads())) return due_ ? AdvanceEnd::interrupted : ended_by_;
  const AdvanceMeter meter(limits, steps(), events());
  while (!has_ended() && time() < limits.t) {
    if (pending_ && limits.t < step_.t_end(pending_->theta)) {
      look_inside(limits.t);
      return AdvanceEnd::reached;
    }
    if (!pending_ && is_interrupted(taps_, state_.t)) return AdvanceEnd::interrupted;
    if (!(pending_ ? commit() : prepare())) return due_ ? AdvanceEnd::interrupted : ended_by_;
    if (pending_) continue;
    const AdvanceEnd end = meter.check(steps(), events());
    if (end != AdvanceEnd::reached) return end;
  }
  return ended_by_;
}

/// Makes the next step and finds what ends it, or passes what is due without one.
bool QuasistaticRun::prepare() {
  schedule_.pass_horizon(state_.t);
  const double t_limit = schedule_.find_limit();
  if (!(t_limit > state_.t)) return pass_loads() && pass_switch();
  if (!step_.step(t_limit)) {
    return end(AdvanceEnd::failed,
               fmt::format("no step succeeds at t = {:.9g} s: contacts cannot be followed", state_.t));
  }
  step_.look();
  std::optional<QuasistaticCrossing> crossing = step_.find_crossing();
  while (!step_.has_smooth_powers() && step_.shorten()) {
    step_.look();
    crossing = step_.find_crossing();
  }
  pending_ = PendingStep{crossing ? crossing->theta : 1, std::move(crossing)};
  return true;
}

/// Takes the pending step and passes the event at its end.
bool QuasistaticRun::commit() {
  const PendingStep pending = *std::exchange(pending_, std::nullopt);
  is_inside_ = false;
  take(pending.theta);
  if (!state_.q.allFinite()) {
    return end(AdvanceEnd::not_finite, fmt::format("positions are not finite at t = {:.9g} s", state_.t));
  }
  if (pending.crossing && !settle(pending.crossing)) return false;
  return pass_loads() && pass_switch();
}

/// The step, up to theta, is done.
void QuasistaticRun::take(double theta) {
  const StepPoint energy = step_.calc_energy(theta);
  report_.energy.work += energy.work;
  report_.energy.dissipated += energy.dissipated;
  step_.accept(theta);
  state_.t = step_.t();
  state_.q = step_.q();
  motion_.evaluate(state_.t, state_.q);
  state_.v = motion_.v();
  sampler_.note_extremes(state_.q);
}

/// The present state becomes the end of a step that is taken; what was made of it besides is given up.
bool QuasistaticRun::cut_here() {
  if (std::exchange(is_inside_, false)) {
    take((view_.t - step_.t()) / step_.h());
    state_.t = view_.t;
  }
  pending_.reset();
  return true;
}

void QuasistaticRun::change_loads(const ExternalLoads& loads) {
  staged_loads_ = loads;
  if (!has_ended()) return;
  ended_by_ = AdvanceEnd::reached;
  report_.status = RunStatus::done;
  report_.reason.clear();
  report_.quasistatic_end.reset();
}

void QuasistaticRun::set_loads(const ExternalLoads& loads) {
  motion_.assembler().set_loads(loads);
  schedule_.set_loads(loads);
}

bool QuasistaticRun::apply_loads() {
  set_loads(*std::exchange(staged_loads_, std::nullopt));
  schedule_.find_next_switch(state_.t);
  return settle({});
}

bool QuasistaticRun::pass_loads() {
  std::optional<ExternalLoads> left = schedule_.find_loads_left(state_.t);
  if (!left) return true;
  staged_loads_ = std::move(left);
  return apply_loads();
}

bool QuasistaticRun::pass_switch() {
  if (!schedule_.is_switch_due(state_.t)) return true;
  const ProfileSwitch& passed = *schedule_.next_switch();
  state_.t = passed.at.after;
  motion_.project(state_.t, state_.q);
  if (passed.is_jump) {
    for (const ProfileSwitch::Change& change : passed.changes) events_.write_switch(state_.t, change);
  }
  schedule_.find_next_switch(state_.t);
  return settle({});
}

// --- One instant ------------------------------------------------------------------------------------------------

/// The list of modes of what follows. False when the motion ends, or was interrupted.
bool QuasistaticRun::settle(const std::optional<QuasistaticCrossing>& at) {
  if (!changes_.note(state_.t, scenario_.run.until)) {
    const std::string last = at ? fmt::format(" (the last one: '{}')", at->name) : "";
    return end(AdvanceEnd::failed,
               fmt::format("contacts change their modes again and again at t = {:.9g} s{}", state_.t, last));
  }
  teller_.begin(state_, !has_settled_);
  switch (settler_.settle(state_, at, schedule_.find_smooth_end())) {
    case QuasistaticSettler::Outcome::settled:
      return start_stretch(at);
    case QuasistaticSettler::Outcome::interrupted:
      due_ = DueSettle{at};
      return false;
    case QuasistaticSettler::Outcome::ended:
      break;
  }
  return end(settler_.cause(), settler_.reason());
}

/// From here on in the modes of the motion; those who want to know are told.
bool QuasistaticRun::start_stretch(const std::optional<QuasistaticCrossing>& at) {
  bool goes_on = !has_settled_ || teller_.tell_change(state_, at);
  if (goes_on) {
    has_settled_ = true;
    state_.v = motion_.v();
    step_.start(state_.t, state_.q);
    goes_on = teller_.tell_after(state_);
  }
  return goes_on || end(AdvanceEnd::stopped, fmt::format("stopped by its caller at t = {:.6g} s", state_.t));
}

// --- What is seen -----------------------------------------------------------------------------------------------

const Sample* QuasistaticRun::make_sample() {
  sample_ = is_inside_ ? sampler_.look_into(step_, {view_.t, view_.q, state_.v}) : sampler_.look(state_);
  return &sample_;
}

void QuasistaticRun::look_inside(double t) {
  const QuasistaticMotion::Memory memory = motion_.remember();
  is_inside_ = true;
  const StepPoint& point = step_.interpolate((t - step_.t()) / step_.h());
  view_ = {t, point.q, point.v};
  motion_.recall(memory);
}

/// What would happen next with inertia.
Instant QuasistaticRun::solve_present(const InstantOptions& options) {
  InstantOptions now = options;
  now.time = time();
  AssemblyContext context(scenario_, state());
  context.motion().set_loads(schedule_.loads());
  return thenar::internal::solve_instant(context, state(), now);
}

// --- How it ends ------------------------------------------------------------------------------------------------

bool QuasistaticRun::end(AdvanceEnd why, const std::string& reason) {
  if (has_ended()) return false;
  ended_by_ = why;
  report_.status = RunStatus::failed;
  report_.reason = reason;
  return false;
}

template <class Archive>
void QuasistaticRun::archive(Archive& a) {
  ExternalLoads loads = schedule_.loads();
  a(loads);
  if constexpr (Archive::kReads) set_loads(loads);
  a(motion_, step_, report_, sampler_, settler_, events_, has_begun_, ended_by_, staged_loads_);
  char has_pending = pending_ ? 1 : 0, has_due = due_ ? 1 : 0;
  a(has_pending, has_due);
  if constexpr (Archive::kReads) {
    pending_.reset();
    due_.reset();
    if (has_pending != 0) pending_ = PendingStep();
    if (has_due != 0) due_.emplace();
  }
  if (pending_) a(pending_->theta, pending_->crossing);
  if (due_) a(due_->at);
  double horizon = schedule_.horizon();
  bool is_first = settler_.is_first();
  a(state_, view_, is_inside_, horizon, teller_, changes_, is_first, has_settled_);
  if constexpr (Archive::kReads) {
    schedule_.set_horizon(horizon);
    settler_.set_first(is_first);
    if (has_begun_) schedule_.find_next_switch(state_.t);
  }
}
THENAR_INSTANTIATE_ARCHIVE(QuasistaticRun);

}  // namespace thenar::internal
