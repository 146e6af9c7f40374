// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Rows of a motion: samples at the row times of its scenario (RowTimes), and before and after jumps.

#include <optional>
#include <utility>

#include "thenar/engine/engine_internal.h"
#include "thenar/scenario/scenario.h"
#include "thenar/trace/row_times.h"
#include "thenar/trace/run_callbacks.h"

namespace thenar::internal {

class Recorder {
 public:
  explicit Recorder(RunCallbacks callbacks)
      : callbacks_(std::move(callbacks)), rows_(callbacks_.rows_before), last_time_(callbacks_.last_row_before) {}

  /// Records this engine from its present state on. Both must outlive that.
  void follow(const Scenario& scenario, Engine& engine);

  /// When the next row is due, s.
  double next_time() const { return times_->time(next_); }

  // All of these are false when the receiver wants no more, or a sample cannot be made: the motion has ended then.

  /// The present state, unless there is a row already.
  bool write_first() { return rows_ > 0 || write_present(); }
  /// A call of the engine is over. What it has reached is a row if that is due or the motion goes no further.
  bool note_end();
  /// A row of the present state, unless there is one.
  bool write_last() { return engine_->time() <= last_time_ || write_present(); }
  bool write(const Sample& sample);

  bool takes_events() const { return callbacks_.on_event != nullptr; }
  void write(const Event& event) const { callbacks_.on_event(event); }
  void note_progress(double t) const {
    if (callbacks_.on_progress) callbacks_.on_progress(t);
  }
  const std::atomic<bool>* interrupt() const { return callbacks_.interrupt; }
  long long rows() const { return rows_; }

 private:
  bool write_present();

  RunCallbacks callbacks_;
  Engine* engine_ = nullptr;
  std::optional<RowTimes> times_;
  long long next_ = 1;  ///< number of the next row
  long long rows_ = 0;
  double last_time_;  ///< s, of the last row
};

}  // namespace thenar::internal
