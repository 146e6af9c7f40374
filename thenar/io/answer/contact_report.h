// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The contacts at the start of a scenario as text and as JSON.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "thenar/study/start_contacts.h"

namespace thenar {

/// "'box' and 'table' overlap by 0.001 m at the start"
std::string describe_overlap(const Model& model, const StartOverlap& overlap);

/// A table for people, in which gaps that differ by rounding only count as equal.
std::string contact_report_text(const Model& model, const ContactReport& report);

/// The keys margin, pairs, near_pairs, contacts and overlaps (docs/formats.md).
nlohmann::ordered_json contact_report_json(const Model& model, const ContactReport& report);

}  // namespace thenar
