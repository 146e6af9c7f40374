// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Checkpoints of a run: snapshots in the folder `checkpoints` of its results, each with what the files of the run held
/// at that time. A run that was killed goes on from the last one (`thenar run --resume DIR`), and its files end with
/// the same bytes as those of a run that was not.
///
///     checkpoints/000012.snapshot    the simulation (Snapshot::write)
///     checkpoints/000012.json        the scenario's file, overrides, sizes of the run's files; written last
///
/// A long run keeps between kMostCheckpoints / 2 and kMostCheckpoints of them, spread over the whole motion.

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "thenar/io/trace/file_sizes.h"
#include "thenar/simulation/snapshot.h"

namespace thenar {

inline constexpr std::size_t kMostCheckpoints = 64;

struct Checkpoint {
  std::string scenario;                                        ///< its file
  std::vector<std::string> overrides;                          ///< of --set
  double wall_s = 0;                                           ///< s, that the run has taken
  long long rows = 0;                                          ///< that it has written
  double last_row = -std::numeric_limits<double>::infinity();  ///< s, the time of the last of them
  FileSizes sizes{};
  Snapshot snapshot{};
};

/// Writes the next checkpoint of a folder of results. Throws std::runtime_error if that cannot be done.
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

/// Removes all checkpoints of a folder of results.
void remove_checkpoints(const std::filesystem::path& folder);

/// Times of the checkpoints, s, and their records, from the first to the last. Damaged records are left out.
struct CheckpointPlace {
  double time = 0;
  std::filesystem::path record;
};
std::vector<CheckpointPlace> list_checkpoints(const std::filesystem::path& folder);

/// Throws InputError if the record or its snapshot is damaged, or of another version.
Checkpoint read_checkpoint(const std::filesystem::path& record);

}  // namespace thenar
