// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>

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

struct Event {
  double t = 0;  ///< s
  EventKind kind = EventKind::control;
  std::string where;  ///< contact ("box/table#2"), degree of freedom ("hand.wrist.1"), or what was driven
  std::string cause;  ///< a sentence fragment for people
};

/// How many of each kind, by index of the kind.
using EventCounts = std::array<long long, kEventKindCount>;

}  // namespace thenar
