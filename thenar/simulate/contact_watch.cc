// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/contact_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/simulate/flat_rim_internal.h"

namespace thenar {
namespace {

constexpr int kDegree = 8;
/// Width of the bracket around a crossing, as a part of the step.
constexpr double kBracket = 1e-15;
/// How far beyond 0 a gap must be to count, as a part of the size of the scene: more than rounding, less than anything
/// that is seen.
constexpr double kGapMargin = 1e-13;
/// How far beyond the limits of its features a contact must be to leave them, as a part of the size of the scene.
constexpr double kExitMargin = 1e-11;
/// Slips slower than so many times what counts as none have just begun.
constexpr double kBeginning = 100;
/// And slower than this part of it at the start of a step, they are on their way from rest.
constexpr double kHovering = 1e-2;
/// Bodies that move less than this part of the smaller one's size between two places are followed by a cubic.
constexpr double kSmallMove = 0.1;
/// How far from 0 a cubic must stay to be believed, as a part of how gaps and rates change.
constexpr double kTrust = 0.05;
/// Pairs are looked at within this part of the size, or so many times what bodies travel from place to place.
constexpr double kReach = 0.02, kReachOfTravel = 1.5;
/// Bodies that are farther apart at both ends of a step than so many times what they can travel in it do not meet.
constexpr double kFarOfTravel = 2;
/// Unless that is more than this part of the size of the scene, where every pair would have to be looked at.
constexpr double kGlance = 0.5;
/// Forces that are so many times as far from their bounds as they change in a step do not reach them.
constexpr double kClearOfChange = 2;
/// An implicit step should end where a force crosses its bound in it, or so little later, as a part of the forces'
/// size; unless it is so short, as a part of the time scale, that it does not matter.
constexpr double kBehind = 1.02, kLittleBeyond = 1e-6, kShortestTime = 1e-9;
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
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The least value between 0 and h of the cubic with these values and slopes at its ends, and where.
struct Least {
  double x = 0, value = 0;
};
Least find_least(double h, double f0, double d0, double f1, double d1) {
  // f0 + d0 x + c x² + e x³
  const double c = (3 * (f1 - f0) / h - 2 * d0 - d1) / h, e = (d0 + d1 - 2 * (f1 - f0) / h) / (h * h);
  Least out = f0 < f1 ? Least{0, f0} : Least{h, f1};
  const auto look = [&](double x) {
    if (!(x > 0 && x < h)) return;
    const double value = f0 + x * (d0 + x * (c + x * e));
    if (value < out.value) out = {x, value};
  };
  const double root = c * c - 3 * e * d0;
  if (root >= 0) {
    // Of the two forms of the roots the one that does not cancel, for either sign of c.
    const double sum = -(c + std::copysign(std::sqrt(root), c));
    if (e != 0) look(sum / (3 * e));
    if (sum != 0) look(d0 / sum);
  }
  return out;
}

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
    case ContactCrossingKind::face:
      break;
  }
  return "face";
}

ContactWatch::ContactWatch(const Scenario& scenario, ConstrainedMotion& motion)
    : scenario_(scenario),
      motion_(motion),
      workspace_(scenario.model),
      finder_(scenario.model, scenario.shapes, scenario.contacts.value_or(ContactRules{.all_pairs = false})),
      crossings_(CrossingFinder::make_nodes(kDegree)) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  size_ = finder_.calc_size(workspace_);
  for (int i = 0; i < static_cast<int>(finder_.shapes().size()); ++i) {
    const BodyShape& shape = finder_.shapes()[static_cast<std::size_t>(i)];
    radii_.push_back(calc_bounding_radius(finder_.core(i)) + shape.X_BS.p.norm());
  }
  weights_.setZero(static_cast<Eigen::Index>(crossings_.nodes().size()));
}

ContactWatch::Finding ContactWatch::find(Stepper& stepper, double force_margin) {
  std::optional<ContactCrossing> first;
  find_touches(stepper, first);
  if (motion_.contacts().empty()) return {.retry = {}, .crossing = std::move(first)};
  look_at_forces(stepper, force_margin, 0, 2);
  if (has_clear_forces()) return {.retry = {}, .crossing = std::move(first)};
  look_at_forces(stepper, force_margin, 1, 2);
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
  const double theta = refine_crossing(*bracket, kBracket, function).after;
  if (first && theta >= first->theta) return;
  first = ContactCrossing{theta, kind, static_cast<int>(contact), motion_.contacts()[contact].name()};
}

