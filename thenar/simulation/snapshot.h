// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Snapshot: everything that the future of a simulation depends on, as a value: modes, contacts and their coordinates,
/// layers, the step that was made, what integrators and searches have learnt, bounce counts, loads, what controllers
/// have sampled and remember. Copy it, compare it, put it into a container, write it to a file.
///
///     const Snapshot here = simulation.save();
///     simulation.advance(0.1);
///     simulation.restore(here);      // goes on with the same bits, as often as one likes
///
/// A file is for the same version of Thenar and the same scenario; others are refused. What has been recorded, and
/// events that were not asked for, are no part of it.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "thenar/control/controller.h"

namespace thenar {

class Snapshot {
 public:
  /// Of nothing.
  Snapshot() = default;

  bool empty() const { return bytes_.empty(); }
  double time() const { return time_; }  ///< s
  std::size_t size() const { return bytes_.size(); }
  /// A number that equal snapshots share (FNV-1a, 64 bits).
  std::uint64_t hash() const;
  /// The same state of the same scenario, to the bit; of controllers that do not say what they remember, nothing is
  /// compared.
  friend bool operator==(const Snapshot& a, const Snapshot& b) {
    return a.scenario_ == b.scenario_ && a.bytes_ == b.bytes_;
  }

  /// Writes it to a file, which appears whole or not at all. Throws std::runtime_error if that fails, or if a
  /// controller with a rate does not say what it remembers (Controller::memory), whose kind the message names.
  void write(const std::filesystem::path& path) const;
  /// Throws InputError where the file cannot be read, is cut off or damaged, is none of Thenar's, or of another
  /// version.
  static Snapshot read(const std::filesystem::path& path);

 private:
  friend class Simulation;

  std::uint64_t scenario_ = 0;  ///< fingerprint (scenario_fingerprint_internal.h)
  double time_ = 0;             ///< s
  std::vector<std::byte> bytes_;
  std::string silent_law_;  ///< the kind of a controller that does not say what it remembers; copies of all of them:
  std::vector<std::shared_ptr<const Controller>> silent_laws_;
};

}  // namespace thenar
