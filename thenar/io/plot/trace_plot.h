// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Columns of a trace, and of its contacts, against time, as an SVG (docs/plots.md). Columns of one quantity and unit
/// share a panel; panels are stacked over one time axis, and the events of the run stand as marks above them. The trace
/// is read once, in any length, and what is kept of it depends only on the size of the picture.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace thenar {

struct TracePlotOptions {
  std::filesystem::path trace{};       ///< folder of a run, or a states.csv
  std::vector<std::string> columns{};  ///< names or patterns, see find_columns; panels and lines come in this order
  bool degrees = false;                ///< angles in degrees; columns whose unit is not known count as angles
  bool events = true;                  ///< mark the events, if the trace has any
  std::optional<double> from{}, to{};  ///< s; default: the whole trace
  std::string title{};
  int width = 0, height = 0;  ///< px; 0 means as Chart likes it

  /// More columns than this are no picture.
  static constexpr std::size_t kMostColumns = 256;
};

struct TracePlot {
  std::string svg;
  std::vector<std::string> notes;  ///< for people: what was left out
};

/// Throws InputError if the trace is bad, a column is unknown, the window is empty or the size too small.
TracePlot plot_trace(const TracePlotOptions& options);

}  // namespace thenar