// --- Touch -----------------------------------------------------------------------------------------------------------

bool ContactWatch::is_held(const FoundContact& found) const {
  const auto& contacts = motion_.contacts();
  return std::any_of(contacts.begin(), contacts.end(), [&](const HeldContact& contact) {
    const FoundContact& held = contact.found();
    return held.shape_A == found.shape_A && held.shape_B == found.shape_B && held.id == found.id;
  });
}

/// Of the gap of a point: N · (v_A − v_B).
double ContactWatch::calc_rate(const FoundContact& found) const {
  const auto velocity = [&](BodyIndex body, const Vec3<double>& p_W) {
    const Placement<double> X_WB = calc_body_pose(scenario_.model, workspace_, body);
    return calc_point_velocity(scenario_.model, workspace_, body, X_WB.R.transpose_times(p_W - X_WB.p)).linear;
  };
  return dot(found.N, velocity(found.body_A, found.p_A) - velocity(found.body_B, found.p_B));
}

/// Speeds of all shapes there.
void ContactWatch::look_at_speeds(Stepper& stepper, double theta, Place& out) {
  const Stepper::Point& point = stepper.interpolate_roughly(theta);
  update_positions(scenario_.model, point.q.data(), workspace_);
  update_velocities(scenario_.model, point.v.data(), workspace_);
  out.theta = theta;
  out.pairs.clear();
  out.speeds.clear();
  for (const BodyShape& shape : finder_.shapes()) {
    const Motion<double> V = calc_point_velocity(scenario_.model, workspace_, shape.body, Vec3<double>::zero());
    const double radius = radii_[out.speeds.size()], turn = norm(V.angular);
    out.speeds.push_back(norm(V.linear) + (turn > 0 ? turn * radius : 0));
  }
}

/// And pairs of them that are near.
void ContactWatch::look_at(Stepper& stepper, double theta, Place& out) {
  look_at_speeds(stepper, theta, out);
  finder_.update(workspace_, reach_);
  for (const FoundContact& found : finder_.contacts()) {
    if (is_held(found)) continue;
    const bool is_same =
        !out.pairs.empty() && out.pairs.back().shape_A == found.shape_A && out.pairs.back().shape_B == found.shape_B;
    if (!is_same) out.pairs.push_back({found.shape_A, found.shape_B, kInfinity, 0});
    if (found.gap < out.pairs.back().gap) {
      out.pairs.back().gap = found.gap;
      out.pairs.back().rate = calc_rate(found);
    }
  }
}

/// `reach_` where the shapes are farther apart than that.
double ContactWatch::calc_gap(Stepper& stepper, double theta, int shape_A, int shape_B) {
  const Stepper::Point& point = stepper.interpolate(theta);
  update_positions(scenario_.model, point.q.data(), workspace_);
  finder_.update(workspace_, reach_);
  double out = reach_;
  for (const FoundContact& found : finder_.contacts()) {
    if (found.shape_A == shape_A && found.shape_B == shape_B && !is_held(found)) out = std::min(out, found.gap);
  }
  return out;
}

/// What bodies can meet between two of the places is seen at both.
void ContactWatch::choose_reach(Stepper& stepper) {
  reach_ = kReach * size_;
  speeds_.assign(radii_.size(), 0);
  for (const double theta : {0.0, 0.5, 1.0}) {
    look_at_speeds(stepper, theta, places_[0]);
    for (std::size_t i = 0; i < speeds_.size(); ++i) speeds_[i] = std::max(speeds_[i], places_[0].speeds[i]);
  }
  const double fastest = find_fastest();
  const double longest = 0.5 * std::sin(M_PI / kDegree) * stepper.h();  // between two of the places
  reach_ = std::max(reach_, 2 * kReachOfTravel * fastest * longest);
}

/// What turns about itself and has no end travels no distance that counts: it is met where others are.
double ContactWatch::find_fastest() const {
  double out = 0;
  for (const double speed : speeds_) {
    if (std::isfinite(speed)) out = std::max(out, speed);
  }
  return out;
}

