// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/event_teller.h"

#include <fmt/format.h>

namespace thenar {

EventTeller::EventTeller(const Model& model, const std::vector<JointRow>& rows,
                         const std::function<void(const Event&)>& on_event)
    : model_(model), rows_(rows), on_event_(on_event) {}

void EventTeller::tell(const Event& event) {
  ++counts_[static_cast<std::size_t>(event.kind)];
  if (on_event_) on_event_(event);
}

void EventTeller::tell(double t, EventKind kind, const JointRow& row, std::string cause) {
  tell({t, kind, model_.dof_name(row.dof()), std::move(cause)});
}

void EventTeller::tell_strike(double t, const Strike& strike) {
  const JointRow& stop = row(strike.row);
  const char* unit = model_.is_angular(stop.dof()) ? "rad/s" : "m/s";
  const std::string after =
      strike.rate_after > 0 ? fmt::format("leaves it at {:.6g} {}", strike.rate_after, unit) : "without rebound";
  tell(t, EventKind::impact, stop,
       fmt::format("struck the {} stop at {:.6g} {}, {}", stop.side(), -strike.rate_before, unit, after));
}

void EventTeller::tell_strike(double t, const ContactStrike& strike) {
  const std::string after =
      strike.after > 0 ? fmt::format("leaves at {:.6g} {}", strike.after, strike.unit) : "without rebound";
  const std::string what = strike.side != nullptr ? fmt::format("struck the {} stop", strike.side) : "struck";
  tell({t, EventKind::impact, strike.where,
        fmt::format("{} at {:.6g} {}, {}", what, -strike.before, strike.unit, after)});
}

void EventTeller::tell_rest(double t, int i) {
  tell(t, EventKind::limit_on, row(i), fmt::format("rests on the {} stop", row(i).side()));
}

void EventTeller::tell_release(double t, int i, bool is_thrown) {
  const char* why = is_thrown ? "thrown off by an impact elsewhere" : "it would have to pull";
  tell(t, EventKind::limit_off, row(i), fmt::format("leaves the {} stop: {}", row(i).side(), why));
}

void EventTeller::tell_slip(double t, int i, int slip) {
  if (slip == 0) return tell(t, EventKind::stick, row(i), "dry friction holds");
  tell(t, EventKind::slip, row(i),
       fmt::format("dry friction of {:.6g} gives way, motion is {}", row(i).friction_limit(),
                   slip > 0 ? "positive" : "negative"));
}

void EventTeller::tell_zeno(double t, int i, long long strikes) {
  tell(t, EventKind::zeno, row(i),
       fmt::format("bouncing on the {} stop ends, after {} impacts and infinitely many more", row(i).side(), strikes));
}

void EventTeller::tell_zeno(double t, const std::string& contact, long long strikes) {
  tell({t, EventKind::zeno, contact, fmt::format("bouncing ends, after {} impacts and infinitely many more", strikes)});
}

void EventTeller::tell_switch(double t, const std::string& where) {
  tell({t, EventKind::control, where, "passes a jump or a kink"});
}

void EventTeller::tell_limit(double t, int dof, int bound, bool returns) {
  tell({t, EventKind::control, fmt::format("the effort of joint '{}'", model_.dof_name(dof)),
        fmt::format("{} its {} limit of {:.6g} {}", returns ? "comes back from" : "reaches",
                    bound > 0 ? "upper" : "lower", bound * model_.effort_limit()(dof),
                    model_.is_angular(dof) ? "N m" : "N")});
}

}  // namespace thenar
