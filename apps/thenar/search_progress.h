// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdio>

namespace thenar::app {

/// Ctrl-C, for searches that ask from time to time whether to go on.
class Interruption {
 public:
  static void listen() {
    std::signal(SIGINT, [](int) { came_ = 1; });
  }
  static bool came() { return came_ != 0; }

 private:
  static inline volatile std::sig_atomic_t came_ = 0;
};

/// Goes on until Ctrl-C; a line of progress on a terminal.
inline bool report_nodes(long long nodes, bool is_quiet) {
  if (!is_quiet && nodes > 0 && nodes % 1024 == 0) fmt::print(stderr, "\r{} nodes", nodes);
  return !Interruption::came();
}

}  // namespace thenar::app