/// Whether nothing can meet in the step, by where it is at both ends and how fast it moves. Bodies that touch already
/// may come to touch in further points, of which the ends of a step know nothing.
bool ContactWatch::is_far_from_touch(Stepper& stepper) {
  if (!motion_.contacts().empty()) return false;
  const double reach = kFarOfTravel * 2 * find_fastest() * stepper.h();
  if (reach > kGlance * size_) return false;
  const double usual = std::exchange(reach_, reach);
  Place &start = places_[0], &end = places_[1];
  look_at(stepper, 0, start);
  look_at(stepper, 1, end);
  list_seen(start, end);
  const auto find_gap = [&](const Place& place, int A, int B) {
    for (const NearPair& pair : place.pairs) {
      if (pair.shape_A == A && pair.shape_B == B) return pair.gap;
    }
    return reach;
  };
  const bool out = std::all_of(seen_.begin(), seen_.end(), [&](const std::pair<int, int>& pair) {
    const auto [A, B] = pair;
    const double travel = (speeds_[static_cast<std::size_t>(A)] + speeds_[static_cast<std::size_t>(B)]) * stepper.h();
    return find_gap(start, A, B) + find_gap(end, A, B) > kFarOfTravel * travel;
  });
  reach_ = usual;
  return out;
}

void ContactWatch::find_touches(Stepper& stepper, std::optional<ContactCrossing>& first) {
  if (finder_.pair_count() == 0) return;
  choose_reach(stepper);
  if (is_far_from_touch(stepper)) return;
  const std::vector<double>& nodes = crossings_.nodes();
  Place &before = places_[0], &after = places_[1];
  look_at(stepper, 0, before);
  allowances_.clear();
  for (const NearPair& pair : before.pairs) {
    allowances_.push_back({pair.shape_A, pair.shape_B, std::max(kGapMargin * size_, -2 * pair.gap)});
  }
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    if (first && first->theta <= nodes[k - 1]) return;
    look_at(stepper, nodes[k], after);
    list_seen(before, after);
    for (const auto& [A, B] : seen_) find_touch(stepper, before, after, A, B, find_allowance(A, B), 0, first);
    std::swap(before, after);
  }
}

void ContactWatch::list_seen(const Place& before, const Place& after) {
  seen_.clear();
  for (const Place* place : {&before, &after}) {
    for (const NearPair& pair : place->pairs) seen_.emplace_back(pair.shape_A, pair.shape_B);
  }
  std::sort(seen_.begin(), seen_.end());
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
}

double ContactWatch::find_allowance(int shape_A, int shape_B) const {
  for (const Allowance& known : allowances_) {
    if (known.shape_A == shape_A && known.shape_B == shape_B) return known.gap;
  }
  return kGapMargin * size_;
}

void ContactWatch::keep_touch(Stepper& stepper, double before, double after, int shape_A, int shape_B, double allowed,
                              std::optional<ContactCrossing>& first) {
  const auto gap = [&](double theta) { return calc_gap(stepper, theta, shape_A, shape_B) + allowed; };
  if (gap(after) >= 0) return;  // it looked so, roughly
  const double theta = refine_crossing({before, after}, kBracket, gap).after;
  if (first && first->theta <= theta) return;
  const auto& shapes = finder_.shapes();
  first = ContactCrossing{.theta = theta,
                          .kind = ContactCrossingKind::touch,
                          .name = scenario_.model.body(shapes[static_cast<std::size_t>(shape_A)].body).name + "/" +
                                  scenario_.model.body(shapes[static_cast<std::size_t>(shape_B)].body).name};
}

