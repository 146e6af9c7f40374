// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/compliant/layer_changes_internal.h"

#include <algorithm>

namespace thenar::internal {

void LayerChanges::begin() {
  before_.clear();
  moved_.clear();
  for (const LayerContact& contact : motion_.layer_contacts()) {
    before_.push_back({contact.name(), contact.place().found(), contact.phase});
  }
}

/// Where the layer at this place was at begin(), as far as it has moved.
FoundContact LayerChanges::find_origin(const FoundContact& place) const {
  const auto found = std::find_if(moved_.begin(), moved_.end(), [&](const Moved& m) { return is_same(m.to, place); });
  return found == moved_.end() ? place : found->from;
}

std::vector<Event> LayerChanges::list(double t) const {
  std::vector<Event> out;
  const auto add = [&](EventKind kind, const std::string& name, const FoundContact& place, EventCause cause) -> Event& {
    Event& event = out.emplace_back(Event{.t = t, .kind = kind, .cause = cause});
    event.place = {name, ContactId{place.shape_A, place.shape_B, place.id}, place.body_A, place.body_B, -1};
    return event;
  };
  std::vector<char> is_known(before_.size(), 0);
  for (const LayerContact& contact : motion_.layer_contacts()) {
    const FoundContact& place = contact.place().found();
    const FoundContact origin = find_origin(place);
    LayerPhase before = LayerPhase::apart;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (!is_same(before_[i].place, origin)) continue;
      before = before_[i].phase;
      is_known[i] = 1;
      if (!is_same(origin, place)) add(EventKind::face, contact.name(), place, EventCause::layer_goes_over);
    }
    if (before == contact.phase) continue;
    const Vector4<double> f = contact.force();
    if (contact.phase == LayerPhase::apart) {
      add(EventKind::break_away, contact.name(), place, EventCause::layer_unloaded);
      continue;
    }
    if (before == LayerPhase::apart) {
      add(EventKind::touch, contact.name(), place, EventCause::meets_layer).numbers = {
          {"approach", -contact.place().velocity()(0), "m/s"}, {"f_N", f(0), "N"}};
    }
    const bool slips = contact.phase == LayerPhase::slips;
    if (!slips && before != LayerPhase::slips) continue;
    add(slips ? EventKind::slip : EventKind::stick, contact.name(), place, EventCause::layer_friction).numbers = {
        {"f_t", f.segment<2>(1).norm(), "N"}, {"limit", contact.place().law().friction * f(0), "N"}};
  }
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (is_known[i] || before_[i].phase == LayerPhase::apart) continue;
    add(EventKind::break_away, before_[i].name, before_[i].place, EventCause::leaves_layer);
  }
  return out;
}

}  // namespace thenar::internal
