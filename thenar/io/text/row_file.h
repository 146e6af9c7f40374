// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "thenar/io/text/text_file.h"

namespace thenar {

/// A CSV that grows by the rows of a run. A row may have several lines, or none; what is handed to the system are whole
/// rows, some at a time, so that a run that is killed leaves a readable file.
class RowFile {
 public:
  /// Creates the folder if it is missing and the file with its header line, replacing an older one, or goes on behind
  /// the first `kept` bytes of the file that is there. Throws std::runtime_error with a clear message if that cannot be
  /// done.
  RowFile(const std::filesystem::path& folder, const std::string& name, std::string_view header,
          std::optional<std::uintmax_t> kept = {});

  /// Adds a cell to the line: a number in the shortest form that reads back to the same bits, or a text, in quotes
  /// (RFC 4180) where it has a comma or a quote; line ends in it become spaces.
  void append(double value);
  void append(std::string_view text);
  /// Ends the line, which has a cell.
  void end_line();
  /// Ends the row. False when what was gathered could not be written; error() says why.
  bool end_row();
  /// Writes what is left. False as above.
  bool flush();

  /// Bytes that were handed to the system.
  std::uintmax_t size() const { return file_.size(); }
  /// Empty while all is well.
  const std::string& error() const { return file_.error(); }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  LineFile file_;
  std::string buffer_;
  int buffered_rows_ = 0;
};

}  // namespace thenar
