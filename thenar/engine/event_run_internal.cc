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
/// A step that ends off what holds by more than is tolerated was led astray, and is made again so much shorter, as long
/// as that helps.
constexpr double kShorter = 0.3;
/// Steps over a stretch that cannot be followed, one after the other, before the run gives up.
constexpr int kMostBridges = 60;

}  // namespace

EventRun::EventRun(const Scenario& scenario, const State& start, const RunTaps& taps)
    : scenario_(scenario),
      taps_(taps),
      tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
      motion_(scenario, start.q),
      instant_(motion_, tolerances_),
      stepper_(motion_, scenario.run, tolerances_),
      watch_(motion_, tolerances_),
      teller_(scenario.model, motion_.rows(), taps.on_event),
      grid_(scenario.run),
      samples_(scenario, motion_, stepper_, report_),
      storm_(tolerances_),
      horizon_(start.t + scenario.run.until),
      state_(start),
      responses_(motion_.rows().size(), StopResponse::elastic),
      strikes_in_a_row_(motion_.rows().size(), 0) {
  if (scenario.contacts) {
    contacts_.emplace(scenario, motion_, instant_, stepper_, tolerances_);
    sampler_.emplace(scenario, motion_, contacts_->watch(), tolerances_);
    samples_.set_sampler(*sampler_);
  }
  grid_next_ = grid_.first_after(state_.t);
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
  if (is_settled) find_next_switch();
  return is_settled;
}

const RunReport& EventRun::report() {
  report_.last = state_;
  report_.energy.end = calc_energy(scenario_.model, state_) + samples_.calc_layer_energy(state_);
  report_.steps = stepper_.steps();
  report_.implicit_steps = stepper_.implicit_steps();
  report_.rejected_steps = stepper_.rejected();
  report_.evaluations = motion_.evaluations();
  report_.events = teller_.counts();
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
    if (pending_) continue;
    const AdvanceEnd end = meter.check(steps(), events());
    if (end != AdvanceEnd::reached) return end;
  }
  return ended_by_;
}

/// Makes a step, or takes the one that was made.
bool EventRun::go_on(double t) {
  if (pending_) return commit();
  if (state_.t >= horizon_ && state_.t < t && !extend_horizon()) return false;
  return prepare();
}

/// Makes the next step and looks into it, or passes what is due at the state without one.
bool EventRun::prepare() {
  while (grid_.time(grid_next_) <= state_.t) ++grid_next_;
  const double t_limit = next_limit();
  if (!(t_limit > state_.t)) return pass_all();
  if (stepper_.step(t_limit) && look_into_step()) return true;
  return pass_failed_step() && pass_all();
}

/// Finds what ends the step that the stepper has made. False where that asked for a shorter one, which does not
/// succeed.
bool EventRun::look_into_step() {
  std::optional<Crossing> crossing;
  double theta = 1, last_excess = std::numeric_limits<double>::infinity();
  if (contacts_) contacts_->note_end();
  for (;;) {
    at_contact_.reset();
    if (!look_for_crossing(crossing) || (contacts_ && !look_for_contacts(crossing))) return false;
    theta = at_contact_ ? at_contact_->theta : crossing ? crossing->theta : 1;
    const double excess = contacts_ && stepper_.has_error_control() ? stepper_.calc_excess(theta) : 0;
    if (excess <= 1 || excess > 0.5 * last_excess) break;
    last_excess = excess;
    if (!retry_step(kShorter * theta * stepper_.h())) return false;
  }
  const double t_end = theta == 1 ? stepper_.t_end() : stepper_.t() + theta * stepper_.h();
  pending_ = PendingStep{theta, t_end, std::move(crossing)};
  return true;
}