void ContactWatch::find_touch(Stepper& stepper, const Place& before, const Place& after, int shape_A, int shape_B,
                              double allowed, int depth, std::optional<ContactCrossing>& first) {
  const auto find_pair = [&](const Place& place) {
    for (const NearPair& pair : place.pairs) {
      if (pair.shape_A == shape_A && pair.shape_B == shape_B) return pair;
    }
    return NearPair{shape_A, shape_B, reach_, 0};
  };
  const NearPair start = find_pair(before), end = find_pair(after);
  if (start.gap + allowed < 0) return;  // met before
  if (end.gap + allowed < 0) return keep_touch(stepper, before.theta, after.theta, shape_A, shape_B, allowed, first);
  const double h = (after.theta - before.theta) * stepper.h();
  double travel = 0, size = kInfinity;
  for (const int shape : {shape_A, shape_B}) {
    const auto i = static_cast<std::size_t>(shape);
    const double speed = std::max(before.speeds[i], after.speeds[i]);
    travel += std::isfinite(speed) ? h * speed : kInfinity;
    size = std::min(size, radii_[i]);
  }
  if (start.gap + end.gap > kReachOfTravel * travel) return;
  const Least least = find_least(h, start.gap + allowed, start.rate, end.gap + allowed, end.rate);
  const double change = std::abs(start.gap - end.gap) + h * (std::abs(start.rate) + std::abs(end.rate));
  const bool is_clear = travel < kSmallMove * size && least.value > kTrust * change;
  if (is_clear || !(change > 0)) return;
  const bool can_halve = depth < kMostHalvings && travel >= kSmallMove * size;
  if (!can_halve && !(least.x > 0 && least.x < h)) return;
  const double middle = can_halve ? 0.5 * (before.theta + after.theta) : before.theta + least.x / stepper.h();
  if (!(middle > before.theta && middle < after.theta)) return;
  if (!can_halve) {
    if (calc_gap(stepper, middle, shape_A, shape_B) + allowed >= 0) return;
    return keep_touch(stepper, before.theta, middle, shape_A, shape_B, allowed, first);
  }
  Place& between = places_[static_cast<std::size_t>(depth) + 2];
  look_at(stepper, middle, between);
  find_touch(stepper, before, between, shape_A, shape_B, allowed, depth + 1, first);
  if (first && first->theta <= middle) return;
  find_touch(stepper, between, after, shape_A, shape_B, allowed, depth + 1, first);
}

// --- Contacts that hold ----------------------------------------------------------------------------------------------

/// How far a contact is beyond its features; falling flat is leaving them, too.
double ContactWatch::calc_exit(const HeldContact& contact) const {
  const double touch = internal::calc_touch(scenario_.run.tolerance, size_);
  return std::max(contact.calc_exit(motion_.contact_workspace(), size_),
                  internal::calc_flat_exit(finder_, contact, touch));
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

/// What every contact must keep ≥ 0, at the places of the step, from the first on in strides.
void ContactWatch::look_at_forces(Stepper& stepper, double force_margin, int first, int stride) {
  const auto contacts = static_cast<Eigen::Index>(motion_.contacts().size());
  const auto count = static_cast<Eigen::Index>(crossings_.nodes().size());
  for (MatrixX<double>* matrix : {&normal_, &friction_, &slip_, &exit_}) matrix->resize(count, contacts);
  slacks_.resize(contacts);
  if (first == 0) is_redundant_ = false;
  for (Eigen::Index k = first; k < count; k += stride) {
    stepper.evaluate(crossings_.nodes()[static_cast<std::size_t>(k)]);
    is_redundant_ = is_redundant_ || motion_.has_redundant_contacts();
    const double margin = force_margin * motion_.calc_largest_contact_force();
    for (Eigen::Index i = 0; i < contacts; ++i) {
      const HeldValues values = read_held(static_cast<std::size_t>(i), margin);
      normal_(k, i) = values.normal, friction_(k, i) = values.friction;
      slip_(k, i) = values.slip, exit_(k, i) = values.exit;
    }
  }
}

/// Whether every second place says that nothing can happen: values are farther from 0 than they change.
bool ContactWatch::has_clear_forces() const {
  const auto is_clear = [](const auto& values, double least) {
    double low = kInfinity, high = -kInfinity;
    for (Eigen::Index k = 0; k < values.size(); k += 2)
      low = std::min(low, values(k)), high = std::max(high, values(k));
    return low > least && low > kClearOfChange * (high - low);  // not if one of them is no number
  };
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    if (!is_clear(normal_.col(column), 0) || !is_clear(friction_.col(column), 0)) return false;
    // Slip that has just begun or nearly ended is looked at more closely.
    if (!is_clear(slip_.col(column), kBeginning * motion_.contacts()[i].no_slip())) return false;
    for (Eigen::Index k = 0; k < exit_.rows(); k += 2) {
      if (exit_(k, column) > kExitMargin) return false;
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
    const double part = start > 0 ? kBehind * start / (start - least) : 0.5;
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
  const double allowed = std::max(kExitMargin, 2 * exits(0));
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    if (first && first->theta <= nodes[k - 1]) return;
    if (exits(static_cast<Eigen::Index>(k)) <= allowed) continue;
    const auto room = [&](double theta) {
      stepper.evaluate(theta);
      return allowed - calc_exit(motion_.contacts()[i]);
    };
    const double theta = refine_crossing({nodes[k - 1], nodes[k]}, kBracket, room).after;
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
    const double theta = k > 0 ? refine_crossing({before, place}, kBracket, reserve).after : place;
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

}  // namespace thenar
