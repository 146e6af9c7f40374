// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/run_schedule_internal.h"

#include <algorithm>

namespace thenar::internal {

RunSchedule::RunSchedule(const Scenario& scenario, const ConstrainedMotion& motion, double start)
    : scenario_(scenario),
      motion_(motion),
      grid_(scenario.run),
      grid_next_(grid_.first_after(start)),
      horizon_(start + scenario.run.until) {}

void RunSchedule::find_next_switch(double t) {
  switch_ = find_profile_switch(scenario_, motion_.actuation(), t, horizon_);
}

double RunSchedule::find_limit(double t, bool has_fixed_steps) {
  skip_rows(t);
  const Actuation& actuation = motion_.actuation();
  double limit = std::min(horizon_, actuation.next_sample());
  if (switch_) limit = std::min(limit, switch_->at.before);
  for (const AppliedWrench& wrench : actuation.loads().wrenches) limit = std::min(limit, wrench.until);
  if (has_fixed_steps) limit = std::min(limit, grid_.next_step_time(t, grid_next_));
  return limit;
}

double RunSchedule::next_row(double t) {
  skip_rows(t);
  return grid_.time(grid_next_);
}

void RunSchedule::skip_rows(double t) {
  while (grid_.time(grid_next_) <= t) ++grid_next_;
}

}  // namespace thenar::internal
