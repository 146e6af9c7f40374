// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/row_file.h"

#include <stdexcept>

namespace thenar {
namespace {

/// Rows are handed to the system in groups of this many.
constexpr int kRowsPerWrite = 64;

}  // namespace

RowFile::RowFile(const std::filesystem::path& folder, const std::string& name, std::string_view header,
                 std::optional<std::uintmax_t> kept)
    : file_(folder, name, kept) {
  if (kept) return;
  buffer_ = header;
  buffer_ += '\n';
  if (!flush()) throw std::runtime_error(error());
}

void RowFile::append(double value) {
  append_number(value, buffer_);
  buffer_ += ',';
}

void RowFile::append(std::string_view text) {
  const bool is_quoted = text.find_first_of(",\"") != std::string_view::npos;
  if (is_quoted) buffer_ += '"';
  for (const char c : text) {
    if (c == '"') buffer_ += '"';
    buffer_ += c == '\n' || c == '\r' ? ' ' : c;
  }
  if (is_quoted) buffer_ += '"';
  buffer_ += ',';
}

void RowFile::end_line() { buffer_.back() = '\n'; }

bool RowFile::end_row() { return ++buffered_rows_ < kRowsPerWrite || flush(); }

bool RowFile::flush() {
  if (!file_.write(buffer_)) return false;
  buffer_.clear();
  buffered_rows_ = 0;
  return true;
}

}  // namespace thenar
