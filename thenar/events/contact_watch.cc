// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/events/contact_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "thenar/base/numbers.h"
#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/flat_rim_internal.h"

namespace thenar {
namespace {

constexpr int kContactDegree = 8;
/// How far beyond the limits of its features a contact must be to leave them, as a part of the size of the scene.
constexpr double kContactExitMargin = 1e-11;
/// Slips slower than so many times what counts as none have just begun.
constexpr double kBeginning = 100;
/// And slower than this part of it at the start of a step, they are on their way from rest.
constexpr double kHovering = 1e-2;
/// Forces that are so many times as far from their bounds as they change in a step do not reach them.
constexpr double kContactClearOfChange = 2;
/// An implicit step should end where a force crosses its bound in it, or so little beyond it, as a part of the forces'
/// size; unless it is so short, as a part of the time scale, that it does not matter. What is expected at the bound is
/// taken to be so much beyond it, as a part of how far it was before and is behind.
constexpr double kLittleBeyond = 1e-6, kShortestTime = 1e-9, kContactBehind = 0.02;
/// Slip that ends this late in a step ends where errors are controlled; a step that is made again goes so far.
constexpr double kNearTheEnd = 0.9, kJustBehind = 1.001;
/// How much a step is made shorter at once.
constexpr double kLeastPart = 0.02, kMostPart = 0.95;
/// Forces of redundant contacts are looked at in so many parts of a step, by what is known of them in nine places.
constexpr int kFineParts = 32;
/// The margin of redundant contacts over that of others.
constexpr double kShared = 2;
/// Normal forces below this part of the forces' size are those of contacts that part.
constexpr double kNextToNothing = 1e-5;
/// Shares of cones are told to this.
constexpr double kShare = 1e-4;

}  // namespace

const char* to_string(ContactCrossingKind kind) {
  switch (kind) {
    case ContactCrossingKind::touch:
      return "touch";
    case ContactCrossingKind::break_away:
      return "break";
    case ContactCrossingKind::slip:
      return "slip";
    case ContactCrossingKind::stick:
      return "stick";
    case ContactCrossingKind::layer:
      return "layer";
    case ContactCrossingKind::verdict:
      return "loss of determinacy";
    case ContactCrossingKind::face:
      break;
  }
  return "face";
}

ContactWatch::ContactWatch(const Scenario& scenario, ConstrainedMotion& motion)
    : scenario_(scenario), motion_(motion), touches_(scenario), crossings_(CrossingFinder::make_nodes(kContactDegree)) {
  weights_.setZero(static_cast<Eigen::Index>(crossings_.nodes().size()));
}

ContactWatch::Finding ContactWatch::find(Stepper& stepper, double force_margin) {
  std::optional<ContactCrossing> first;
  if (auto touch = touches_.find(stepper, motion_.contacts(), motion_.layer_contacts())) {
    first = ContactCrossing{
        .theta = touch->theta, .kind = ContactCrossingKind::touch, .held = -1, .name = std::move(touch->name)};
  }
  if (motion_.contacts().empty()) return {.retry = {}, .crossing = std::move(first)};
  if (is_clear_at_a_glance(stepper, force_margin)) return {.retry = {}, .crossing = std::move(first)};
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
  if (is_redundant_) {
    calc_reserve(stepper, crossing.theta, 0);
  } else {
    stepper.evaluate(crossing.theta);
  }
  const Vector4<double>& force = (is_redundant_ ? motion_.admissible_forces() : motion_.contact_forces())[i];
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
  const auto bracket = crossings_.find(values, function);
  if (!bracket || (first && bracket->before >= first->theta)) return;
  const double theta = refine_crossing(*bracket, kEventBracket, function).after;
  if (first && theta >= first->theta) return;
  first = ContactCrossing{theta, kind, static_cast<int>(contact), motion_.contacts()[contact].name()};
}

// --- Contacts that hold ----------------------------------------------------------------------------------------------

/// How far a contact is beyond its features; falling flat is leaving them, too, and so is tipping.
double ContactWatch::calc_exit(const HeldContact& contact) const {
  const double size = touches_.size(), touch = internal::calc_touch(scenario_.run.tolerance, size);
  const Workspace<double>& workspace = motion_.contact_workspace();
  return std::max({contact.calc_exit(workspace, size), internal::calc_flat_exit(touches_.finder(), contact, touch),
                   internal::calc_tilt_exit(scenario_.model, workspace, touches_.finder(), contact, touch)});
}

/// After an evaluation of the motion: what a contact must keep ≥ 0, with `margin` (N) to spare.
ContactWatch::HeldValues ContactWatch::read_held(std::size_t i, double margin) const {
  const HeldContact& contact = motion_.contacts()[i];
  const Vector4<double>& force = motion_.contact_forces()[i];
  HeldValues out{force(0) + margin, 1, 1, 0};
  if (contact.hold() == ContactHold::rolling) {
    const double mu = contact.law().static_friction;
    const FrictionCone& cone = scenario_.contacts->cone;
    double friction = calc_cone_size(cone, force(1), force(2));
    if (contact.law().fingertip == Fingertip::soft) {
      const double torsion = force(3) * mu / contact.law().torsion;
      friction = cone.kind == FrictionCone::Kind::circular ? std::hypot(friction, torsion)
                                                           : std::max(friction, std::abs(torsion));
    }
    out.friction = mu * force(0) - friction + margin;
  }
  if (contact.hold() == ContactHold::sliding) out.slip = contact.slip_along();
  out.exit = calc_exit(contact);
  return out;
}

void ContactWatch::note_end(const Stepper& stepper) {
  if (stepper.goes_on() && end_.t == stepper.t()) std::swap(start_, end_);
  end_.t = stepper.t_end();
  end_.largest_force = motion_.calc_largest_contact_force();
  end_.is_redundant = motion_.has_redundant_contacts();
  end_.values.clear();
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) end_.values.push_back(read_held(i, 0));
}

