// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/contact_changes_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/instant/cell_motion_internal.h"
#include "thenar/instant/instant_proof.h"

namespace thenar::internal {
namespace {

/// Whether two unit vectors point nearly the same way.
bool is_along(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  constexpr double kNearly = 0.9;
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > kNearly;
}

/// A point of a rim that was asked for besides (ArcPoints): it is there for the sake of the others and is no event.
bool is_spare(const FoundContact& place) { return contact_number(place.id) >= kFirstArcNumber; }

bool is_same_pair(const FoundContact& a, const FoundContact& b) { return a.body_A == b.body_A && a.body_B == b.body_B; }

}  // namespace

/// What becomes of rims that lie flat, with points that stay where they are on them: such a rim goes on in one point
/// that travels, or, as long as it has hardly begun to tip, in a single spare one, which stands for that.
class RimChange {
 public:
  RimChange(const std::vector<FoundContact>& before, const std::vector<FoundContact>& now)
      : before_(before), now_(now) {}

  /// Whether a point of a rim is given up for another one of it, on which it goes on.
  bool is_over(const FoundContact& old, const FoundContact& next) const {
    return is_fixed_number(contact_number(old.id)) && is_on_same_rim(old, next) && is_single(now_, next);
  }
  bool begins_to_tip(const FoundContact& now) const {
    return std::any_of(before_.begin(), before_.end(),
                       [&](const FoundContact& old) { return is_over(old, now) && !is_single(before_, old); });
  }
  bool goes_on_as(const FoundContact& old, const FoundContact& now) const {
    return is_same(old, now) || (is_single(before_, old) && is_over(old, now));
  }

 private:
  static bool is_on_same_rim(const FoundContact& a, const FoundContact& b) {
    return a.shape_A == b.shape_A && a.shape_B == b.shape_B && a.feature_A == b.feature_A && a.feature_B == b.feature_B;
  }
  static bool is_single(const std::vector<FoundContact>& places, const FoundContact& place) {
    if (!is_fixed_number(contact_number(place.id))) return true;
    return is_spare(place) && 1 == std::count_if(places.begin(), places.end(), [&](const FoundContact& other) {
                                return is_on_same_rim(other, place);
                              });
  }

