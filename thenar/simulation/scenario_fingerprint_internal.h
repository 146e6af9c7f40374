// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "thenar/scenario/scenario.h"

namespace thenar::internal {

inline constexpr std::uint64_t kHashStart = 14695981039346656037u;

/// FNV-1a over eight bytes at a time, and over the rest one by one.
std::uint64_t hash_bytes(const void* from, std::size_t count, std::uint64_t start = kHashStart);

/// A number that tells scenarios apart whose simulations cannot go on from each other's snapshots: bodies, joints,
/// masses, shapes, laws of contact, what drives them, how they run.
std::uint64_t calc_fingerprint(const Scenario& scenario);

}  // namespace thenar::internal
