// SPDX-License-Identifier: BSD-3-Clause
/// Events in words.
#include <fmt/format.h>

#include <cmath>

#include "thenar/trace/event.h"

namespace thenar {
namespace {

/// The numbers of an event in their order (EventCause); NaN and no unit where one is missing.
class Numbers {
 public:
  explicit Numbers(const Event& event) : event_(event) {}

  bool has(std::size_t i) const { return i < event_.numbers.size(); }
  double value(std::size_t i) const { return has(i) ? event_.numbers[i].value : std::nan(""); }
  const char* unit(std::size_t i) const { return has(i) ? event_.numbers[i].unit : ""; }
  const char* name(std::size_t i) const { return has(i) ? event_.numbers[i].name : ""; }
  /// "0.31 m/s", with so many digits.
  std::string say(std::size_t i, int digits = 6) const {
    return fmt::format("{:.{}g}{}{}", value(i), digits, *unit(i) == 0 ? "" : " ", unit(i));
  }

 private:
  const Event& event_;
};

const char* side_of(const Event& event) { return event.side == StopSide::upper ? "upper" : "lower"; }

std::string describe_strike(const Event& event, const Numbers& n) {
  const std::string what = event.side ? fmt::format("struck the {} stop", side_of(event)) : "struck";
  return fmt::format("{} at {:.6g} {}, {}", what, -n.value(0), n.unit(0),
                     n.value(1) > 0 ? "leaves at " + n.say(1) : "without rebound");
}

std::string describe_thrown_off(const Event& event, const Numbers& n) {
  if (event.kind == EventKind::break_away) return "thrown off at " + n.say(0);
  return fmt::format("leaves the {} stop at {}, thrown off by an impact elsewhere", side_of(event), n.say(0));
}

std::string describe_pull(const Event& event, const Numbers& n) {
  if (event.kind == EventKind::break_away) {
    return "f_N = 0, it would have to pull; opens with a_N = " + n.say(0);
  }
  return fmt::format("leaves the {} stop with {}: it would have to pull", side_of(event), n.say(0));
}

std::string describe_unloaded(const Event& event) {
  return event.kind == EventKind::break_away ? "f_N = 0, it would have to pull" : "leaves its stop";
}

/// "v_T = 1, v_U = 2 m/s, w_N = 3 rad/s", from the i-th number on; the last one only of a soft finger.
std::string describe_slip_rate(const Numbers& n, std::size_t i) {
  std::string out = fmt::format("{} = {:.6g}, {} = {}", n.name(i), n.value(i), n.name(i + 1), n.say(i + 1));
  if (n.has(i + 2)) out += fmt::format(", {} = {}", n.name(i + 2), n.say(i + 2));
  return out;
}

std::string describe_joint_friction(const Event& event, const Numbers& n) {
  if (event.kind == EventKind::stick) {
    return fmt::format("dry friction holds with {:.6g} of {}", std::abs(n.value(0)), n.say(1));
  }
  const char* direction = n.value(2) > 0 ? "positive" : "negative";
  return fmt::format("dry friction of {} gives way, motion is {} with {}", n.say(0), direction, n.say(1));
}

std::string describe_layer_friction(const Event& event, const Numbers& n) {
  return fmt::format("the layer {}: |f_t| = {}, mu f_N = {}", event.kind == EventKind::slip ? "slips" : "sticks",
                     n.say(0, 4), n.say(1, 4));
}

std::string describe_rest(const Numbers& n) {
  std::string out = "slip has come to rest";
  if (n.has(1)) out += fmt::format(", and friction holds with {:.4g} of {}", n.value(0), n.say(1, 4));
  if (n.has(3)) out += fmt::format(" and {:.4g} of {}", n.value(2), n.say(3, 4));
  return out;
}

std::string describe_features(const Event& event, const Numbers& n) {
  return fmt::format("goes over to {} at ({:.6g}, {:.6g}, {:.6g}) m",
                     event.note.empty() ? "other features" : event.note, n.value(0), n.value(1), n.value(2));
}

std::string describe_switch(const Event& event, const Numbers& n) {
  const char* what = event.cause == EventCause::to_compliant ? "from rigid to compliant" : "from compliant to rigid";
  return fmt::format("{}: {}; puts in {}", what, event.note, n.say(0, 3));
}

std::string describe_limit(const Event& event, const Numbers& n) {
  return fmt::format("{} its {} limit of {}", event.cause == EventCause::leaves_limit ? "comes back from" : "reaches",
                     side_of(event), n.say(0));
}

std::string describe_cause(const Event& event) {
  const Numbers n(event);
  switch (event.cause) {
    case EventCause::gap_closes:
      return n.has(1) ? fmt::format("the gap closes at {}, without an impact; f_N = {}", n.say(0, 3), n.say(1))
                      : "the gap closes; f_N = " + n.say(0);
    case EventCause::meets_layer:
      return fmt::format("a compliant layer is met at {} and pushes with {}", n.say(0, 4), n.say(1, 4));
    case EventCause::strikes:
      return describe_strike(event, n);
    case EventCause::rests:
      return fmt::format("rests on {} stop, pressed by {}", event.side ? fmt::format("the {}", side_of(event)) : "its",
                         n.say(0));
    case EventCause::thrown_off:
      return describe_thrown_off(event, n);
    case EventCause::would_pull:
      return describe_pull(event, n);
    case EventCause::unloaded:
      return describe_unloaded(event);
    case EventCause::margin_used_up:
      return fmt::format("admissible-force margin 0, f_N = {}, {}", n.say(0), describe_slip_rate(n, 1));
    case EventCause::friction_moves:
      return fmt::format("friction of {:.6g} N per N gives way at f_N = {}, {}", n.value(0), n.say(1),
                         describe_slip_rate(n, 2));
    case EventCause::slides:
      return "slides at " + describe_slip_rate(n, 0);
    case EventCause::left_by_impact:
      return "an impact leaves it slipping at " + describe_slip_rate(n, 0);
    case EventCause::joint_friction:
      return describe_joint_friction(event, n);
    case EventCause::begins:
      return "begins to slip";
    case EventCause::layer_friction:
      return describe_layer_friction(event, n);
    case EventCause::comes_to_rest:
      return describe_rest(n);
    case EventCause::leaves_points:
      return fmt::format("no longer among the points in touch: gap {}, {}", n.say(0, 3), n.say(1, 3));
    case EventCause::layer_unloaded:
      return "the force of the layer comes to 0 N";
    case EventCause::leaves_layer:
      return "the bodies have left the layer";
    case EventCause::goes_over:
      return describe_features(event, n);
    case EventCause::layer_goes_over:
      return "the layer goes on at other features of its bodies";
    case EventCause::bounces_end:
      return fmt::format("bouncing{} ends, after {:.0f} impacts and infinitely many more",
                         event.side ? fmt::format(" on the {} stop", side_of(event)) : "", n.value(0));
    case EventCause::crowded:
      return fmt::format("contacts change faster than can be followed: {} are taken in one step, without rebounds",
                         n.say(0, 3));
    case EventCause::to_compliant:
    case EventCause::to_rigid:
      return describe_switch(event, n);
    case EventCause::jumps:
      return fmt::format("jumps from {:.6g} to {}", n.value(0), n.say(1));
    case EventCause::kink:
      return "passes a kink at " + n.say(0);
    case EventCause::law_switches:
      return "passes a jump or a kink";
    case EventCause::reaches_limit:
    case EventCause::leaves_limit:
      return describe_limit(event, n);
  }
  return {};
}

}  // namespace

std::string describe(const Event& event) {
  return event.has_turned ? "slip has come to rest and begins in another direction: " + describe_cause(event)
                          : describe_cause(event);
}

}  // namespace thenar
