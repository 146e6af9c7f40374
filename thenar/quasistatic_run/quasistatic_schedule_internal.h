// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What is due at known times in slow motion: jumps and kinks of profiles, ends of wrenches, the horizon.
///
/// **Horizon.** As in run_schedule_internal.h: profiles are searched for jumps up to it, and no step goes beyond it.

#include <optional>

#include "thenar/motion/actuation.h"
#include "thenar/motion/forces.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

class QuasistaticSchedule {
 public:
  /// The scenario must outlive it. `start`: when the motion begins, s.
  QuasistaticSchedule(const Scenario& scenario, double start);

  /// Efforts and wrenches that are set from outside. find_next_switch() must follow.
  void set_loads(const ExternalLoads& loads) { profiles_.set_loads(loads); }
  const ExternalLoads& loads() const { return profiles_.loads(); }
  /// Those that last beyond t, if any are over.
  std::optional<ExternalLoads> find_loads_left(double t) const;

  double horizon() const { return horizon_; }
  void set_horizon(double horizon) { horizon_ = horizon; }
  /// At the horizon it moves on.
  void pass_horizon(double t);

  /// The next switch of a profile before the horizon.
  const std::optional<ProfileSwitch>& next_switch() const { return switch_; }
  void find_next_switch(double t) { switch_ = find_profile_switch(scenario_, profiles_, t, horizon_); }
  /// Whether that is due.
  bool is_switch_due(double t) const { return switch_ && t >= switch_->at.before && switch_->at.after <= horizon_; }

  /// Until when profiles have neither a jump nor a kink, s.
  double find_smooth_end() const;
  /// Where the next step must end at the latest, s.
  double find_limit() const;

 private:
  const Scenario& scenario_;
  Actuation profiles_;  ///< whose jumps are looked for
  std::optional<ProfileSwitch> switch_;
  double horizon_;  ///< s
};

}  // namespace thenar::internal
