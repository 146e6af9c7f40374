// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Words of files that Thenar 0.1 wrote, and the words that have taken their place (docs/glossary.md). Readers accept
/// both; every old word of a file is reported once, so that users can renew what they keep.

#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace thenar {

/// Receives every note, one line without its end. There is none at first.
void set_note_sink(std::function<void(const std::string&)> sink);

namespace internal {

struct OldWord {
  std::string_view old_word, word;
};
inline constexpr std::array kOldContactModes{OldWord{"free", "open"}, OldWord{"fixed", "stick"}};
inline constexpr std::array kOldNextWords{OldWord{"fixed", "stick"}};
inline constexpr std::array kOldVerdicts{OldWord{"unique_motion_indeterminate_forces", "unique_motion"}};

void note_old_word(const std::string& file, const OldWord& old);

/// The word that stands for `found`, which a file holds.
template <class OldWords>
std::string_view renew_word(const std::string& file, const OldWords& words, std::string_view found) {
  for (const OldWord& old : words) {
    if (found != old.old_word) continue;
    note_old_word(file, old);
    return old.word;
  }
  return found;
}

}  // namespace internal
}  // namespace thenar
