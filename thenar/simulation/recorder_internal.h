// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Rows of a motion: samples at the row times of its scenario (RowTimes), and before and after jumps.

#include <limits>

#include "thenar/engine/engine_internal.h"
#include "thenar/scenario/scenario.h"
#include "thenar/trace/row_times.h"
#include "thenar/trace/run_callbacks.h"

namespace thenar::internal {

class Recorder {
 public:
  /// The scenario and the engine must outlive it.
  Recorder(const Scenario& scenario, RunCallbacks callbacks, Engine& engine);

  /// When the next row is due, s.
  double next_time() const { return times_.time(next_); }

  // All of these are false when the receiver wants no more, or a sample cannot be made: the motion has ended then.

  /// The present state, unless there is a row already.
  bool write_first() { return rows_ > 0 || write_present(); }
  /// A call of the engine is over. What it has reached is a row if that is due or the motion goes no further.
  bool note_end(AdvanceEnd end);
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
  Engine& engine_;
  RowTimes times_;
  long long next_;  ///< number of the next row
  long long rows_ = 0;
  double last_time_ = -std::numeric_limits<double>::infinity();  ///< s, of the last row
};

}  // namespace thenar::internal
