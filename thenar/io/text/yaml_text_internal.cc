// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/yaml_text_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/base/utf8.h"

namespace thenar::internal {
namespace {

// What is wrong with the character of `length` bytes (0 if malformed) at the start of `text`, or empty.
std::string find_character_fault(std::string_view text, std::size_t length) {
  const auto c = static_cast<unsigned char>(text[0]);
  if (length == 0) return fmt::format("invalid UTF-8 (byte 0x{:02X}); save the file as UTF-8", c);
  const bool line_end = c == '\n' || text.starts_with("\r\n");
  if (line_end) return {};
  if (c == '\t') return "found a tab; use spaces";
  if (c < 0x20u || c == 0x7Fu) return fmt::format("found the control character 0x{:02X}", c);
  // U+0080 to U+009F, also controls.
  const bool c1_control = c == 0xC2u && static_cast<unsigned char>(text[1]) < 0xA0u;
  if (c1_control) return fmt::format("found the control character U+{:04X}", static_cast<unsigned char>(text[1]));
  return {};
}

SourceMark mark_of_offset(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t last_break = before.rfind('\n');
  const std::size_t column = last_break == std::string_view::npos ? offset : offset - last_break - 1;
  return {file, static_cast<int>(line), static_cast<int>(column) + 1};
}

bool is_opening(char c) { return c == '[' || c == '{'; }
bool is_closing(char c) { return c == ']' || c == '}'; }
char closing_of(char opening) { return opening == '[' ? ']' : '}'; }

// How often `c` may occur in a document of `max_nodes`: a node has at most one of each bracket and comma, and a quoted
// one has two quotes. The others get room for their use in texts.
std::size_t max_count(char c, std::size_t max_nodes) {
  if (is_opening(c) || c == ',') return max_nodes;
  if (c == '"' || c == '\'') return 4 * max_nodes;
  if (c == ':' || c == '?' || c == '!' || c == '&' || c == '*') return 2 * max_nodes;
  return std::numeric_limits<std::size_t>::max();
}

// Walks over a flow collection. Outside quotes and comments every bracket counts there.
class FlowScanner {
 public:
  FlowScanner(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

  std::optional<FlowFault> scan() {
    while (position_ < text_.size() && !fault_) {
      step();
      if (open_.empty()) return fault_;
    }
    if (!fault_) fault_ = FlowFault{FlowFault::Kind::unclosed_bracket, open_.back(), 0};
    return fault_;
  }

 private:
  void step() {
    const char c = text_[position_];
    if (is_opening(c)) {
      open_.push_back(position_);
      if (open_.size() > max_depth_) fail(FlowFault::Kind::too_deep);
    } else if (is_closing(c)) {
      if (c != closing_of(text_[open_.back()])) return fail(FlowFault::Kind::wrong_bracket);
      open_.pop_back();
    } else if (c == '#' && is_space(text_[position_ - 1])) {
      position_ = std::min(text_.find('\n', position_), text_.size());
      return;
    } else if ((c == '"' || c == '\'') && starts_scalar()) {
      return skip_quoted();
    }
    if (!is_space(c)) last_ = position_;
    ++position_;
  }

  // A quote starts a scalar after a bracket, a comma or a "key: "; elsewhere it is a letter of a plain scalar.
  bool starts_scalar() const {
    const char before = text_[last_];
    if (is_opening(before) || before == ',') return true;
    const bool after_indicator = before == ':' || before == '?';
    return after_indicator && (last_ + 1 < position_ || last_ == end_of_quoted_);
  }

  void skip_quoted() {
    const auto length = find_end_of_quoted(text_.substr(position_));
    if (!length) return fail(FlowFault::Kind::unclosed_quote);
    position_ += *length;
    end_of_quoted_ = position_;  // A ':' right here needs no space after it.
    last_ = position_ - 1;
  }

  void fail(FlowFault::Kind kind) { fault_ = FlowFault{kind, position_, open_.empty() ? 0 : open_.back()}; }

  std::string_view text_;
  std::size_t max_depth_;
  std::size_t position_ = 0;
  std::size_t last_ = 0;           // Of the characters before position_, the last that is no space.
  std::size_t end_of_quoted_ = 0;  // Just after the last quoted scalar.
  std::vector<std::size_t> open_;  // Offsets of the open brackets.
  std::optional<FlowFault> fault_;
};

}  // namespace

std::string check_characters(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const std::string fault = find_character_fault(text.substr(i), length);
    if (!fault.empty()) throw InputError(mark_of_offset(text, i, file), fault);
    if (text[i] != '\r') clean.append(text.substr(i, length));
    i += length;
  }
  return clean;
}

void check_amount(std::string_view text, std::size_t max_nodes, const std::string& file) {
  constexpr std::size_t kMaxOpenBrackets = 1000;
  std::size_t open = 0;
  std::array<std::size_t, 256> counts{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::size_t count = ++counts[static_cast<unsigned char>(c)];
    if (is_opening(c)) ++open;
    if (is_closing(c) && open > 0) --open;
    if (open > kMaxOpenBrackets) {
      throw InputError(mark_of_offset(text, i, file), fmt::format("more than {} brackets are open", kMaxOpenBrackets));
    }
    if (count > max_count(c, max_nodes)) {
      throw InputError(mark_of_offset(text, i, file),
                       fmt::format("the document has more than {} entries (counting each '{}')", max_nodes, c));
    }
  }
}

std::optional<FlowFault> find_flow_fault(std::string_view text, std::size_t max_depth) {
  return FlowScanner(text, max_depth).scan();
}

std::optional<std::size_t> find_end_of_quoted(std::string_view text) {
  const char quote_mark = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote_mark == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote_mark) {
      const bool doubled = quote_mark == '\'' && i + 1 < text.size() && text[i + 1] == '\'';
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return std::nullopt;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20u && c != '\n' && c != '\t') || byte == 0x7Fu;
  });
}

bool is_old_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 12> kOldBooleans{"yes", "Yes", "YES", "no",  "No",  "NO",
                                                          "on",  "On",  "ON",  "off", "Off", "OFF"};
  return std::find(kOldBooleans.begin(), kOldBooleans.end(), text) != kOldBooleans.end();
}

}  // namespace thenar::internal
