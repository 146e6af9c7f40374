// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/svg_text_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "thenar/base/utf8.h"

namespace thenar::internal {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
/// Widths of the characters from space to ~ in Helvetica, thousandths of the font size (Adobe Font Metrics).
constexpr std::array<int, 95> kWidths{278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                      556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                      1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                      667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                      333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                      556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
constexpr int kOtherWidth = 556;

/// The UTF-8 characters of a text, each as its bytes; a byte that belongs to none stands alone.
std::vector<std::string_view> split_characters(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

/// U+FFFE and U+FFFF are characters of Unicode but not of XML.
bool is_forbidden(std::string_view character) {
  if (character.size() == 1) {
    const auto c = static_cast<unsigned char>(character[0]);
    return (c < 0x20 && c != '\t' && c != '\n') || c >= 0x7F;
  }
  return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

int character_width(std::string_view character) {
  const auto c = static_cast<unsigned char>(character[0]);
  return character.size() == 1 && c >= 0x20 && c < 0x7F ? kWidths[c - 0x20] : kOtherWidth;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const std::string_view character : split_characters(text)) {
    if (character == "&") {
      out += "&amp;";
    } else if (character == "<") {
      out += "&lt;";
    } else if (character == ">") {
      out += "&gt;";
    } else if (character == "\"") {
      out += "&quot;";
    } else {
      out += is_forbidden(character) ? kReplacement : character;
    }
  }
  return out;
}

void append_pixels(double value, std::string& out) {
  const std::size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  if (std::string_view(out).substr(start) == "-0") out.erase(start, 1);
}

std::string pixels(double value) {
  std::string out;
  append_pixels(value, out);
  return out;
}

double text_width(std::string_view text, double font_size) {
  int sum = 0;
  for (const std::string_view character : split_characters(text)) sum += character_width(character);
  return sum * font_size / 1000;
}

std::string fit_text(const std::string& text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return text;
  const std::vector<std::string_view> characters = split_characters(text);
  // Keep as many from either end as fit around the dots; of a name, the end tells more, so it comes first.
  std::string head, tail;
  double left = width - text_width("…", font_size);
  for (std::size_t i = 0; i < characters.size() / 2; ++i) {
    const std::string_view last = characters[characters.size() - 1 - i], first = characters[i];
    left -= text_width(last, font_size);
    if (left < 0) break;
    tail.insert(0, last);
    left -= text_width(first, font_size);
    if (left < 0) break;
    head += first;
  }
  return head + "…" + tail;
}

}  // namespace thenar::internal
