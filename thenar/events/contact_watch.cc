// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/events/contact_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thenar {
namespace {

using internal::HeldValues;
using internal::kBeginning;
using internal::kContactDegree;
using internal::kContactExitMargin;

/// Slips slower than this part of what counts as none at the start of a step are on their way from rest.
constexpr double kHovering = 1e-2;
/// An implicit step should end where a force crosses its bound in it, or so little beyond it, as a part of the forces'
/// size; unless it is so short, as a part of the time scale, that it does not matter. What is expected at the bound is
/// taken to be so much beyond it, as a part of how far it was before and is behind.
constexpr double kLittleBeyond = 1e-6, kShortestTime = 1e-9, kContactBehind = 0.02;
/// Slip that ends this late in a step ends where errors are controlled; a step that is made again goes so far.
constexpr double kNearTheEnd = 0.9, kJustBehind = 1.001;
/// How much a step is made shorter at once.
constexpr double kLeastPart = 0.02, kMostPart = 0.95;
/// Shares of cones are told to this.
constexpr double kShare = 1e-4;

}  // namespace

ContactWatch::ContactWatch(const Scenario& scenario, ConstrainedMotion& motion)
    : motion_(motion),
      touches_(scenario),
      crossings_(CrossingFinder::make_nodes(kContactDegree)),
      held_(scenario, motion, touches_, crossings_.nodes()),
      redundant_(motion, held_, crossings_.nodes()) {}

ContactWatch::Finding ContactWatch::find(Stepper& stepper, double force_margin) {
  std::optional<ContactCrossing> first;
  if (auto touch = touches_.find(stepper, motion_.contacts(), motion_.layer_contacts())) {
    first = ContactCrossing{
        .theta = touch->theta, .kind = ContactCrossingKind::touch, .held = -1, .name = std::move(touch->name)};
  }
  if (motion_.contacts().empty()) return {.retry = {}, .crossing = std::move(first)};
  redundant_.begin();
  if (held_.is_clear_at_a_glance(stepper, force_margin)) return {.retry = {}, .crossing = std::move(first)};
  find_slow_changes(stepper, first);
  if (!stepper.is_implicit() || !motion_.has_fading_stiffness()) {
    if (first && is_astray(stepper, *first)) return {.retry = kJustBehind * first->theta * stepper.h(), .crossing = {}};
    find_changes(stepper, force_margin, first);
    if (first) find_slip_direction(stepper, *first);
    return {.retry = {}, .crossing = std::move(first)};
  }
  if (const auto retry = find_changes_at_end(stepper, force_margin, first)) return {.retry = retry, .crossing = {}};
  if (first) find_slip_direction(stepper, *first);
  return {.retry = {}, .crossing = std::move(first)};
}

/// Whether slip that ends far inside of the step has left its direction. Slip across it dies out the faster the slower
/// slip is, faster than a long step of the explicit method can follow: rounding grows inside of it, where errors are
/// not controlled as they are at its end.
bool ContactWatch::is_astray(Stepper& stepper, const ContactCrossing& crossing) {
  if (crossing.kind != ContactCrossingKind::stick || crossing.theta > kNearTheEnd) return false;
  stepper.evaluate(crossing.theta);
  const HeldContact& contact = motion_.contacts()[static_cast<std::size_t>(crossing.held)];
  return contact.calc_slip_across() > contact.no_slip();
}

/// Against the friction that no longer suffices.
void ContactWatch::find_slip_direction(Stepper& stepper, ContactCrossing& crossing) {
  if (crossing.kind != ContactCrossingKind::slip || crossing.held < 0) return;
  const auto i = static_cast<std::size_t>(crossing.held);
  if (held_.is_redundant()) {
    redundant_.calc_reserve(stepper, crossing.theta, 0);
  } else {
    stepper.evaluate(crossing.theta);
  }
  const Vector4<double>& force = (held_.is_redundant() ? motion_.admissible_forces() : motion_.contact_forces())[i];
  // Friction is −μₖ² uₖ/|μ u| per unit of normal force (YY 5).
  const HeldContact& contact = motion_.contacts()[i];
  crossing.slip = {};
  for (int t = 0; t < contact.tangent_count(); ++t) {
    const int row = contact.tangent(t);
    const double mu = contact.calc_friction_limit(row);
    if (mu > 0) crossing.slip[static_cast<std::size_t>(row - 1)] = -force(row) / (mu * mu);
  }
}

/// Keeps the crossing if it is the first so far.
template <class Function>
void ContactWatch::narrow(const VectorX<double>& values, const Function& function, ContactCrossingKind kind,
                          std::size_t contact, std::optional<ContactCrossing>& first) {
  auto bracket = crossings_.find(values, function);
  if (!bracket || (first && bracket->before >= first->theta)) return;
  if (first && first->theta < bracket->after) {
    if (function(first->theta) >= 0) return;
    bracket->after = first->theta;
  }
  const double theta = refine_crossing(*bracket, kEventBracket, function).after;
  if (first && theta >= first->theta) return;
  first = ContactCrossing{theta, kind, static_cast<int>(contact), motion_.contacts()[contact].name()};
}

// --- Contacts that hold ----------------------------------------------------------------------------------------------

