// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/event_teller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thenar {
namespace {

/// Values of a profile at neighbouring times that differ by less than this part of them do not jump.
constexpr double kNoJointJump = 1e-9;

}  // namespace

EventTeller::EventTeller(const Model& model, const std::vector<JointRow>& rows,
                         const std::function<void(const Event&)>& on_event)
    : model_(model), rows_(rows), on_event_(on_event) {}

long long EventTeller::total() const { return std::accumulate(counts_.begin(), counts_.end(), 0LL); }

void EventTeller::tell(const Event& event) {
  ++counts_[static_cast<std::size_t>(event.kind)];
  if (on_event_) on_event_(event);
}

void EventTeller::tell(double t, EventKind kind, const JointRow& row, std::string cause) {
  tell({t, kind, model_.dof_name(row.dof()), std::move(cause)});
}

void EventTeller::tell_strike(double t, const ContactStrike& strike) {
  const std::string after =
      strike.after > 0 ? fmt::format("leaves at {:.6g} {}", strike.after, strike.unit) : "without rebound";
  const std::string what = strike.side != nullptr ? fmt::format("struck the {} stop", strike.side) : "struck";
  tell({t, EventKind::impact, strike.where,
        fmt::format("{} at {:.6g} {}, {}", what, -strike.before, strike.unit, after)});
}

void EventTeller::tell_rest(double t, int i, double effort) {
  tell(t, EventKind::limit_on, row(i),
       fmt::format("rests on the {} stop, pressed by {:.6g} {}", row(i).side(), effort, effort_unit(i)));
}

void EventTeller::tell_throw(double t, int i, double rate) {
  tell(t, EventKind::limit_off, row(i),
       fmt::format("leaves the {} stop at {:.6g} {}/s, thrown off by an impact elsewhere", row(i).side(), rate,
                   length_unit(i)));
}

void EventTeller::tell_release(double t, int i, double opening) {
  tell(t, EventKind::limit_off, row(i),
       fmt::format("leaves the {} stop with {:.6g} {}/s^2: it would have to pull", row(i).side(), opening,
                   length_unit(i)));
}

void EventTeller::tell_slip(double t, int i, int slip, double acceleration) {
  tell(t, EventKind::slip, row(i),
       fmt::format("dry friction of {:.6g} {} gives way, motion is {} with {:.6g} {}/s^2", row(i).friction_limit(),
                   effort_unit(i), slip > 0 ? "positive" : "negative", acceleration, length_unit(i)));
}

void EventTeller::tell_stick(double t, int i, double effort) {
  tell(t, EventKind::stick, row(i),
       fmt::format("dry friction holds with {:.6g} of {:.6g} {}", std::abs(effort), row(i).friction_limit(),
                   effort_unit(i)));
}

void EventTeller::tell_zeno(double t, int i, long long strikes) {
  tell(t, EventKind::zeno, row(i),
       fmt::format("bouncing on the {} stop ends, after {} impacts and infinitely many more", row(i).side(), strikes));
}

void EventTeller::tell_zeno(double t, const std::string& contact, long long strikes) {
  tell({t, EventKind::zeno, contact, fmt::format("bouncing ends, after {} impacts and infinitely many more", strikes)});
}

void EventTeller::tell_switch(double t, const ProfileSwitch::Change& change) {
  if (*change.unit == 0) return tell({t, EventKind::control, change.where, "passes a jump or a kink"});
  // Of a kink, the values at two neighbouring times differ by rounding.
  const double jump = change.after - change.before;
  const bool is_kink = std::abs(jump) <= kNoJointJump * std::max(std::abs(change.before), std::abs(change.after));
  tell({t, EventKind::control, change.where,
        is_kink ? fmt::format("passes a kink at {:.6g} {}", change.after, change.unit)
                : fmt::format("jumps from {:.6g} to {:.6g} {}", change.before, change.after, change.unit)});
}

const char* EventTeller::length_unit(int i) const { return model_.is_angular(row(i).dof()) ? "rad" : "m"; }
const char* EventTeller::effort_unit(int i) const { return model_.is_angular(row(i).dof()) ? "N m" : "N"; }

void EventTeller::tell_limit(double t, int dof, int bound, bool returns) {
  tell({t, EventKind::control, fmt::format("the effort of joint '{}'", model_.dof_name(dof)),
        fmt::format("{} its {} limit of {:.6g} {}", returns ? "comes back from" : "reaches",
                    bound > 0 ? "upper" : "lower", bound * model_.effort_limit()(dof),
                    model_.is_angular(dof) ? "N m" : "N")});
}

}  // namespace thenar
