// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/map_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/text/old_words.h"
#include "thenar/io/text/replace_file.h"

namespace thenar {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "# thenar map 1\n";
constexpr const char* kColumns = "x,y,verdict,determinate,modes\n";
/// More than any map takes.
constexpr std::size_t kLargestMap = std::size_t{1} << 32;

/// A comment of one line.
std::string comment(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return "# " + text + "\n";
}

std::string describe_axis(const char* letter, const MapAxis& axis) {
  std::string out = fmt::format("{} {} from ", letter, axis.name);
  append_number(axis.from, out);
  out += " to ";
  append_number(axis.to, out);
  return out + fmt::format(", {} points", axis.count);
}

std::string make_header(const std::vector<std::string>& identity, const MapAxis& x, const MapAxis& y) {
  std::string header(kFirstLine);
  for (const std::string& line : identity) header += comment(line);
  header += comment(describe_axis("x", x)) + comment(describe_axis("y", y));
  return header + kColumns;
}

/// "x,y,": how every row starts.
std::string begin_row(PlotPoint place) {
  std::string row;
  append_number(place.x, row);
  row += ',';
  append_number(place.y, row);
  return row + ',';
}

/// The rest of the row of a point, with the line end.
std::string end_row(const MapPoint& point) {
  return fmt::format("{},{},{}\n", to_string(point.verdict), point.determinate, point.modes);
}

/// The first line, with its end if it has one.
std::string_view first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? text : text.substr(0, end + 1);
}

/// Says in which line of the header `text` departs from what is expected.
[[noreturn]] void fail_other_map(const fs::path& path, std::string_view text, std::string_view expected) {
  constexpr const char* kHelp = "use another file, or --force to replace it";
  for (int line = 1;; ++line) {
    const std::string_view found = first_line(text), wanted = first_line(expected);
    if (found != wanted) {
      const SourceMark mark{path.string(), line, 0};
      if (line == 1) throw InputError(mark, fmt::format("this file exists and is no map of thenar; {}", kHelp));
      throw InputError(mark, fmt::format("this file is of another map: it has {}, this map {}; {}", quote(trim(found)),
                                         quote(trim(wanted)), kHelp));
    }
    text.remove_prefix(found.size());
    expected.remove_prefix(wanted.size());
  }
}

std::optional<Verdict> find_verdict(std::string_view word) {
  for (const Verdict verdict :
       {Verdict::unique, Verdict::unique_motion, Verdict::several, Verdict::none, Verdict::undecided}) {
    if (word == to_string(verdict)) return verdict;
  }
  return std::nullopt;
}

/// Maps go on where they end, also those that 0.1 began.
std::string_view renew_verdict(std::string_view found) {
  return internal::renew_word("the map", internal::kOldVerdicts, found);
}

/// Reads "verdict,determinate,modes\n"; nothing if it is anything else.
std::optional<MapPoint> parse_point(std::string_view text) {
  const std::size_t first = text.find(','), second = text.find(',', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view found = text.substr(0, first), word = renew_verdict(found);
  const auto verdict = find_verdict(word);
  if (!verdict) return std::nullopt;
  const MapPoint point{*verdict, text.substr(first + 1, second - first - 1) == "true",
                       std::string(trim(text.substr(second + 1)))};
  const bool has_letters_only = point.modes.find_first_not_of("RSBF|") == std::string::npos;
  const bool is_whole = word != found || end_row(point) == text;
  if (!has_letters_only || !is_whole) return std::nullopt;
  return point;
}

}  // namespace

MapFile::MapFile(const fs::path& path, const std::vector<std::string>& identity, const MapAxis& x, const MapAxis& y,
                 bool replaces)
    : path_(path), found_{x, y, {}} {
  validate(x, y);
  const std::string header = make_header(identity, x, y);
  std::error_code error;
  std::string text;
  if (!replaces && fs::is_regular_file(path, error)) text = read_file(path, kLargestMap);
  // A file that was left off inside its header has nothing to keep.
  const bool has_header = text.size() >= header.size();
  if (std::string_view(text).substr(0, header.size()) != std::string_view(header).substr(0, text.size())) {
    fail_other_map(path, text, header);
  }
  if (has_header) {
    text.resize(text.rfind('\n') + 1);  // A last line without its end was cut.
    read_rows(std::string_view(text).substr(header.size()),
              static_cast<int>(std::count(header.begin(), header.end(), '\n')) + 1);
  } else {
    text = header;
  }
  if (!path.parent_path().empty()) fs::create_directories(path.parent_path(), error);
  replace_file(path, text);
  file_.emplace(path.parent_path().empty() ? fs::path(".") : path.parent_path(), path.filename().string(),
                LineFile::Start::append);
  row_count_ = found_.points.size();
}

void MapFile::read_rows(std::string_view rows, int line) {
  for (; !rows.empty(); ++line) {
    const std::string_view row = first_line(rows);
    rows.remove_prefix(row.size());
    const auto fail = [&](const char* message) {
      throw InputError({path_.string(), line, 0},
                       fmt::format("{}; use another file, or --force to replace it", message));
    };
    if (found_.is_complete()) fail("there are more rows than the map has points");
    const std::string start = begin_row(found_.place(found_.points.size()));
    const auto point = row.starts_with(start) ? parse_point(row.substr(start.size())) : std::nullopt;
    if (!point) fail("this is not the row that belongs here");
    found_.points.push_back(*point);
  }
}

void MapFile::append(std::span<const MapPoint> points) {
  std::string rows;
  for (const MapPoint& point : points) rows += begin_row(found_.place(row_count_++)) + end_row(point);
  if (!file_->write(rows)) throw std::runtime_error(file_->error());
}

}  // namespace thenar
