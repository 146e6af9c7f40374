// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/contact_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"

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
constexpr int kMostHalvings = 12;
/// Pairs are looked at within this part of the size, or so many times what bodies travel from place to place.
constexpr double kReach = 0.02, kReachOfTravel = 1.5;
/// An implicit step should end where a force crosses its bound in it, or so little later, as a part of the forces'
/// size; unless it is so short, as a part of the time scale, that it does not matter.
constexpr double kBehind = 1.02, kLittleBeyond = 1e-6, kShortestTime = 1e-9;
/// How much a step is made shorter at once.
constexpr double kLeastPart = 0.02, kMostPart = 0.95;
/// Forces of redundant contacts are looked at in so many parts of a step, by what is known of them in nine places.
constexpr int kFineParts = 32;
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
      crossings_(CrossingFinder::make_nodes(kDegree)),
      solver_(1) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  size_ = finder_.calc_size(workspace_);
  for (int i = 0; i < static_cast<int>(finder_.shapes().size()); ++i) {
    const BodyShape& shape = finder_.shapes()[static_cast<std::size_t>(i)];
    radii_.push_back(calc_bounding_radius(finder_.core(i)) + shape.X_BS.p.norm());
  }
}

ContactWatch::Finding ContactWatch::find(Stepper& stepper, double force_margin) {
  std::optional<ContactCrossing> first;
  find_touches(stepper, first);
  if (motion_.contacts().empty()) return {.retry = {}, .crossing = std::move(first)};
  look_at_forces(stepper, force_margin);
  find_slow_changes(stepper, first);
  if (!stepper.is_implicit()) {
    find_changes(stepper, force_margin, first);
    if (first) find_slip_direction(stepper, *first);
    return {.retry = {}, .crossing = std::move(first)};
  }
  if (const auto retry = find_changes_at_end(stepper, force_margin, first)) return {.retry = retry, .crossing = {}};
  if (first) find_slip_direction(stepper, *first);
  return {.retry = {}, .crossing = std::move(first)};
}

/// Against the friction that no longer suffices; of redundant contacts, where the answer without them holding moves.
void ContactWatch::find_slip_direction(Stepper& stepper, ContactCrossing& crossing) {
  if (crossing.kind != ContactCrossingKind::slip || crossing.held < 0) return;
  const auto i = static_cast<std::size_t>(crossing.held);
  const double* vdot = stepper.evaluate(crossing.theta);
  const HeldContact& contact = motion_.contacts()[i];
  const Vector4<double> force = motion_.contact_forces()[i];
  // Friction is −μₖ² uₖ/|μ u| per unit of normal force (YY 5).
  crossing.slip = {};
  for (int t = 0; t < contact.tangent_count(); ++t) {
    const double mu = contact.calc_friction_limit(contact.tangent(t));
    if (mu > 0)
      crossing.slip[static_cast<std::size_t>(contact.tangent(t) - 1)] = -force(contact.tangent(t)) / (mu * mu);
  }
  // On a k-gon, where corners share friction in any way, the least forces tell the direction of all together.
  if (!is_redundant_ || scenario_.contacts->cone.kind == FrictionCone::Kind::polygon) return;
  const ConeSolution& answer = solve_held(vdot);
  if (answer.status != ConeStatus::solved) return;
  std::size_t row = motion_.mode().held.size();
  for (std::size_t k = 0; k < i; ++k) row += 1 + static_cast<std::size_t>(motion_.contacts()[k].tangent_count());
  crossing.slip = {};
  for (int t = 0; t < contact.tangent_count(); ++t) {
    crossing.slip[static_cast<std::size_t>(contact.tangent(t) - 1)] = answer.w[row + 1 + static_cast<std::size_t>(t)];
  }
}

