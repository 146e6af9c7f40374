// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_changes_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/engine/event_log.h"

namespace thenar::internal {
namespace {

/// Slip of a contact along T and U, m/s.
std::array<double, 2> calc_slip(const QuasistaticMotion& motion, std::size_t contact) {
  const MatrixX<double>& J = motion.contacts()[contact].J();
  return {J.row(1).dot(motion.v()), J.row(2).dot(motion.v())};
}

bool is_same_pair(const FoundContact& a, const FoundContact& b) { return a.body_A == b.body_A && a.body_B == b.body_B; }

}  // namespace

ContactMode find_hold(const QuasistaticMotion& motion, std::size_t contact) {
  const QuasistaticProblem& problem = motion.problem();
  const int label = motion.labels()[contact];
  if (!problem.is_spatial()) return label == 3 ? ContactMode::roll : ContactMode::slide;
  if (problem.mu(static_cast<Eigen::Index>(contact)) > 0) {
    return label == 2 * problem.sides + 1 ? ContactMode::roll : ContactMode::slide;
  }
  const auto [T, U] = calc_slip(motion, contact);
  return std::hypot(T, U) > motion.rules().still ? ContactMode::slide : ContactMode::roll;
}

void QuasistaticChanges::begin() {
  before_.clear();
  for (std::size_t i = 0; i < motion_.contacts().size() && i < motion_.labels().size(); ++i) {
    const HeldContact& contact = motion_.contacts()[i];
    before_.push_back(
        {contact.found(), contact.name(), find_hold(motion_, i), motion_.labels()[i], calc_slip(motion_, i)[0]});
  }
  stops_before_ = motion_.held_stops();
}

Event QuasistaticChanges::make_slip(double t, std::size_t i, const QuasistaticSolution& solution) const {
  const auto k = static_cast<Eigen::Index>(i);
  const auto [T, U] = calc_slip(motion_, i);
  const HeldContact& contact = motion_.contacts()[i];
  return {
      .t = t,
      .kind = EventKind::slip,
      .place = make_place(contact.name(), contact.found()),
      .cause = EventCause::friction_moves,
      .numbers = {
          {"mu", motion_.problem().mu(k), ""}, {"f_N", solution.c_n(k), "N"}, {"v_T", T, "m/s"}, {"v_U", U, "m/s"}}};
}

std::vector<Event> QuasistaticChanges::list(double t, const std::optional<QuasistaticCrossing>& at) const {
  std::vector<Event> out;
  const QuasistaticSolution solution = motion_.solution();
  const bool is_face = at && at->kind == QuasistaticCrossing::Kind::face;
  const std::vector<char> is_new = list_old(t, is_face, solution, out);
  list_new(t, is_face, is_new, solution, out);
  list_stops(t, solution, out);
  return out;
}

/// Events of contacts that held before. Returns which of the present ones did not.
std::vector<char> QuasistaticChanges::list_old(double t, bool is_face, const QuasistaticSolution& solution,
                                               std::vector<Event>& out) const {
  const std::vector<HeldContact>& now = motion_.contacts();
  std::vector<char> is_new(now.size(), 1);
  for (const Known& old : before_) {
    const auto place = std::find_if(now.begin(), now.end(),
                                    [&](const HeldContact& contact) { return is_same(contact.found(), old.place); });
    if (place != now.end()) {
      const auto i = static_cast<std::size_t>(place - now.begin());
      is_new[i] = 0;
      compare(t, old, i, solution, out);
      continue;
    }
    const bool goes_on = is_face && std::any_of(now.begin(), now.end(), [&](const HeldContact& contact) {
                           return is_same_pair(contact.found(), old.place);
                         });
    if (goes_on) continue;
    out.push_back({.t = t,
                   .kind = EventKind::break_away,
                   .place = make_place(old.name, old.place),
                   .cause = EventCause::unloaded});
  }
  return is_new;
}

void QuasistaticChanges::compare(double t, const Known& old, std::size_t i, const QuasistaticSolution& solution,
                                 std::vector<Event>& out) const {
  const ContactMode hold = find_hold(motion_, i);
  const bool is_spatial = motion_.problem().is_spatial();
  if (hold == ContactMode::roll && old.hold == ContactMode::slide) {
    const auto k = static_cast<Eigen::Index>(i);
    const double c_u = is_spatial ? solution.c_u(k) : 0;
    const HeldContact& contact = motion_.contacts()[i];
    out.push_back({.t = t,
                   .kind = EventKind::stick,
                   .place = make_place(contact.name(), contact.found()),
                   .cause = EventCause::comes_to_rest,
                   .numbers = {{"f_t", std::hypot(solution.c_t(k), c_u), "N"},
                               {"limit", motion_.problem().mu(k) * solution.c_n(k), "N"}}});
  } else if (hold == ContactMode::slide && old.hold == ContactMode::roll) {
    out.push_back(make_slip(t, i, solution));
  } else if (hold == ContactMode::slide && !is_spatial && motion_.labels()[i] != old.label) {
    out.push_back(make_slip(t, i, solution));
    out.back().has_turned = true;
  }
}

void QuasistaticChanges::list_new(double t, bool is_face, const std::vector<char>& is_new,
                                  const QuasistaticSolution& solution, std::vector<Event>& out) const {
  const std::vector<HeldContact>& now = motion_.contacts();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!is_new[i]) continue;
    const bool goes_over = is_face && std::any_of(before_.begin(), before_.end(), [&](const Known& old) {
                             return is_same_pair(old.place, now[i].found());
                           });
    Event event{.t = t, .place = make_place(now[i].name(), now[i].found())};
    if (goes_over) {
      const Vec3<double> p = now[i].kinematics().place().A.p;
      event.kind = EventKind::face;
      event.cause = EventCause::goes_over;
      event.numbers = {{"x", p.x, "m"}, {"y", p.y, "m"}, {"z", p.z, "m"}};
    } else {
      event.kind = EventKind::touch;
      event.cause = EventCause::gap_closes;
      event.numbers = {{"f_N", solution.c_n(static_cast<Eigen::Index>(i)), "N"}};
    }
    out.push_back(std::move(event));
  }
}

EventPlace QuasistaticChanges::place_of_stop(int stop) const {
  const int dof = motion_.stops()[static_cast<std::size_t>(stop)].dof();
  EventPlace out{.name = scenario_.model.dof_name(dof)};
  out.dof = dof;
  return out;
}

void QuasistaticChanges::list_stops(double t, const QuasistaticSolution& solution, std::vector<Event>& out) const {
  const std::vector<int>& stops = motion_.held_stops();
  const std::size_t contacts = motion_.contacts().size();
  for (std::size_t k = 0; k < stops.size(); ++k) {
    if (std::find(stops_before_.begin(), stops_before_.end(), stops[k]) != stops_before_.end()) continue;
    const EventPlace place = place_of_stop(stops[k]);
    const double effort = solution.c_n(static_cast<Eigen::Index>(contacts + k));
    out.push_back({.t = t,
                   .kind = EventKind::limit_on,
                   .place = place,
                   .cause = EventCause::rests,
                   .numbers = {{"effort", effort, scenario_.model.is_angular(place.dof) ? "N m" : "N"}}});
  }
  for (const int stop : stops_before_) {
    if (std::find(stops.begin(), stops.end(), stop) != stops.end()) continue;
    out.push_back({.t = t, .kind = EventKind::limit_off, .place = place_of_stop(stop), .cause = EventCause::unloaded});
  }
}

}  // namespace thenar::internal
