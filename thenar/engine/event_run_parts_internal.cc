// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/event_run_parts_internal.h"

#include <fmt/format.h>

#include <algorithm>

namespace thenar::internal {

EventRunParts::EventRunParts(const Scenario& scenario_of_run, const State& start, const RunTaps& taps_of_run)
    : scenario(scenario_of_run),
      taps(taps_of_run),
      tolerances(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
      motion(scenario, start.q),
      joints(motion, tolerances),
      stepper(motion, scenario.run, tolerances),
      watch(motion, tolerances),
      settler(scenario, motion, joints, stepper, tolerances),
      samples(scenario, motion, stepper, report),
      log({scenario, motion, joints, stepper, settler}, samples, report, taps.on_event,
          [this](const Sample* sample) { return tap(sample); }),
      schedule(scenario, motion, start.t),
      storm(tolerances),
      state(start) {
  if (scenario.contacts) {
    sampler.emplace(scenario, motion, settler.watch(), tolerances);
    samples.set_sampler(*sampler);
  }
  report.first = report.last = state;
  report.q_min = report.q_max = state.q;
  report.energy.start = calc_energy(scenario.model, state);
}

bool EventRunParts::end(AdvanceEnd why, const std::string& reason) {
  if (has_ended()) return false;
  ended_by = why;
  report.status = RunStatus::failed;
  report.reason = reason;
  return false;
}

bool EventRunParts::tap(const Sample* sample) {
  if (sample == nullptr) return end(AdvanceEnd::not_finite, samples.fault());
  if (!taps.on_jump || taps.on_jump(*sample)) return true;
  return end(AdvanceEnd::stopped, fmt::format("stopped by its caller at t = {:.6g} s", state.t));
}

double EventRunParts::next_limit() {
  const double check = std::max(settler.hand_over().next_check(), state.t);
  return std::min({schedule.find_limit(state.t, !stepper.has_error_control()), log.next_bounce_end(), check});
}

}  // namespace thenar::internal
