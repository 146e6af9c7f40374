// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/instant_log_internal.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace thenar::internal {

InstantLog::InstantLog(const Sources& sources, SampleMaker& samples, RunReport& report,
                       const std::function<void(const Event&)>& on_event, SampleTap tap)
    : scenario_(sources.scenario),
      motion_(sources.motion),
      joints_(sources.joints),
      stepper_(sources.stepper),
      settler_(sources.settler),
      samples_(samples),
      report_(report),
      tap_(std::move(tap)),
      events_(sources.scenario.model, sources.motion.rows(), on_event) {}

bool InstantLog::note_settled(const State& before, const State& after) {
  const Mode mode_before = std::exchange(mode_, motion_.mode());
  const double energy_lost = settler_.energy_lost();
  report_.energy.dissipated += energy_lost;
  if (scenario_.contacts) note_verdict(after.t);
  double energy_switched = 0;
  for (const ModelSwitch& change : settler_.hand_over().take_switches()) {
    energy_switched += change.energy;
    note_switch(change);
  }
  const std::vector<StrikeReport>& strikes = settler_.strikes();
  if (!strikes.empty() && !tap_(samples_.make_before(before, energy_lost, energy_switched))) return false;
  for (const BounceEnd& bounce : settler_.bounce_ends()) bounce_ends_.push_back(bounce);
  for (const StrikeReport& strike : strikes) events_.write_strike(after.t, strike);
  if (has_begun_) {
    for (const Event& event : settler_.changes()) events_.write(event);
    note_joint_changes(after, mode_before, mode_);
  }
  has_begun_ = true;
  samples_.begin_contacts();
  return strikes.empty() || tap_(samples_.make(after));
}

void InstantLog::note_verdict(double t) {
  std::vector<VerdictInterval>& verdicts = report_.verdicts;
  const Verdict verdict = settler_.verdict();
  const bool determinate = settler_.is_determinate();
  if (!verdicts.empty()) {
    verdicts.back().to = t;
    if (verdicts.back().verdict == verdict && verdicts.back().determinate == determinate) return;
    if (verdicts.back().from == t) verdicts.pop_back();
  }
  verdicts.push_back({t, t, verdict, determinate});
}

void InstantLog::note_switch(const ModelSwitch& change) {
  report_.switches.push_back(change);
  report_.energy.switched += change.energy;
  Event event{.t = change.t,
              .kind = EventKind::model,
              .cause = change.to_compliant ? EventCause::to_compliant : EventCause::to_rigid,
              .numbers = {{"energy", change.energy, "J"}},
              .note = change.why};
  for (const std::string& name : change.contacts) event.place.name += (event.place.name.empty() ? "" : ", ") + name;
  events_.write(event);
}

void InstantLog::note_joint_changes(const State& state, const Mode& before, const Mode& after) {
  for (int i = 0; i < static_cast<int>(motion_.rows().size()); ++i) {
    const bool is_held = after.holds(i), was_held = before.holds(i);
    if (row(i).kind() == JointRowKind::stop && is_held != was_held) note_stop_change(state, i, is_held);
    const int slip = after.slip[static_cast<std::size_t>(i)], old_slip = before.slip[static_cast<std::size_t>(i)];
    if (slip == old_slip) continue;
    if (slip == 0) events_.write_stick(state.t, i, calc_reaction(i));
    if (slip != 0) events_.write_slip(state.t, i, slip, stepper_.acceleration()[row(i).dof()]);
  }
}

/// A joint that is still bouncing rests when the bounces have ended (pass_bounce_ends).
void InstantLog::note_stop_change(const State& state, int i, bool is_held) {
  if (!is_held && !touches_redundantly(state, i)) {
    const double rate = row(i).multiply(state.v.data());
    if (rate > 0) events_.write_throw(state.t, i, rate);
    if (!(rate > 0)) events_.write_release(state.t, i, calc_opening(state, i));
  }
  if (is_held && !is_bouncing(i)) events_.write_rest(state.t, i, calc_reaction(i));
}

bool InstantLog::is_bouncing(int i) const {
  return std::any_of(bounce_ends_.begin(), bounce_ends_.end(), [i](const BounceEnd& end) { return end.row == i; });
}

double InstantLog::next_bounce_end() const {
  double out = std::numeric_limits<double>::infinity();
  for (const BounceEnd& bounce : bounce_ends_) out = std::min(out, bounce.t);
  return out;
}

void InstantLog::pass_bounce_ends(double t) {
  for (std::size_t i = 0; i < bounce_ends_.size();) {
    if (t < bounce_ends_[i].t) {
      ++i;
      continue;
    }
    const BounceEnd bounce = bounce_ends_[i];
    bounce_ends_.erase(bounce_ends_.begin() + static_cast<std::ptrdiff_t>(i));
    const std::optional<int> stop = bounce.row < 0 ? std::nullopt : std::optional(bounce.row);
    events_.write_bounce_end(t, bounce.place, stop, bounce.strikes);
    if (stop && motion_.mode().holds(bounce.row)) events_.write_rest(t, bounce.row, calc_reaction(bounce.row));
  }
}

/// Effort of a row that holds at the state, N m or N; 0 of one that does not.
double InstantLog::calc_reaction(int i) {
  const std::vector<int>& held = motion_.mode().held;
  const auto place = std::find(held.begin(), held.end(), i);
  if (place == held.end()) return 0;
  stepper_.evaluate_state();
  return motion_.reactions()(place - held.begin());
}

/// Acceleration with which a stop opens at the state.
double InstantLog::calc_opening(const State& state, int i) {
  row(i).update(state.q.data(), state.v.data());
  return row(i).multiply(stepper_.acceleration()) + row(i).bias();
}

/// A stop that the solver no longer counts as holding only because other rows hold the joint there anyway.
bool InstantLog::touches_redundantly(const State& state, int i) {
  if (!joints_.touches(i)) return false;
  return calc_opening(state, i) == 0 && row(i).multiply(state.v.data()) == 0;
}

template <class Archive>
void InstantLog::archive(Archive& a) {
  a(events_, mode_.held, mode_.slip, has_begun_);
  bounce_ends_.resize(a.size(bounce_ends_.size(), sizeof(double)));
  for (BounceEnd& bounce : bounce_ends_) {
    a(bounce.t, bounce.place, bounce.strikes, bounce.row);
    if (bounce.row >= static_cast<int>(motion_.rows().size())) throw StateError("it holds a stop that does not exist");
  }
}
THENAR_INSTANTIATE_ARCHIVE(InstantLog);

}  // namespace thenar::internal
