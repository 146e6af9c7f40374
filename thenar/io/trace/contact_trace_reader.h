// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reads the `contacts.csv` of a run back (docs/formats.md), line by line, and beside it `contact_frames.csv`, which
/// has a line for each of its lines. As strict as TraceReader: headers are the known ones, numbers are finite, time
/// never goes back, and a last line that was cut is left out.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "thenar/trace/sample.h"

namespace thenar {

namespace internal {
class CsvLines;
}  // namespace internal

class ContactTraceReader {
 public:
  /// Opens the files and reads their headers. Without `frames` (an empty path), and where they end before the contacts
  /// do, as after a run that was killed, nothing is known of places: N is 0. Throws InputError.
  explicit ContactTraceReader(const std::filesystem::path& contacts, const std::filesystem::path& frames = {});
  ContactTraceReader(ContactTraceReader&&) noexcept;
  ~ContactTraceReader();

  /// Goes to the next line; false at the end. Throws InputError.
  bool next();

  /// The current line.
  double t() const { return t_; }
  const Contact& contact() const { return contact_; }

  /// True when the file ended in a line that was cut and has been left out.
  bool has_cut_end() const;

 private:
  ContactMode mode() const;
  void read_frame();

  std::unique_ptr<internal::CsvLines> contacts_, frames_;
  double t_ = 0;
  Contact contact_;
  bool has_line_ = false;
};

}  // namespace thenar
