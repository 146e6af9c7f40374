// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Puts what happened at an instant into events: words for people, counts for the report.

#include <functional>
#include <string>

#include "thenar/motion/motion.h"
#include "thenar/trace/event.h"

namespace thenar {

/// A contact or stop that was struck, in a run with contacts.
struct ContactStrike {
  std::string where;
  double before = 0, after = 0;  ///< speeds of separation, m/s or rad/s; before < 0
  const char* unit = "m/s";
  const char* side = nullptr;  ///< of a stop: "lower", "upper"
};

class EventTeller {
 public:
  /// All must outlive it; `on_event` may be empty.
  EventTeller(const Model& model, const std::vector<JointRow>& rows, const std::function<void(const Event&)>& on_event);

  void tell(const Event& event);
  void tell_strike(double t, const ContactStrike& strike);
  /// The joint rests on its stop from now on, pressed against it by this effort, N m or N.
  void tell_rest(double t, int row, double effort);
  /// The joint leaves its stop, thrown off by an impact elsewhere at this rate (rad/s or m/s)...
  void tell_throw(double t, int row, double rate);
  /// ...or by itself, with this acceleration (rad/s² or m/s²).
  void tell_release(double t, int row, double opening);
  /// Dry friction of the row slips in another direction than before, from here on with this acceleration...
  void tell_slip(double t, int row, int slip, double acceleration);
  /// ...or holds, with this effort.
  void tell_stick(double t, int row, double effort);
  /// After so many impacts.
  void tell_zeno(double t, int row, long long strikes);
  void tell_zeno(double t, const std::string& contact, long long strikes);
  /// A profile passed a jump or a kink.
  void tell_switch(double t, const ProfileSwitch::Change& change);

  /// An actuator reached its lower (−1) or upper (1) limit, or came back from it.
  void tell_limit(double t, int dof, int bound, bool returns);

  template <class Archive>
  void archive(Archive& a) {
    a(counts_);
  }
  const EventCounts& counts() const { return counts_; }
  long long total() const;

 private:
  void tell(double t, EventKind kind, const JointRow& row, std::string cause);
  const JointRow& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  /// "rad" or "m", and "N m" or "N".
  const char* length_unit(int row) const;
  const char* effort_unit(int row) const;

  const Model& model_;
  const std::vector<JointRow>& rows_;
  const std::function<void(const Event&)>& on_event_;
  EventCounts counts_{};
};

}  // namespace thenar
