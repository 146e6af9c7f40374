// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/simulate.h"

#include <fmt/format.h>

#include <chrono>

#include "thenar/engine/event_run_internal.h"
#include "thenar/quasistatic_run/slow_run_internal.h"
#include "thenar/simulation/scenario_check_internal.h"
#include "thenar/trace/row_times.h"

namespace thenar {
namespace {

using Clock = std::chrono::steady_clock;

/// Carries a run of the event engine from row to row.
class RowLoop {
 public:
  RowLoop(const Scenario& scenario, const RunCallbacks& callbacks)
      : scenario_(scenario),
        callbacks_(callbacks),
        taps_{callbacks.on_event, [this](const Sample& sample) { return write(sample); }, callbacks.on_progress,
              callbacks.interrupt},
        times_(scenario.run),
        run_(scenario, taps_) {}

  RunReport execute() {
    const auto start = Clock::now();
    write_rows();
    RunReport report = run_.report();
    report.rows = rows_;
    report.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
    return report;
  }

 private:
  void write_rows() {
    // The first row of a run with contacts reports what they do, which is known when they have settled.
    if (!scenario_.contacts && !write_present()) return;
    const bool is_settled = run_.begin();
    if (scenario_.contacts && rows_ == 0 && !write_present()) return;
    if (!is_settled) return;
    while (next_ <= times_.count()) {
      const bool is_there = run_.advance_to(times_.time(next_));
      // What was reached is worth a row, even if it is not where the run was to go.
      if (run_.time() > last_time_ && !write_present()) return;
      if (!is_there) return;
      if (times_.time(next_) <= run_.time()) ++next_;
    }
    if (callbacks_.on_progress) callbacks_.on_progress(run_.time());
  }

  /// A row at the present state.
  bool write_present() {
    const Sample* const sample = run_.make_sample();
    if (sample == nullptr) return false;
    return write(*sample) ||
           run_.end(RunStatus::failed, fmt::format("stopped by its caller at t = {:.6g} s", run_.time()));
  }

  bool write(const Sample& sample) {
    last_time_ = sample.state.t;
    if (callbacks_.on_sample && !callbacks_.on_sample(sample)) return false;
    ++rows_;
    return true;
  }

  const Scenario& scenario_;
  const RunCallbacks& callbacks_;
  internal::RunTaps taps_;
  RowTimes times_;
  internal::EventRun run_;
  long long next_ = 1;  ///< number of the next row
  long long rows_ = 0;
  double last_time_ = -1;  ///< s, of the last row
};

}  // namespace

RunReport simulate(const Scenario& scenario, const RunCallbacks& callbacks) {
  internal::check_scenario(scenario);
  if (scenario.run.engine == EngineKind::quasistatic) return internal::simulate_slowly(scenario, callbacks);
  return RowLoop(scenario, callbacks).execute();
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
