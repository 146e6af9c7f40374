// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "thenar/simulate/contact_engine.h"
#include "thenar/simulate/contact_sampler.h"
#include "thenar/simulate/event_teller.h"
#include "thenar/simulate/event_watch.h"
#include "thenar/simulate/forces.h"
#include "thenar/simulate/instant.h"
#include "thenar/simulate/row_writer_internal.h"
#include "thenar/simulate/scenario_check_internal.h"
#include "thenar/simulate/slow_run_internal.h"
#include "thenar/simulate/state_check.h"
#include "thenar/simulate/stepper.h"
#include "thenar/simulate/storm_watch_internal.h"

namespace thenar {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStepsPerProgress = 256;
/// A step that ends off what holds by more than is tolerated was led astray, and is made again so much shorter, as long
/// as that helps.
constexpr double kShorter = 0.3;
/// Steps over a stretch that cannot be followed, one after the other, before the run gives up.
constexpr int kMostBridges = 60;

/// The loop from event to event, with what it needs at hand.
class Run {
 public:
  Run(const Scenario& scenario, const RunCallbacks& callbacks)
      : scenario_(scenario),
        callbacks_(callbacks),
        tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
        motion_(scenario),
        instant_(motion_, tolerances_),
        stepper_(motion_, scenario.run, tolerances_),
        watch_(motion_, tolerances_),
        teller_(scenario.model, motion_.rows(), callbacks.on_event),
        rows_(scenario, callbacks, motion_, stepper_, report_),
        storm_(tolerances_),
        state_(scenario.initial),
        responses_(motion_.rows().size(), StopResponse::elastic),
        strikes_in_a_row_(motion_.rows().size(), 0) {
    if (scenario.contacts) {
      contacts_.emplace(scenario, motion_, instant_, stepper_, tolerances_);
      sampler_.emplace(scenario, motion_, contacts_->watch(), tolerances_);
      rows_.set_sampler(*sampler_);
    }
    state_.t = 0;
    report_.first = report_.last = state_;
    report_.q_min = report_.q_max = state_.q;
  }

  RunReport execute() {
    const auto start = Clock::now();
    report_.energy.start = calc_energy(scenario_.model, state_);
    advance_to_end();
    report_.last = state_;
    report_.energy.end = calc_energy(scenario_.model, state_) + calc_layer_energy();
    report_.steps = stepper_.steps();
    report_.implicit_steps = stepper_.implicit_steps();
    report_.rejected_steps = stepper_.rejected();
    report_.evaluations = motion_.evaluations();
    report_.events = teller_.counts();
    if (!report_.verdicts.empty()) report_.verdicts.back().to = state_.t;
    report_.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
    return report_;
  }

 private:
  void advance_to_end() {
    report_.control_samples += actuation().take_samples(state_.t, state_.q.data(), state_.v.data());
    // The first row of a run with contacts tells what they do, which is known when they have settled.
    if (!contacts_ && !emit_row()) return;
    const bool is_settled = settle({});
    report_.energy.start += calc_layer_energy();
    if (contacts_ && rows_.last_time() < 0 && !emit_row()) return;
    if (!is_settled || !find_next_switch()) return;
    while (state_.t < scenario_.run.until) {
      if (!advance()) {
        // What was reached is worth a row, even if it is not where the run was to go.
        if (state_.t > rows_.last_time()) emit_row();
        return;
      }
    }
    if (callbacks_.on_progress) callbacks_.on_progress(state_.t);
  }

  // --- From event to event ----------------------------------------------------------------------------------------

  /// One step, or to the event in it. False when the run must end.
  bool advance() {
    const double t_limit = next_limit();
    if (t_limit > state_.t && !(stepper_.step(t_limit) ? take_step() : pass_failed_step())) return false;
    if (!pass_switch() || !pass_sample() || !pass_zeno() || !pass_check()) return false;
    if (!check(rows_.write_due(state_))) return false;
    return !is_interrupted();
  }

  /// The step that the stepper has made, or its part up to the first event in it.
  bool take_step() {
    std::optional<Crossing> crossing;
    double theta = 1, last_excess = std::numeric_limits<double>::infinity();
    has_step_ = true;
    if (contacts_) contacts_->note_end();
    for (;;) {
      at_contact_.reset();
      if (!look_for_crossing(crossing) || (contacts_ && !look_for_contacts(crossing))) {
        return !has_step_ && pass_failed_step();
      }
      theta = at_contact_ ? at_contact_->theta : crossing ? crossing->theta : 1;
      const double excess = contacts_ && stepper_.has_error_control() ? stepper_.calc_excess(theta) : 0;
      if (excess <= 1 || excess > 0.5 * last_excess) break;
      last_excess = excess;
      if (!retry_step(kShorter * theta * stepper_.h())) return pass_failed_step();
    }
    if (!check(rows_.write_inside(theta))) return false;
    if (contacts_ && (at_contact_ || crossing)) rows_.note_contacts(theta);
    const bool has_turned = at_contact_ && turns_only(*at_contact_);
    take(theta);
    if (!is_good(state_)) return refuse_state();
    if (has_turned) {
      stepper_.start(state_);
      return true;
    }
    if (at_contact_) return settle({});
    return !crossing || handle(*crossing);
  }

