// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/recorder_internal.h"

#include <fmt/format.h>

#include <algorithm>

namespace thenar::internal {

void Recorder::follow(const Scenario& scenario, Engine& engine) {
  engine_ = &engine;
  times_.emplace(scenario.run);
  next_ = times_->first_after(engine.time());
  last_time_ = std::min(last_time_, engine.time());
}

bool Recorder::note_end() {
  const double t = engine_->time();
  const bool is_due = next_time() <= t;
  while (next_time() <= t) ++next_;
  return !(is_due || engine_->has_ended()) || write_last();
}

bool Recorder::write_present() {
  const Sample* const sample = engine_->make_sample();
  return sample != nullptr && write(*sample);
}

bool Recorder::write(const Sample& sample) {
  last_time_ = sample.state.t;
  if (callbacks_.on_sample && !callbacks_.on_sample(sample)) {
    return engine_->end(AdvanceEnd::stopped, fmt::format("stopped by its caller at t = {:.6g} s", last_time_));
  }
  ++rows_;
  return true;
}

}  // namespace thenar::internal
