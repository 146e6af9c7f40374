// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thenar/scenario/scenario.h"
#include "thenar/trace/run_report.h"

namespace thenar {

/// What a run left behind: a word for each file ("states") and its path.
using RunFiles = std::vector<std::pair<std::string, std::string>>;

/// The result of a run as one JSON object (docs/formats.md), on several lines, with a line end.
std::string run_summary_json(const Scenario& scenario, const RunReport& report, const RunFiles& files);

/// The same for people: a table of joints and bodies (start, end, least, greatest), the energy and the events.
std::string run_summary_text(const Scenario& scenario, const RunReport& report, const RunFiles& files);

/// A name turned into one that is safe for a folder: lower-case letters, digits, - and _; never empty.
std::string slug(const std::string& name);

}  // namespace thenar