/// Takes the pending step and passes the event at its end.
bool EventRun::commit() {
  const PendingStep step = std::move(*pending_);
  pending_.reset();
  is_inside_ = false;
  if (contacts_ && (at_contact_ || step.crossing)) samples_.note_contacts(step.theta);
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

/// Passes what is due at the state: loads that change or end, jumps of profiles, samples of controllers, ends of bouncing
/// and checks of models.
bool EventRun::pass_all() {
  return pass_loads() && pass_switch() && pass_sample() && pass_zeno() && pass_check();
}

/// Jumps and samples that are due right at the old horizon were left for the next window: they are passed now.
bool EventRun::extend_horizon() {
  horizon_ += scenario_.run.until;
  if (!switch_) find_next_switch();
  return pass_all();
}

/// Contacts that jam let no step succeed, nor do those whose places are lost, which a bridge may pass.
bool EventRun::pass_failed_step() {
  const AdvanceEnd cause = find_cause(state_.t);
  const std::string why = explain_failure();
  if (!contacts_ || motion_.contacts().empty() || !stepper_.has_error_control()) return end(cause, why);
  stepper_.start(state_);
  const std::string jam = contacts_->hand_over().explain_jam();
  if (jam.empty()) return bridge(why, cause);
  if (contacts_->hand_over().hand_over_jam(state_.t, jam)) return settle({});
  return end(AdvanceEnd::jam, fmt::format("{} at t = {:.9g} s", jam, state_.t));
}

/// Where the next step must end at the latest.
double EventRun::next_limit() const {
  double limit = horizon_;
  if (switch_) limit = std::min(limit, switch_->at.before);
  limit = std::min(limit, motion_.actuation().next_sample());
  for (const AppliedWrench& wrench : motion_.actuation().loads().wrenches) limit = std::min(limit, wrench.until);
  for (const PendingRest& rest : pending_rests_) limit = std::min(limit, rest.t);
  for (const BounceEnd& bounce : bounce_ends_) limit = std::min(limit, bounce.t);
  if (contacts_) limit = std::min(limit, std::max(contacts_->hand_over().next_check(), state_.t));
  if (!stepper_.has_error_control()) limit = std::min(limit, grid_.next_step_time(state_.t, grid_next_));
  return limit;
}

bool EventRun::look_for_crossing(std::optional<Crossing>& crossing) {
  if (!watch_.has_work()) return true;
  for (;;) {
    const EventWatch::Finding finding = watch_.find(stepper_);
    crossing = finding.crossing;
    if (!finding.retry) return true;
    if (!retry_step(*finding.retry)) return false;
  }
}

bool EventRun::retry_step(double h) {
  if (!stepper_.retry(h)) return false;
  if (contacts_) contacts_->note_end();
  return true;
}

/// The first thing that happens to contacts, if it comes before that of the joints.
bool EventRun::look_for_contacts(std::optional<Crossing>& crossing) {
  for (;;) {
    ContactWatch::Finding finding = contacts_->find_crossing(stepper_, storm_.stalled());
    at_contact_ = std::move(finding.crossing);
    if (!finding.retry) break;
    if (!retry_step(*finding.retry) || !look_for_crossing(crossing)) return false;
  }
  if (!at_contact_ || !crossing) return true;
  if (crossing->theta <= at_contact_->theta) {
    at_contact_.reset();
  } else {
    crossing.reset();
  }
  return true;
}

/// A slip that is at right angles to where it began is no slip that ends.
bool EventRun::turns_only(const ContactCrossing& at) {
  return at.kind == ContactCrossingKind::stick && !contacts_->is_at_rest(at);
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
  if (crossing.kind == CrossingKind::slip) state_.v(row(crossing.row).dof()) = 0;
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

bool EventRun::settle_instant(Trigger trigger) {
  const std::string storm = note_progress();
  if (!storm.empty()) return contacts_ ? bridge(storm, AdvanceEnd::failed) : end(AdvanceEnd::failed, storm);
  if (contacts_) return settle_contacts(trigger);
  instant_.find_touching(state_.q, state_.v);
  const VectorX<double> v_before = state_.v;
  const Mode mode_before = motion_.mode();
  std::fill(responses_.begin(), responses_.end(),
            storm_.stalled() > StormWatch::kPatience ? StopResponse::plastic : StopResponse::elastic);
  // Every pass may find bounces that are over, whose joints are captured in the next.
  for (std::size_t pass = 0; pass <= responses_.size() + 1; ++pass) {
    state_.v = v_before;
    strikes_ = instant_.resolve_impact(state_.q, state_.v, responses_);
    if (!instant_.fault().empty()) return refuse_instant();
    if (instant_.energy_lost() < 0 && take_as_plastic()) continue;
    instant_.resolve_mode(state_.t, state_.q, state_.v, trigger);
    if (!instant_.fault().empty()) return refuse_instant();
    stepper_.start(state_);
    if (!find_finished_bounces()) break;
  }
  energy_lost_ = strikes_.empty() ? 0 : instant_.energy_lost();
  report_.energy.dissipated += energy_lost_;
  return tell_instant(mode_before, v_before);
}

/// The same with contacts, over which the instant decides together with the joints.
bool EventRun::settle_contacts(Trigger trigger) {
  const State before = state_;
  const Mode mode_before = joint_mode_;
  if (!contacts_->settle(state_, at_contact_, trigger, storm_.stalled())) {
    const std::string fault = fmt::format("{} at t = {:.9g} s", contacts_->fault(), state_.t);
    take_back(before);  // What was done of it is in no book.
    const AdvanceEnd cause = contacts_->fault_cause();
    return contacts_->is_stuck() && is_settled_ ? bridge(fault, cause) : end(cause, fault);
  }
  return tell_settled(mode_before, before);
}

/// Bodies are where they were, but layers that have come or gone have.
void EventRun::take_back(const State& before) {
  const VectorX<double> inner = std::exchange(state_, before).inner;
  state_.inner = inner;
}

bool EventRun::tell_settled(const Mode& mode_before, const State& before) {
  energy_lost_ = contacts_->energy_lost();
  energy_switched_ = 0;
  report_.energy.dissipated += energy_lost_;
  joint_mode_ = motion_.mode();
  if (contacts_->strikes().empty()) storm_.note_change();
  note_verdict();
  for (const ModelSwitch& change : contacts_->hand_over().take_switches()) note_switch(change);
  return tell_contacts(mode_before, before);
}

/// Goes on behind what cannot be followed event by event; `why` is why not.
bool EventRun::bridge(const std::string& why, AdvanceEnd cause) {
  const double t_start = state_.t;
  const std::string where = at_contact_ ? at_contact_->name : "";
  at_contact_.reset();
  double length = storm_.begin_bridge(t_start);
  for (int attempt = 0; attempt < kMostBridges && length > 0; ++attempt) {
    const double t_limit = std::min(next_limit(), grid_.time(grid_next_));
    if (!(t_limit > state_.t)) break;
    const double h = std::min(length, t_limit - state_.t);
    const bool reaches_limit = h == t_limit - state_.t;
    const auto step = contacts_->bridge(state_, h);
    length = step ? storm_.lengthen(length) : storm_.shorten(h);
    if (!step) continue;
    if (reaches_limit) state_.t = t_limit;
    report_.energy.work += step->work;
    report_.energy.dissipated += step->energy_lost;
    samples_.note_extremes(state_);
    const State before = state_;
    if (contacts_->settle(state_, {}, {}, 0)) {
      return storm_.end_bridge(state_.t, length) ? end_bridge(t_start, where, before) : end(cause, why);
    }
    take_back(before);
    if (!contacts_->is_stuck()) break;
  }
  return end(cause, why);
}

bool EventRun::end_bridge(double t_start, const std::string& where, const State& before) {
  report_.bridged_s += state_.t - t_start;
  teller_.tell({state_.t, EventKind::zeno, where,
                fmt::format("contacts change faster than can be followed: {:.3g} s are taken in one step, without "
                            "rebounds",
                            state_.t - t_start)});
  return tell_settled(joint_mode_, before);
}

void EventRun::note_switch(const ModelSwitch& change) {
  report_.switches.push_back(change);
  report_.energy.switched += change.energy;
  energy_switched_ += change.energy;
  std::string where;
  for (const std::string& name : change.contacts) where += (where.empty() ? "" : ", ") + name;
  teller_.tell({state_.t, EventKind::model, where,
                fmt::format("{}: {}; puts in {:.3g} J",
                            change.to_compliant ? "from rigid to compliant" : "from compliant to rigid", change.why,
                            change.energy)});
}

void EventRun::note_verdict() {
  std::vector<VerdictInterval>& verdicts = report_.verdicts;
  const Verdict verdict = contacts_->verdict();
  const bool determinate = contacts_->is_determinate();
  if (!verdicts.empty()) {
    verdicts.back().to = state_.t;
    if (verdicts.back().verdict == verdict && verdicts.back().determinate == determinate) return;
    if (verdicts.back().from == state_.t) verdicts.pop_back();
  }
  verdicts.push_back({state_.t, state_.t, verdict, determinate});
}

/// Rows before and after a jump, and what contacts and joints do from here on.
bool EventRun::tell_contacts(const Mode& mode_before, const State& before) {
  const std::vector<ContactStrike>& strikes = contacts_->strikes();
  if (!strikes.empty() && !tap(samples_.make_before(before, energy_lost_, energy_switched_))) return false;
  for (const ContactStrike& strike : strikes) teller_.tell_strike(state_.t, strike);
  if (is_settled_) {
    for (const Event& event : contacts_->changes()) teller_.tell(event);
    tell_changes(mode_before, joint_mode_);
  }
  is_settled_ = true;
  samples_.begin_contacts();
  for (const BounceEnd& bounce : contacts_->bounce_ends()) bounce_ends_.push_back(bounce);
  return strikes.empty() || tap(samples_.make(state_));
}

/// Newton's restitution can gain energy where one stop is struck while another that touches is already being left; an
/// impact without restitution cannot. True if anything changed.
bool EventRun::take_as_plastic() {
  bool any = false;
  for (StopResponse& response : responses_) {
    any = any || response == StopResponse::elastic;
    if (response == StopResponse::elastic) response = StopResponse::plastic;
  }
  return any;
}

/// Bounces too low to follow, on stops that were struck or whose joints another strike has lifted: their joints are
/// to be captured. Without this, two stops that press on the same links may strike each other off in turn for ever.
/// True if any is new.
bool EventRun::find_finished_bounces() {
  if (strikes_.empty()) return false;
  bool any = false;
  for (int i = 0; i < static_cast<int>(responses_.size()); ++i) {
    JointRow& stop = row(i);
    StopResponse& response = responses_[static_cast<std::size_t>(i)];
    if (!instant_.touches(i) || response == StopResponse::capture) continue;
    stop.update(state_.q.data(), state_.v.data());
    const double rate = stop.multiply(state_.v.data());
    const double fall = -(stop.multiply(stepper_.acceleration()) + stop.bias());
    if (!(rate > tolerances_.speed_rounding(stop.dof()) && fall > 0)) continue;
    const double smallest = tolerances_.smallest_bounce(stop.dof(), stop.calc_target(state_.q.data()));
    if (rate * rate / (2 * fall) > smallest) continue;
    if (response == StopResponse::elastic) note_zeno(i, rate, fall);
    response = StopResponse::capture;
    any = true;
  }
  return any;
}

/// The bounces that remain of stop i take 2 rate/fall (1 + e + e² + …).
void EventRun::note_zeno(int i, double rate, double fall) {
  const double e = row(i).restitution();
  const bool struck = std::any_of(strikes_.begin(), strikes_.end(), [&](const Strike& s) { return s.row == i; });
  if (!struck || e == 0) return;
  // With e = 1 they never end, but are too low to see.
  const double remaining = e < 1 ? 2 * rate / (fall * (1 - e)) : 0;
  pending_rests_.push_back({state_.t + remaining, i, strikes_in_a_row_[static_cast<std::size_t>(i)] + 1});
}

/// A run that does not get past an instant first takes impacts as plastic, then does not go on by itself: the answer
/// is why. Empty while all is well.
std::string EventRun::note_progress() {
  const bool goes_on = storm_.note_event(state_.t, motion_.contacts().size());
  return goes_on ? std::string() : storm_.describe(state_.t, name_last_event());
}

std::string EventRun::name_last_event() const {
  if (at_switch_) return fmt::format(" (the last one: control, {})", switch_->changes.front().where);
  if (!at_contact_) return {};
  return fmt::format(" (the last one: {} of '{}')", to_string(at_contact_->kind), at_contact_->name);
}

// --- What is told -----------------------------------------------------------------------------------------------

/// Rows before and after a jump, and the events of the instant.
bool EventRun::tell_instant(const Mode& before, const VectorX<double>& v_before) {
  if (!strikes_.empty()) {
    State old = state_;
    old.v = v_before;
    if (!tap(samples_.make_before(old, energy_lost_, 0))) return false;
  }
  for (const Strike& strike : strikes_) {
    if (!(strike.rate_before < 0)) continue;
    ++strikes_in_a_row_[static_cast<std::size_t>(strike.row)];
    teller_.tell_strike(state_.t, strike);
  }
  if (is_settled_) tell_changes(before, motion_.mode());
  is_settled_ = true;
  samples_.begin_contacts();
  return strikes_.empty() || tap(samples_.make(state_));
}

void EventRun::tell_changes(const Mode& before, const Mode& after) {
  for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
    const bool held = after.holds(i), was_held = before.holds(i);
    if (row(i).kind() == JointRowKind::stop && held != was_held) tell_stop_change(i, held);
    const int slip = after.slip[static_cast<std::size_t>(i)], old_slip = before.slip[static_cast<std::size_t>(i)];
    if (slip == old_slip) continue;
    if (slip == 0) teller_.tell_stick(state_.t, i, calc_reaction(i));
    if (slip != 0) teller_.tell_slip(state_.t, i, slip, stepper_.acceleration()[row(i).dof()]);
  }
}

void EventRun::tell_stop_change(int i, bool held) {
  if (!held && !touches_redundantly(i)) {
    strikes_in_a_row_[static_cast<std::size_t>(i)] = 0;
    const double rate = row(i).multiply(state_.v.data());
    if (rate > 0) teller_.tell_throw(state_.t, i, rate);
    if (!(rate > 0)) teller_.tell_release(state_.t, i, calc_opening(i));
  }
  // While bouncing ends, rest is told when it has ended.
  const auto is_pending = [&](const PendingRest& rest) { return rest.row == i; };
  if (held && std::none_of(pending_rests_.begin(), pending_rests_.end(), is_pending)) {
    teller_.tell_rest(state_.t, i, calc_reaction(i));
  }
}

/// Effort of a row that holds at the state, N m or N; 0 of one that does not.
double EventRun::calc_reaction(int i) {
  const std::vector<int>& held = motion_.mode().held;
  const auto place = std::find(held.begin(), held.end(), i);
  if (place == held.end()) return 0;
  stepper_.evaluate_state();
  return motion_.reactions()(place - held.begin());
}

/// Acceleration with which a stop opens at the state.
double EventRun::calc_opening(int i) {
  row(i).update(state_.q.data(), state_.v.data());
  return row(i).multiply(stepper_.acceleration()) + row(i).bias();
}

/// A stop that the solver no longer counts as holding only because other rows hold the joint there anyway.
bool EventRun::touches_redundantly(int i) {
  JointRow& stop = row(i);
  if (!instant_.touches(i)) return false;
  return calc_opening(i) == 0 && stop.multiply(state_.v.data()) == 0;
}

// --- Profiles that jump, bounces that end -----------------------------------------------------------------------

void EventRun::find_next_switch() { switch_ = find_profile_switch(scenario_, actuation(), state_.t, horizon_); }

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
    if (contacts_) samples_.note_contacts(theta);
    take(theta);
    state_.t = view_time_;
  }
  pending_.reset();
  return is_good(state_) || refuse_state();
}

