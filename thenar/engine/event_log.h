// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Counts events and hands them on, and makes those of joints and of what drives them.

#include <functional>
#include <optional>
#include <string>

#include "thenar/contact/contact_finder.h"
#include "thenar/motion/motion.h"
#include "thenar/trace/event.h"

namespace thenar {

/// A contact or stop that was struck.
struct StrikeReport {
  EventPlace place;
  double before = 0, after = 0;  ///< speeds of separation, m/s or rad/s; before < 0
  std::optional<StopSide> side{};
};

/// Where an event of a contact happens.
EventPlace make_place(const std::string& name, const FoundContact& found);

class EventLog {
 public:
  /// All must outlive it; `on_event` may be empty.
  EventLog(const Model& model, const std::vector<JointRow>& rows, const std::function<void(const Event&)>& on_event);

  void write(const Event& event);
  void write_strike(double t, const StrikeReport& strike);
  /// The joint rests on its stop from now on, pressed against it by this effort, N m or N.
  void write_rest(double t, int row, double effort);
  /// The joint leaves its stop, thrown off by an impact elsewhere at this rate (rad/s or m/s)...
  void write_throw(double t, int row, double rate);
  /// ...or by itself, with this acceleration (rad/s² or m/s²).
  void write_release(double t, int row, double opening);
  /// Dry friction of the row slips in another direction than before, from here on with this acceleration...
  void write_slip(double t, int row, int slip, double acceleration);
  /// ...or holds, with this effort.
  void write_stick(double t, int row, double effort);
  /// Bouncing ends after so many impacts: on the stop of a row, or else at a contact.
  void write_bounce_end(double t, const EventPlace& place, std::optional<int> row, long long impacts);
  /// A profile passed a jump or a kink.
  void write_switch(double t, const ProfileSwitch::Change& change);
  /// An actuator reached its lower (−1) or upper (1) limit, or came back from it.
  void write_limit(double t, int dof, int bound, bool returns);

  template <class Archive>
  void archive(Archive& a) {
    a(counts_);
  }
  const EventCounts& counts() const { return counts_; }
  long long total() const;

  /// The degree of freedom of a joint, as a place.
  EventPlace place_of(int dof) const;

 private:
  /// Units of a joint's rate, acceleration and effort.
  struct Units {
    const char *rate, *acceleration, *effort;
  };
  Units units(int dof) const;
  /// An event of a joint row, but for its numbers.
  Event make(double t, EventKind kind, int row, EventCause cause) const;
  const JointRow& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }

  const Model& model_;
  const std::vector<JointRow>& rows_;
  const std::function<void(const Event&)>& on_event_;
  EventCounts counts_{};
};

}  // namespace thenar
