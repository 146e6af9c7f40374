// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace thenar::internal {

/// How a report looks, for light and dark screens.
extern const std::string_view kReportStyle;
/// What a report does: draws lines from the numbers in the page, reads values at a time, zooms, filters events. The
/// page itself has all texts, so that no text is ever put together here.
extern const std::string_view kReportScript;

}  // namespace thenar::internal
