// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/storm_watch_internal.h"

#include <fmt/format.h>

#include <algorithm>

namespace thenar::internal {
namespace {

/// Events at one instant after which the run does not go on by itself.
constexpr int kMostAtOnce = 200;
/// Events within this part of the time scale that are more than bouncing or chatter that comes to an end: with e = 0.99
/// the last bounces of a ball are some 600.
constexpr double kStormTime = 1e-3;
constexpr int kMostEvents = 2000;
/// The same of changes without an impact, which no series of bounces has: per contact that holds and in all; and in all
/// while chatter goes on behind a bridge.
constexpr int kMostChangesPerContact = 4, kMostStormChanges = 100, kMostChangesAfterBridge = 30;
/// Bridges are at first so long, then twice as long whenever the next storm is within so many of them, as parts of the
/// time scale; kShorterBridge times as long where there is no answer.
constexpr double kFirstBridge = 1e-4, kLongestBridge = 3e-2, kShortestBridge = 1e-7, kShorterBridge = 0.25;
constexpr double kBridgesApart = 30;
/// So many bridges in a row must lead this part of the time scale further.
constexpr int kChain = 30;
constexpr double kLeastProgress = 1e-2;

}  // namespace

bool StormWatch::note_event(double t, std::size_t contacts) {
  stalled_ = t - stalled_since_ > tolerances_.simultaneous() ? 0 : stalled_ + 1;
  if (stalled_ == 0) stalled_since_ = t;
  if (stalled_ >= kMostAtOnce) return false;
  storm_ = t - storm_since_ > kStormTime * time() ? 0 : storm_ + 1;
  if (storm_ == 0) storm_since_ = t, changes_ = 0;
  const int most_changes = (is_near_bridge(t) ? kMostChangesAfterBridge : kMostStormChanges) +
                           kMostChangesPerContact * static_cast<int>(contacts);
  return storm_ < kMostEvents && changes_ < most_changes;
}

std::string StormWatch::describe(double t, const std::string& last) const {
  if (stalled_ >= kMostAtOnce) {
    return fmt::format("more than {} events at t = {:.9g} s: the motion does not go on{}", kMostAtOnce, t, last);
  }
  return fmt::format(
      "more than {} events from t = {:.12g} s to {:.12g} s: they come faster than the motion can be "
      "followed{}; a tighter tolerance may help",
      storm_, storm_since_, t, last);
}

bool StormWatch::is_near_bridge(double t) const { return t - bridge_end_ <= kBridgesApart * bridge_length_; }

double StormWatch::begin_bridge(double t) {
  if (!is_near_bridge(t)) {
    bridge_length_ = kFirstBridge * time();
    chain_ = 0;
    chain_since_ = t;
  }
  return bridge_length_;
}

double StormWatch::shorten(double h) const {
  return kShorterBridge * h < kShortestBridge * time() ? 0 : kShorterBridge * h;
}

double StormWatch::lengthen(double h) const { return std::min(2 * h, kLongestBridge * time()); }

bool StormWatch::end_bridge(double t, double next) {
  bridge_end_ = t;
  bridge_length_ = next;
  stalled_ = storm_ = changes_ = 0;
  stalled_since_ = storm_since_ = t;
  if (++chain_ < kChain) return true;
  const bool has_led_on = t - chain_since_ >= kLeastProgress * time();
  chain_ = 0;
  chain_since_ = t;
  return has_led_on;
}

}  // namespace thenar::internal
