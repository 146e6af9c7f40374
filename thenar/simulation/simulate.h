// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Runs a scenario from its initial state to its end, in one go: a Simulation (simulation.h) that is recorded.
///
///     const Trace trace = record(scenario);                     // all rows in memory
///
///     RunCallbacks callbacks;                                   // or row by row
///     callbacks.on_sample = [&](const Sample& s) { return writer.write(s); };
///     const RunReport report = simulate(scenario, callbacks);
///
/// A run never throws for physics: a state that is no longer finite ends it with a report that says where. The same
/// scenario gives the same bits in every run of one build.

#include <vector>

#include "thenar/scenario/scenario.h"
#include "thenar/trace/run_callbacks.h"
#include "thenar/trace/run_report.h"

namespace thenar {

/// Throws std::invalid_argument when the scenario cannot run: bad options, sizes that do not fit the model, or a joint
/// without inertia (find_inertia_fault).
RunReport simulate(const Scenario& scenario, const RunCallbacks& callbacks = {});

struct Trace {
  std::vector<Sample> samples;
  std::vector<Event> events;
  RunReport report;
};

/// Runs the scenario and keeps all rows.
Trace record(const Scenario& scenario);

}  // namespace thenar
