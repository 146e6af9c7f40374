// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Motions with contacts beside the peers: errors against closed forms with times, and whether what rests stays at
/// rest.

#include <filesystem>
#include <vector>

#include "motion_row.h"

namespace thenar::bench {

struct ContactMotionOptions {
  std::filesystem::path peers;  ///< folder of scene_peer.h's libraries
  int rounds = 9;
  bool is_quick = false;  ///< long steps, and rest for 10 s only
};

/// One second of scenes with a known end, peers with several steps. Prints tables.
std::vector<Row> run_contact_precision(const ContactMotionOptions& options);

/// Scenes that are to rest, 10 s and 100 s, peers at 1 ms. Prints tables.
std::vector<Row> run_contact_rest(const ContactMotionOptions& options);

}  // namespace thenar::bench
