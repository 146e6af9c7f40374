// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_schedule_internal.h"

#include <algorithm>
#include <vector>

namespace thenar::internal {

QuasistaticSchedule::QuasistaticSchedule(const Scenario& scenario, double start)
    : scenario_(scenario), profiles_(scenario), horizon_(start + scenario.run.until) {}

std::optional<ExternalLoads> QuasistaticSchedule::find_loads_left(double t) const {
  const auto is_over = [t](const AppliedWrench& wrench) { return t >= wrench.until; };
  const std::vector<AppliedWrench>& wrenches = loads().wrenches;
  if (std::none_of(wrenches.begin(), wrenches.end(), is_over)) return std::nullopt;
  ExternalLoads out = loads();
  std::erase_if(out.wrenches, is_over);
  return out;
}

void QuasistaticSchedule::pass_horizon(double t) {
  if (t < horizon_) return;
  horizon_ += scenario_.run.until;
  if (!switch_) find_next_switch(t);
}

double QuasistaticSchedule::find_smooth_end() const {
  return switch_ ? std::min(horizon_, switch_->at.before) : horizon_;
}

double QuasistaticSchedule::find_limit() const {
  double limit = find_smooth_end();
  for (const AppliedWrench& wrench : loads().wrenches) limit = std::min(limit, wrench.until);
  return limit;
}

}  // namespace thenar::internal
