// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Events of compliant layers at an instant: which come, go, slip, stick, or go on to other features of their bodies.

#include <string>
#include <vector>

#include "thenar/motion/motion.h"
#include "thenar/trace/event.h"

namespace thenar::internal {

class LayerChanges {
 public:
  /// The motion must outlive it.
  explicit LayerChanges(const ConstrainedMotion& motion) : motion_(motion) {}

  /// Layers are as the motion has them now.
  void begin();
  /// Since then a layer has gone on to other features.
  void note_move(const FoundContact& from, const FoundContact& to) { moved_.push_back({from, to}); }
  /// What has changed since begin().
  std::vector<Event> list(double t) const;

 private:
  struct Known {
    std::string name;
    FoundContact place;
    LayerPhase phase;
  };
  /// A layer that has gone on to other features.
  struct Moved {
    FoundContact from, to;
  };

  FoundContact find_origin(const FoundContact& place) const;

  const ConstrainedMotion& motion_;
  std::vector<Known> before_;
  std::vector<Moved> moved_;
};

}  // namespace thenar::internal
