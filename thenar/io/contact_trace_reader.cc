// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/contact_trace_reader.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/line_reader_internal.h"
#include "thenar/io/trace_writer.h"

namespace thenar {
namespace {

constexpr std::array kMotions{ContactMotion::free, ContactMotion::fixed, ContactMotion::roll, ContactMotion::slide,
                              ContactMotion::spin};
constexpr std::size_t kCells = 16;

/// The name of a column, for messages.
std::string_view column(std::size_t cell) {
  std::string_view rest = kContactHeader;
  for (; cell > 0; --cell) rest.remove_prefix(rest.find(',') + 1);
  return rest.substr(0, rest.find(','));
}

}  // namespace

ContactTraceReader::ContactTraceReader(const std::filesystem::path& contacts)
    : lines_(std::make_unique<internal::LineReader>(contacts)) {
  read_header();
}

ContactTraceReader::ContactTraceReader(ContactTraceReader&&) noexcept = default;
ContactTraceReader::~ContactTraceReader() = default;

bool ContactTraceReader::has_cut_end() const { return lines_->has_cut_end(); }

void ContactTraceReader::read_header() {
  const auto line = lines_->next();
  SourceMark mark = lines_->mark();
  mark.line = 1;
  if (!line) throw InputError(mark, "there is no whole line, expected the header of contacts.csv");
  if (*line != kContactHeader) {
    throw InputError(mark, fmt::format("expected the header '{}', found {}", kContactHeader, quote(*line)));
  }
}

bool ContactTraceReader::next() {
  const auto line = lines_->next();
  if (!line) return false;
  split(*line);
  if (cells_.size() != kCells) {
    throw InputError(lines_->mark(), fmt::format("expected {} values, found {}", kCells, cells_.size()));
  }
  const double t = number(0);
  if (has_line_ && t < t_) throw InputError(lines_->mark(), fmt::format("time goes back: t = {} after {}", t, t_));
  has_line_ = true;
  t_ = t;
  contact_.name = cells_[1];
  contact_.motion = motion(cells_[2]);
  contact_.gap = number(3);
  for (std::size_t i = 0; i < 4; ++i) contact_.force[i] = number(4 + i);
  for (std::size_t i = 0; i < 2; ++i) {
    contact_.slip[i] = number(8 + i);
    contact_.u_A[i] = number(10 + i);
    contact_.u_B[i] = number(12 + i);
  }
  contact_.psi = number(14);
  contact_.margin = number(15);
  return true;
}

/// The cells of a line, without the quotes of those that have them.
void ContactTraceReader::split(std::string_view line) {
  cells_.assign(1, {});
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool is_doubled = is_quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (is_doubled) cells_.back() += line[i++];
      if (!is_doubled) is_quoted = !is_quoted;
    } else if (line[i] == ',' && !is_quoted) {
      cells_.emplace_back();
    } else {
      cells_.back() += line[i];
    }
  }
}

double ContactTraceReader::number(std::size_t cell) const {
  const std::string& text = cells_[cell];
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) {
    throw InputError(lines_->mark(),
                     fmt::format("column '{}' expects a finite number, found {}", column(cell), quote(text)));
  }
  return value;
}

ContactMotion ContactTraceReader::motion(const std::string& word) const {
  for (const ContactMotion motion : kMotions) {
    if (word == to_string(motion)) return motion;
  }
  throw InputError(lines_->mark(),
                   fmt::format("column 'mode' expects one of free, fixed, roll, slide, spin; found {}", quote(word)));
}

}  // namespace thenar
