// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace thenar {

/// What ended a stretch of motion. After the first four of them it can go on at once.
enum class AdvanceEnd : std::uint8_t {
  reached,        ///< the time asked for
  event,          ///< an event that was asked for has just passed
  budget,         ///< the budget is used up
  interrupted,    ///< the interrupt flag is up
  stopped,        ///< a callback asked to stop
  indeterminate,  ///< rigid contacts have several motions here, and the scenario says to stop
  jam,            ///< rigid contacts have no motion here
  not_finite,     ///< a force or a state is no finite number
  failed          ///< anything else: bodies that overlap, steps that do not succeed, events without end
};

constexpr bool can_go_on(AdvanceEnd end) { return end <= AdvanceEnd::interrupted; }

/// The word used in messages and in files.
const char* to_string(AdvanceEnd end);

}  // namespace thenar
