// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace thenar::internal {

/// The program of the replay, made from studio/ by npm when Thenar was built; empty if there was no npm.
extern const std::string_view kReplayBundle;

}  // namespace thenar::internal
