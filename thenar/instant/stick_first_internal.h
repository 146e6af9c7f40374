// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Static friction: contacts at rest roll on if any answer lets them (contact_instant.h tells the rule).

#include "thenar/instant/instant_assembly_internal.h"

namespace thenar::internal {

/// Solves the problem of an assembled instant, whose contacts at rest have μ_s, and releases what cannot hold. Sets
/// answer, verdict, reason, is_list_complete and stick_first, and the coefficients of what was released in contacts and
/// problem. Returns the numbers of the cells that are answers.
std::vector<std::size_t> solve_stick_first(AssembledInstant& assembled, const ModeSearchOptions& options);

}  // namespace thenar::internal
