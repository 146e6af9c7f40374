// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/text/line_reader_internal.h"

namespace thenar {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

bool is_finite_number(const std::string& cell) {
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  return error == std::errc{} && stop == end && std::isfinite(value);
}

/// "q.hand.wrist.0" without the name of the hand, "q.wrist.0"; empty when there is nothing to leave out.
std::string without_hand(const std::string& column) {
  const std::size_t first = column.find('.');
  if (first == std::string::npos) return {};
  const std::size_t second = column.find('.', first + 1);
  return second == std::string::npos ? std::string() : column.substr(0, first) + column.substr(second);
}

/// "q.hand.wrist.*" for "q.hand.wrist.0": what someone may have meant who wrote "q.hand.wrist". A name of one part
/// stays.
std::string with_last_part_open(const std::string& column) {
  const std::size_t last = column.rfind('.');
  return last == std::string::npos ? column : column.substr(0, last) + ".*";
}

bool fits(const std::string& pattern, const std::string& name) { return !name.empty() && matches_glob(pattern, name); }

/// The end of a message about a pattern that fits nothing: the closest name and the columns that come near.
std::string suggest_columns(const std::string& pattern, std::span<const std::string> columns) {
  // Open ends come first, so that "q.wrist" is told "q.wrist.*" rather than the equally close "q.wrist.0".
  std::vector<std::string> open, names, listed;
  const std::string_view quantity = std::string_view(pattern).substr(0, pattern.find('.') + 1);
  for (const std::string& column : columns.subspan(1)) {
    for (const std::string& name : {column, without_hand(column)}) {
      if (name.empty()) continue;
      open.push_back(with_last_part_open(name));
      names.push_back(name);
    }
    if (!quantity.empty() && column.starts_with(quantity)) listed.push_back(column);
  }
  if (listed.empty()) listed.assign(columns.begin() + 1, columns.end());
  open.insert(open.end(), names.begin(), names.end());
  const auto close = closest_match(pattern, open);
  const bool is_output = pattern.ends_with(".svg");
  return fmt::format("; {}{}columns: {}", is_output ? "the file to write is named by -o; " : "",
                     close ? fmt::format("did you mean '{}'? ", *close) : std::string(), list_words(listed));
}

TraceEvent parse_event(std::string_view line, const SourceMark& mark) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) {
    throw InputError(mark, fmt::format("expected a JSON object of an event, found {}", quote(line)));
  }
  const auto text = [&](const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) {
      throw InputError(mark, fmt::format("the event needs a text '{}': {}", key, quote(line)));
    }
    return found->get<std::string>();
  };
  const auto t = object.find("t");
  if (t == object.end() || !t->is_number() || !std::isfinite(t->get<double>())) {
    throw InputError(mark, fmt::format("the event needs a number 't': {}", quote(line)));
  }
  TraceEvent out{t->get<double>(), text("kind"), text("where"), text("cause"), {}, {}};
  if (object.contains("how")) out.how = text("how");
  const auto numbers = object.find("numbers");
  if (numbers == object.end()) return out;
  for (const auto& [name, number] : numbers->items()) {
    if (number.is_number()) out.numbers[name] = number.get<double>();
  }
  return out;
}

}  // namespace

TraceFiles find_trace(const fs::path& trace) {
  std::error_code error;
  const fs::file_status status = fs::status(trace, error);
  const SourceMark mark{trace.string(), 0, 0};
  if (!fs::exists(status)) throw InputError(mark, "no such file or folder");
  const bool is_folder = fs::is_directory(status);
  const fs::path states = is_folder ? trace / "states.csv" : trace;
  if (is_folder && !fs::exists(states, error)) throw InputError(mark, "there is no states.csv in this folder");
  TraceFiles files;
  files.states = states;
  if (states.filename() != "states.csv") return files;
  const auto find = [&](const char* name) {
    const fs::path file = states.parent_path() / name;
    return fs::exists(file, error) ? file : fs::path();
  };
  files.events = find("events.jsonl");
  files.summary = find("summary.json");
  files.energy = find("energy.csv");
  files.contacts = find("contacts.csv");
  files.contact_frames = find("contact_frames.csv");
  files.scene = find("scene.json");
  return files;
}

