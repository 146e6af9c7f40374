// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// RunCallbacks: what a run reports while it goes on.

#include <atomic>
#include <functional>

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
  /// When it becomes true the run ends after the present step, with one last row.
  const std::atomic<bool>* interrupt = nullptr;
};

}  // namespace thenar
