// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/simulate.h"

#include <memory>

#include "thenar/simulation/simulation.h"

namespace thenar {

RunReport simulate(const Scenario& scenario, const RunCallbacks& callbacks) {
  // The scenario outlives the simulation, which need not own it.
  Simulation simulation(std::shared_ptr<const Scenario>(std::shared_ptr<void>(), &scenario));
  simulation.record(callbacks);
  const AdvanceReport end = simulation.advance_to(scenario.run.until);
  if (end.end == AdvanceEnd::reached && callbacks.on_progress) callbacks.on_progress(end.time);
  if (end.end == AdvanceEnd::interrupted) simulation.record_last();
  return simulation.report();
}

Trace record(const Scenario& scenario) {
  Trace trace;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    trace.samples.push_back(sample);
    return true;
  };
  callbacks.on_event = [&](const Event& event) { trace.events.push_back(event); };
  trace.report = simulate(scenario, callbacks);
  return trace;
}

}  // namespace thenar