  /// Looking into a step asked for a shorter one, which does not succeed.
  bool refuse_step() {
    has_step_ = false;
    return false;
  }

  /// Contacts that jam let no step succeed, nor do those whose places are lost, which a bridge may pass.
  bool pass_failed_step() {
    const std::string why = explain_failure();
    if (!contacts_ || motion_.contacts().empty() || !stepper_.has_error_control()) return end(RunStatus::failed, why);
    stepper_.start(state_);
    const std::string jam = contacts_->explain_jam();
    if (jam.empty()) return bridge(why);
    if (contacts_->hand_over_jam(state_, jam)) return settle({});
    return end(RunStatus::failed, fmt::format("{} at t = {:.9g} s", jam, state_.t));
  }

  /// Where the next step must end at the latest.
  double next_limit() const {
    double limit = scenario_.run.until;
    if (switch_) limit = std::min(limit, switch_->at.before);
    limit = std::min(limit, motion_.actuation().next_sample());
    for (const PendingRest& rest : pending_) limit = std::min(limit, rest.t);
    for (const BounceEnd& bounce : bounce_ends_) limit = std::min(limit, bounce.t);
    if (contacts_) limit = std::min(limit, std::max(contacts_->next_check(), state_.t));
    if (!stepper_.has_error_control()) limit = std::min(limit, rows_.next_step_time(state_.t));
    return limit;
  }

  bool look_for_crossing(std::optional<Crossing>& crossing) {
    if (!watch_.has_work()) return true;
    for (;;) {
      const EventWatch::Finding finding = watch_.find(stepper_);
      crossing = finding.crossing;
      if (!finding.retry) return true;
      if (!retry_step(*finding.retry)) return false;
    }
  }

  bool retry_step(double h) {
    if (!stepper_.retry(h)) return refuse_step();
    if (contacts_) contacts_->note_end();
    return true;
  }

