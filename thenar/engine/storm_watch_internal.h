// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Says when events come faster than a motion can be followed, and how long the bridges over such stretches are
/// (contact_bridge_internal.h).
///
///     at one instant            after kPatience events impacts are taken as plastic; after kMostAtOnce it is a storm
///     within kStormTime         so many events are more than bouncing that comes to an end
///
/// **Lengths.** A bridge is as short as gets the run past its trouble: it begins with kFirstBridge, becomes shorter
/// where it finds no answer (what it leaves out is of order h²), and longer while chatter goes on behind it. Chatter
/// can go on for as long as the bodies are pressed together: bridges over it follow each other, and the motion is that
/// of time stepping. But a storm whose events come faster and faster towards a point in time is not passed by bridges
/// that become shorter and shorter: kChain of them in a row must lead at least kLeastProgress further.

#include <string>

#include "thenar/scenario/tolerances.h"
#include "thenar/spatial/state_archive.h"

namespace thenar::internal {

class StormWatch {
 public:
  /// Events at one instant after which impacts are taken as plastic.
  static constexpr int kPatience = 20;

  /// `tolerances` must outlive it.
  explicit StormWatch(const Tolerances& tolerances) : tolerances_(tolerances) {}

  /// An event at t, while so many contacts hold. False in a storm.
  bool note_event(double t, std::size_t contacts);
  /// It was none of an impact.
  void note_change() { ++changes_; }
  /// The storm in words; `last` is the event that ended it, or nothing.
  std::string describe(double t, const std::string& last) const;
  /// Events at this instant so far.
  int stalled() const { return stalled_; }

  /// A bridge begins at t: its length, s.
  double begin_bridge(double t);
  /// A bridge of this length has no answer: a shorter one, or 0 where there is none.
  double shorten(double h) const;
  /// Behind a bridge of this length the motion does not go on either: a longer one.
  double lengthen(double h) const;
  /// A bridge has led to t, where the motion goes on; if the storm does as well, the next one is so long. False if
  /// bridges do not get anywhere.
  bool end_bridge(double t, double next);

  template <class Archive>
  void archive(Archive& a) {
    a(stalled_, stalled_since_, storm_, changes_, storm_since_, bridge_length_, bridge_end_, chain_, chain_since_);
  }

 private:
  double time() const { return tolerances_.scales().time; }
  bool is_near_bridge(double t) const;

  const Tolerances& tolerances_;
  int stalled_ = 0;            ///< events since stalled_since_
  double stalled_since_ = -1;  ///< s
  int storm_ = 0;              ///< events since storm_since_
  int changes_ = 0;            ///< of them, without an impact
  double storm_since_ = -1;
  double bridge_length_ = 0, bridge_end_ = -1;  ///< s: of the next bridge; when the last one ended
  int chain_ = 0;                               ///< bridges in a row since chain_since_
  double chain_since_ = -1;
};

}  // namespace thenar::internal
