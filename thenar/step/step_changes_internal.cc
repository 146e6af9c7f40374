// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_changes_internal.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thenar::internal {
namespace {

const Contact* find(const std::vector<StepContactState>& list, std::uint64_t id) {
  for (const StepContactState& state : list) {
    if (state.id == id) return &state.contact;
  }
  return nullptr;
}

bool is_struck(const std::vector<Event>& events, const Contact& contact) {
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    return event.kind == EventKind::impact && event.place.contact == contact.id;
  });
}

void add(EventKind kind, const Contact& contact, EventCause cause, std::vector<EventNumber> numbers, MadeStep& step) {
  EventPlace place{contact.name, contact.id, contact.body_A, contact.body_B, -1};
  step.events.push_back(
      {.t = step.end.t, .kind = kind, .place = std::move(place), .cause = cause, .numbers = std::move(numbers)});
}

/// Slip that begins or ends.
void add_friction_event(const Contact& contact, MadeStep& step) {
  if (contact.mode == ContactMode::slide) {
    add(EventKind::slip, contact, EventCause::slides,
        {{"v_T", contact.slip[0], "m/s"}, {"v_U", contact.slip[1], "m/s"}}, step);
    return;
  }
  const double f_t = std::hypot(contact.force_on_A.along_T, contact.force_on_A.along_U);
  add(EventKind::stick, contact, EventCause::comes_to_rest,
      {{"f_t", f_t, "N"}, {"limit", contact.friction * contact.force_on_A.normal, "N"}}, step);
}

}  // namespace

void add_contact_events(const std::vector<StepContactState>& before, bool is_first, MadeStep& step) {
  for (const StepContactState& now : step.contacts) {
    const Contact& contact = now.contact;
    const Contact* const old = find(before, now.id);
    if (old != nullptr) {
      const bool changes = (contact.mode == ContactMode::slide) != (old->mode == ContactMode::slide);
      if (changes && contact.friction > 0) add_friction_event(contact, step);
    } else if (!is_first && !is_struck(step.events, contact)) {
      add(EventKind::touch, contact, EventCause::gap_closes,
          {{"approach", 0, "m/s"}, {"f_N", contact.force_on_A.normal, "N"}}, step);
    }
  }
  for (const StepContactState& old : before) {
    if (find(step.contacts, old.id) != nullptr) continue;
    add(EventKind::break_away, old.contact, EventCause::leaves_points,
        {{"gap", old.contact.gap, "m"}, {"rate", 0, "m/s"}}, step);
  }
}

}  // namespace thenar::internal
