// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/text.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "thenar/base/utf8.h"

namespace thenar {
namespace {

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestComparedWord = 64;

bool is_utf8_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

std::optional<ScannedNumber> scan_number(std::string_view text) {
  // from_chars would also take "inf", "nan" and a sign: only what starts with a digit, or a point and a digit, is ours.
  const bool starts = !text.empty() && (is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && is_digit(text[1])));
  if (!starts) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  ScannedNumber number{value, static_cast<std::size_t>(end - text.data())};
  if (error != std::errc{}) number.value.reset();
  return number;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

bool is_word(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_word_character);
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a == b) return 0;
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit || std::max(a.size(), b.size()) > kLongestComparedWord) return limit + 1;
  // Rows i-2, i-1 and i of the table d(i, j) = distance of the first i and j letters.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return std::min(row.back(), limit + 1);
}

std::optional<std::string> closest_match(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t kMostEdits = 2;
  std::optional<std::string> best;
  std::size_t best_distance = kMostEdits + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t most = std::min(kMostEdits, std::max(word.size(), candidate.size()) / 2);
    const std::size_t distance = edit_distance(word, candidate, most);
    if (distance > most || distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string shorten(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && is_utf8_continuation(text[most])) --most;
  return std::string(text.substr(0, most)) + "...";
}

std::string quote(std::string_view text) {
  std::string shown = shorten(text, kLongestQuote);
  for (std::size_t i = 0, length = 1; i < shown.size(); i += length) {
    const auto c = static_cast<unsigned char>(shown[i]);
    length = utf8_length(std::string_view(shown).substr(i));
    const bool is_shown = length > 0 && c >= 0x20u && c != 0x7Fu;
    if (!is_shown) shown[i] = '?', length = 1;
  }
  return "'" + shown + "'";
}

std::string list_words(std::span<const std::string> words, std::size_t most) {
  if (words.empty()) return "nothing";
  std::string list;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) {
    if (i > 0) list += ", ";
    const std::string quoted = quote(words[i]);
    list += quoted.substr(1, quoted.size() - 2);
  }
  if (words.size() > most) list += ", ... (" + std::to_string(words.size() - most) + " more)";
  return list;
}

bool is_glob(std::string_view name) { return name.find_first_of("*?") != std::string_view::npos; }

bool matches_glob(std::string_view pattern, std::string_view text) {
  // On a mismatch, go back to the last * and let it take one character more: quadratic at worst.
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace thenar