void check_output(const TraceFiles& files, const fs::path& output, const std::string& option) {
  for (const fs::path& file :
       {files.states, files.events, files.summary, files.energy, files.contacts, files.contact_frames, files.scene}) {
    std::error_code error;
    if (!file.empty() && fs::equivalent(file, output, error)) {
      throw InputError({option, 0, 0}, fmt::format("{} belongs to the trace", quote(output.string())));
    }
  }
}

TraceReader::TraceReader(const fs::path& states, Source source)
    : source_(source),
      lines_(std::make_unique<internal::LineReader>(
          states, source == Source::run ? internal::LastLine::needs_end : internal::LastLine::may_be_open)) {
  read_header();
  row_.resize(columns_.size());
}

TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader::~TraceReader() = default;

bool TraceReader::has_cut_end() const { return lines_->has_cut_end(); }

const char* TraceReader::name() const { return source_ == Source::run ? "trace" : "recording"; }

void TraceReader::read_header() {
  const auto line = lines_->next();
  SourceMark mark = lines_->mark();
  mark.line = 1;
  if (!line) {
    if (lines_->has_cut_end()) throw InputError(mark, "the header is cut: there is no whole line");
    throw InputError(mark, fmt::format("the file is empty, expected the header of a {}", name()));
  }
  columns_ = split(*line);
  if (columns_[0] != "t") {
    throw InputError(mark, fmt::format("not a {}: the first column must be 't', found {}", name(), quote(columns_[0])));
  }
  std::unordered_set<std::string> seen;
  for (const std::string& column : columns_) {
    if (column.empty()) throw InputError(mark, fmt::format("not a {}: a column has no name", name()));
    if (!seen.insert(column).second) throw InputError(mark, fmt::format("two columns are named {}", quote(column)));
  }
}

bool TraceReader::next() {
  const auto line = lines_->next();
  if (!line) return false;
  const double before = row_[0];
  if (!parse_row(*line)) fail_row(*line);
  if (has_row_ && row_[0] < before) {
    throw InputError(lines_->mark(), fmt::format("time goes back: t = {} after {}", row_[0], before));
  }
  has_row_ = true;
  return true;
}

/// False when the line is not one finite number per column; fail_row then looks for the reason.
bool TraceReader::parse_row(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return false;
    const auto [stop, error] = std::from_chars(at, end, row_[i]);
    if (error != std::errc{} || !std::isfinite(row_[i])) return false;
    at = stop;
  }
  return at == end;
}

void TraceReader::fail_row(std::string_view line) const {
  const std::vector<std::string> cells = split(line);
  if (cells.size() != columns_.size()) {
    throw InputError(lines_->mark(), fmt::format("the row has {} value{}, expected {}, one per column", cells.size(),
                                                 cells.size() == 1 ? "" : "s", columns_.size()));
  }
  const auto bad = std::find_if_not(cells.begin(), cells.end(), is_finite_number);
  throw InputError(lines_->mark(),
                   fmt::format("column {} expects a finite number, found {}",
                               quote(columns_[static_cast<std::size_t>(bad - cells.begin())]), quote(*bad)));
}

std::vector<std::size_t> find_columns(const std::string& pattern, std::span<const std::string> columns,
                                      const fs::path& states) {
  std::vector<std::size_t> whole, shortened;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    if (fits(pattern, columns[i])) whole.push_back(i);
    if (fits(pattern, without_hand(columns[i]))) shortened.push_back(i);
  }
  if (!whole.empty()) return whole;
  if (!shortened.empty()) return shortened;
  throw InputError({states.string(), 1, 0}, fmt::format("no column {} {}{}", is_glob(pattern) ? "fits" : "is named",
                                                        quote(pattern), suggest_columns(pattern, columns)));
}

bool read_events(const fs::path& events, const std::function<void(const TraceEvent&)>& take) {
  internal::LineReader lines(events);
  while (const auto line = lines.next()) take(parse_event(*line, lines.mark()));
  return !lines.has_cut_end();
}

}  // namespace thenar
