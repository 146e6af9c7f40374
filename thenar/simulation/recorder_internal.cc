// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/recorder_internal.h"

#include <fmt/format.h>

#include <utility>

namespace thenar::internal {

Recorder::Recorder(const Scenario& scenario, RunCallbacks callbacks, Engine& engine)
    : callbacks_(std::move(callbacks)),
      engine_(engine),
      times_(scenario.run),
      next_(times_.first_after(engine.time())) {}

bool Recorder::note_end(AdvanceEnd end) {
  const double t = engine_.time();
  const bool is_due = next_time() <= t;
  while (next_time() <= t) ++next_;
  const bool is_last = engine_.has_ended() || end == AdvanceEnd::interrupted;
  return !(is_due || is_last) || t <= last_time_ || write_present();
}

bool Recorder::write_present() {
  const Sample* const sample = engine_.make_sample();
  return sample != nullptr && write(*sample);
}

bool Recorder::write(const Sample& sample) {
  last_time_ = sample.state.t;
  if (callbacks_.on_sample && !callbacks_.on_sample(sample)) {
    return engine_.end(AdvanceEnd::stopped, fmt::format("stopped by its caller at t = {:.6g} s", last_time_));
  }
  ++rows_;
  return true;
}

}  // namespace thenar::internal