/// Keeps the crossing if it is the first so far.
template <class Function>
void ContactWatch::narrow(const VectorX<double>& values, const Function& function, ContactCrossing found,
                          std::optional<ContactCrossing>& first) {
  const auto bracket = crossings_.find(values, function);
  if (!bracket || (first && bracket->before >= first->theta)) return;
  found.theta = refine_crossing(*bracket, kBracket, function).after;
  if (!first || found.theta < first->theta) first = std::move(found);
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
ContactWatch::Place ContactWatch::look_at_speeds(Stepper& stepper, double theta) {
  const Stepper::Point& point = stepper.interpolate_roughly(theta);
  update_positions(scenario_.model, point.q.data(), workspace_);
  update_velocities(scenario_.model, point.v.data(), workspace_);
  Place out{theta, {}, {}};
  for (const BodyShape& shape : finder_.shapes()) {
    const Motion<double> V = calc_point_velocity(scenario_.model, workspace_, shape.body, Vec3<double>::zero());
    const double radius = radii_[out.speeds.size()], turn = norm(V.angular);
    out.speeds.push_back(norm(V.linear) + (turn > 0 ? turn * radius : 0));
  }
  return out;
}

/// And pairs of them that are near.
ContactWatch::Place ContactWatch::look_at(Stepper& stepper, double theta) {
  Place out = look_at_speeds(stepper, theta);
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
  return out;
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
  double fastest = 0;
  for (const double theta : {0.0, 0.5, 1.0}) {
    const Place place = look_at_speeds(stepper, theta);
    for (std::size_t i = 0; i < place.speeds.size(); ++i) {
      // What turns about itself and has no end travels no distance that counts: it is met where others are.
      if (std::isfinite(place.speeds[i])) fastest = std::max(fastest, place.speeds[i]);
    }
  }
  const double longest = 0.5 * std::sin(M_PI / kDegree) * stepper.h();  // between two of the places
  reach_ = std::max(reach_, 2 * kReachOfTravel * fastest * longest);
}

void ContactWatch::find_touches(Stepper& stepper, std::optional<ContactCrossing>& first) {
  if (finder_.pair_count() == 0) return;
  choose_reach(stepper);
  const std::vector<double>& nodes = crossings_.nodes();
  const double margin = kGapMargin * size_;
  struct Allowance {
    int shape_A, shape_B;
    double gap;
  };
  std::vector<Allowance> allowances;  // what the step starts with is no crossing
  Place before = look_at(stepper, 0);
  for (const NearPair& pair : before.pairs) {
    allowances.push_back({pair.shape_A, pair.shape_B, std::max(margin, -2 * pair.gap)});
  }
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    if (first && first->theta <= nodes[k - 1]) return;
    Place after = look_at(stepper, nodes[k]);
    std::vector<std::pair<int, int>> seen;
    for (const Place* place : {&before, &after}) {
      for (const NearPair& pair : place->pairs) seen.emplace_back(pair.shape_A, pair.shape_B);
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const auto& [A, B] : seen) {
      double allowed = margin;
      for (const Allowance& known : allowances) {
        if (known.shape_A == A && known.shape_B == B) allowed = known.gap;
      }
      find_touch(stepper, before, after, A, B, allowed, 0, first);
    }
    before = std::move(after);
  }
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
  const Place between = look_at(stepper, middle);
  find_touch(stepper, before, between, shape_A, shape_B, allowed, depth + 1, first);
  if (first && first->theta <= middle) return;
  find_touch(stepper, between, after, shape_A, shape_B, allowed, depth + 1, first);
}

// --- Contacts that hold ----------------------------------------------------------------------------------------------

/// After an evaluation of the motion.
ContactWatch::HeldValues ContactWatch::read_held(std::size_t i, double force_margin) const {
  const HeldContact& contact = motion_.contacts()[i];
  const Vector4<double>& force = motion_.contact_forces()[i];
  double largest = motion_.contact_force_scale();
  for (const Vector4<double>& other : motion_.contact_forces()) largest = std::max(largest, other.head<3>().norm());
  const double margin = force_margin * largest;
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
  out.exit = contact.calc_exit(motion_.contact_workspace(), size_);
  return out;
}

