// SPDX-License-Identifier: BSD-3-Clause
#include "assertion_guard.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

namespace {
std::jmp_buf g_way_back;
bool g_is_armed = false;
}  // namespace

/// In place of the C library's: the program exports it, so that shared libraries find this one first. Not by an
/// exception, since callers are compiled in the belief that it throws none.
extern "C" [[noreturn]] void __assert_fail(const char* text, const char* file, unsigned line, const char* function) {
  if (g_is_armed) std::longjmp(g_way_back, 1);
  std::fprintf(stderr, "%s:%u: %s: assertion failed: %s\n", file, line, function, text);
  std::abort();
}

namespace thenar::bench::internal {

bool run_guarded(void (*call)(const void*), const void* context) {
  const bool is_through = setjmp(g_way_back) == 0;
  if (is_through) {
    g_is_armed = true;
    call(context);
  }
  g_is_armed = false;
  return is_through;
}

}  // namespace thenar::bench::internal