/// What every contact must keep ≥ 0, at these places of the step.
void ContactWatch::look_at_forces(Stepper& stepper, double force_margin, std::span<const Eigen::Index> places) {
  for (const Eigen::Index k : places) {
    stepper.evaluate(crossings_.nodes()[static_cast<std::size_t>(k)]);
    is_redundant_ = is_redundant_ || motion_.has_redundant_contacts();
    const double margin = force_margin * motion_.calc_largest_contact_force();
    for (Eigen::Index i = 0; i < normal_.cols(); ++i) {
      const HeldValues values = read_held(static_cast<std::size_t>(i), margin);
      normal_(k, i) = values.normal, friction_(k, i) = values.friction;
      slip_(k, i) = values.slip, exit_(k, i) = values.exit;
    }
  }
}

/// The same where the step begins or ends, from what was seen there when it was made.
void ContactWatch::set_known(const KnownEnd& known, double force_margin, Eigen::Index k) {
  is_redundant_ = is_redundant_ || known.is_redundant;
  const double margin = force_margin * known.largest_force;
  for (Eigen::Index i = 0; i < normal_.cols(); ++i) {
    const HeldValues& values = known.values[static_cast<std::size_t>(i)];
    normal_(k, i) = values.normal + margin, friction_(k, i) = values.friction + margin;
    slip_(k, i) = values.slip, exit_(k, i) = values.exit;
  }
}

/// Whether five of the places say that nothing can happen. If not, all nine are known.
bool ContactWatch::is_clear_at_a_glance(Stepper& stepper, double force_margin) {
  constexpr std::array<Eigen::Index, 2> kEnds{0, kContactDegree};
  constexpr std::array<Eigen::Index, 3> kInside{2, 4, 6};
  constexpr std::array<Eigen::Index, 4> kOthers{1, 3, 5, 7};
  const auto contacts = static_cast<Eigen::Index>(motion_.contacts().size());
  const auto count = static_cast<Eigen::Index>(crossings_.nodes().size());
  for (MatrixX<double>* matrix : {&normal_, &friction_, &slip_, &exit_}) matrix->resize(count, contacts);
  slacks_.resize(contacts);
  is_redundant_ = false;
  const auto knows = [&](const KnownEnd& end, double t) {
    return end.t == t && end.values.size() == motion_.contacts().size();
  };
  const bool knows_start = stepper.goes_on() && knows(start_, stepper.t()), knows_end = knows(end_, stepper.t_end());
  look_at_forces(stepper, force_margin, kInside);
  if (knows_start) set_known(start_, force_margin, 0);
  if (knows_end) set_known(end_, force_margin, kContactDegree);
  if (!knows_start) look_at_forces(stepper, force_margin, std::span(kEnds).first(1));
  if (!knows_end) look_at_forces(stepper, force_margin, std::span(kEnds).last(1));
  if (has_clear_forces()) return true;
  // What is known of the start is from before it was put back on its contacts.
  if (knows_start) look_at_forces(stepper, force_margin, std::span(kEnds).first(1));
  look_at_forces(stepper, force_margin, kOthers);
  return false;
}

