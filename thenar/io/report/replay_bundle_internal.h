// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace thenar::internal {

/// The program of the replay, made from studio/ by npm when Thenar was built; nothing if there was no npm. In parts,
/// since compilers need not take literals of more than 64 kB.
extern const std::span<const std::string_view> kReplayParts;

}  // namespace thenar::internal