  /// The first thing that happens to contacts, if it comes before that of the joints.
  bool look_for_contacts(std::optional<Crossing>& crossing) {
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
  bool turns_only(const ContactCrossing& at) {
    return at.kind == ContactCrossingKind::stick && !contacts_->is_at_rest(at);
  }

  /// The step, up to theta, is done.
  void take(double theta) {
    const EnergyFlow<double> flow = stepper_.accept(theta);
    last_good_ = state_;
    state_ = stepper_.state();
    report_.energy.work += flow.work;
    report_.energy.dissipated += flow.dissipated;
    rows_.note_extremes(state_);
  }

  bool handle(const Crossing& crossing) {
    if (crossing.kind == CrossingKind::effort) return pass_limit(crossing.row, crossing.at_upper ? 1 : -1);
    Trigger trigger;
    if (crossing.kind == CrossingKind::slip) state_.v(row(crossing.row).dof()) = 0;
    if (crossing.kind == CrossingKind::reaction) {
      trigger = {.row = crossing.row,
                 .at_upper = crossing.at_upper,
                 .insists = storm_.stalled() > internal::StormWatch::kPatience};
    }
    return settle(trigger);
  }

  // --- One instant ------------------------------------------------------------------------------------------------

  /// Impacts, if there are any, and the mode of what follows. False when the run must end.
  bool settle(const Trigger& trigger) {
    // Efforts may jump here, with velocities that they depend on or by themselves.
    actuation().release_sides();
    const bool goes_on = settle_instant(trigger);
    actuation().keep_sides(state_.t, state_.q.data(), state_.v.data());
    return goes_on;
  }

  bool settle_instant(Trigger trigger) {
    const std::string storm = note_progress();
    if (!storm.empty()) return contacts_ ? bridge(storm) : end(RunStatus::failed, storm);
    if (contacts_) return settle_contacts(trigger);
    instant_.find_touching(state_.q, state_.v);
    const VectorX<double> v_before = state_.v;
    const Mode mode_before = motion_.mode();
    std::fill(responses_.begin(), responses_.end(),
              storm_.stalled() > internal::StormWatch::kPatience ? StopResponse::plastic : StopResponse::elastic);
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
  bool settle_contacts(Trigger trigger) {
    const State before = state_;
    const Mode mode_before = joint_mode_;
    if (!contacts_->settle(state_, at_contact_, trigger, storm_.stalled())) {
      const std::string fault = fmt::format("{} at t = {:.9g} s", contacts_->fault(), state_.t);
      take_back(before);  // What was done of it is in no book.
      return contacts_->is_stuck() && is_settled_ ? bridge(fault) : end(RunStatus::failed, fault);
    }
    return tell_settled(mode_before, before);
  }

  /// Bodies are where they were, but layers that have come or gone have.
  void take_back(const State& before) {
    const VectorX<double> inner = std::exchange(state_, before).inner;
    state_.inner = inner;
  }

  bool tell_settled(const Mode& mode_before, const State& before) {
    energy_lost_ = contacts_->energy_lost();
    energy_switched_ = 0;
    report_.energy.dissipated += energy_lost_;
    joint_mode_ = motion_.mode();
    if (contacts_->strikes().empty()) storm_.note_change();
    note_verdict();
    for (const ModelSwitch& change : contacts_->take_switches()) note_switch(change);
    return tell_contacts(mode_before, before);
  }

  /// Goes on behind what cannot be followed event by event; `why` is why not.
  bool bridge(const std::string& why) {
    const double t_start = state_.t;
    const std::string where = at_contact_ ? at_contact_->name : "";
    at_contact_.reset();
    double length = storm_.begin_bridge(t_start);
    for (int attempt = 0; attempt < kMostBridges && length > 0; ++attempt) {
      const double t_limit = std::min(next_limit(), rows_.next_time());
      if (!(t_limit > state_.t)) break;
      const double h = std::min(length, t_limit - state_.t);
      const bool reaches_limit = h == t_limit - state_.t;
      const auto step = contacts_->bridge(state_, h);
      length = step ? storm_.lengthen(length) : storm_.shorten(h);
      if (!step) continue;
      if (reaches_limit) state_.t = t_limit;
      report_.energy.work += step->work;
      report_.energy.dissipated += step->energy_lost;
      rows_.note_extremes(state_);
      const State before = state_;
      if (contacts_->settle(state_, {}, {}, 0)) {
        return storm_.end_bridge(state_.t, length) ? end_bridge(t_start, where, before) : end(RunStatus::failed, why);
      }
      take_back(before);
      if (!contacts_->is_stuck()) break;
    }
    return end(RunStatus::failed, why);
  }

  bool end_bridge(double t_start, const std::string& where, const State& before) {
    report_.bridged_s += state_.t - t_start;
    teller_.tell({state_.t, EventKind::zeno, where,
                  fmt::format("contacts change faster than can be followed: {:.3g} s are taken in one step, without "
                              "rebounds",
                              state_.t - t_start)});
    return tell_settled(joint_mode_, before);
  }

  void note_switch(const ModelSwitch& change) {
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

  void note_verdict() {
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
  bool tell_contacts(const Mode& mode_before, const State& before) {
    const std::vector<ContactStrike>& strikes = contacts_->strikes();
    if (!strikes.empty() && !check(rows_.write_before(before, energy_lost_, energy_switched_))) return false;
    for (const ContactStrike& strike : strikes) teller_.tell_strike(state_.t, strike);
    if (is_settled_) {
      for (const Event& event : contacts_->changes()) teller_.tell(event);
      tell_changes(mode_before, joint_mode_);
    }
    is_settled_ = true;
    rows_.begin_contacts();
    for (const BounceEnd& bounce : contacts_->bounce_ends()) bounce_ends_.push_back(bounce);
    return strikes.empty() || check(rows_.write_after(state_));
  }

  /// Newton's restitution can gain energy where one stop is struck while another that touches is already being left; an
  /// impact without restitution cannot. True if anything changed.
  bool take_as_plastic() {
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
  bool find_finished_bounces() {
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
  void note_zeno(int i, double rate, double fall) {
    const double e = row(i).restitution();
    const bool struck = std::any_of(strikes_.begin(), strikes_.end(), [&](const Strike& s) { return s.row == i; });
    if (!struck || e == 0) return;
    // With e = 1 they never end, but are too low to see.
    const double remaining = e < 1 ? 2 * rate / (fall * (1 - e)) : 0;
    pending_.push_back({state_.t + remaining, i, strikes_in_a_row_[static_cast<std::size_t>(i)] + 1});
  }

  /// A run that does not get past an instant first takes impacts as plastic, then does not go on by itself: the answer
  /// is why. Empty while all is well.
  std::string note_progress() {
    const bool goes_on = storm_.note_event(state_.t, motion_.contacts().size());
    return goes_on ? std::string() : storm_.describe(state_.t, name_last_event());
  }

  std::string name_last_event() const {
    if (at_switch_) return fmt::format(" (the last one: control, {})", switch_->changes.front().where);
    if (!at_contact_) return {};
    return fmt::format(" (the last one: {} of '{}')", to_string(at_contact_->kind), at_contact_->name);
  }

  // --- What is told -----------------------------------------------------------------------------------------------

  /// Rows before and after a jump, and the events of the instant.
  bool tell_instant(const Mode& before, const VectorX<double>& v_before) {
    if (!strikes_.empty()) {
      State old = state_;
      old.v = v_before;
      if (!check(rows_.write_before(old, energy_lost_))) return false;
    }
    for (const Strike& strike : strikes_) {
      if (!(strike.rate_before < 0)) continue;
      ++strikes_in_a_row_[static_cast<std::size_t>(strike.row)];
      teller_.tell_strike(state_.t, strike);
    }
    if (is_settled_) tell_changes(before, motion_.mode());
    is_settled_ = true;
    rows_.begin_contacts();
    return strikes_.empty() || check(rows_.write_after(state_));
  }

  void tell_changes(const Mode& before, const Mode& after) {
    for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
      const bool held = after.holds(i), was_held = before.holds(i);
      if (row(i).kind() == JointRowKind::stop && held != was_held) tell_stop_change(i, held);
      const int slip = after.slip[static_cast<std::size_t>(i)], old_slip = before.slip[static_cast<std::size_t>(i)];
      if (slip == old_slip) continue;
      if (slip == 0) teller_.tell_stick(state_.t, i, calc_reaction(i));
      if (slip != 0) teller_.tell_slip(state_.t, i, slip, stepper_.acceleration()[row(i).dof()]);
    }
  }

  void tell_stop_change(int i, bool held) {
    if (!held && !touches_redundantly(i)) {
      strikes_in_a_row_[static_cast<std::size_t>(i)] = 0;
      const double rate = row(i).multiply(state_.v.data());
      if (rate > 0) teller_.tell_throw(state_.t, i, rate);
      if (!(rate > 0)) teller_.tell_release(state_.t, i, calc_opening(i));
    }
    // While bouncing ends, rest is told when it has ended.
    const auto is_pending = [&](const PendingRest& rest) { return rest.row == i; };
    if (held && std::none_of(pending_.begin(), pending_.end(), is_pending)) {
      teller_.tell_rest(state_.t, i, calc_reaction(i));
    }
  }

  /// Effort of a row that holds at the state, N m or N; 0 of one that does not.
  double calc_reaction(int i) {
    const std::vector<int>& held = motion_.mode().held;
    const auto place = std::find(held.begin(), held.end(), i);
    if (place == held.end()) return 0;
    stepper_.evaluate_state();
    return motion_.reactions()(place - held.begin());
  }

  /// Acceleration with which a stop opens at the state.
  double calc_opening(int i) {
    row(i).update(state_.q.data(), state_.v.data());
    return row(i).multiply(stepper_.acceleration()) + row(i).bias();
  }

  /// A stop that the solver no longer counts as holding only because other rows hold the joint there anyway.
  bool touches_redundantly(int i) {
    JointRow& stop = row(i);
    if (!instant_.touches(i)) return false;
    return calc_opening(i) == 0 && stop.multiply(state_.v.data()) == 0;
  }

  // --- Profiles that jump, bounces that end -----------------------------------------------------------------------

  bool find_next_switch() {
    switch_ = find_profile_switch(scenario_, state_.t, scenario_.run.until);
    return true;
  }

  bool pass_switch() {
    if (!switch_ || state_.t < switch_->at.before || switch_->at.after > scenario_.run.until) return true;
    state_.t = switch_->at.after;
    motion_.set_latest_time(scenario_.run.until);
    if (!switch_->is_jump) {
      stepper_.start(state_);
      return find_next_switch();
    }
    for (const ProfileSwitch::Change& change : switch_->changes) teller_.tell_switch(state_.t, change);
    at_contact_.reset();
    at_switch_ = true;
    const bool is_settled = settle({});
    at_switch_ = false;
    return is_settled && find_next_switch();
  }

  /// Controllers with a rate look at the state; nobody is told.
  bool pass_sample() {
    if (state_.t < actuation().next_sample() || state_.t >= scenario_.run.until) return true;
    report_.control_samples += actuation().take_samples(state_.t, state_.q.data(), state_.v.data());
    return settle({});
  }

  /// An actuator reaches its limit or comes back from it. Efforts do not jump, so all modes stay.
  bool pass_limit(int dof, int bound) {
    if (const std::string storm = note_progress(); !storm.empty()) return end(RunStatus::failed, storm);
    const bool returns = actuation().side(dof) == bound;
    actuation().set_side(dof, returns ? 0 : bound);
    teller_.tell_limit(state_.t, dof, bound, returns);
    stepper_.start(state_);
    return true;
  }

  /// Contacts that have gone over to the compliant model may come back.
  bool pass_check() {
    if (!contacts_ || state_.t < contacts_->next_check() || !contacts_->try_back(state_)) return true;
    at_contact_.reset();
    return settle({});
  }

  bool pass_zeno() {
    for (std::size_t i = 0; i < pending_.size();) {
      const PendingRest rest = pending_[i];
      if (state_.t < rest.t) {
        ++i;
        continue;
      }
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
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

  bool is_interrupted() {
    if (callbacks_.on_progress && ++advances_ % kStepsPerProgress == 0) callbacks_.on_progress(state_.t);
    if (!callbacks_.interrupt || !callbacks_.interrupt->load(std::memory_order_relaxed)) return false;
    if (state_.t >= scenario_.run.until) return false;
    end(RunStatus::interrupted, fmt::format("interrupted at t = {:.6g} s", state_.t));
    return true;
  }

  /// The step before gave numbers that are no state: the run ends with the state before it.
  bool refuse_state() {
    const State bad = state_;
    state_ = last_good_;
    return end(RunStatus::failed,
               fmt::format("{} in step {} (t = {:.9g} s to {:.9g} s); the motion ran away, a shorter "
                           "'step' or a tighter 'tolerance' may help",
                           find_bad_entry(scenario_.model, bad), stepper_.steps(), last_good_.t, bad.t));
  }

  bool refuse_instant() {
    return end(RunStatus::failed, fmt::format("{} at t = {:.9g} s", instant_.fault(), state_.t));
  }

  /// Why no step from state_ succeeds: a force that is not finite, or motion that ran away.
  std::string explain_failure() {
    const double h = stepper_.h();
    const std::string where =
        fmt::format("in step {} (t = {:.9g} s to {:.9g} s)", stepper_.steps() + 1, state_.t, state_.t + h);
    for (const double t : {state_.t, state_.t + 0.5 * h, state_.t + h}) {
      const std::string bad = internal::find_bad_effort(scenario_, actuation(), t, state_);
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

  /// In compliant contacts at the state, J.
  double calc_layer_energy() {
    if (motion_.soft_contacts().empty() || !motion_.follow_soft_contacts(state_)) return 0;
    return motion_.calc_layer_energy();
  }

  /// A row at the state that the run has reached.
  bool emit_row() { return check(rows_.write(state_)); }
  /// Whether rows were written.
  bool check(bool is_written) { return is_written || end(RunStatus::failed, rows_.fault()); }

  /// Sets how the run ended, once; always false, for `return end(...)`.
  bool end(RunStatus status, const std::string& reason) {
    if (report_.status == RunStatus::done) {
      report_.status = status;
      report_.reason = reason;
    }
    return false;
  }

  Actuation& actuation() { return motion_.actuation(); }
  JointRow& row(int i) { return motion_.rows()[static_cast<std::size_t>(i)]; }

  /// A stop on which bouncing ends at a time in the near future.
  struct PendingRest {
    double t;
    int row;
    long long strikes;
  };

  const Scenario& scenario_;
  const RunCallbacks& callbacks_;
  Tolerances tolerances_;
  ConstrainedMotion motion_;
  InstantSolver instant_;
  Stepper stepper_;
  EventWatch watch_;
  EventTeller teller_;
  RunReport report_;
  internal::RowWriter rows_;
  internal::StormWatch storm_;
  std::optional<ContactEngine> contacts_;
  std::optional<ContactSampler> sampler_;
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
  std::vector<PendingRest> pending_;
  std::optional<ProfileSwitch> switch_;
  bool at_switch_ = false;   ///< what is settled is its instant
  bool is_settled_ = false;  ///< whether the first instant has passed
  bool has_step_ = false;    ///< whether the stepper has a step to take
};

}  // namespace

RunReport simulate(const Scenario& scenario, const RunCallbacks& callbacks) {
  internal::check_scenario(scenario);
  if (scenario.run.engine == EngineKind::quasistatic) return internal::simulate_slowly(scenario, callbacks);
  return Run(scenario, callbacks).execute();
}

}  // namespace thenar