/// What every contact must keep ≥ 0, at the places of the step.
void ContactWatch::look_at_forces(Stepper& stepper, double force_margin) {
  const auto contacts = static_cast<Eigen::Index>(motion_.contacts().size());
  const auto count = static_cast<Eigen::Index>(crossings_.nodes().size());
  for (MatrixX<double>* matrix : {&normal_, &friction_, &slip_, &exit_}) matrix->resize(count, contacts);
  is_redundant_ = false;
  for (Eigen::Index k = 0; k < count; ++k) {
    stepper.evaluate(crossings_.nodes()[static_cast<std::size_t>(k)]);
    is_redundant_ = is_redundant_ || motion_.has_redundant_contacts();
    for (Eigen::Index i = 0; i < contacts; ++i) {
      const HeldValues values = read_held(static_cast<std::size_t>(i), force_margin);
      normal_(k, i) = values.normal, friction_(k, i) = values.friction;
      slip_(k, i) = values.slip, exit_(k, i) = values.exit;
    }
  }
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
      const ContactCrossing found{
          .kind = ContactCrossingKind::stick, .held = static_cast<int>(i), .name = contact.name()};
      narrow(slip_.col(column).array() + allowed, function, found, first);
      // Slip that has become slower than what has a direction, and does not grow, hovers about rest.
      const double end = slip_(slip_.rows() - 1, column);
      const double start = slip_(0, column);
      const bool hovers = std::abs(end) < contact.no_slip() && end <= start && start > kHovering * contact.no_slip();
      if (!first && hovers) first = found;
    }
    find_exit(stepper, i, exit_.col(column), first);
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
        return read_held(i, force_margin).*member;
      };
      narrow(values.col(column), function,
             {.kind = kind, .held = static_cast<int>(i), .name = motion_.contacts()[i].name()}, first);
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
    const bool is_within = std::min(normal_.row(end).minCoeff(), friction_.row(end).minCoeff()) >= 0;
    Moving fastest;
    least = is_within ? 0 : force_margin - calc_unrest(stepper, 1, &fastest);
    start = force_margin;
    found.held = fastest.contact;
    found.kind = fastest.slips ? ContactCrossingKind::slip : ContactCrossingKind::break_away;
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
  if (!(least < 0)) return find_dip(stepper, force_margin);
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

/// The length of a step that ends where forces are beyond their bounds, if they are so inside this one only. While
/// something slips, what they do inside a step is no more than a transient.
std::optional<double> ContactWatch::find_dip(Stepper& stepper, double force_margin) {
  const bool is_short = stepper.h() < kShortestTime * stepper.scale_of_time();
  if (is_short || motion_.has_fading_stiffness()) return std::nullopt;
  const VectorX<double> least = normal_.rowwise().minCoeff().cwiseMin(friction_.rowwise().minCoeff());
  Eigen::Index place = 0;
  if (least.segment(1, least.size() - 2).minCoeff(&place) >= 0) return std::nullopt;
  const double theta = crossings_.nodes()[static_cast<std::size_t>(place + 1)];
  if (is_redundant_ && calc_unrest(stepper, theta) <= force_margin) return std::nullopt;
  return std::clamp(theta, kLeastPart, kMostPart) * stepper.h();
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
      return allowed - motion_.contacts()[i].calc_exit(motion_.contact_workspace(), size_);
    };
    const double theta = refine_crossing({nodes[k - 1], nodes[k]}, kBracket, room).after;
    if (!first || theta < first->theta) {
      first = ContactCrossing{theta, ContactCrossingKind::face, static_cast<int>(i), motion_.contacts()[i].name()};
    }
    return;
  }
}

/// The contacts that hold, as a problem whose answer may let them go.
const ConeSolution& ContactWatch::solve_held(const double* vdot) {
  motion_.assemble_held(vdot, problem_, z_);
  if (problem_.size() > solver_.max_rows()) solver_ = ConeSolver(problem_.size());
  return solver_.solve(problem_, {z_.data(), static_cast<std::size_t>(z_.size())});
}

/// The largest motion of contacts that should be at rest, in the scaled units of constraint_problem.h relative to that
/// without forces, and whose it is.
double ContactWatch::calc_unrest(Stepper& stepper, double theta, Moving* fastest) {
  return calc_unrest(solve_held(stepper.evaluate(theta)), fastest);
}

double ContactWatch::calc_unrest(const ConeSolution& answer, Moving* fastest) const {
  if (answer.status != ConeStatus::solved) return 1;
  const auto unit = [&](int row) { return std::sqrt(std::max(problem_.A()(row, row), 1e-300)); };
  double scale = 0, out = 0;
  int contact = -1;
  for (int k = 0; k < problem_.size(); ++k) scale = std::max(scale, std::abs(problem_.b()(k)) / unit(k));
  for (int k = 0; k < problem_.size(); ++k) {
    const RowKind kind = problem_.row(k).kind;
    const bool is_head = kind == RowKind::normal || kind == RowKind::unilateral;
    if (k >= static_cast<int>(motion_.mode().held.size())) contact += is_head;
    if (kind == RowKind::sliding) continue;
    const double motion = std::abs(answer.w[static_cast<std::size_t>(k)]) / unit(k);
    if (motion <= out) continue;
    out = motion;
    if (fastest != nullptr) *fastest = {contact, kind == RowKind::tangent};
  }
  return scale > 0 ? out / scale : 0;
}

