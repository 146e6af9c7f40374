// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/contact_trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/text/line_reader_internal.h"
#include "thenar/io/text/old_words.h"
#include "thenar/io/trace/trace_writer.h"

namespace thenar {
namespace internal {

/// Lines of a CSV with a known header, cell by cell.
class CsvLines {
 public:
  CsvLines(const std::filesystem::path& path, std::string_view header)
      : path_(path.string()), lines_(path), header_(header), count_(1 + std::count(header.begin(), header.end(), ',')) {
    const auto line = lines_.next();
    SourceMark mark = lines_.mark();
    mark.line = 1;
    if (!line) {
      throw InputError(mark,
                       fmt::format("there is no whole line, expected the header of {}", path.filename().string()));
    }
    if (*line != header_) {
      throw InputError(mark, fmt::format("expected the header '{}', found {}", header_, quote(*line)));
    }
  }

  bool next() {
    const auto line = lines_.next();
    if (!line) return false;
    split(*line);
    if (std::ssize(cells_) != count_) fail(fmt::format("expected {} values, found {}", count_, cells_.size()));
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const { throw InputError(lines_.mark(), message); }
  bool has_cut_end() const { return lines_.has_cut_end(); }
  const std::string& path() const { return path_; }

  const std::string& text(std::size_t cell) const { return cells_[cell]; }

  double number(std::size_t cell) const {
    const std::string& text = cells_[cell];
    const char* const end = text.data() + text.size();
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) {
      fail(fmt::format("column '{}' expects a finite number, found {}", column(cell), quote(text)));
    }
    return value;
  }

 private:
  /// The name of a column, for messages.
  std::string_view column(std::size_t cell) const {
    std::string_view rest = header_;
    for (; cell > 0; --cell) rest.remove_prefix(rest.find(',') + 1);
    return rest.substr(0, rest.find(','));
  }

  /// The cells of a line, without the quotes of those that have them.
  void split(std::string_view line) {
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

  std::string path_;
  LineReader lines_;
  std::string_view header_;
  std::ptrdiff_t count_;
  std::vector<std::string> cells_;  // Of the current line; kept for its memory.
};

}  // namespace internal

namespace {

constexpr std::array kModes{ContactMode::open, ContactMode::stick, ContactMode::roll, ContactMode::slide,
                            ContactMode::spin};

}  // namespace

ContactTraceReader::ContactTraceReader(const std::filesystem::path& contacts, const std::filesystem::path& frames)
    : contacts_(std::make_unique<internal::CsvLines>(contacts, kContactHeader)) {
  if (!frames.empty()) frames_ = std::make_unique<internal::CsvLines>(frames, kContactFrameHeader);
}

ContactTraceReader::ContactTraceReader(ContactTraceReader&&) noexcept = default;
ContactTraceReader::~ContactTraceReader() = default;

bool ContactTraceReader::has_cut_end() const { return contacts_->has_cut_end() || (frames_ && frames_->has_cut_end()); }

bool ContactTraceReader::next() {
  const internal::CsvLines& line = *contacts_;
  if (!contacts_->next()) return false;
  const double t = line.number(0);
  if (has_line_ && t < t_) line.fail(fmt::format("time goes back: t = {} after {}", t, t_));
  has_line_ = true;
  t_ = t;
  contact_.name = line.text(1);
  contact_.mode = mode();
  contact_.gap = line.number(3);
  contact_.force_on_A = {line.number(4), line.number(5), line.number(6), line.number(7)};
  for (std::size_t i = 0; i < 2; ++i) {
    contact_.slip[i] = line.number(8 + i);
    contact_.u_A[i] = line.number(10 + i);
    contact_.u_B[i] = line.number(12 + i);
  }
  contact_.psi = line.number(14);
  contact_.margin = line.number(15);
  read_frame();
  return true;
}

ContactMode ContactTraceReader::mode() const {
  const std::string& found = contacts_->text(2);
  const std::string_view word = internal::renew_word(contacts_->path(), internal::kOldContactModes, found);
  for (const ContactMode mode : kModes) {
    if (word == to_string(mode)) return mode;
  }
  contacts_->fail(fmt::format("column 'mode' expects one of open, stick, roll, slide, spin; found {}", quote(found)));
}

void ContactTraceReader::read_frame() {
  contact_.friction = 0;
  contact_.point_A = contact_.N = contact_.T = Vec3<double>::zero();
  if (!frames_ || !frames_->next()) return;
  const internal::CsvLines& line = *frames_;
  if (line.number(0) != t_ || line.text(1) != contact_.name) {
    line.fail(fmt::format("expected the line of {} at t = {}, as in contacts.csv, found {} at t = {}",
                          quote(contact_.name), t_, quote(line.text(1)), line.text(0)));
  }
  contact_.friction = line.number(2);
  std::size_t cell = 3;
  for (Vec3<double>* a : {&contact_.point_A, &contact_.N, &contact_.T}) {
    *a = {line.number(cell), line.number(cell + 1), line.number(cell + 2)};
    cell += 3;
  }
}

}  // namespace thenar
