// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The CSV of a map (docs/formats.md). It grows line by line while the map is computed, and a file that was left off
/// goes on where it ends. Lines that start with # come first and say which map it is:
///
///     # thenar map 1
///     # scenario pinch, entries 9f86d081884c7d65
///     # x mu from 0.1 to 0.9, 200 points
///     # y load from 0 to 5, 100 points
///     x,y,verdict,determinate,modes
///     0.1,0,unique,true,RR
///
/// Numbers read back bit-equal, and rows come in a fixed order, so that the file does not depend on interruptions.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thenar/io/text/text_file.h"
#include "thenar/study/instant_map.h"

namespace thenar {

class MapFile {
 public:
  /// Opens the file, and creates it with its folder if it is missing. `identity` tells what the axes do not: lines that
  /// are the same for the same map and differ for another one. Throws InputError if there is a file of something else,
  /// unless `replaces`, which starts it anew; std::runtime_error if it cannot be written.
  MapFile(const std::filesystem::path& path, const std::vector<std::string>& identity, const MapAxis& x,
          const MapAxis& y, bool replaces = false);

  /// The map with the points that the file had when it was opened.
  const MapGrid& found() const { return found_; }

  /// Adds the next points. Throws std::runtime_error if they cannot be written.
  void append(std::span<const MapPoint> points);

 private:
  void read_rows(std::string_view rows, int line);

  std::filesystem::path path_;
  MapGrid found_;
  std::size_t row_count_ = 0;
  std::optional<LineFile> file_;
};

}  // namespace thenar