  const std::vector<FoundContact>&before_, &now_;
};

ContactChanges::ContactChanges(const Scenario& scenario, const ConstrainedMotion& motion, const ContactFinder& finder)
    : scenario_(scenario), motion_(motion), finder_(finder) {}

void ContactChanges::begin() {
  before_.clear();
  approaches_.clear();
  for (const HeldContact& contact : motion_.contacts()) {
    before_.push_back({contact.name(), contact.hold(), contact.found(), contact.slip_direction(), contact.gap(),
                       contact.velocity()(0)});
  }
}

std::vector<Event> ContactChanges::list(double t, const Settled& settled, const std::optional<ContactCrossing>& at) {
  settled_ = &settled;
  t_ = t;
  std::vector<Event> out;
  std::vector<FoundContact> places_before, places;
  for (const Known& old : before_) places_before.push_back(old.place);
  for (const HeldContact& contact : motion_.contacts()) places.push_back(contact.found());
  const RimChange rims(places_before, places);
  const bool is_face = at && at->kind == ContactCrossingKind::face;
  const bool is_stick = at && at->kind == ContactCrossingKind::stick;
  const std::vector<char> is_new = list_old(rims, is_face, is_stick, out);
  list_new(rims, is_face, is_new, out);
  settled_ = nullptr;
  return out;
}

/// Events of contacts that held before. Returns which of the present ones did not.
std::vector<char> ContactChanges::list_old(const RimChange& rims, bool is_face, bool is_stick,
                                           std::vector<Event>& out) const {
  const std::vector<HeldContact>& now = motion_.contacts();
  std::vector<char> is_new(now.size(), 1);
  for (const Known& old : before_) {
    const auto place = std::find_if(now.begin(), now.end(), [&](const HeldContact& contact) {
      return rims.goes_on_as(old.place, contact.found());
    });
    if (place != now.end()) {
      is_new[static_cast<std::size_t>(place - now.begin())] = 0;
      compare(old, *place, is_stick, out);
      continue;
    }
    const bool goes_on = std::any_of(now.begin(), now.end(), [&](const HeldContact& contact) {
      return rims.is_over(old.place, contact.found()) || (is_face && is_same_pair(contact.found(), old.place));
    });
    if (!goes_on && !is_spare(old.place)) out.push_back(make_break(old));
  }
  return is_new;
}

void ContactChanges::compare(const Known& old, const HeldContact& now, bool is_stick, std::vector<Event>& out) const {
  const bool slides = now.hold() == ContactHold::sliding, slid = old.hold == ContactHold::sliding;
  if (is_stick && slides && slid && !is_along(now.slip_direction(), old.slip)) {
    out.push_back(make_slip(now));
    out.back().has_turned = true;
  }
  if (now.hold() == old.hold) return;
  if (slides) out.push_back(make_slip(now));
  if (slid && now.hold() == ContactHold::rolling) out.push_back(make_stick(now));
}

void ContactChanges::list_new(const RimChange& rims, bool is_face, const std::vector<char>& is_new,
                              std::vector<Event>& out) const {
  const std::vector<HeldContact>& now = motion_.contacts();
  for (std::size_t i = 0; i < now.size(); ++i) {
    const FoundContact& found = now[i].found();
    const bool tips = rims.begins_to_tip(found);
    if (!tips && (!is_new[i] || is_spare(found))) continue;
    const bool is_known_pair =
        std::any_of(before_.begin(), before_.end(), [&](const Known& old) { return is_same_pair(old.place, found); });
    if (tips || (is_face && is_known_pair)) {
      out.push_back(make_face(now[i]));
    } else if (!was_struck(found)) {
      out.push_back(make_touch(now[i]));
    }
  }
}

/// Whether any point of the two bodies was struck at this instant.
bool ContactChanges::was_struck(const FoundContact& place) const {
  return std::any_of(settled_->strikes.begin(), settled_->strikes.end(), [&](const StrikeReport& strike) {
    return strike.place.contact && strike.place.body_A == place.body_A && strike.place.body_B == place.body_B;
  });
}

/// Place of a contact among those of the instant, −1 if it is not there.
int ContactChanges::find_in_instant(const FoundContact& place) const {
  for (std::size_t i = 0; i < settled_->instant.contacts.size(); ++i) {
    if (is_same(settled_->instant.contacts[i].place, place)) return static_cast<int>(i);
  }
  return -1;
}

Event ContactChanges::make_slip(const HeldContact& contact) const {
  Event out{.t = t_, .kind = EventKind::slip, .place = make_place(contact.name(), contact.found())};
  const int i = find_in_instant(contact.found());
  if (i < 0) return out;
  const auto k = static_cast<std::size_t>(i);
  const InstantCell& cell = settled_->cell;
  const bool is_soft = settled_->instant.contacts[k].tangent_rows[2] >= 0;
  const double spin = is_soft ? find_spin(settled_->instant, cell, k) : 0;
  if (settled_->instant.contacts[k].slides) {
    out.cause = settled_->strikes.empty() ? EventCause::slides : EventCause::left_by_impact;
    out.numbers = {{"v_T", cell.slip[k][0], "m/s"}, {"v_U", cell.slip[k][1], "m/s"}};
    if (is_soft) out.numbers.push_back({"w_N", spin, "rad/s"});
    return out;
  }
  out.cause = EventCause::margin_used_up;
  out.numbers = {{"f_N", cell.forces[k][0], "N"}, {"a_T", cell.slip[k][0], "m/s^2"}, {"a_U", cell.slip[k][1], "m/s^2"}};
  if (is_soft) out.numbers.push_back({"alpha_N", spin, "rad/s^2"});
  return out;
}

Event ContactChanges::make_stick(const HeldContact& contact) const {
  Event out{.t = t_,
            .kind = EventKind::stick,
            .place = make_place(contact.name(), contact.found()),
            .cause = EventCause::comes_to_rest};
  const int i = find_in_instant(contact.found());
  if (i < 0) return out;
  const std::array<double, 4>& force = settled_->cell.forces[static_cast<std::size_t>(i)];
  out.numbers = {{"f_t", calc_cone_size(scenario_.contacts->cone, force[1], force[2]), "N"},
                 {"limit", contact.law().static_friction * force[0], "N"}};
  if (contact.law().fingertip != Fingertip::soft) return out;
  out.numbers.push_back({"torsion", std::abs(force[3]), "N m"});
  out.numbers.push_back({"torsion_limit", contact.law().torsion * force[0], "N m"});
  return out;
}

Event ContactChanges::make_touch(const HeldContact& contact) const {
  double approach = 0;
  for (const Approach& known : approaches_) {
    if (is_same(known.place, contact.found())) approach = known.rate;
  }
  const int i = find_in_instant(contact.found());
  const double force = i < 0 ? 0 : settled_->cell.forces[static_cast<std::size_t>(i)][0];
  return {.t = t_,
          .kind = EventKind::touch,
          .place = make_place(contact.name(), contact.found()),
          .cause = EventCause::gap_closes,
          .numbers = {{"approach", approach, "m/s"}, {"f_N", force, "N"}}};
}

Event ContactChanges::make_break(const Known& old) const {
  Event out{.t = t_, .kind = EventKind::break_away, .place = make_place(old.name, old.place)};
  const int i = find_in_instant(old.place);
  if (i < 0) {
    out.cause = EventCause::leaves_points;
    out.numbers = {{"gap", old.gap, "m"}, {"rate", old.rate, "m/s"}};
    return out;
  }
  const InstantContact& contact = settled_->instant.contacts[static_cast<std::size_t>(i)];
  if (contact.row < 0) {
    out.cause = EventCause::thrown_off;
    out.numbers = {{"rate", contact.velocity[0], "m/s"}};
    return out;
  }
  out.cause = EventCause::would_pull;
  const double opening = settled_->instant.proof->answer.cells[settled_->cell.number].w(contact.row);
  out.numbers = {{"acceleration", opening, "m/s^2"}};
  return out;
}

Event ContactChanges::make_face(const HeldContact& contact) const {
  const FoundContact& place = contact.found();
  const Vec3<double> p = (place.p_A + place.p_B) * 0.5;
  return {.t = t_,
          .kind = EventKind::face,
          .place = make_place(contact.name(), place),
          .cause = EventCause::goes_over,
          .numbers = {{"x", p.x, "m"}, {"y", p.y, "m"}, {"z", p.z, "m"}},
          .note = fmt::format("{} on {}", feature_name(finder_.core(place.shape_A).core.kind, place.feature_A),
                              feature_name(finder_.core(place.shape_B).core.kind, place.feature_B))};
}

}  // namespace thenar::internal
