// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thenar/base/diagnostic.h"

namespace thenar::internal {

/// What becomes of a last line without its end.
enum class LastLine {
  needs_end,   ///< it is not given out: a run that was killed may have left it cut, and half a number looks like a
               ///< number
  may_be_open  ///< it is a line: many programs write none
};

/// Reads a text file line by line in pieces, so that its length does not matter, without a byte order mark.
class LineReader {
 public:
  /// Longest line that is read; a longer one means that the file is something else.
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  /// Opens the file. Throws InputError if it cannot be read.
  explicit LineReader(const std::filesystem::path& path, LastLine last = LastLine::needs_end);

  /// The next whole line without its end (LF or CR LF), or nothing at the end of the file. The text stays valid until
  /// the next call. Throws InputError if the file cannot be read or has a line that is too long.
  std::optional<std::string_view> next();

  /// The place of the line that next() gave last.
  SourceMark mark() const { return {file_name_, line_, 0}; }

  /// True when next() has come to the end and left out a line that was cut.
  bool has_cut_end() const { return has_cut_end_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool read_more();
  std::string_view take(std::size_t length, std::size_t end);

  std::string file_name_;
  LastLine last_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // What has been read and not been given out.
  int line_ = 0;
  bool has_cut_end_ = false;
};

}  // namespace thenar::internal
