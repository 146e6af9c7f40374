// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Which of the answers of an instant a run goes on with, if any.

#include <cstddef>
#include <string>

#include "thenar/instant/contact_instant.h"
#include "thenar/scenario/scenario.h"
#include "thenar/trace/advance_end.h"

namespace thenar::internal {

struct AnswerChoice {
  bool goes_on = false;
  std::size_t cell = 0;  ///< of the instant, if it goes on
  std::string fault{};   ///< otherwise
  AdvanceEnd cause = AdvanceEnd::failed;
  bool is_stuck =
      false;  ///< the search found nothing, which is no statement about the motion: a bridge may lead past it
};

/// What is at rest stays at rest as long as there are forces that hold it, whatever else it could do: slip begins when
/// no admissible force is left. `jam` names a contact that has jammed; it may be empty.
AnswerChoice choose_answer(const Scenario& scenario, const Instant& instant, const State& state,
                           const std::string& jam);

}  // namespace thenar::internal
