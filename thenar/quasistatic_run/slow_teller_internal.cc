// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/slow_teller_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/engine/contact_teller_internal.h"

namespace thenar::internal {
namespace {

/// Slip of a contact along T and U, m/s.
std::array<double, 2> calc_slip(const SlowMotion& motion, std::size_t contact) {
  const MatrixX<double>& J = motion.contacts()[contact].J();
  return {J.row(1).dot(motion.v()), J.row(2).dot(motion.v())};
}

}  // namespace

SlowHold find_hold(const SlowMotion& motion, std::size_t contact) {
  const QuasistaticProblem& problem = motion.problem();
  const int label = motion.labels()[contact];
  if (!problem.is_spatial()) return label == 3 ? SlowHold::rolls : SlowHold::slides;
  if (problem.mu(static_cast<Eigen::Index>(contact)) > 0) {
    return label == 2 * problem.sides + 1 ? SlowHold::rolls : SlowHold::slides;
  }
  const auto [T, U] = calc_slip(motion, contact);
  return std::hypot(T, U) > motion.rules().still ? SlowHold::slides : SlowHold::rolls;
}

void SlowTeller::begin() {
  before_.clear();
  for (std::size_t i = 0; i < motion_.contacts().size() && i < motion_.labels().size(); ++i) {
    const HeldContact& contact = motion_.contacts()[i];
    before_.push_back(
        {contact.found(), contact.name(), find_hold(motion_, i), motion_.labels()[i], calc_slip(motion_, i)[0]});
  }
  stops_before_ = motion_.held_stops();
}

std::string SlowTeller::explain_slip(std::size_t i, const QuasistaticSolution& solution) const {
  const auto [T, U] = calc_slip(motion_, i);
  return fmt::format("friction of {:.6g} N per N gives way at f_N = {:.6g} N, v_T = {:.6g}, v_U = {:.6g} m/s",
                     motion_.problem().mu(static_cast<Eigen::Index>(i)), solution.c_n(static_cast<Eigen::Index>(i)), T,
                     U);
}

std::vector<Event> SlowTeller::tell(double t, const std::optional<SlowCrossing>& at) const {
  std::vector<Event> out;
  const QuasistaticSolution solution = motion_.solution();
  const std::vector<HeldContact>& now = motion_.contacts();
  const auto tell = [&](EventKind kind, const std::string& where, std::string cause) {
    out.push_back({t, kind, where, std::move(cause)});
  };
  const bool is_face = at && at->kind == SlowCrossing::Kind::face;
  const auto is_of_pair = [](const FoundContact& a, const FoundContact& b) {
    return a.body_A == b.body_A && a.body_B == b.body_B;
  };
  std::vector<char> is_new(now.size(), 1);
  for (const Known& old : before_) {
    const auto place = std::find_if(now.begin(), now.end(),
                                    [&](const HeldContact& contact) { return is_same(contact.found(), old.place); });
    if (place == now.end()) {
      const bool goes_on = is_face && std::any_of(now.begin(), now.end(), [&](const HeldContact& contact) {
                             return is_of_pair(contact.found(), old.place);
                           });
      if (!goes_on) tell(EventKind::break_away, old.name, "f_N = 0, it would have to pull");
      continue;
    }
    const auto i = static_cast<std::size_t>(place - now.begin());
    is_new[i] = 0;
    const SlowHold hold = find_hold(motion_, i);
    const double mu = motion_.problem().mu(static_cast<Eigen::Index>(i));
    if (hold == SlowHold::rolls && old.hold == SlowHold::slides) {
      const auto k = static_cast<Eigen::Index>(i);
      const double c_u = motion_.problem().is_spatial() ? solution.c_u(k) : 0;
      tell(EventKind::stick, place->name(),
           fmt::format("slip has come to rest, and friction holds with {:.4g} of {:.4g} N",
                       std::hypot(solution.c_t(k), c_u), mu * solution.c_n(k)));
    } else if (hold == SlowHold::slides && old.hold == SlowHold::rolls) {
      tell(EventKind::slip, place->name(), explain_slip(i, solution));
    } else if (hold == SlowHold::slides && !motion_.problem().is_spatial() && motion_.labels()[i] != old.label) {
      tell(EventKind::slip, place->name(),
           "slip has come to rest and begins in another direction: " + explain_slip(i, solution));
    }
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!is_new[i]) continue;
    const bool goes_over = is_face && std::any_of(before_.begin(), before_.end(), [&](const Known& old) {
                             return is_of_pair(old.place, now[i].found());
                           });
    const Vec3<double> p = now[i].kinematics().place().A.p;
    if (goes_over) {
      tell(EventKind::face, now[i].name(),
           fmt::format("goes over to other features at ({:.6g}, {:.6g}, {:.6g}) m", p.x, p.y, p.z));
    } else {
      tell(EventKind::touch, now[i].name(),
           fmt::format("the gap closes; f_N = {:.6g} N", solution.c_n(static_cast<Eigen::Index>(i))));
    }
  }
  const auto tell_stop = [&](int stop, EventKind kind, const std::string& cause) {
    tell(kind, scenario_.model.dof_name(motion_.stops()[static_cast<std::size_t>(stop)].dof()), cause);
  };
  const std::vector<int>& stops = motion_.held_stops();
  for (std::size_t k = 0; k < stops.size(); ++k) {
    if (std::find(stops_before_.begin(), stops_before_.end(), stops[k]) != stops_before_.end()) continue;
    tell_stop(
        stops[k], EventKind::limit_on,
        fmt::format("rests on its stop, pressed by {:.6g}", solution.c_n(static_cast<Eigen::Index>(now.size() + k))));
  }
  for (const int stop : stops_before_) {
    if (std::find(stops.begin(), stops.end(), stop) == stops.end())
      tell_stop(stop, EventKind::limit_off, "leaves its stop");
  }
  return out;
}

}  // namespace thenar::internal
