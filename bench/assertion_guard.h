// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Debian builds some of our peers with their assertions on. One that fails would end the benchmark; here it ends the
/// call instead, which counts as failed.

namespace thenar::bench {

/// Calls call(), and returns false when an assertion of the C library fails in it. What the abandoned functions hold is
/// leaked: only for other people's code, and only where that does no harm.
template <class Call>
bool survives_assertions(const Call& call);

namespace internal {
bool run_guarded(void (*call)(const void*), const void* context);
}

template <class Call>
bool survives_assertions(const Call& call) {
  return internal::run_guarded([](const void* context) { (*static_cast<const Call*>(context))(); }, &call);
}

}  // namespace thenar::bench
