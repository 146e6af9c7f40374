// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What is due at known times: jumps of profiles, samples of controllers, ends of wrenches, rows that fixed steps hit.
///
/// **Horizon.** Profiles are searched for jumps up to a horizon, RunOptions::until after the start, and no step goes
/// beyond it. A run that is advanced further moves the horizon by as much again.

#include <optional>

#include "thenar/motion/motion.h"
#include "thenar/trace/row_times.h"

namespace thenar::internal {

class RunSchedule {
 public:
  /// Both must outlive it. `start`: when the motion begins, s.
  RunSchedule(const Scenario& scenario, const ConstrainedMotion& motion, double start);

  double horizon() const { return horizon_; }
  void extend_horizon() { horizon_ += scenario_.run.until; }

  /// The next switch of a profile or a law, before the horizon.
  const std::optional<ProfileSwitch>& next_switch() const { return switch_; }
  void find_next_switch(double t);
  /// Whether that is due.
  bool is_switch_due(double t) const { return switch_ && t >= switch_->at.before && switch_->at.after <= horizon_; }
  /// Whether a controller takes a sample. One at the horizon belongs to what comes behind it.
  bool is_sample_due(double t) const { return t >= motion_.actuation().next_sample() && t < horizon_; }

  /// Where a step from t must end at the latest. Steps of fixed length end on their grid, too.
  double find_limit(double t, bool has_fixed_steps);
  /// The first row of the grid behind t.
  double next_row(double t);

  template <class Archive>
  void archive(Archive& a) {
    a(grid_next_, horizon_);
  }

 private:
  void skip_rows(double t);

  const Scenario& scenario_;
  const ConstrainedMotion& motion_;
  RowTimes grid_;            ///< where fixed steps end, and bridges at the latest
  long long grid_next_ = 1;  ///< the first place of the grid that has not been reached
  double horizon_;           ///< s
  std::optional<ProfileSwitch> switch_;
};

}  // namespace thenar::internal