/// Slips that end, and features that are left: functions of the state alone.
void ContactWatch::find_slow_changes(Stepper& stepper, std::optional<ContactCrossing>& first) {
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const HeldContact& contact = motion_.contacts()[i];
    if (contact.hold() == ContactHold::sliding) {
      // Slip that begins in this step is no slip that ends, whatever rounding says of its first moments.
      const double allowed = held_.slip()(0, column) < kBeginning * contact.no_slip() ? contact.no_slip() : 0;
      const auto function = [&](double theta) {
        stepper.evaluate(theta);
        return motion_.contacts()[i].slip_along() + allowed;
      };
      values_ = held_.slip().col(column).array() + allowed;
      narrow(values_, function, ContactCrossingKind::stick, i, first);
      // Slip that has become slower than what has a direction, and does not grow, hovers about rest.
      const double end = held_.slip()(held_.slip().rows() - 1, column);
      const double start = held_.slip()(0, column);
      const bool hovers = std::abs(end) < contact.no_slip() && end <= start && start > kHovering * contact.no_slip();
      if (!first && hovers) {
        first = ContactCrossing{1, ContactCrossingKind::stick, static_cast<int>(i), contact.name()};
      }
    }
    values_ = held_.exit().col(column);
    find_exit(stepper, i, values_, first);
  }
}

/// Forces that leave their bounds, in a step of the explicit method.
void ContactWatch::find_changes(Stepper& stepper, double force_margin, std::optional<ContactCrossing>& first) {
  if (held_.is_redundant()) return redundant_.find(stepper, force_margin, first);
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto look = [&](const MatrixX<double>& values, double HeldValues::*member, ContactCrossingKind kind) {
      const auto function = [&](double theta) {
        stepper.evaluate(theta);
        return held_.read(i, force_margin * motion_.calc_largest_contact_force()).*member;
      };
      values_ = values.col(column);
      narrow(values_, function, kind, i, first);
    };
    look(held_.normal(), &HeldValues::normal, ContactCrossingKind::break_away);
    if (motion_.contacts()[i].hold() == ContactHold::rolling) {
      look(held_.friction(), &HeldValues::friction, ContactCrossingKind::slip);
    }
  }
}

/// The same in a step of the implicit method, at its end. Where a force is beyond its bound by more than a little
/// there, the step has to be made again, to where that is expected: the answer is its length.
std::optional<double> ContactWatch::find_changes_at_end(Stepper& stepper, double force_margin,
                                                        std::optional<ContactCrossing>& first) {
  const double t_before = first ? first->theta : 2;
  if (t_before < 1) return std::nullopt;  // the step does not go to its end
  ContactCrossing found;
  double least = 0, start = 0;
  const Eigen::Index end = held_.normal().rows() - 1;
  if (held_.is_redundant()) {
    if (std::min(held_.normal().row(end).minCoeff(), held_.friction().row(end).minCoeff()) >= 0) return std::nullopt;
    least = redundant_.calc_reserve(stepper, 1, force_margin);
    start = force_margin;
    redundant_.find_tightest(found);
  } else {
    const double scale = std::max(motion_.contact_force_scale(), 1e-300);
    for (Eigen::Index i = 0; i < held_.normal().cols(); ++i) {
      for (const auto& [values, kind] : {std::pair(&held_.normal(), ContactCrossingKind::break_away),
                                         std::pair(&held_.friction(), ContactCrossingKind::slip)}) {
        if ((*values)(end, i) / scale >= least) continue;
        least = (*values)(end, i) / scale;
        start = (*values)(0, i) / scale;
        found.kind = kind;
        found.held = static_cast<int>(i);
      }
    }
  }
  if (!(least < 0)) return std::nullopt;
  const bool is_short = stepper.h() < kShortestTime * stepper.scale_of_time();
  if (-least > kLittleBeyond && !is_short) {
    const double behind = std::min(kContactBehind * start, std::max(kContactBehind * -least, 0.5 * kLittleBeyond));
    const double part = start > 0 ? (start + behind) / (start - least) : 0.5;
    return std::clamp(part, kLeastPart, kMostPart) * stepper.h();
  }
  found.theta = 1;
  if (found.held >= 0) found.name = motion_.contacts()[static_cast<std::size_t>(found.held)].name();
  first = std::move(found);
  return std::nullopt;
}

/// Features are left where the exit rises from 0: it has a kink there, so that the places bracket it.
void ContactWatch::find_exit(Stepper& stepper, std::size_t i, const VectorX<double>& exits,
                             std::optional<ContactCrossing>& first) {
  const std::vector<double>& nodes = crossings_.nodes();
  const double allowed = std::max(kContactExitMargin, 2 * exits(0));
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    if (first && first->theta <= nodes[k - 1]) return;
    if (exits(static_cast<Eigen::Index>(k)) <= allowed) continue;
    const auto room = [&](double theta) {
      stepper.evaluate(theta);
      return allowed - held_.calc_exit(motion_.contacts()[i]);
    };
    const bool has_earlier = first && first->theta < nodes[k];
    if (has_earlier && room(first->theta) >= 0) return;
    const double after = has_earlier ? first->theta : nodes[k];
    const double theta = refine_crossing({nodes[k - 1], after}, kEventBracket, room).after;
    if (!first || theta < first->theta) {
      first = ContactCrossing{theta, ContactCrossingKind::face, static_cast<int>(i), motion_.contacts()[i].name()};
    }
    return;
  }
}

const std::vector<Vector4<double>>& ContactWatch::calc_forces() {
  constexpr double kRounding = 1e-9;
  forces_ = motion_.contact_forces();
  if (!motion_.has_redundant_contacts()) return forces_;
  motion_.find_admissible_forces(-kRounding * motion_.calc_largest_contact_force(), false);
  forces_ = motion_.admissible_forces();
  return forces_;
}

double ContactWatch::calc_least_share(const std::vector<std::size_t>& contacts, double known) {
  return motion_.calc_least_share(contacts, known, kShare, kForceMargin * motion_.calc_largest_contact_force());
}

template <class Archive>
void ContactWatch::archive(Archive& a) {
  a(held_, touches_);
}
THENAR_INSTANTIATE_ARCHIVE(ContactWatch);

}  // namespace thenar
