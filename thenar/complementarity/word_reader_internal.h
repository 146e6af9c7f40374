// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reading and writing of the text forms of problems: words and numbers, comments after '#', errors with their line.

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <istream>
#include <string>
#include <string_view>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"

namespace thenar::internal {

/// More rows than any dense problem has; protects from a file that asks for all memory.
inline constexpr int kMostRows = 10000;

/// Lines of words, without comments and empty lines.
class WordReader {
 public:
  WordReader(std::istream& in, const std::string& name) : in_(in), mark_{name, 0, 0} {}

  /// The words of the next line, or an error that names what was expected.
  void next_line(std::string_view expected) {
    while (std::getline(in_, line_)) {
      ++mark_.line;
      rest_ = std::string_view(line_).substr(0, line_.find('#'));
      rest_ = trim(rest_);
      if (!rest_.empty()) return;
    }
    ++mark_.line;
    fail(fmt::format("the text ends where {} was expected", expected));
  }
  bool at_end() const { return rest_.empty(); }
  std::string_view word(std::string_view expected) {
    if (at_end()) fail(fmt::format("the line ends where {} was expected", expected));
    std::size_t length = 0;
    while (length < rest_.size() && !is_space(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_ = trim(rest_.substr(length));
    return word;
  }
  void keyword(std::string_view expected) {
    const std::string_view found = word(quote(expected));
    if (found != expected) fail(fmt::format("found {}, expected {}", quote(found), quote(expected)));
  }
  template <class Number>
  Number number(std::string_view expected) {
    const std::string_view text = word(expected);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      fail(fmt::format("found {}, expected {}", quote(text), expected));
    }
    return value;
  }
  /// A number on this line or, if there is nothing left of it, on a later one.
  double flowing_number(std::string_view expected) {
    if (at_end()) next_line(expected);
    return number<double>(expected);
  }
  /// Nothing but comments may follow.
  void end_text() {
    end_line();
    while (std::getline(in_, line_)) {
      ++mark_.line;
      rest_ = trim(std::string_view(line_).substr(0, line_.find('#')));
      if (!rest_.empty()) fail(fmt::format("unexpected {} after the end of the problem", quote(rest_)));
    }
  }
  void end_line() const {
    if (!at_end()) fail(fmt::format("unexpected {} at the end of the line", quote(rest_)));
  }
  [[noreturn]] void fail(const std::string& message) const { throw InputError(mark_, message); }

 private:
  std::istream& in_;
  SourceMark mark_;
  std::string line_;
  std::string_view rest_;
};

/// Shortest text that reads back to the same number.
inline std::string write_number(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace thenar::internal
