// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The lines of a report, gathered row by row and thinned on the way.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "thenar/io/report/report_data_internal.h"
#include "thenar/io/trace/trace_units.h"

namespace thenar::internal {

/// Lines of one panel; more could not be told apart.
inline constexpr std::size_t kMostLines = 24;

/// Forces, gaps and slip of contacts. Those that ever hold come first, whatever their place in the trace.
class ContactLines {
 public:
  /// Gives the contacts that are drawn their styles.
  ContactLines(std::vector<ReportContact>& contacts, std::size_t bins);
  static std::size_t count_lines(const std::vector<ReportContact>& contacts);

  void take(const Contact& contact, double t);
  /// After the contacts of a row: sees to those that are not among them.
  void end_row(double t);
  void build(std::vector<ReportPanel>& out) const;

 private:
  struct Track {
    std::string name;
    std::vector<LineBuilder> lines;
    bool is_there = false;
  };

  std::vector<Track> tracks_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::size_t left_out_ = 0;
};

/// Positions, velocities and efforts: a panel for each quantity and unit.
class StateLines {
 public:
  StateLines(std::span<const std::string> columns, std::span<const MotionKind> kinds);
  std::size_t count_lines() const { return lines_.size(); }
  void set_bins(std::size_t bins);

  void take(std::span<const double> row);
  void build(std::vector<ReportPanel>& out) const;

 private:
  struct Line {
    std::size_t column = 0, panel = 0;
    std::string name;
    int style = 0;
    LineBuilder builder;
    bool is_zero = true;
  };

  std::size_t find_panel(const std::string& quantity, const std::string& unit);

  std::vector<ReportPanel> panels_;  // Without lines.
  std::vector<Line> lines_;
};

/// Kinds of energy and how well they balance.
class EnergyLines {
 public:
  explicit EnergyLines(std::size_t bins) : lines_(kCount, LineBuilder(bins)) {}
  static constexpr std::size_t kCount = 5;

  /// A row of energy.csv.
  void take(std::span<const double> row);
  void build(std::vector<ReportPanel>& out) const;
  /// J; nothing without rows.
  std::optional<double> largest_error() const { return has_start_ ? std::optional(largest_error_) : std::nullopt; }

 private:
  std::vector<LineBuilder> lines_;
  double start_ = 0, largest_error_ = 0;
  bool has_start_ = false;
};

}  // namespace thenar::internal