/// What the least forces leave of their bounds, of all contacts: the polynomials through what is known of them.
double ContactWatch::calc_least_slack(double theta) const {
  const std::vector<double>& nodes = crossings_.nodes();
  VectorX<double> weights(static_cast<Eigen::Index>(nodes.size()));  // barycentric, of Chebyshev–Lobatto nodes
  double sum = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    if (theta == nodes[k]) return std::min(normal_.row(row).minCoeff(), friction_.row(row).minCoeff());
    const bool is_end = k == 0 || k + 1 == nodes.size();
    weights(row) = (k % 2 == 0 ? 1 : -1) * (is_end ? 0.5 : 1) / (theta - nodes[k]);
    sum += weights(row);
  }
  weights /= sum;
  return std::min((weights.transpose() * normal_).minCoeff(), (weights.transpose() * friction_).minCoeff());
}

void ContactWatch::find_redundant_change(Stepper& stepper, double force_margin, std::optional<ContactCrossing>& first) {
  const auto rest = [&](double theta) { return force_margin - calc_unrest(stepper, theta); };
  for (int k = 0; k <= kFineParts; ++k) {
    const double place = static_cast<double>(k) / kFineParts, before = static_cast<double>(k - 1) / kFineParts;
    if (first && k > 0 && first->theta <= before) return;
    if (calc_least_slack(place) >= 0 || rest(place) >= 0) continue;
    double theta = place;
    if (k > 0) theta = refine_crossing({before, place}, kBracket, rest).after;
    if (first && first->theta <= theta) return;
    Moving fastest;
    calc_unrest(stepper, theta, &fastest);
    const auto i = static_cast<std::size_t>(fastest.contact);
    first = ContactCrossing{theta, fastest.slips ? ContactCrossingKind::slip : ContactCrossingKind::break_away,
                            fastest.contact, fastest.contact < 0 ? std::string() : motion_.contacts()[i].name()};
    return;
  }
}

const std::vector<Vector4<double>>& ContactWatch::calc_forces(const double* vdot) {
  forces_ = motion_.contact_forces();
  bool is_admissible = true;
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const HeldValues values = read_held(i, 1e-9);
    is_admissible = is_admissible && values.normal >= 0 && values.friction >= 0;
  }
  if (is_admissible || !motion_.has_redundant_contacts()) return forces_;
  const ConeSolution& answer = solve_held(vdot);
  if (answer.status != ConeStatus::solved) return forces_;
  std::size_t row = motion_.mode().held.size();
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const HeldContact& contact = motion_.contacts()[i];
    forces_[i].setZero();
    forces_[i](0) = answer.z[row++];
    for (int t = 0; t < contact.tangent_count(); ++t) forces_[i](contact.tangent(t)) = answer.z[row++];
  }
  return forces_;
}

double ContactWatch::calc_least_share(const double* vdot, const std::vector<std::size_t>& contacts, double known) {
  motion_.assemble_held(vdot, problem_, z_);
  if (problem_.size() > solver_.max_rows()) solver_ = ConeSolver(problem_.size());
  std::vector<std::pair<int, double>> limits;  // rows of friction of these contacts, and their coefficients
  int row = static_cast<int>(motion_.mode().held.size());
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const int tangents = motion_.contacts()[i].tangent_count();
    const bool is_asked = std::find(contacts.begin(), contacts.end(), i) != contacts.end();
    for (int t = 1; is_asked && t <= tangents; ++t) limits.emplace_back(row + t, problem_.row(row + t).limit);
    row += 1 + tangents;
  }
  double too_little = 0, enough = known;
  while (enough - too_little > kShare) {
    const double share = 0.5 * (too_little + enough);
    for (const auto& [k, limit] : limits) problem_.row(k).limit = share * limit;
    const ConeSolution& answer = solver_.solve(problem_, {z_.data(), static_cast<std::size_t>(z_.size())});
    (calc_unrest(answer, nullptr) < kForceMargin ? enough : too_little) = share;
  }
  return enough;
}

}  // namespace thenar
