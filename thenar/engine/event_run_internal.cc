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
/// Steps over a stretch that cannot be followed, one after the other, before the run gives up.
constexpr int kMostBridges = 60;

}  // namespace

EventRun::EventRun(const Scenario& scenario, const State& start, const RunTaps& taps)
    : scenario_(scenario),
      taps_(taps),
      tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
      motion_(scenario, start.q),
      joints_(motion_, tolerances_),
      stepper_(motion_, scenario.run, tolerances_),
      watch_(motion_, tolerances_),
      settler_(scenario, motion_, joints_, stepper_, tolerances_),
      search_(scenario, stepper_, watch_, settler_),
      samples_(scenario, motion_, stepper_, report_),
      log_({scenario, motion_, joints_, stepper_, settler_}, samples_, report_, taps.on_event,
           [this](const Sample* sample) { return tap(sample); }),
      schedule_(scenario, motion_, start.t),
      storm_(tolerances_),
      state_(start) {
  if (scenario.contacts) {
    sampler_.emplace(scenario, motion_, settler_.watch(), tolerances_);
    samples_.set_sampler(*sampler_);
  }
  report_.first = report_.last = state_;
  report_.q_min = report_.q_max = state_.q;
  report_.energy.start = calc_energy(scenario_.model, state_);
}

bool EventRun::begin() {
  has_begun_ = true;
  if (staged_loads_) motion_.set_loads(*std::exchange(staged_loads_, std::nullopt));
  report_.control_samples += actuation().take_samples({state_.t, state_.q.data(), state_.v.data()});
  const bool is_settled = settle({});
  report_.energy.start += samples_.calc_layer_energy(state_);
  if (is_settled) schedule_.find_next_switch(state_.t);
  return is_settled;
}

const RunReport& EventRun::report() {
  report_.last = state_;
  report_.energy.end = calc_energy(scenario_.model, state_) + samples_.calc_layer_energy(state_);
  report_.steps = stepper_.steps();
  report_.implicit_steps = stepper_.implicit_steps();
  report_.rejected_steps = stepper_.rejected();
  report_.evaluations = motion_.evaluations();
  report_.events = log_.events().counts();
  if (!report_.verdicts.empty()) report_.verdicts.back().to = state_.t;
  return report_;
}

// --- From event to event ----------------------------------------------------------------------------------------

AdvanceEnd EventRun::advance(const AdvanceLimits& limits) {
  if (staged_loads_ && !(stepper_.has_error_control() ? cut_here() && apply_loads() : pending_ || apply_loads())) {
    return ended_by_;
  }
  const AdvanceMeter meter(limits, steps(), events());
  while (!has_ended() && time() < limits.t) {
    if (pending_ && limits.t < pending_->t_end) {
      is_inside_ = true;
      view_time_ = limits.t;
      return AdvanceEnd::reached;
    }
    if (!pending_ && is_interrupted()) return AdvanceEnd::interrupted;
    if (!go_on(limits.t)) return ended_by_;
    // A call may also end between making a step and taking it: each of them may use up a budget.
    const AdvanceEnd end = meter.check(steps(), events());
    if (end != AdvanceEnd::reached) return end;
  }
  return ended_by_;
}

/// Makes a step, or takes the one that was made.
bool EventRun::go_on(double t) {
  if (pending_) return commit();
  if (state_.t >= schedule_.horizon() && state_.t < t && !extend_horizon()) return false;
  return prepare();
}

/// Makes the next step and looks into it, or passes what is due at the state without one.
bool EventRun::prepare() {
  const double t_limit = next_limit();
  if (!(t_limit > state_.t)) return pass_all();
  if (stepper_.step(t_limit) && look_into_step()) return true;
  return pass_failed_step() && pass_all();
}

/// Finds what ends the step that the stepper has made. False where that asked for a shorter one, which does not
/// succeed.
bool EventRun::look_into_step() {
  const bool is_found = search_.find(storm_.stalled());
  at_contact_ = search_.take_contact();
  if (!is_found) return false;
  const double theta = search_.theta();
  const double t_end = theta == 1 ? stepper_.t_end() : stepper_.t() + theta * stepper_.h();
  pending_ = PendingStep{theta, t_end, search_.take_crossing()};
  return true;
}

