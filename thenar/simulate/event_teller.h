// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Puts what happened at an instant into events: words for people, counts for the report.

#include <functional>
#include <string>

#include "thenar/simulate/event.h"
#include "thenar/simulate/instant.h"

namespace thenar {

class EventTeller {
 public:
  /// All must outlive it; `on_event` may be empty.
  EventTeller(const Model& model, const std::vector<JointRow>& rows, const std::function<void(const Event&)>& on_event);

  void tell_strike(double t, const Strike& strike);
  /// The joint rests on its stop from now on.
  void tell_rest(double t, int row);
  /// The joint leaves its stop, thrown off by an impact elsewhere or by itself.
  void tell_release(double t, int row, bool is_thrown);
  /// Dry friction of the row slips in another direction than before, or holds (0).
  void tell_slip(double t, int row, int slip);
  /// After so many impacts.
  void tell_zeno(double t, int row, long long strikes);
  /// A profile passed a jump or a kink.
  void tell_switch(double t, const std::string& where);

  const EventCounts& counts() const { return counts_; }

 private:
  void tell(double t, EventKind kind, const JointRow& row, std::string cause);
  void tell(const Event& event);
  const JointRow& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }

  const Model& model_;
  const std::vector<JointRow>& rows_;
  const std::function<void(const Event&)>& on_event_;
  EventCounts counts_{};
};

}  // namespace thenar
