// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/contact_teller_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/instant/cell_motion_internal.h"

namespace thenar::internal {
namespace {

/// Whether two unit vectors point nearly the same way.
bool is_along(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  constexpr double kNearly = 0.9;
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > kNearly;
}

/// A point of a rim that was asked for besides (ArcPoints): it is there for the sake of the others and says nothing.
bool is_spare(const FoundContact& place) { return contact_number(place.id) >= kFirstArcNumber; }

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

}  // namespace

ContactTeller::ContactTeller(const Scenario& scenario, const ConstrainedMotion& motion, const ContactFinder& finder)
    : scenario_(scenario), motion_(motion), finder_(finder) {}

void ContactTeller::begin() {
  before_.clear();
  approaches_.clear();
  for (const HeldContact& contact : motion_.contacts()) {
    before_.push_back({contact.name(), contact.hold(), contact.found(), contact.slip_direction(), contact.gap(),
                       contact.velocity()(0)});
  }
}

std::vector<Event> ContactTeller::tell(double t, const Settled& settled, const std::optional<ContactCrossing>& at) {
  settled_ = &settled;
  std::vector<Event> out;
  const auto tell = [&](EventKind kind, const std::string& where, std::string cause) {
    out.push_back({t, kind, where, std::move(cause)});
  };
  const auto was_struck = [&](const std::string& name) {
    const std::string pair = name.substr(0, name.find('#'));
    return std::any_of(settled.strikes.begin(), settled.strikes.end(), [&](const ContactStrike& strike) {
      return strike.where.substr(0, strike.where.find('#')) == pair;
    });
  };
  const std::vector<HeldContact>& now = motion_.contacts();
  std::vector<FoundContact> places_before, places;
  for (const Known& old : before_) places_before.push_back(old.place);
  for (const HeldContact& contact : now) places.push_back(contact.found());
  const RimChange rims(places_before, places);
  std::vector<char> is_new(now.size(), 1);
  for (const Known& old : before_) {
    const auto place = std::find_if(now.begin(), now.end(), [&](const HeldContact& contact) {
      return rims.goes_on_as(old.place, contact.found());
    });
    if (place == now.end()) {
      // The pair goes on with other features.
      const bool goes_on = std::any_of(now.begin(), now.end(), [&](const HeldContact& contact) {
        const FoundContact& found = contact.found();
        return rims.is_over(old.place, found) || (at && at->kind == ContactCrossingKind::face &&
                                                  found.body_A == old.place.body_A && found.body_B == old.place.body_B);
      });
      if (!goes_on && !is_spare(old.place)) tell(EventKind::break_away, old.name, explain_break(old));
      continue;
    }
    const auto i = static_cast<std::size_t>(place - now.begin());
    is_new[i] = 0;
    const bool has_stopped = at && at->kind == ContactCrossingKind::stick && place->hold() == ContactHold::sliding;
    if (has_stopped && old.hold == ContactHold::sliding && !is_along(place->slip_direction(), old.slip)) {
      tell(EventKind::slip, place->name(),
           "slip has come to rest and begins in another direction: " + explain_slip(*place));
    }
    if (place->hold() == old.hold) continue;
    if (place->hold() == ContactHold::sliding) tell(EventKind::slip, place->name(), explain_slip(*place));
    if (old.hold == ContactHold::sliding && place->hold() == ContactHold::rolling) {
      tell(EventKind::stick, place->name(), explain_stick(*place));
    }
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    const FoundContact& found = now[i].found();
    const bool tips = rims.begins_to_tip(found);
    if (!tips && (!is_new[i] || is_spare(found))) continue;
    const bool is_same_pair = std::any_of(before_.begin(), before_.end(), [&](const Known& old) {
      return old.place.body_A == found.body_A && old.place.body_B == found.body_B;
    });
    if (tips || (at && at->kind == ContactCrossingKind::face && is_same_pair)) {
      tell(EventKind::face, now[i].name(), explain_face(now[i]));
    } else if (!was_struck(now[i].name())) {
      tell(EventKind::touch, now[i].name(), explain_touch(now[i]));
    }
  }
  return out;
}

/// Place of a contact among those of the instant, −1 if it is not there.
int ContactTeller::find_in_instant(const FoundContact& place) const {
  for (std::size_t i = 0; i < settled_->instant.contacts.size(); ++i) {
    if (is_same(settled_->instant.contacts[i].place, place)) return static_cast<int>(i);
  }
  return -1;
}

std::string ContactTeller::explain_slip(const HeldContact& contact) const {
  const int i = find_in_instant(contact.found());
  if (i < 0) return "begins to slip";
  const auto k = static_cast<std::size_t>(i);
  const InstantCell& cell = settled_->cell;
  if (settled_->instant.contacts[k].slides) {
    return fmt::format("{} at v_T = {:.6g}, v_U = {:.6g} m/s{}",
                       settled_->strikes.empty() ? "slides" : "an impact leaves it slipping", cell.slip[k][0],
                       cell.slip[k][1], explain_spin(k, "w_N", "rad/s"));
  }
  return fmt::format("admissible-force margin 0, f_N = {:.6g} N, a_T = {:.6g}, a_U = {:.6g} m/s^2{}", cell.forces[k][0],
                     cell.slip[k][0], cell.slip[k][1], explain_spin(k, "alpha_N", "rad/s^2"));
}

/// ", w_N = 3 rad/s" of a soft fingertip; nothing of others.
std::string ContactTeller::explain_spin(std::size_t contact, const char* symbol, const char* unit) const {
  if (settled_->instant.contacts[contact].tangent_rows[2] < 0) return {};
  return fmt::format(", {} = {:.6g} {}", symbol, find_spin(settled_->instant, settled_->cell, contact), unit);
}

std::string ContactTeller::explain_stick(const HeldContact& contact) const {
  const int i = find_in_instant(contact.found());
  if (i < 0) return "slip has come to rest";
  const std::array<double, 4>& force = settled_->cell.forces[static_cast<std::size_t>(i)];
  const double cone = contact.law().static_friction * force[0];
  const bool is_soft = contact.law().fingertip == Fingertip::soft;
  return fmt::format(
      "slip has come to rest, and friction holds with {:.4g} of {:.4g} N{}",
      calc_cone_size(scenario_.contacts->cone, force[1], force[2]), cone,
      is_soft ? fmt::format(" and {:.4g} of {:.4g} N m", std::abs(force[3]), contact.law().torsion * force[0]) : "");
}

std::string ContactTeller::explain_touch(const HeldContact& contact) const {
  double approach = 0;
  for (const Approach& known : approaches_) {
    if (is_same(known.place, contact.found())) approach = known.rate;
  }
  const int i = find_in_instant(contact.found());
  const double force = i < 0 ? 0 : settled_->cell.forces[static_cast<std::size_t>(i)][0];
  return fmt::format("the gap closes at {:.3g} m/s, without an impact; f_N = {:.6g} N", approach, force);
}

std::string ContactTeller::explain_break(const Known& old) const {
  const int i = find_in_instant(old.place);
  if (i < 0) return fmt::format("no longer among the points in touch: gap {:.3g} m, {:.3g} m/s", old.gap, old.rate);
  const InstantContact& contact = settled_->instant.contacts[static_cast<std::size_t>(i)];
  if (contact.row < 0) return fmt::format("thrown off at {:.6g} m/s", contact.velocity[0]);
  const double opening = settled_->instant.answer.cells[settled_->cell.number].w(contact.row);
  return fmt::format("f_N = 0, it would have to pull; opens with a_N = {:.6g} m/s^2", opening);
}

std::string ContactTeller::explain_face(const HeldContact& contact) const {
  const FoundContact& place = contact.found();
  const Vec3<double> p = (place.p_A + place.p_B) * 0.5;
  return fmt::format("goes over to {} on {} at ({:.6g}, {:.6g}, {:.6g}) m",
                     feature_name(finder_.core(place.shape_A).core.kind, place.feature_A),
                     feature_name(finder_.core(place.shape_B).core.kind, place.feature_B), p.x, p.y, p.z);
}

}  // namespace thenar::internal