/// Takes the pending step and passes the event at its end.
bool EventRun::commit() {
  const PendingStep step = std::move(*pending_);
  pending_.reset();
  is_inside_ = false;
  if (at_contact_ || step.crossing) samples_.note_contacts(step.theta);
  const bool has_turned = at_contact_ && turns_only(*at_contact_);
  take(step.theta);
  if (!is_good(state_)) return refuse_state();
  if (has_turned) {
    stepper_.start(state_);
  } else if (at_contact_ ? !settle({}) : step.crossing && !handle(*step.crossing)) {
    return false;
  }
  return pass_all();
}

/// Contacts that jam let no step succeed, nor do those whose places are lost, which a bridge may pass.
bool EventRun::pass_failed_step() {
  const AdvanceEnd cause = find_cause(state_.t);
  const std::string why = explain_failure();
  if (motion_.contacts().empty() || !stepper_.has_error_control()) return end(cause, why);
  const std::string jam = explain_jam();
  if (jam.empty()) return bridge(why, cause);
  if (settler_.hand_over().hand_over_jam(state_.t, jam)) return settle({});
  return end(AdvanceEnd::jam, fmt::format("{} at t = {:.9g} s", jam, state_.t));
}

/// The jam that lets no step succeed from the present state, if there is one. Where its force is infinite A is
/// singular, and the least of all forces may be 0: the state before it says what happens.
std::string EventRun::explain_jam() {
  stepper_.start(state_);
  std::string out = settler_.hand_over().explain_jam();
  // Layers that have come or gone since then make it a state of another motion.
  const bool is_same_motion = last_good_.q.size() > 0 && last_good_.inner.size() == state_.inner.size();
  if (!out.empty() || !is_same_motion) return out;
  stepper_.start(last_good_);
  out = settler_.hand_over().explain_jam();
  stepper_.start(state_);
  return out;
}

/// Where the next step must end at the latest.
double EventRun::next_limit() {
  const double check = std::max(settler_.hand_over().next_check(), state_.t);
  return std::min({schedule_.find_limit(state_.t, !stepper_.has_error_control()), log_.next_bounce_end(), check});
}

/// A slip that is at right angles to where it began is no slip that ends.
bool EventRun::turns_only(const ContactCrossing& at) {
  return at.kind == ContactCrossingKind::stick && !settler_.is_at_rest(at);
}

/// The step, up to theta, is done.
void EventRun::take(double theta) {
  const EnergyFlow<double> flow = stepper_.accept(theta);
  last_good_ = state_;
  state_ = stepper_.state();
  report_.energy.work += flow.work;
  report_.energy.dissipated += flow.dissipated;
  samples_.note_extremes(state_);
}

bool EventRun::handle(const Crossing& crossing) {
  if (crossing.kind == CrossingKind::effort) return pass_limit(crossing.row, crossing.at_upper ? 1 : -1);
  Trigger trigger;
  if (crossing.kind == CrossingKind::slip) {
    state_.v(motion_.rows()[static_cast<std::size_t>(crossing.row)].dof()) = 0;
  }
  if (crossing.kind == CrossingKind::reaction) {
    trigger = {.row = crossing.row, .at_upper = crossing.at_upper, .insists = storm_.stalled() > StormWatch::kPatience};
  }
  return settle(trigger);
}

// --- One instant ------------------------------------------------------------------------------------------------

/// Impacts, if there are any, and the mode of what follows. False when the run must end.
bool EventRun::settle(const Trigger& trigger) {
  // Efforts may jump here, with velocities that they depend on or by themselves.
  actuation().release_sides();
  const bool goes_on = settle_instant(trigger);
  actuation().keep_sides(state_.t, state_.q.data(), state_.v.data());
  return goes_on;
}

