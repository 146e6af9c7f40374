// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reads the trace of a run back (docs/formats.md): the rows of `states.csv` one by one, the events of `events.jsonl`
/// likewise. Memory is one line, whatever the length of the trace.
///
/// Strict: the first column is `t`, names are unique, every row has a finite number for every column and time never
/// goes back. Two rows of equal t are the values before and after a jump. Faults are InputError with file and line. A
/// run that was killed may have left its last line cut: a line without its end is left out, and has_cut_end() tells.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace thenar {

namespace internal {
class LineReader;
}

/// The files of a trace. All but `states` are empty when there are none.
struct TraceFiles {
  std::filesystem::path states, events, summary, energy, contacts, contact_frames, scene;
};

/// Finds the files of a trace, given as the folder of a run or as its states.csv. A file of another name stands alone.
/// Throws InputError if there is no such file.
TraceFiles find_trace(const std::filesystem::path& trace);

/// Throws InputError, in the name of the command-line option, if `output` is a file of the trace itself.
void check_output(const TraceFiles& files, const std::filesystem::path& output, const std::string& option);

/// Rows of a states.csv, from first to last.
class TraceReader {
 public:
  /// What the file is: rows of a run, or of something that another program has recorded, in words and in whether its
  /// last line needs an end.
  enum class Source { run, recording };

  /// Opens the file and reads its header. Throws InputError.
  explicit TraceReader(const std::filesystem::path& states, Source source = Source::run);
  TraceReader(TraceReader&&) noexcept;
  ~TraceReader();

  /// The names of the columns; the first is "t".
  const std::vector<std::string>& columns() const { return columns_; }

  /// Goes to the next row; false at the end. Throws InputError.
  bool next();

  /// The current row, in the order of columns().
  std::span<const double> row() const { return row_; }
  double t() const { return row_[0]; }

  /// True when the file ended in a line that was cut and has been left out.
  bool has_cut_end() const;

 private:
  void read_header();
  const char* name() const;
  bool parse_row(std::string_view line);
  [[noreturn]] void fail_row(std::string_view line) const;

  Source source_;
  std::unique_ptr<internal::LineReader> lines_;
  std::vector<std::string> columns_;
  std::vector<double> row_;
  bool has_row_ = false;
};

/// The columns that fit `pattern`, as ascending indices into `columns`: the whole name, in which * stands for any
/// characters and ? for one. If none fits, the name of the hand may have been left out: "q.wrist.*" finds
/// "q.hand.wrist.0". The time is never among them. Throws InputError at line 1 of `states`, with close names, if there
/// is no such column.
std::vector<std::size_t> find_columns(const std::string& pattern, std::span<const std::string> columns,
                                      const std::filesystem::path& states);

/// A line of events.jsonl. Kinds are words of the file, so that traces of later versions can be read.
struct TraceEvent {
  double t = 0;  ///< s
  std::string kind, where, cause;
  std::string how{};                        ///< EventCause as a word; empty in files of version 0.1
  std::map<std::string, double> numbers{};  ///< by name; none in files of version 0.1
};

/// Calls `take` for every event of the file in its order. Returns false when the file ended in a line that was cut and
/// has been left out. Throws InputError.
bool read_events(const std::filesystem::path& events, const std::function<void(const TraceEvent&)>& take);

}  // namespace thenar
