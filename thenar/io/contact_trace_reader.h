// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reads the `contacts.csv` of a run back (docs/formats.md), line by line. As strict as TraceReader: the header is the
/// known one, numbers are finite, time never goes back, and a last line that was cut is left out.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "thenar/simulate/simulate.h"

namespace thenar {

namespace internal {
class LineReader;
}

class ContactTraceReader {
 public:
  /// Opens the file and reads its header. Throws InputError.
  explicit ContactTraceReader(const std::filesystem::path& contacts);
  ContactTraceReader(ContactTraceReader&&) noexcept;
  ~ContactTraceReader();

  /// Goes to the next line; false at the end. Throws InputError.
  bool next();

  /// The current line.
  double t() const { return t_; }
  const ContactSample& contact() const { return contact_; }

  /// True when the file ended in a line that was cut and has been left out.
  bool has_cut_end() const;

 private:
  void read_header();
  void split(std::string_view line);
  double number(std::size_t cell) const;
  ContactMotion motion(const std::string& word) const;

  std::unique_ptr<internal::LineReader> lines_;
  std::vector<std::string> cells_;  // Of the current line; kept for its memory.
  double t_ = 0;
  ContactSample contact_;
  bool has_line_ = false;
};

}  // namespace thenar
