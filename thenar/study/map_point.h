// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One point of a map: the instant at the start of a scenario, or a quasistatic motion, and what a map keeps of it.

#include "thenar/instant/contact_instant.h"
#include "thenar/quasistatic/quasistatic_solver.h"
#include "thenar/study/instant_map.h"

namespace thenar {

MapPoint describe_instant(const Instant& instant);
/// slide+, slide− and, in space, slide are all S.
MapPoint describe_quasistatic(const QuasistaticAnswer& answer);

/// The instant at the start. Throws std::runtime_error where an impact comes first, or bodies overlap.
MapPoint solve_map_point(const Scenario& scenario, const InstantOptions& options);
MapPoint solve_map_point(const QuasistaticProblem& problem, const QuasistaticOptions& options);

}  // namespace thenar
