// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// An impact under every law, for people, for machines (docs/formats.md) and as a picture (docs/plots.md).

#include <string>

#include "thenar/instant/impact_comparison.h"

namespace thenar {

std::string impact_text(const Scenario& scenario, const ImpactInstant& instant, const ImpactComparison& comparison);
std::string impact_json(const Scenario& scenario, const ImpactInstant& instant, const ImpactComparison& comparison);

/// The way of the contact that is struck hardest through the impact, as if it were alone: its impulses with the cone of
/// friction, its slip, its velocities; where the laws end. An SVG text. Throws std::invalid_argument if no contact is
/// struck.
std::string plot_impact(const Scenario& scenario, const ImpactInstant& instant);

}  // namespace thenar
