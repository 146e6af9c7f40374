// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Bounces that rise less than Tolerances::smallest_bounce are captured: the contact or joint rests from then on, and
/// the event `zeno` follows at the time at which the remaining bounces, a geometric series, would have ended.

#include <string>
#include <vector>

#include "thenar/engine/event_log.h"
#include "thenar/engine/settle_parts_internal.h"

namespace thenar::internal {

/// A contact or stop that has bounced for the last time, and rests when the series of bounces would have ended.
struct BounceEnd {
  double t = 0;  ///< s
  EventPlace place{};
  long long strikes = 0;
  int row = -1;  ///< of a stop
};

class BounceCapture {
 public:
  /// `parts` must outlive it.
  explicit BounceCapture(SettleParts& parts);

  /// An instant begins.
  void begin() { ends_.clear(); }

  /// A contact or the stop of a row was struck.
  void count_strike(const FoundContact& place) { ++strike_count(place); }
  void count_stop_strike(int row) { ++stop_strikes_[static_cast<std::size_t>(row)]; }

  /// After impacts, in the motion that the instant leads to: contacts and joints that hop or slip less than is followed
  /// come to rest. True if there are any; the instant must then be solved again.
  bool capture(State& state, const Instant& instant);

  /// Of this instant.
  const std::vector<BounceEnd>& ends() const { return ends_; }

  template <class Archive>
  void archive(Archive& a);

 private:
  /// How often a contact was struck since it last rested.
  struct StrikeCount {
    int shape_A, shape_B;
    std::uint64_t id;
    long long count;
  };

  /// Restitution, rate (m/s or rad/s) and deceleration of a bounce that is not followed any more.
  struct LastBounce {
    double e, rate, fall;
  };

  bool capture_points(const State& state, const VectorX<double>& vdot, std::vector<const InstantContact*>& opening,
                      std::vector<HeldContact>& held);
  bool stop_short_slip(HeldContact& contact, const VectorX<double>& vdot, double smallest) const;
  bool begins_to_slip(const HeldContact& contact) const;
  bool capture_stops(const State& state, Mode& mode);
  void note_end(double t, BounceEnd end, const LastBounce& last, long long& count);
  long long& strike_count(const FoundContact& place);

  SettleParts& parts_;
  const Instant* instant_ = nullptr;  ///< of the present capture
  std::vector<StrikeCount> strike_counts_;
  std::vector<long long> stop_strikes_;  ///< by joint row, since it last rested
  std::vector<BounceEnd> ends_;
};

}  // namespace thenar::internal
