// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Round faces that lay flat and of which one point of the rim is left. From here on that is the lowest point, and it
/// travels along the rim; if the face tips from rest, as soon as it is off the other face.

#include <optional>
#include <vector>

#include "thenar/engine/mode_setter_internal.h"
#include "thenar/instant/flat_rim_internal.h"

namespace thenar::internal {

class TippingRims {
 public:
  /// Both must outlive it.
  TippingRims(SettleParts& parts, ModeSetter& modes) : parts_(parts), modes_(modes) {}

  /// Finds them, and moves the contacts of the instant to the lowest points; the answer opens the others.
  void find(const State& state, Instant& instant, InstantCell& cell);
  /// In the motion that the answer leads to: moves the points of rims that tip from rest to where the accelerations of
  /// the gaps are lowest. A disc that begins to tip does so about the point whose force lets gaps open to both sides.
  void settle(const State& state, Instant& instant, const InstantCell& cell, Trigger trigger);

 private:
  struct Tipping {
    FlatRim rim;
    std::size_t contact = 0;  ///< of the instant
    double angle = 0;         ///< where on the rim
    std::optional<int> slot;  ///< that it has there until it travels
    bool is_at_rest = true;   ///< before it tips
  };

  static std::optional<std::size_t> keep_one_point(const FlatRim& rim, const Instant& instant, InstantCell& cell);
  static std::optional<int> find_slot(const FlatRim& rim, const Instant& instant, std::size_t chosen);
  void place(const Tipping& tipping, double angle, Instant& instant);

  SettleParts& parts_;
  ModeSetter& modes_;
  std::vector<Tipping> tipping_;
};

}  // namespace thenar::internal
