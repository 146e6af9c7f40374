// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/instant_passage_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "thenar/scenario/state_check.h"

namespace thenar::internal {
namespace {

/// Steps over a stretch that cannot be followed, one after the other, before the run gives up.
constexpr int kMostBridges = 60;

}  // namespace

bool InstantPassage::settle(const Trigger& trigger) {
  // Efforts may jump here, with velocities that they depend on or by themselves.
  run_.actuation().release_sides();
  const bool goes_on = settle_instant(trigger);
  run_.actuation().keep_sides(run_.state.t, run_.state.q.data(), run_.state.v.data());
  return goes_on;
}

bool InstantPassage::settle_instant(const Trigger& trigger) {
  const std::string storm = note_progress();
  if (!storm.empty()) return bridge(storm, AdvanceEnd::failed);
  const State before = run_.state;
  if (run_.settler.settle(run_.state, run_.at_contact, trigger, run_.storm.stalled())) return note_settled(before);
  const std::string fault = fmt::format("{} at t = {:.9g} s", run_.settler.fault(), run_.state.t);
  take_back(before);  // The energy balance has nothing of what was done.
  const AdvanceEnd cause = run_.settler.fault_cause();
  return run_.settler.is_stuck() && run_.log.has_begun() ? bridge(fault, cause) : run_.end(cause, fault);
}

/// Bodies are where they were, but layers that have come or gone have.
void InstantPassage::take_back(const State& before) {
  const VectorX<double> inner = std::exchange(run_.state, before).inner;
  run_.state.inner = inner;
}

bool InstantPassage::note_settled(const State& before) {
  if (run_.settler.strikes().empty()) run_.storm.note_change();
  return run_.log.note_settled(before, run_.state);
}

/// Goes on behind what cannot be followed event by event; `why` is why not.
bool InstantPassage::bridge(const std::string& why, AdvanceEnd cause) {
  const double t_start = run_.state.t;
  const EventPlace where{.name = run_.at_contact ? run_.at_contact->name : ""};
  run_.at_contact.reset();
  double length = run_.storm.begin_bridge(t_start);
  for (int attempt = 0; attempt < kMostBridges && length > 0; ++attempt) {
    const double t_limit = std::min(run_.next_limit(), run_.schedule.next_row(run_.state.t));
    if (!(t_limit > run_.state.t)) break;
    const double h = std::min(length, t_limit - run_.state.t);
    const bool reaches_limit = h == t_limit - run_.state.t;
    const auto step = run_.settler.bridge(run_.state, h);
    length = step ? run_.storm.lengthen(length) : run_.storm.shorten(h);
    if (!step) continue;
    if (reaches_limit) run_.state.t = t_limit;
    run_.report.energy.work += step->work;
    run_.report.energy.dissipated += step->energy_lost;
    run_.samples.note_extremes(run_.state);
    const State before = run_.state;
    if (run_.settler.settle(run_.state, {}, {}, 0)) {
      return run_.storm.end_bridge(run_.state.t, length) ? end_bridge(t_start, where, before) : run_.end(cause, why);
    }
    take_back(before);
    if (!run_.settler.is_stuck()) break;
  }
  return run_.end(cause, why);
}

bool InstantPassage::end_bridge(double t_start, const EventPlace& where, const State& before) {
  run_.report.bridged_s += run_.state.t - t_start;
  run_.log.events().write({.t = run_.state.t,
                           .kind = EventKind::zeno,
                           .place = where,
                           .cause = EventCause::crowded,
                           .numbers = {{"duration", run_.state.t - t_start, "s"}}});
  return note_settled(before);
}

std::string InstantPassage::note_progress() {
  const bool goes_on = run_.storm.note_event(run_.state.t, run_.motion.contacts().size());
  return goes_on ? std::string() : run_.storm.describe(run_.state.t, name_last_event());
}

std::string InstantPassage::name_last_event() const {
  if (run_.at_switch)
    return fmt::format(" (the last one: control, {})", run_.schedule.next_switch()->changes.front().where);
  if (!run_.at_contact) return {};
  return fmt::format(" (the last one: {} of '{}')", to_string(run_.at_contact->kind), run_.at_contact->name);
}

bool InstantPassage::pass_failed_step() {
  const AdvanceEnd cause = find_cause(run_.state.t);
  const std::string why = explain_failure();
  if (run_.motion.contacts().empty() || !run_.stepper.has_error_control()) return run_.end(cause, why);
  const std::string jam = explain_jam();
  if (jam.empty()) return bridge(why, cause);
  if (run_.settler.hand_over().hand_over_jam(run_.state.t, jam)) return settle({});
  return run_.end(AdvanceEnd::jam, fmt::format("{} at t = {:.9g} s", jam, run_.state.t));
}

/// The jam that lets no step succeed from the present state, if there is one. Where its force is infinite A is
/// singular, and the least of all forces may be 0: the state before it says what happens.
std::string InstantPassage::explain_jam() {
  run_.stepper.start(run_.state);
  std::string out = run_.settler.hand_over().explain_jam();
  // Layers that have come or gone since then make it a state of another motion.
  const bool is_same_motion = run_.last_good.q.size() > 0 && run_.last_good.inner.size() == run_.state.inner.size();
  if (!out.empty() || !is_same_motion) return out;
  run_.stepper.start(run_.last_good);
  out = run_.settler.hand_over().explain_jam();
  run_.stepper.start(run_.state);
  return out;
}

/// What kind of failure that is.
AdvanceEnd InstantPassage::find_cause(double t) {
  return find_bad_effort(run_.scenario, run_.actuation(), t, run_.state).empty() ? AdvanceEnd::failed
                                                                                 : AdvanceEnd::not_finite;
}

/// Why no step from run_.state succeeds: a force that is not finite, or motion that ran away.
std::string InstantPassage::explain_failure() {
  const double h = run_.stepper.h();
  const std::string where =
      fmt::format("in step {} (t = {:.9g} s to {:.9g} s)", run_.stepper.steps() + 1, run_.state.t, run_.state.t + h);
  for (const double t : {run_.state.t, run_.state.t + 0.5 * h, run_.state.t + h}) {
    const std::string bad = find_bad_effort(run_.scenario, run_.actuation(), t, run_.state);
    if (!bad.empty()) return bad + " " + where;
  }
  Eigen::Index fastest = 0;
  run_.state.v.cwiseAbs().maxCoeff(&fastest);
  const Model& model = run_.scenario.model;
  return fmt::format(
      "no step succeeds {}; the fastest part is {} with a velocity of {:.6g}. The motion ran away, "
      "became singular or is too stiff for this method: the automatic choice of methods, a shorter step "
      "or a tighter tolerance may help",
      where, owner_name(model, model.joint(model.dof_joint(static_cast<int>(fastest)))), run_.state.v(fastest));
}

}  // namespace thenar::internal