bool EventRun::settle_instant(const Trigger& trigger) {
  const std::string storm = note_progress();
  if (!storm.empty()) return bridge(storm, AdvanceEnd::failed);
  const State before = state_;
  if (settler_.settle(state_, at_contact_, trigger, storm_.stalled())) return note_settled(before);
  const std::string fault = fmt::format("{} at t = {:.9g} s", settler_.fault(), state_.t);
  take_back(before);  // The energy balance has nothing of what was done.
  const AdvanceEnd cause = settler_.fault_cause();
  return settler_.is_stuck() && log_.has_begun() ? bridge(fault, cause) : end(cause, fault);
}

/// Bodies are where they were, but layers that have come or gone have.
void EventRun::take_back(const State& before) {
  const VectorX<double> inner = std::exchange(state_, before).inner;
  state_.inner = inner;
}

bool EventRun::note_settled(const State& before) {
  if (settler_.strikes().empty()) storm_.note_change();
  return log_.note_settled(before, state_);
}

/// Goes on behind what cannot be followed event by event; `why` is why not.
bool EventRun::bridge(const std::string& why, AdvanceEnd cause) {
  const double t_start = state_.t;
  const EventPlace where{.name = at_contact_ ? at_contact_->name : ""};
  at_contact_.reset();
  double length = storm_.begin_bridge(t_start);
  for (int attempt = 0; attempt < kMostBridges && length > 0; ++attempt) {
    const double t_limit = std::min(next_limit(), schedule_.next_row(state_.t));
    if (!(t_limit > state_.t)) break;
    const double h = std::min(length, t_limit - state_.t);
    const bool reaches_limit = h == t_limit - state_.t;
    const auto step = settler_.bridge(state_, h);
    length = step ? storm_.lengthen(length) : storm_.shorten(h);
    if (!step) continue;
    if (reaches_limit) state_.t = t_limit;
    report_.energy.work += step->work;
    report_.energy.dissipated += step->energy_lost;
    samples_.note_extremes(state_);
    const State before = state_;
    if (settler_.settle(state_, {}, {}, 0)) {
      return storm_.end_bridge(state_.t, length) ? end_bridge(t_start, where, before) : end(cause, why);
    }
    take_back(before);
    if (!settler_.is_stuck()) break;
  }
  return end(cause, why);
}

bool EventRun::end_bridge(double t_start, const EventPlace& where, const State& before) {
  report_.bridged_s += state_.t - t_start;
  log_.events().write({.t = state_.t,
                       .kind = EventKind::zeno,
                       .place = where,
                       .cause = EventCause::crowded,
                       .numbers = {{"duration", state_.t - t_start, "s"}}});
  return note_settled(before);
}

/// A run that does not get past an instant first takes impacts as plastic, then does not go on by itself: the answer
/// is why. Empty while all is well.
std::string EventRun::note_progress() {
  const bool goes_on = storm_.note_event(state_.t, motion_.contacts().size());
  return goes_on ? std::string() : storm_.describe(state_.t, name_last_event());
}

std::string EventRun::name_last_event() const {
  if (at_switch_) return fmt::format(" (the last one: control, {})", schedule_.next_switch()->changes.front().where);
  if (!at_contact_) return {};
  return fmt::format(" (the last one: {} of '{}')", to_string(at_contact_->kind), at_contact_->name);
}

// --- What is due at a time ----------------------------------------------------------------------------------------

/// Passes what is due at the state: loads that change or end, jumps of profiles, samples of controllers, ends of
/// bouncing and checks of models.
bool EventRun::pass_all() {
  return pass_loads() && pass_switch() && pass_sample() && pass_bounce_ends() && pass_check();
}

/// Jumps and samples that are due right at the old horizon were left for the next window: they are passed now.
bool EventRun::extend_horizon() {
  schedule_.extend_horizon();
  if (!schedule_.next_switch()) schedule_.find_next_switch(state_.t);
  return pass_all();
}

