// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The report of a run: one page of HTML made from the files of its trace (docs/formats.md), with everything it needs
/// inside, so that it opens from disk and can be sent to others. It shows what every contact did and when, what was
/// known about it, forces, gaps and slip, energy, positions, and a table of events, all over one time axis.
///
/// Nothing is asked of the run itself: a report can be made again from its folder at any time, also after a run that
/// failed or was killed. Lines are thinned, so that the page stays at some megabytes whatever the length of the run.

#include <filesystem>
#include <string>

namespace thenar {

/// The page as text. `folder` is that of a run, or its states.csv. Throws InputError if the trace cannot be read.
std::string make_report(const std::filesystem::path& folder);

/// Writes report.html into the folder of a run, whole or not at all, and tells its path. Throws InputError if the trace
/// cannot be read, std::runtime_error if the page cannot be written.
std::filesystem::path write_report(const std::filesystem::path& folder);

}  // namespace thenar
