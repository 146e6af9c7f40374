// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "thenar/scenario/scenario.h"

namespace thenar {

/// Rows stand at 0, sample, 2 sample, … and at the end of the run; behind it at the same distances from there.
class RowTimes {
 public:
  /// The options must outlive it.
  explicit RowTimes(const RunOptions& options);

  /// Time of row k ≥ 0, s. Written as one fused operation, so that all callers get the same number: a compiler may fuse
  /// either product of the plain sum, and then first_after(time(k)) could be k.
  double time(long long k) const {
    return std::fma(static_cast<double>(k / count_), options_.until, static_cast<double>(k % count_) * options_.sample);
  }
  /// The number of the first row behind time t ≥ 0, s.
  long long first_after(double t) const;
  /// The number of the row at the end of the run.
  long long count() const { return count_; }

  /// Where a fixed step that starts at t, on the way to row k, ends: the way from row to row has equal parts.
  double next_step_time(double t, long long k) const;

 private:
  const RunOptions& options_;
  long long count_;
};

}  // namespace thenar