void EventRun::change_loads(const ExternalLoads& loads) {
  staged_loads_ = loads;
  if (!has_ended()) return;
  ended_by_ = AdvanceEnd::reached;
  report_.status = RunStatus::done;
  report_.reason.clear();
}

/// The present state becomes the end of a step that is taken; what was made of it besides is given up.
bool EventRun::cut_here() {
  if (std::exchange(is_inside_, false)) {
    const double theta = (view_time_ - stepper_.t()) / stepper_.h();
    samples_.note_contacts(theta);
    take(theta);
    state_.t = view_time_;
  }
  pending_.reset();
  return is_good(state_) || refuse_state();
}

void EventRun::take_present() {
  if (stepper_.has_error_control()) cut_here();
}

/// What has been set from outside acts from here on. Forces may jump.
bool EventRun::apply_loads() {
  motion_.set_loads(*std::exchange(staged_loads_, std::nullopt));
  schedule_.find_next_switch(state_.t);
  at_contact_.reset();
  return settle({});
}

/// Wrenches end, and with fixed steps loads change here.
bool EventRun::pass_loads() {
  const auto is_over = [this](const AppliedWrench& wrench) { return state_.t >= wrench.until; };
  const std::vector<AppliedWrench>& wrenches = actuation().loads().wrenches;
  if (staged_loads_) return apply_loads();
  if (std::none_of(wrenches.begin(), wrenches.end(), is_over)) return true;
  staged_loads_ = actuation().loads();
  std::erase_if(staged_loads_->wrenches, is_over);
  return apply_loads();
}

bool EventRun::pass_switch() {
  if (!schedule_.is_switch_due(state_.t)) return true;
  const ProfileSwitch& now = *schedule_.next_switch();
  state_.t = now.at.after;
  motion_.set_latest_time(schedule_.horizon());
  if (!now.is_jump) {
    stepper_.start(state_);
    schedule_.find_next_switch(state_.t);
    return true;
  }
  for (const ProfileSwitch::Change& change : now.changes) log_.events().write_switch(state_.t, change);
  at_contact_.reset();
  at_switch_ = true;
  const bool is_settled = settle({});
  at_switch_ = false;
  if (is_settled) schedule_.find_next_switch(state_.t);
  return is_settled;
}

/// Controllers with a rate look at the state; nobody is told.
bool EventRun::pass_sample() {
  if (!schedule_.is_sample_due(state_.t)) return true;
  ControlInput now{state_.t, state_.q.data(), state_.v.data()};
  if (scenario_.contacts && actuation().needs_contacts(state_.t)) {
    const Sample* const sample = samples_.make(state_);
    if (sample == nullptr) return end(AdvanceEnd::not_finite, samples_.fault());
    now.contacts = sample->contacts;
  }
  report_.control_samples += actuation().take_samples(now);
  return settle({});
}

/// An actuator reaches its limit or comes back from it. Efforts do not jump, so all modes stay.
bool EventRun::pass_limit(int dof, int bound) {
  if (const std::string storm = note_progress(); !storm.empty()) return end(AdvanceEnd::failed, storm);
  const bool returns = actuation().side(dof) == bound;
  actuation().set_side(dof, returns ? 0 : bound);
  log_.events().write_limit(state_.t, dof, bound, returns);
  stepper_.start(state_);
  return true;
}

/// Contacts that have gone over to the compliant model may come back.
bool EventRun::pass_check() {
  if (state_.t < settler_.hand_over().next_check() || !settler_.try_back(state_)) return true;
  at_contact_.reset();
  return settle({});
}

bool EventRun::pass_bounce_ends() {
  log_.pass_bounce_ends(state_.t);
  return true;
}

// --- How a run ends ---------------------------------------------------------------------------------------------

bool EventRun::is_interrupted() {
  if (taps_.on_progress && ++advances_ % kStepsPerProgress == 0) taps_.on_progress(state_.t);
  return taps_.interrupt != nullptr && taps_.interrupt->load(std::memory_order_relaxed);
}

