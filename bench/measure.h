// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Timing that survives a noisy machine: thread CPU time, contenders in turns within one run, medians over rounds. Only
/// ratios of one run mean anything.

#include <time.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace thenar::bench {

/// CPU time of this thread, s.
inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Contender {
  std::string name;
  std::function<void()> call;
  double items_per_call = 1;
  std::vector<double> seconds{};  ///< per item, one entry per round

  double median() const {
    std::vector<double> sorted = seconds;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

/// Times the contenders in turns: `rounds` times each, as many calls per turn as last about `turn_seconds`.
inline void measure(std::vector<Contender>& contenders, int rounds, double turn_seconds) {
  std::vector<int> calls(contenders.size(), 1);
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    for (;;) {
      const double start = thread_seconds();
      for (int i = 0; i < calls[c]; ++i) contenders[c].call();
      if (thread_seconds() - start >= turn_seconds || calls[c] > (1 << 28)) break;
      calls[c] *= 2;
    }
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const double start = thread_seconds();
      for (int i = 0; i < calls[c]; ++i) contenders[c].call();
      contenders[c].seconds.push_back((thread_seconds() - start) / (calls[c] * contenders[c].items_per_call));
    }
  }
}

}  // namespace thenar::bench