/// Whether every second place says that nothing can happen: values are farther from 0 than they change.
bool ContactWatch::has_clear_forces() const {
  const auto is_clear = [](const auto& values, double least) {
    double low = kInfinity, high = -kInfinity;
    for (Eigen::Index k = 0; k < values.size(); k += 2)
      low = std::min(low, values(k)), high = std::max(high, values(k));
    return low > least && low > kContactClearOfChange * (high - low);  // not if one of them is no number
  };
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    if (!is_clear(normal_.col(column), 0) || !is_clear(friction_.col(column), 0)) return false;
    // Slip that has just begun or nearly ended is looked at more closely.
    if (!is_clear(slip_.col(column), kBeginning * motion_.contacts()[i].no_slip())) return false;
    for (Eigen::Index k = 0; k < exit_.rows(); k += 2) {
      if (exit_(k, column) > kContactExitMargin) return false;
    }
  }
  return true;
}

/// Slips that end, and features that are left: functions of the state alone.
void ContactWatch::find_slow_changes(Stepper& stepper, std::optional<ContactCrossing>& first) {
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const HeldContact& contact = motion_.contacts()[i];
    if (contact.hold() == ContactHold::sliding) {
      // Slip that begins in this step is no slip that ends, whatever rounding says of its first moments.
      const double allowed = slip_(0, column) < kBeginning * contact.no_slip() ? contact.no_slip() : 0;
      const auto function = [&](double theta) {
        stepper.evaluate(theta);
        return motion_.contacts()[i].slip_along() + allowed;
      };
      values_ = slip_.col(column).array() + allowed;
      narrow(values_, function, ContactCrossingKind::stick, i, first);
      // Slip that has become slower than what has a direction, and does not grow, hovers about rest.
      const double end = slip_(slip_.rows() - 1, column);
      const double start = slip_(0, column);
      const bool hovers = std::abs(end) < contact.no_slip() && end <= start && start > kHovering * contact.no_slip();
      if (!first && hovers) {
        first = ContactCrossing{1, ContactCrossingKind::stick, static_cast<int>(i), contact.name()};
      }
    }
    values_ = exit_.col(column);
    find_exit(stepper, i, values_, first);
  }
}

