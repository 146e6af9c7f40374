// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thenar {
namespace {

/// Values of a profile at neighbouring times that differ by less than this part of them do not jump.
constexpr double kNoJointJump = 1e-9;

}  // namespace

EventPlace make_place(const std::string& name, const FoundContact& found) {
  return {name, ContactId{found.shape_A, found.shape_B, found.id}, found.body_A, found.body_B, -1};
}

EventLog::EventLog(const Model& model, const std::vector<JointRow>& rows,
                   const std::function<void(const Event&)>& on_event)
    : model_(model), rows_(rows), on_event_(on_event) {}

long long EventLog::total() const { return std::accumulate(counts_.begin(), counts_.end(), 0LL); }

void EventLog::write(const Event& event) {
  ++counts_[static_cast<std::size_t>(event.kind)];
  if (on_event_) on_event_(event);
}

EventPlace EventLog::place_of(int dof) const {
  EventPlace out{.name = model_.dof_name(dof)};
  out.dof = dof;
  return out;
}

EventLog::Units EventLog::units(int dof) const {
  return model_.is_angular(dof) ? Units{"rad/s", "rad/s^2", "N m"} : Units{"m/s", "m/s^2", "N"};
}

Event EventLog::make(double t, EventKind kind, int i, EventCause cause) const {
  Event out{.t = t, .kind = kind, .place = place_of(row(i).dof()), .cause = cause};
  if (row(i).kind() == JointRowKind::stop) out.side = row(i).is_upper() ? StopSide::upper : StopSide::lower;
  return out;
}

void EventLog::write_strike(double t, const StrikeReport& strike) {
  const char* unit = strike.place.dof < 0 ? "m/s" : units(strike.place.dof).rate;
  write({.t = t,
         .kind = EventKind::impact,
         .place = strike.place,
         .cause = EventCause::strikes,
         .numbers = {{"before", strike.before, unit}, {"after", strike.after, unit}},
         .side = strike.side});
}

void EventLog::write_rest(double t, int i, double effort) {
  Event event = make(t, EventKind::limit_on, i, EventCause::rests);
  event.numbers = {{"effort", effort, units(row(i).dof()).effort}};
  write(event);
}

void EventLog::write_throw(double t, int i, double rate) {
  Event event = make(t, EventKind::limit_off, i, EventCause::thrown_off);
  event.numbers = {{"rate", rate, units(row(i).dof()).rate}};
  write(event);
}

void EventLog::write_release(double t, int i, double opening) {
  Event event = make(t, EventKind::limit_off, i, EventCause::would_pull);
  event.numbers = {{"acceleration", opening, units(row(i).dof()).acceleration}};
  write(event);
}

void EventLog::write_slip(double t, int i, int slip, double acceleration) {
  Event event = make(t, EventKind::slip, i, EventCause::joint_friction);
  const Units unit = units(row(i).dof());
  event.numbers = {{"limit", row(i).friction_limit(), unit.effort},
                   {"acceleration", acceleration, unit.acceleration},
                   {"direction", static_cast<double>(slip), ""}};
  write(event);
}

void EventLog::write_stick(double t, int i, double effort) {
  Event event = make(t, EventKind::stick, i, EventCause::joint_friction);
  const char* unit = units(row(i).dof()).effort;
  event.numbers = {{"effort", effort, unit}, {"limit", row(i).friction_limit(), unit}};
  write(event);
}

void EventLog::write_bounce_end(double t, const EventPlace& place, std::optional<int> stop, long long impacts) {
  Event event{.t = t, .kind = EventKind::zeno, .place = place, .cause = EventCause::bounces_end};
  if (stop) event = make(t, EventKind::zeno, *stop, EventCause::bounces_end);
  event.numbers = {{"impacts", static_cast<double>(impacts), ""}};
  write(event);
}

void EventLog::write_switch(double t, const ProfileSwitch::Change& change) {
  Event event{.t = t, .kind = EventKind::control, .place = {.name = change.where}, .cause = EventCause::law_switches};
  if (*change.unit != 0) {
    // Of a kink, the values at two neighbouring times differ by rounding.
    const double jump = change.after - change.before;
    const bool is_kink = std::abs(jump) <= kNoJointJump * std::max(std::abs(change.before), std::abs(change.after));
    event.cause = is_kink ? EventCause::kink : EventCause::jumps;
    if (!is_kink) event.numbers.push_back({"before", change.before, change.unit});
    event.numbers.push_back({"after", change.after, change.unit});
  }
  write(event);
}

void EventLog::write_limit(double t, int dof, int bound, bool returns) {
  EventPlace place = place_of(dof);
  place.name = fmt::format("the effort of joint '{}'", place.name);
  write({.t = t,
         .kind = EventKind::control,
         .place = place,
         .cause = returns ? EventCause::leaves_limit : EventCause::reaches_limit,
         .numbers = {{"limit", bound * model_.effort_limit()(dof), units(dof).effort}},
         .side = bound > 0 ? StopSide::upper : StopSide::lower});
}

}  // namespace thenar
