// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/utf8.h"

namespace thenar {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [byte](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0x80u) return 1;
  if (first >= 0xC2u && first <= 0xDFu) return continues(1) ? 2 : 0;
  if (first >= 0xE0u && first <= 0xEFu) {
    const bool overlong = first == 0xE0u && second < 0xA0u;
    const bool surrogate = first == 0xEDu && second > 0x9Fu;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0u && first <= 0xF4u) {
    const bool overlong = first == 0xF0u && second < 0x90u;
    const bool too_large = first == 0xF4u && second > 0x8Fu;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

}  // namespace thenar
