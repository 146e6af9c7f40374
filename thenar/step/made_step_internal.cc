// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/made_step_internal.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "thenar/spatial/state_archive.h"

namespace thenar::internal {
namespace {

/// Numbers that events of steps have, by name and unit.
constexpr std::array<EventNumber, 14> kNumbers{{{"before", 0, "m/s"},
                                                {"after", 0, "m/s"},
                                                {"before", 0, "rad/s"},
                                                {"after", 0, "rad/s"},
                                                {"approach", 0, "m/s"},
                                                {"f_N", 0, "N"},
                                                {"v_T", 0, "m/s"},
                                                {"v_U", 0, "m/s"},
                                                {"f_t", 0, "N"},
                                                {"limit", 0, "N"},
                                                {"gap", 0, "m"},
                                                {"rate", 0, "m/s"},
                                                {"rate", 0, "rad/s"},
                                                {"", 0, ""}}};

template <class Archive>
void archive_number(Archive& a, EventNumber& number) {
  std::size_t place = 0;
  if constexpr (!Archive::kReads) {
    const auto is_known = [&](const EventNumber& known) {
      return std::string_view(known.name) == number.name && std::string_view(known.unit) == number.unit;
    };
    place = static_cast<std::size_t>(std::find_if(kNumbers.begin(), kNumbers.end() - 1, is_known) - kNumbers.begin());
  }
  double value = number.value;
  a(place, value);
  if (place >= kNumbers.size()) throw StateError("it holds an event that does not exist");
  number = kNumbers[place];
  number.value = value;
}

template <class Archive>
void archive_event(Archive& a, Event& event) {
  a(event.t, event.kind, event.place, event.cause, event.side);
  event.numbers.resize(a.size(event.numbers.size(), 16));
  for (EventNumber& number : event.numbers) archive_number(a, number);
}

}  // namespace

template <class Archive>
void MadeStep::archive(Archive& a) {
  a(h, end, energy.work, energy.dissipated, energy.corrected, contacts, stops, acceleration, grade, overlap,
    is_flagged);
  events.resize(a.size(events.size(), 64));
  for (Event& event : events) archive_event(a, event);
}
THENAR_INSTANTIATE_ARCHIVE(MadeStep);

}  // namespace thenar::internal
