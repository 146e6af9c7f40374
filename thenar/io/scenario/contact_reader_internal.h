// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/io/scenario/part_reader_internal.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

/// How contacts strike: a law, or {law: .., several: .., energy: ..}.
ImpactOptions read_impact_options(const Field& field);

/// Reads the `contacts` of a scenario, whose model and shapes are complete, and their `impact`.
void read_contacts(const Field& field, const Parameters& parameters, Scenario& scenario);

/// Reads `strike`: two bodies, a point, a normal and what the contact is made of; by default what `contacts` says.
StruckPoint read_strike(const Field& field, const Parameters& parameters, const Scenario& scenario);

}  // namespace thenar::internal