/// The step before gave numbers that are no state: the run ends with the state before it.
bool EventRun::refuse_state() {
  const State bad = state_;
  state_ = last_good_;
  return end(AdvanceEnd::not_finite,
             fmt::format("{} in step {} (t = {:.9g} s to {:.9g} s); the motion ran away, a shorter "
                         "'step' or a tighter 'tolerance' may help",
                         find_bad_entry(scenario_.model, bad), stepper_.steps(), last_good_.t, bad.t));
}

/// What kind of failure that is.
AdvanceEnd EventRun::find_cause(double t) {
  return find_bad_effort(scenario_, actuation(), t, state_).empty() ? AdvanceEnd::failed : AdvanceEnd::not_finite;
}

/// Why no step from state_ succeeds: a force that is not finite, or motion that ran away.
std::string EventRun::explain_failure() {
  const double h = stepper_.h();
  const std::string where =
      fmt::format("in step {} (t = {:.9g} s to {:.9g} s)", stepper_.steps() + 1, state_.t, state_.t + h);
  for (const double t : {state_.t, state_.t + 0.5 * h, state_.t + h}) {
    const std::string bad = find_bad_effort(scenario_, actuation(), t, state_);
    if (!bad.empty()) return bad + " " + where;
  }
  Eigen::Index fastest = 0;
  state_.v.cwiseAbs().maxCoeff(&fastest);
  const Model& model = scenario_.model;
  return fmt::format(
      "no step succeeds {}; the fastest part is {} with a velocity of {:.6g}. The motion ran away, "
      "became singular or is too stiff for this method: 'integrator: auto', a shorter 'step' or a "
      "tighter 'tolerance' may help",
      where, owner_name(model, model.joint(model.dof_joint(static_cast<int>(fastest)))), state_.v(fastest));
}

/// Contacts keep the axes that they have, and actuators what they have sampled.
Instant EventRun::solve_present(const InstantOptions& options) {
  const State& present = state();
  InstantOptions now = options;
  now.time = time();
  AssemblyContext context(scenario_, present);
  context.motion().actuation().take_over(actuation());
  context.motion().set_loads(actuation().loads());
  settler_.prepare_question(present, context);
  return internal::solve_instant(context, present, now);
}

bool EventRun::tap(const Sample* sample) {
  if (sample == nullptr) return end(AdvanceEnd::not_finite, samples_.fault());
  if (!taps_.on_jump || taps_.on_jump(*sample)) return true;
  return end(AdvanceEnd::stopped, fmt::format("stopped by its caller at t = {:.6g} s", state_.t));
}

const Sample* EventRun::make_sample() {
  const Sample* const sample = is_inside_ ? samples_.make_inside(view_time_) : samples_.make(state_);
  if (sample == nullptr) end(AdvanceEnd::not_finite, samples_.fault());
  return sample;
}

const State& EventRun::state() {
  if (!is_inside_) return state_;
  view_ = samples_.look_inside(view_time_);
  return view_;
}

bool EventRun::end(AdvanceEnd why, const std::string& reason) {
  if (has_ended()) return false;
  ended_by_ = why;
  report_.status = RunStatus::failed;
  report_.reason = reason;
  return false;
}

/// Between two instants. Switches of profiles are found again.
template <class Archive>
void EventRun::archive(Archive& a) {
  a(motion_, joints_, stepper_, log_, report_, schedule_, samples_, storm_, settler_);
  if (sampler_) a(*sampler_);
  char has_pending = pending_ ? 1 : 0;
  a(has_pending);
  if constexpr (Archive::kReads) {
    pending_.reset();
    if (has_pending != 0) pending_ = PendingStep();
  }
  if (pending_) a(pending_->theta, pending_->t_end, pending_->crossing);
  a(has_begun_, ended_by_, staged_loads_, is_inside_, view_time_, at_contact_, state_, last_good_, advances_);
  if constexpr (Archive::kReads) {
    if (has_begun_) schedule_.find_next_switch(state_.t);
  }
}
THENAR_INSTANTIATE_ARCHIVE(EventRun);

}  // namespace thenar::internal
