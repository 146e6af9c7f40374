// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/bounce_capture_internal.h"

#include <algorithm>
#include <utility>

namespace thenar::internal {

BounceCapture::BounceCapture(SettleParts& parts) : parts_(parts), stop_strikes_(parts.motion.rows().size(), 0) {}

/// A contact that comes to rest slows its neighbours down, which may come to rest by that: all are looked at again.
bool BounceCapture::capture(State& state, const Instant& instant) {
  instant_ = &instant;
  Mode mode = parts_.motion.mode();
  const Eigen::Map<const VectorX<double>> vdot(parts_.stepper.acceleration(), parts_.motion.size());
  std::vector<HeldContact> held = parts_.motion.contacts();
  std::vector<const InstantContact*> opening;
  for (const InstantContact& contact : instant.contacts) {
    if (contact.row < 0) opening.push_back(&contact);
  }
  bool any = false;
  for (bool goes_on = true; goes_on;) {
    const bool stops_rest = capture_stops(state, mode), points_rest = capture_points(state, vdot, opening, held);
    goes_on = stops_rest || points_rest;
    if (!goes_on) break;
    any = true;
    VectorX<double> q = state.q;
    parts_.project(mode.held, held, q, state.v);
    parts_.look_at(state);
    for (HeldContact& contact : held) contact.update(parts_.workspace);
  }
  return any;
}

/// The same of contacts that open, which go over to what is held, and of slip.
bool BounceCapture::capture_points(const State& state, const VectorX<double>& vdot,
                                   std::vector<const InstantContact*>& opening, std::vector<HeldContact>& held) {
  const double smallest = parts_.tolerances.smallest_hop(parts_.size);
  const auto captures = [&](const InstantContact* contact) {
    HeldContact point = parts_.make_contact(contact->place, contact->law, ContactHold::smooth);
    const double rate = point.velocity()(0), fall = -(point.J().row(0).dot(vdot) + point.drift()(0));
    if (!(rate > 0 && fall > 0) || rate * rate > 2 * fall * smallest) return false;
    note_end(state.t, {.place = make_place(parts_.names.find(contact->place), contact->place)},
             {contact->law.restitution.at(rate), rate, fall}, strike_count(contact->place));
    held.push_back(std::move(point));
    return true;
  };
  bool any = std::erase_if(opening, captures) > 0;
  for (HeldContact& contact : held) any = stop_short_slip(contact, vdot, smallest) || any;
  return any;
}

/// Stops that joints leave by less than what is followed hold, whether the joints bounced or were thrown off.
bool BounceCapture::capture_stops(const State& state, Mode& mode) {
  bool any = false;
  for (int i = 0; i < parts_.row_count(); ++i) {
    JointRow& stop = parts_.row(i);
    if (stop.kind() != JointRowKind::stop || !parts_.joints.touches(i) || mode.holds(i)) continue;
    stop.update(state.q.data(), state.v.data());
    const double rate = stop.multiply(state.v.data());
    const double fall = -(stop.multiply(parts_.stepper.acceleration()) + stop.bias());
    const double smallest = parts_.tolerances.smallest_bounce(stop.dof(), stop.calc_target(state.q.data()));
    if (!(rate > 0 && fall > 0) || rate * rate > 2 * fall * smallest) continue;
    note_end(state.t, {.row = i}, {stop.restitution(), rate, fall}, stop_strikes_[static_cast<std::size_t>(i)]);
    mode.hold(i);
    any = true;
  }
  return any;
}

/// The bounces that remain take 2 rate/fall (1 + e + e² + …). With e = 1 they never end, but are too low to follow.
void BounceCapture::note_end(double t, BounceEnd end, const LastBounce& last, long long& count) {
  if (count > 0 && last.e > 0) {
    end.t = t + (last.e < 1 ? 2 * last.rate / (last.fall * (1 - last.e)) : 0);
    end.strikes = count + 1;
    ends_.push_back(std::move(end));
  }
  count = 0;
}

/// Slip that comes to rest within the distance `smallest`, m, is over. An impact leaves such slip where contacts are
/// pressed but not struck, since only finite friction acts there; followed, it would set off the next impact.
bool BounceCapture::stop_short_slip(HeldContact& contact, const VectorX<double>& vdot, double smallest) const {
  if (contact.hold() != ContactHold::sliding || contact.found().gap > parts_.context.touch) return false;
  if (begins_to_slip(contact)) return false;
  const Vector2<double> slip = contact.velocity().segment<2>(1);
  const Vector2<double> gain = contact.J().middleRows<2>(1) * vdot + contact.drift().segment<2>(1);
  const double speed = slip.norm(), slows = -slip.dot(gain);  // speed times deceleration
  if (!(speed > 0 && slows > 0) || speed * speed * speed > 2 * slows * smallest) return false;
  contact.set_hold(ContactHold::rolling);
  return true;
}

/// What is left of its slip is rounding then, in any direction.
bool BounceCapture::begins_to_slip(const HeldContact& contact) const {
  return std::any_of(instant_->contacts.begin(), instant_->contacts.end(), [&](const InstantContact& known) {
    return !known.slides && is_same(known.place, contact.found());
  });
}

long long& BounceCapture::strike_count(const FoundContact& place) {
  for (StrikeCount& known : strike_counts_) {
    if (known.shape_A == place.shape_A && known.shape_B == place.shape_B && known.id == place.id) return known.count;
  }
  strike_counts_.push_back({place.shape_A, place.shape_B, place.id, 0});
  return strike_counts_.back().count;
}

template <class Archive>
void BounceCapture::archive(Archive& a) {
  a(stop_strikes_);
  if (stop_strikes_.size() != parts_.motion.rows().size()) throw StateError("it holds strikes of other joints");
  strike_counts_.resize(a.size(strike_counts_.size(), sizeof(StrikeCount)));
  for (StrikeCount& count : strike_counts_) a(count.shape_A, count.shape_B, count.id, count.count);
}
THENAR_INSTANTIATE_ARCHIVE(BounceCapture);

}  // namespace thenar::internal
