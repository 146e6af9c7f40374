// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Three kinds of checks, drawn apart here once for the whole library:
///
/// - THENAR_ASSERT: something that only a bug of ours can break. Checked in debug builds, free in release.
/// - THENAR_DEMAND: the same, but where going on would corrupt data or memory. Checked in every build.
/// - A bad argument of a caller is neither: it throws std::invalid_argument (API) or thenar::InputError
///   (files, see diagnostic.h) with a message that names the element, the value and what was expected.

namespace thenar::internal {
/// Prints the failed condition and ends the process.
[[noreturn]] void assertion_failed(const char* condition, const char* function, const char* file, int line);
}  // namespace thenar::internal

#define THENAR_DEMAND(condition) \
  ((condition) ? static_cast<void>(0) : ::thenar::internal::assertion_failed(#condition, __func__, __FILE__, __LINE__))

#ifdef NDEBUG
#define THENAR_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#else
#define THENAR_ASSERT(condition) THENAR_DEMAND(condition)
#endif
