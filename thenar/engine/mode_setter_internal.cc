// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/mode_setter_internal.h"

#include <algorithm>

#include "thenar/instant/cell_motion_internal.h"

namespace thenar::internal {
namespace {

/// Slip below this part of the speed that belongs to the size of a scenario has no direction of its own.
constexpr double kNoSlip = 1e-10;
/// Slip below so many times the error of steps is noise, and its direction too.
constexpr double kNoSlipOfTolerance = 10;
/// Times at one instant after which a contact that leaves its bounds is let go.
constexpr int kInsistence = 4;

}  // namespace

void ModeSetter::begin(const std::optional<ContactCrossing>& at, int patience) {
  insistent_.reset();
  if (!at || at->held < 0 || patience < kInsistence) return;
  const HeldContact& contact = parts_.motion.contacts()[static_cast<std::size_t>(at->held)];
  const bool opens = at->kind == ContactCrossingKind::break_away;
  const bool slips = at->kind == ContactCrossingKind::slip && contact.hold() == ContactHold::rolling;
  if (opens || slips) insistent_ = Insistent{contact.found(), opens, at->slip};
}

void ModeSetter::set(const State& state, const Instant& instant, const InstantCell& cell, Trigger trigger) {
  layers_.choose_phases(state);
  parts_.look_at(state);
  const double no_slip = std::max(kNoSlip * parts_.tolerances.scales().length / parts_.tolerances.scales().time,
                                  kNoSlipOfTolerance * parts_.tolerances.slip_error());
  std::vector<HeldContact> held;
  std::vector<FoundContact> places;
  for (const InstantContact& contact : instant.contacts) places.push_back(contact.place);
  const std::vector<std::string> names = parts_.names.update(places);
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const InstantContact& contact = instant.contacts[i];
    const bool insists = is_insistent(contact.place), slides = cell.modes[i] == ContactMode::slide;
    if (cell.modes[i] == ContactMode::open || (insists && insistent_->opens)) continue;
    held.push_back(parts_.make_contact(contact.place, contact.law,
                                       slides || insists ? ContactHold::sliding : ContactHold::rolling, no_slip));
    held.back().set_cone(parts_.scenario.contacts->cone);
    if (slides) held.back().begin_slip(find_slip(instant, cell, i, parts_.scenario.contacts->cone));
    if (insists && !slides) held.back().begin_slip(insistent_->slip);
    held.back().set_name(names[i]);
  }
  Mode joints = read_joint_mode(instant, cell, parts_.motion, parts_.joints.slip(), parts_.tolerances, trigger);
  parts_.motion.hold({std::move(joints), std::move(held)});
}

bool ModeSetter::begins_to_slip(const Instant& instant, const InstantCell& cell) const {
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const InstantContact& contact = instant.contacts[i];
    const bool is_planar = contact.tangent_rows[0] < 0 || contact.tangent_rows[1] < 0;
    const bool slips = cell.modes[i] == ContactMode::slide || (is_insistent(contact.place) && !insistent_->opens);
    if (slips && !contact.slides && contact.has_friction() && !is_planar) return true;
  }
  return false;
}

}  // namespace thenar::internal
