// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// RunCallbacks: what a run reports while it goes on.

#include <atomic>
#include <functional>
#include <limits>

#include "thenar/trace/event.h"
#include "thenar/trace/sample.h"

namespace thenar {

struct RunCallbacks {
  /// Called at every row, the first at the initial state. Returning false ends the run as failed; the sample lives
  /// only during the call.
  std::function<bool(const Sample&)> on_sample;
  /// Called at every event, in the order of time, after the row before it and before the row after it.
  std::function<void(const Event&)> on_event;
  /// Called now and then with the time reached, s.
  std::function<void(double t)> on_progress;
  /// While it is true, calls end after the present step.
  const std::atomic<bool>* interrupt = nullptr;
  /// Rows that a run which goes on from a snapshot has written before, and the time of the last of them, s. They are
  /// not written again.
  long long rows_before = 0;
  double last_row_before = -std::numeric_limits<double>::infinity();
};

}  // namespace thenar
