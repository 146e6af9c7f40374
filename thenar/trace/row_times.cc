// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/trace/row_times.h"

#include <algorithm>
#include <cmath>

namespace thenar {
namespace {

/// Slack in counting steps: 0.01 / 0.001 may come out as 10.000000000000002 and still means 10.
constexpr double kCountSlack = 1e-9;

long long count_parts(double whole, double part) {
  return std::max(1LL, static_cast<long long>(std::ceil(whole / part * (1 - kCountSlack))));
}

}  // namespace

RowTimes::RowTimes(const RunOptions& options) : options_(options), count_(count_parts(options.until, options.sample)) {}

long long RowTimes::first_after(double t) const {
  const double runs = std::floor(t / options_.until);
  long long k =
      static_cast<long long>(runs) * count_ + static_cast<long long>((t - runs * options_.until) / options_.sample);
  while (k > 0 && time(k - 1) > t) --k;
  while (time(k) <= t) ++k;
  return k;
}

double RowTimes::next_step_time(double t, long long k) const {
  const double from = time(k - 1), to = time(k);
  const long long parts = count_parts(to - from, options_.step.value_or(RunOptions::kDefaultFixedStep));
  const double h = (to - from) / static_cast<double>(parts);
  const auto next = static_cast<long long>(std::floor((t - from) / h * (1 + kCountSlack) + kCountSlack)) + 1;
  return next >= parts ? to : from + static_cast<double>(next) * h;
}

}  // namespace thenar
