// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a report shows of a trace, thinned so that its size does not depend on the length of the run.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thenar/io/plot/axis_ticks.h"
#include "thenar/io/trace/trace_reader.h"
#include "thenar/study/line_reduction.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

/// Of summary.json; what it does not say stays as it is here.
struct ReportSummary {
  bool is_there = false;  ///< false after a run that was killed
  std::string name, status, reason, integrator, engine = "event";
  double wall_s = 0, max_gap_violation = 0, worst_grade = 0;
  long long steps = 0, implicit_steps = 0, rejected_steps = 0, flagged_steps = 0;
};

/// A stretch of time in which a word holds: the mode of a contact, or a verdict.
struct ReportSegment {
  double from = 0, to = 0;  ///< s
  std::string word{};
  bool is_hatched = false;  ///< of a verdict: not determinate
};

struct ReportContact {
  std::string name;
  std::vector<ReportSegment> segments;  ///< where it is not within the margin there is none
  bool is_ever_held = false;
  int style = -1;  ///< of its lines, if it has any
};

/// A line against time. A point whose y is not a number ends a piece.
struct ReportSeries {
  std::string name;
  int style = 0;  ///< the same for a contact or a degree of freedom in all panels
  std::vector<PlotPoint> points{};
};

struct ReportPanel {
  std::string title, unit;
  std::string hint;  ///< what is shown, in a sentence
  std::vector<ReportSeries> series{};
  std::size_t left_out = 0;  ///< lines that were too many
};

/// Events of one kind that are too close in time to be told apart.
struct ReportMark {
  TraceEvent first;
  std::size_t index = 0;  ///< of the first among all events
  double last = 0;        ///< s
  long long count = 0;
};

struct ReportData {
  ReportSummary summary;
  AxisRange time;  ///< s
  long long rows = 0;
  std::vector<ReportSegment> verdicts;
  /// In the order in which they appear; if any is ever held, only those that are.
  std::vector<ReportContact> contacts;
  std::size_t contacts_only_near = 0;
  std::size_t contacts_left_out = 0;
  bool has_contacts = false;
  std::vector<ReportPanel> panels;
  std::vector<TraceEvent> events;  ///< the first ones, for the table
  long long event_count = 0;
  std::map<std::string, std::vector<ReportMark>> marks;  ///< by kind
  std::map<std::string, long long> counts;               ///< of events by kind
  std::optional<double> energy_error;                    ///< J, the largest |balance error|
  std::string motion;                                    ///< for the replay (replay_data_internal.h); may be empty
  std::string story;                                     ///< what happened, a paragraph (report_story_internal.h)
  std::vector<std::string> notes;                        ///< for people: what was left out
};

/// Reads the trace in a folder. Throws InputError if it cannot be read.
ReportData read_report_data(const std::filesystem::path& folder);

}  // namespace thenar::internal
