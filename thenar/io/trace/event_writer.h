// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Writes the events of a run to `events.jsonl` (docs/formats.md): one JSON object per line, in the order of time, each
/// in the file as soon as it has happened. A run without events leaves an empty file.

#include <filesystem>
#include <string>

#include "thenar/io/text/text_file.h"
#include "thenar/io/trace/file_sizes.h"
#include "thenar/trace/event.h"

namespace thenar {

class EventWriter {
 public:
  /// Creates the folder if it is missing and events.jsonl in it, replacing an older one. Throws std::runtime_error with
  /// a clear message if that cannot be done.
  /// With the sizes of a checkpoint it goes on behind them.
  explicit EventWriter(const std::filesystem::path& folder, const FileSizes& kept = {})
      : file_(folder, "events.jsonl", find_size(kept, "events.jsonl")) {}

  /// Adds a line. False when it could not be written; error() says why.
  bool write(const Event& event);

  void add_sizes(FileSizes& sizes) const { sizes["events.jsonl"] = file_.size(); }
  const std::string& error() const { return file_.error(); }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  LineFile file_;
  std::string line_;
};

}  // namespace thenar
