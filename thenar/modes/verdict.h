// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace thenar {

/// How many answers a problem has. Two answers with the same motion and forces are one.
enum class Verdict : std::uint8_t {
  unique,
  unique_motion,  ///< one motion; more forces than one bring it about
  several,        ///< more than one motion
  none,
  undecided  ///< not found out: what was found are answers, but there may be others
};

/// The word used in files.
constexpr const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::unique:
      return "unique";
    case Verdict::unique_motion:
      return "unique_motion";
    case Verdict::several:
      return "several";
    case Verdict::none:
      return "none";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

}  // namespace thenar
