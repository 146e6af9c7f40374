// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Text files: results that grow line by line while a run goes on, and files read and written at once. Messages name
/// the file and the reason that the system gives.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace thenar {

/// A file that only ever holds whole lines: what it is given goes to the system at once, so that a run that is killed
/// leaves nothing half-written.
class LineFile {
 public:
  /// What becomes of an older file of that name.
  enum class Start { replace, append };

  /// Creates the folder if it is missing and the file in it. Throws std::runtime_error with a clear message if that
  /// cannot be done.
  LineFile(const std::filesystem::path& folder, const std::string& name, Start start = Start::replace);
  /// Keeps the first bytes of the file that is there and appends to them; what stands behind them is lost. Without a
  /// number it replaces the file. Throws std::runtime_error as above, or if the file is shorter.
  LineFile(const std::filesystem::path& folder, const std::string& name, std::optional<std::uintmax_t> kept);

  /// Adds whole lines. False when they could not be written; error() says why, and nothing is written from then on.
  bool write(std::string_view lines);

  /// Bytes in the file.
  std::uintmax_t size() const { return size_; }
  /// Empty while all is well.
  const std::string& error() const { return error_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::uintmax_t size_ = 0;
  std::string error_;
};

/// Adds the shortest decimal form of a finite number that reads back to the same bits.
void append_number(double value, std::string& text);

/// A whole file, or a little more than `most` bytes of it: a pipe has no size, and a device may have no end. Throws
/// InputError if it cannot be read.
std::string read_file(const std::filesystem::path& path, std::size_t most);

/// Writes a whole file at once. Throws std::runtime_error if that cannot be done.
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace thenar
