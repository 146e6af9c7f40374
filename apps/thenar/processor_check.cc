// SPDX-License-Identifier: BSD-3-Clause
//
// Before anything else runs: the instructions of this build. A processor without them gets one message instead of an
// illegal instruction. This source is compiled for every x86-64 processor and uses nothing of the library.
#include <unistd.h>

#include <cstring>

namespace {

/// Runs before all other initialization: constructors with a priority run in its order, the others after them.
[[gnu::constructor(101)]] void check_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return;
  const char* message =
      "thenar: error: this program was built for processors with AVX2 and fused operations (x86-64-v3), which this one "
      "does not have; build it with the preset 'portable': ./run build portable\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message, std::strlen(message));
  _exit(2);
}

}  // namespace
