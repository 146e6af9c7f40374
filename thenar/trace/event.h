// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Events of a motion, as values: what happened, where, how, and with which numbers. Words for people are made of them
/// in one place, describe().

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thenar/contact/contact.h"

namespace thenar {

/// What can happen at an instant of a run; docs/formats.md says what each means.
enum class EventKind {
  touch,       ///< two bodies met without a jump of velocities
  impact,      ///< velocities jumped, at a contact or at a stop
  limit_on,    ///< a joint came to rest on a stop
  limit_off,   ///< a joint left a stop on which it had rested
  slip,        ///< friction of a contact or a joint gave way, or the direction of slip changed
  stick,       ///< it took hold
  break_away,  ///< two bodies parted
  face,        ///< a contact went over to other features: from a face to an edge, from one corner of a patch to another
  zeno,        ///< infinitely many impacts ended here
  model,       ///< contacts went over to the compliant model, or came back to the rigid one
  control      ///< a torque, wrench or control passed a jump or a kink, or an actuator a limit
};
inline constexpr int kEventKindCount = 11;

/// The word used in files.
const char* to_string(EventKind kind);

/// How it happened. In brackets the numbers that such an event has, in this order; units are with the numbers.
enum class EventCause : std::uint8_t {
  gap_closes,       ///< touch: without an impact [approach, f_N]
  meets_layer,      ///< touch: bodies begin to press a compliant layer [approach, f_N]
  strikes,          ///< impact [before, after]: speeds of separation
  rests,            ///< limit_on [effort]
  thrown_off,       ///< limit_off, break: by an impact [rate]
  would_pull,       ///< limit_off, break: the reaction would have to pull [acceleration]
  unloaded,         ///< limit_off, break: of quasistatic motion
  margin_used_up,   ///< slip: no admissible force is left that holds the contact [f_N, a_T, a_U, alpha_N of a soft
                    ///< finger]
  friction_moves,   ///< slip: of quasistatic motion [mu, f_N, v_T, v_U]
  slides,           ///< slip [v_T, v_U, w_N of a soft finger]
  left_by_impact,   ///< slip: an impact leaves it [v_T, v_U, w_N of a soft finger]
  joint_friction,   ///< slip [limit, acceleration, direction] and stick [effort, limit] of a joint
  begins,           ///< slip: nothing more is known
  layer_friction,   ///< slip and stick of a compliant layer [f_t, limit]
  comes_to_rest,    ///< stick [f_t, limit, torsion and its limit of a soft finger]
  leaves_points,    ///< break: no longer among the points in touch [gap, rate]
  layer_unloaded,   ///< break: the force of the layer comes to 0
  leaves_layer,     ///< break: the bodies are apart
  goes_over,        ///< face [x, y, z]; the note names the features, if they are known
  layer_goes_over,  ///< face: a compliant layer goes on at other features
  bounces_end,      ///< zeno [impacts]
  crowded,          ///< zeno: changes faster than can be followed were passed in one step [duration]
  to_compliant,     ///< model [energy]; the note says why
  to_rigid,         ///< model [energy]; the note says why
  jumps,            ///< control [before, after]
  kink,             ///< control [after]
  law_switches,     ///< control: a law passes a jump or a kink
  reaches_limit,    ///< control: of an actuator [limit]
  leaves_limit      ///< control: of an actuator [limit]
};
/// The word used in files.
const char* to_string(EventCause cause);

/// A number of an event.
struct EventNumber {
  const char* name;  ///< static: "f_N"
  double value;
  const char* unit;  ///< static: "N"; empty for none
};

/// Where an event happened: at a contact, at a degree of freedom, or at what `name` says.
struct EventPlace {
  std::string name;  ///< contact ("box/table#2"), degree of freedom ("hand.wrist.1"), or what was driven
  std::optional<ContactId> contact{};
  BodyIndex body_A{}, body_B{};  ///< of the contact
  int dof = -1;
};

template <class Archive>
void archive_state(Archive& a, EventPlace& place) {
  a(place.name, place.contact, place.body_A, place.body_B, place.dof);
}

struct Event {
  double t = 0;  ///< s
  EventKind kind = EventKind::control;
  EventPlace place{};
  EventCause cause = EventCause::begins;
  std::vector<EventNumber> numbers{};
  std::optional<StopSide> side{};  ///< of a stop or a limit
  bool has_turned = false;         ///< of slip: it has come to rest and begins in another direction
  std::string note{};              ///< names and reasons that are no numbers

  const std::string& where() const { return place.name; }
  /// A number by its name, if the event has it.
  std::optional<double> find(std::string_view name) const;
};

/// How and with which numbers it happened, as a sentence fragment for people: "struck at 0.31 m/s, without rebound".
std::string describe(const Event& event);

/// How many of each kind, by index of the kind.
using EventCounts = std::array<long long, kEventKindCount>;

}  // namespace thenar