/// Forces that leave their bounds, in a step of the explicit method.
void ContactWatch::find_changes(Stepper& stepper, double force_margin, std::optional<ContactCrossing>& first) {
  if (is_redundant_) return find_redundant_change(stepper, force_margin, first);
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto look = [&](const MatrixX<double>& values, double HeldValues::*member, ContactCrossingKind kind) {
      const auto function = [&](double theta) {
        stepper.evaluate(theta);
        return read_held(i, force_margin * motion_.calc_largest_contact_force()).*member;
      };
      values_ = values.col(column);
      narrow(values_, function, kind, i, first);
    };
    look(normal_, &HeldValues::normal, ContactCrossingKind::break_away);
    if (motion_.contacts()[i].hold() == ContactHold::rolling) {
      look(friction_, &HeldValues::friction, ContactCrossingKind::slip);
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
  const Eigen::Index end = normal_.rows() - 1;
  if (is_redundant_) {
    if (std::min(normal_.row(end).minCoeff(), friction_.row(end).minCoeff()) >= 0) return std::nullopt;
    least = calc_reserve(stepper, 1, force_margin);
    start = force_margin;
    find_tightest(found);
  } else {
    const double scale = std::max(motion_.contact_force_scale(), 1e-300);
    for (Eigen::Index i = 0; i < normal_.cols(); ++i) {
      for (const auto& [values, kind] :
           {std::pair(&normal_, ContactCrossingKind::break_away), std::pair(&friction_, ContactCrossingKind::slip)}) {
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
      return allowed - calc_exit(motion_.contacts()[i]);
    };
    const double theta = refine_crossing({nodes[k - 1], nodes[k]}, kEventBracket, room).after;
    if (!first || theta < first->theta) {
      first = ContactCrossing{theta, ContactCrossingKind::face, static_cast<int>(i), motion_.contacts()[i].name()};
    }
    return;
  }
}

/// What all normal forces of the motion there can have more than friction needs, and a margin, as a part of the forces'
/// size. Positive values are not exact. As several contacts share what one of them would have to bear alone, the margin
/// is kShared times that of one.
double ContactWatch::calc_reserve(Stepper& stepper, double theta, double force_margin) {
  stepper.evaluate(theta);
  const double scale = motion_.calc_largest_contact_force(), margin = kShared * force_margin;
  if (!(scale > 0)) return margin;
  return motion_.find_admissible_forces(-margin * scale, true) / scale + margin;
}

/// Of redundant contacts whose forces have no more reserve: which gives way, and how. What rolls and has next to no
/// normal force parts.
void ContactWatch::find_tightest(ContactCrossing& crossing) const {
  crossing.held = motion_.tightest_contact();
  crossing.kind = ContactCrossingKind::break_away;
  if (crossing.held < 0) return;
  const auto i = static_cast<std::size_t>(crossing.held);
  const bool presses = motion_.admissible_forces()[i](0) > kNextToNothing * motion_.calc_largest_contact_force();
  if (presses && motion_.contacts()[i].hold() == ContactHold::rolling) crossing.kind = ContactCrossingKind::slip;
  crossing.name = motion_.contacts()[i].name();
}

/// What the least forces leave of their bounds, of all contacts: the polynomials through what is known of them.
double ContactWatch::calc_least_slack(double theta) {
  const std::vector<double>& nodes = crossings_.nodes();
  double sum = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    if (theta == nodes[k]) return std::min(normal_.row(row).minCoeff(), friction_.row(row).minCoeff());
    const bool is_end = k == 0 || k + 1 == nodes.size();
    weights_(row) = (k % 2 == 0 ? 1 : -1) * (is_end ? 0.5 : 1) / (theta - nodes[k]);  // barycentric, of these nodes
    sum += weights_(row);
  }
  weights_ /= sum;
  double out = kInfinity;
  for (const MatrixX<double>* values : {&normal_, &friction_}) {
    slacks_.noalias() = values->transpose() * weights_;
    out = std::min(out, slacks_.minCoeff());
  }
  return out;
}

void ContactWatch::find_redundant_change(Stepper& stepper, double force_margin, std::optional<ContactCrossing>& first) {
  const auto reserve = [&](double theta) { return calc_reserve(stepper, theta, force_margin); };
  for (int k = 0; k <= kFineParts; ++k) {
    const double place = static_cast<double>(k) / kFineParts, before = static_cast<double>(k - 1) / kFineParts;
    if (first && k > 0 && first->theta <= before) return;
    if (calc_least_slack(place) >= 0 || reserve(place) >= 0) continue;
    const double theta = k > 0 ? refine_crossing({before, place}, kEventBracket, reserve).after : place;
    if (first && first->theta <= theta) return;
    reserve(theta);
    first.emplace().theta = theta;
    find_tightest(*first);
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
  for (KnownEnd* end : {&start_, &end_}) {
    a(end->t, end->largest_force, end->is_redundant);
    end->values.resize(a.size(end->values.size(), sizeof(HeldValues)));
    for (HeldValues& x : end->values) a(x.normal, x.friction, x.slip, x.exit);
  }
  a(touches_);
}
THENAR_INSTANTIATE_ARCHIVE(ContactWatch);

}  // namespace thenar