/// What has been set from outside acts from here on. Forces may jump.
bool EventRun::apply_loads() {
  motion_.set_loads(*std::exchange(staged_loads_, std::nullopt));
  find_next_switch();
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
  if (!switch_ || state_.t < switch_->at.before || switch_->at.after > horizon_) return true;
  state_.t = switch_->at.after;
  motion_.set_latest_time(horizon_);
  if (!switch_->is_jump) {
    stepper_.start(state_);
    find_next_switch();
    return true;
  }
  for (const ProfileSwitch::Change& change : switch_->changes) teller_.tell_switch(state_.t, change);
  at_contact_.reset();
  at_switch_ = true;
  const bool is_settled = settle({});
  at_switch_ = false;
  if (is_settled) find_next_switch();
  return is_settled;
}

/// Controllers with a rate look at the state; nobody is told.
bool EventRun::pass_sample() {
  if (state_.t < actuation().next_sample() || state_.t >= horizon_) return true;
  ControlInput now{state_.t, state_.q.data(), state_.v.data()};
  if (contacts_ && actuation().needs_contacts(state_.t)) {
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
  teller_.tell_limit(state_.t, dof, bound, returns);
  stepper_.start(state_);
  return true;
}

/// Contacts that have gone over to the compliant model may come back.
bool EventRun::pass_check() {
  if (!contacts_ || state_.t < contacts_->hand_over().next_check() || !contacts_->try_back(state_)) return true;
  at_contact_.reset();
  return settle({});
}

bool EventRun::pass_zeno() {
  for (std::size_t i = 0; i < pending_rests_.size();) {
    const PendingRest rest = pending_rests_[i];
    if (state_.t < rest.t) {
      ++i;
      continue;
    }
    pending_rests_.erase(pending_rests_.begin() + static_cast<std::ptrdiff_t>(i));
    strikes_in_a_row_[static_cast<std::size_t>(rest.row)] = 0;
    teller_.tell_zeno(state_.t, rest.row, rest.strikes);
    if (motion_.mode().holds(rest.row)) teller_.tell_rest(state_.t, rest.row, calc_reaction(rest.row));
  }
  std::erase_if(bounce_ends_, [&](const BounceEnd& bounce) {
    if (state_.t < bounce.t) return false;
    teller_.tell_zeno(state_.t, bounce.where, bounce.strikes);
    return true;
  });
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

bool EventRun::refuse_instant() {
  return end(AdvanceEnd::failed, fmt::format("{} at t = {:.9g} s", instant_.fault(), state_.t));
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
  if (contacts_) contacts_->prepare_question(present, context);
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

/// Where nothing is being settled. Switches of profiles are found again.
template <class Archive>
void EventRun::archive(Archive& a) {
  a(motion_, instant_, stepper_, teller_, report_, grid_next_, samples_, storm_);
  if (contacts_) a(*contacts_, *sampler_);
  char has_pending = pending_ ? 1 : 0;
  a(has_pending);
  if constexpr (Archive::kReads) {
    pending_.reset();
    if (has_pending != 0) pending_.emplace();
  }
  if (pending_) a(pending_->theta, pending_->t_end, pending_->crossing);
  a(has_begun_, ended_by_, staged_loads_, is_inside_, view_time_, horizon_, at_contact_);
  bounce_ends_.resize(a.size(bounce_ends_.size(), sizeof(double)));
  for (BounceEnd& bounce : bounce_ends_) a(bounce.t, bounce.where, bounce.strikes);
  a(joint_mode_.held, joint_mode_.slip, state_, last_good_, advances_, energy_lost_, energy_switched_);
  a(strikes_in_a_row_);
  pending_rests_.resize(a.size(pending_rests_.size(), sizeof(double)));
  for (PendingRest& rest : pending_rests_) a(rest.t, rest.row, rest.strikes);
  a(is_settled_);
  if constexpr (Archive::kReads) {
    for (const PendingRest& rest : pending_rests_) {
      if (rest.row < 0 || static_cast<std::size_t>(rest.row) >= motion_.rows().size()) {
        throw StateError("it holds a stop that does not exist");
      }
    }
    if (strikes_in_a_row_.size() != motion_.rows().size()) throw StateError("it holds strikes of other joints");
    if (has_begun_) find_next_switch();
  }
}
THENAR_INSTANTIATE_ARCHIVE(EventRun);

}  // namespace thenar::internal
