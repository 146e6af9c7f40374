// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/text/old_words.h"

#include <fmt/format.h>

#include <mutex>
#include <set>
#include <utility>

namespace thenar {
namespace {

/// Files are read by several threads.
struct Notes {
  std::mutex mutex;
  std::function<void(const std::string&)> sink;
  std::set<std::pair<std::string, std::string>> reported;  ///< file and old word
};

Notes& notes() {
  static Notes instance;
  return instance;
}

}  // namespace

void set_note_sink(std::function<void(const std::string&)> sink) {
  const std::lock_guard lock(notes().mutex);
  notes().sink = std::move(sink);
}

void internal::note_old_word(const std::string& file, const OldWord& old) {
  const std::lock_guard lock(notes().mutex);
  if (!notes().sink || !notes().reported.emplace(file, old.old_word).second) return;
  notes().sink(fmt::format("{}: note: '{}' is a word of Thenar 0.1; it is '{}' now", file, old.old_word, old.word));
}

}  // namespace thenar
