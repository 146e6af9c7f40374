// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A run of slow motion, from one list of modes to the next.
///
/// At an event the quasistatic problem is solved with its proof (quasistatic_solver.h); its answer is the list of modes
/// in which the motion goes on. Where an event is one of geometry (bodies meet, a stop is met, features or drives
/// change), the problem is that of the moment itself. Where a slip comes to rest or forces leave their bounds, both the
/// old list and the new one are answers at that very moment; so the question is asked a little later, where the old
/// list would be, by so much that it is clearly none any more (kClear), and the answer goes on from the moment.
///
/// No answer: the hand jams, and the run ends with the proof. Several: RunOptions::on_indeterminate; but what is at
/// rest and can stay there does while nothing is driven.

#include "thenar/scenario/scenario.h"
#include "thenar/trace/run_callbacks.h"
#include "thenar/trace/run_report.h"

namespace thenar::internal {

/// The scenario has been checked.
RunReport simulate_slowly(const Scenario& scenario, const RunCallbacks& callbacks);

}  // namespace thenar::internal
