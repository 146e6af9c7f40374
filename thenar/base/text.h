// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Small helpers for reading and reporting text: numbers that parse alike in every locale, words close to a
/// misspelt one, and quotations and lists that stay short enough for one line of an error message.
/// All offsets and lengths count bytes.

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace thenar {

/// An error inside a piece of text; offset() counts bytes from the start of that text, from 0.
class TextError : public std::runtime_error {
 public:
  TextError(const std::string& message, std::size_t offset) : std::runtime_error(message), offset_(offset) {}
  std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};

/// A number found at the start of a text. `value` is empty when the number does not fit a double (1e999, 1e-999).
struct ScannedNumber {
  std::optional<double> value;
  std::size_t length = 0;
};

/// Reads the unsigned decimal number (1, 1.5, .5, 1e-3) with which `text` starts; empty when it starts otherwise.
/// "nan", "inf" and hexadecimal are not numbers here.
std::optional<ScannedNumber> scan_number(std::string_view text);

/// `text` without the spaces, tabs and line ends around it.
std::string_view trim(std::string_view text);

bool is_letter(char c);               ///< a-z, A-Z
bool is_digit(char c);                ///< 0-9
bool is_space(char c);                ///< space, tab, line feed, carriage return
bool is_word_character(char c);       ///< letter, digit or _
bool is_word(std::string_view text);  ///< Word characters only, not starting with a digit, not empty.

/// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, or `limit` + 1 when
/// it takes more than `limit`. Words longer than 64 bytes are either equal or beyond the limit, so that the cost of a
/// hostile input stays small.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// The candidate closest to `word`, if it is at most two edits away and shares at least half of the word with it; the
/// first of equals. Two-letter words thus need a common letter, and one-letter words have no neighbours.
std::optional<std::string> closest_match(std::string_view word, std::span<const std::string> candidates);

/// The first `most` bytes of the text (fewer, rather than part of a UTF-8 character) and "...", or all of it if it
/// fits.
std::string shorten(std::string_view text, std::size_t most);

/// The text in single quotes, shortened to 60 bytes and with control characters shown as '?'.
std::string quote(std::string_view text);

/// "a, b, c", or "nothing" for no words; after `most` words only their number follows: "a, b, ... (7 more)".
std::string list_words(std::span<const std::string> words, std::size_t most = 24);

/// Whether a name is a pattern for matches_glob: it has a * or a ?.
bool is_glob(std::string_view name);
/// True when the whole text fits the pattern, in which * stands for any characters and ? for one.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace thenar
