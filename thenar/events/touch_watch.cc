// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/events/touch_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "thenar/base/numbers.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/integrate/crossing.h"

namespace thenar {
namespace {

constexpr int kTouchDegree = 8;
/// How far beyond 0 a gap must be to count, as a part of the size of the scene: more than rounding, less than anything
/// that is seen.
constexpr double kGapMargin = 1e-13;
/// Bodies that move less than this part of the smaller one's size between two places are followed by a cubic.
constexpr double kSmallTouchMove = 0.1;
/// How far from 0 a cubic must stay to be believed, as a part of how gaps and rates change.
constexpr double kTouchTrust = 0.05;
/// Pairs are looked at within this part of the size, or so many times what bodies travel from place to place.
constexpr double kTouchReach = 0.02, kTouchReachOfTravel = 1.5;
/// Bodies that are farther apart at both ends of a step than so many times what they can travel in it do not meet.
constexpr double kFarOfTravel = 2;
/// Unless that is more than this part of the size of the scene, where every pair would have to be looked at.
constexpr double kGlance = 0.5;
/// Bodies that touch and turn on each other by less than this in a step, rad, meet in no further points than those that
/// are near at its ends: points of a patch are listed from twice that angle on (distance.h).
constexpr double kGlanceTurn = 0.05;

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

TouchWatch::TouchWatch(const Scenario& scenario)
    : scenario_(scenario),
      workspace_(scenario.model),
      finder_(scenario.model, scenario.shapes, scenario.contacts.value_or(ContactRules{.all_pairs = false})),
      nodes_(CrossingFinder::make_nodes(kTouchDegree)) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  size_ = finder_.calc_size(workspace_);
  for (int i = 0; i < static_cast<int>(finder_.shapes().size()); ++i) {
    const BodyShape& shape = finder_.shapes()[static_cast<std::size_t>(i)];
    radii_.push_back(calc_bounding_radius(finder_.core(i)) + shape.X_BS.p.norm());
  }
}

bool TouchWatch::is_held(const FoundContact& found) const {
  const auto is_here = [&](const HeldContact& contact) {
    const FoundContact& held = contact.found();
    return held.shape_A == found.shape_A && held.shape_B == found.shape_B && held.id == found.id;
  };
  return std::any_of(held_.begin(), held_.end(), is_here) ||
         std::any_of(layers_.begin(), layers_.end(),
                     [&](const internal::LayerContact& contact) { return is_here(contact.place()); });
}

/// Whether the two shapes touch in any point.
bool TouchWatch::is_held(int shape_A, int shape_B) const {
  return std::any_of(held_.begin(), held_.end(), [&](const HeldContact& contact) {
    return contact.found().shape_A == shape_A && contact.found().shape_B == shape_B;
  });
}

/// Of the gap of a point: N · (v_A − v_B).
double TouchWatch::calc_rate(const FoundContact& found) const {
  const auto velocity = [&](BodyIndex body, const Vec3<double>& p_W) {
    const Placement<double> X_WB = calc_body_pose(scenario_.model, workspace_, body);
    return calc_point_velocity(scenario_.model, workspace_, body, X_WB.R.transpose_times(p_W - X_WB.p)).linear;
  };
  return dot(found.N, velocity(found.body_A, found.p_A) - velocity(found.body_B, found.p_B));
}

/// Speeds of all shapes there.
void TouchWatch::look_at_speeds(StepView& step, double theta, Place& out) {
  const StepPoint& point = step.interpolate_roughly(theta);
  update_positions(scenario_.model, point.q.data(), workspace_);
  update_velocities(scenario_.model, point.v.data(), workspace_);
  out.theta = theta;
  out.pairs.clear();
  out.speeds.clear();
  out.turns.clear();
  for (const BodyShape& shape : finder_.shapes()) {
    const Motion<double> V = calc_point_velocity(scenario_.model, workspace_, shape.body, Vec3<double>::zero());
    const double radius = radii_[out.speeds.size()], turn = norm(V.angular);
    out.speeds.push_back(norm(V.linear) + (turn > 0 ? turn * radius : 0));
    out.turns.push_back(turn);
  }
}

/// And pairs of them that are near.
void TouchWatch::look_at(StepView& step, double theta, Place& out) {
  look_at_speeds(step, theta, out);
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
double TouchWatch::calc_gap(StepView& step, double theta, int shape_A, int shape_B) {
  const StepPoint& point = step.interpolate(theta);
  update_positions(scenario_.model, point.q.data(), workspace_);
  finder_.update_pair(workspace_, reach_, shape_A, shape_B);
  double out = reach_;
  for (const FoundContact& found : finder_.contacts()) {
    if (!is_held(found)) out = std::min(out, found.gap);
  }
  return out;
}

/// What bodies can meet between two of the places is seen at both.
void TouchWatch::choose_reach(StepView& step) {
  reach_ = kTouchReach * size_;
  speeds_.assign(radii_.size(), 0);
  turns_.assign(radii_.size(), 0);
  for (const double theta : {0.0, 0.5, 1.0}) {
    look_at_speeds(step, theta, places_[0]);
    for (std::size_t i = 0; i < speeds_.size(); ++i) {
      speeds_[i] = std::max(speeds_[i], places_[0].speeds[i]);
      turns_[i] = std::max(turns_[i], places_[0].turns[i]);
    }
  }
  const double fastest = find_fastest();
  const double longest = 0.5 * std::sin(M_PI / kTouchDegree) * step.h();  // between two of the places
  reach_ = std::max(reach_, 2 * kTouchReachOfTravel * fastest * longest);
}

/// What turns about itself and has no end travels no distance that counts: it is met where others are.
double TouchWatch::find_fastest() const {
  double out = 0;
  for (const double speed : speeds_) {
    if (std::isfinite(speed)) out = std::max(out, speed);
  }
  return out;
}

/// Whether no body that is held can turn into further points of contact in the step: those of convex shapes are seen at
/// its ends unless they turn far.
bool TouchWatch::turns_little(StepView& step) const {
  return std::all_of(held_.begin(), held_.end(), [&](const HeldContact& contact) {
    const int A = contact.found().shape_A, B = contact.found().shape_B;
    const double turn = turns_[static_cast<std::size_t>(A)] + turns_[static_cast<std::size_t>(B)];
    return is_convex(finder_.core(A).core.kind) && is_convex(finder_.core(B).core.kind) &&
           turn * step.h() < kGlanceTurn;
  });
}

/// Whether nothing can meet in the step, by where it is at both ends and how fast it moves.
bool TouchWatch::is_far_from_touch(StepView& step) {
  if (!layers_.empty() || !turns_little(step)) return false;
  const double reach = std::max(reach_, kFarOfTravel * 2 * find_fastest() * step.h());
  if (reach > kGlance * size_) return false;
  const double usual = std::exchange(reach_, reach);
  Place &start = places_[0], &end = places_[1];
  look_at(step, 0, start);
  look_at(step, 1, end);
  list_seen(start, end);
  const auto find_gap = [&](const Place& place, int A, int B) {
    for (const NearPair& pair : place.pairs) {
      if (pair.shape_A == A && pair.shape_B == B) return pair.gap;
    }
    return reach;
  };
  const bool out = std::all_of(seen_.begin(), seen_.end(), [&](const std::pair<int, int>& pair) {
    const auto [A, B] = pair;
    const double travel = (speeds_[static_cast<std::size_t>(A)] + speeds_[static_cast<std::size_t>(B)]) * step.h();
    const double at_start = find_gap(start, A, B), at_end = find_gap(end, A, B);
    // Of bodies that touch, a point may be new at the end or gone there: what it has at the other end is not known.
    const double both = is_held(A, B) ? 2 * std::min(at_start, at_end) : at_start + at_end;
    return both > kFarOfTravel * travel;
  });
  reach_ = usual;
  return out;
}

std::optional<Touch> TouchWatch::find(StepView& step, std::span<const HeldContact> held,
                                      std::span<const internal::LayerContact> layers) {
  std::optional<Touch> first;
  if (finder_.pair_count() == 0) return first;
  held_ = held;
  layers_ = layers;
  choose_reach(step);
  if (is_far_from_touch(step)) return first;
  const std::vector<double>& nodes = nodes_;
  Place &before = places_[0], &after = places_[1];
  look_at(step, 0, before);
  allowances_.clear();
  for (const NearPair& pair : before.pairs) {
    allowances_.push_back({pair.shape_A, pair.shape_B, std::max(kGapMargin * size_, -2 * pair.gap)});
  }
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    if (first && first->theta <= nodes[k - 1]) return first;
    look_at(step, nodes[k], after);
    list_seen(before, after);
    for (const auto& [A, B] : seen_) find_touch(step, before, after, A, B, find_allowance(A, B), 0, first);
    std::swap(before, after);
  }
  return first;
}

void TouchWatch::list_seen(const Place& before, const Place& after) {
  seen_.clear();
  for (const Place* place : {&before, &after}) {
    for (const NearPair& pair : place->pairs) seen_.emplace_back(pair.shape_A, pair.shape_B);
  }
  std::sort(seen_.begin(), seen_.end());
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
}

double TouchWatch::find_allowance(int shape_A, int shape_B) const {
  for (const Allowance& known : allowances_) {
    if (known.shape_A == shape_A && known.shape_B == shape_B) return known.gap;
  }
  return kGapMargin * size_;
}

void TouchWatch::keep_touch(StepView& step, double before, double after, int shape_A, int shape_B, double allowed,
                            std::optional<Touch>& first) {
  const auto gap = [&](double theta) { return calc_gap(step, theta, shape_A, shape_B) + allowed; };
  if (first && first->theta < after) {
    if (first->theta <= before || gap(first->theta) >= 0) return;  // another touch comes before
    after = first->theta;
  }
  if (gap(after) >= 0) return;  // it looked so, roughly
  const double theta = refine_crossing({before, after}, kEventBracket, gap).after;
  if (first && first->theta <= theta) return;
  const auto& shapes = finder_.shapes();
  first = Touch{theta, scenario_.model.body(shapes[static_cast<std::size_t>(shape_A)].body).name + "/" +
                           scenario_.model.body(shapes[static_cast<std::size_t>(shape_B)].body).name};
}

void TouchWatch::find_touch(StepView& step, const Place& before, const Place& after, int shape_A, int shape_B,
                            double allowed, int depth, std::optional<Touch>& first) {
  const auto find_pair = [&](const Place& place) {
    for (const NearPair& pair : place.pairs) {
      if (pair.shape_A == shape_A && pair.shape_B == shape_B) return pair;
    }
    return NearPair{shape_A, shape_B, reach_, 0};
  };
  const NearPair start = find_pair(before), end = find_pair(after);
  if (start.gap + allowed < 0) return;  // met before
  if (end.gap + allowed < 0) return keep_touch(step, before.theta, after.theta, shape_A, shape_B, allowed, first);
  const double h = (after.theta - before.theta) * step.h();
  double travel = 0, size = kInfinity;
  for (const int shape : {shape_A, shape_B}) {
    const auto i = static_cast<std::size_t>(shape);
    const double speed = std::max(before.speeds[i], after.speeds[i]);
    travel += std::isfinite(speed) ? h * speed : kInfinity;
    size = std::min(size, radii_[i]);
  }
  if (start.gap + end.gap > kTouchReachOfTravel * travel) return;
  const Least least = find_least(h, start.gap + allowed, start.rate, end.gap + allowed, end.rate);
  const double change = std::abs(start.gap - end.gap) + h * (std::abs(start.rate) + std::abs(end.rate));
  const bool is_clear = travel < kSmallTouchMove * size && least.value > kTouchTrust * change;
  if (is_clear || !(change > 0)) return;
  const bool can_halve = depth < kMostHalvings && travel >= kSmallTouchMove * size;
  if (!can_halve && !(least.x > 0 && least.x < h)) return;
  const double middle = can_halve ? 0.5 * (before.theta + after.theta) : before.theta + least.x / step.h();
  if (!(middle > before.theta && middle < after.theta)) return;
  if (!can_halve) {
    if (calc_gap(step, middle, shape_A, shape_B) + allowed >= 0) return;
    return keep_touch(step, before.theta, middle, shape_A, shape_B, allowed, first);
  }
  Place& between = places_[static_cast<std::size_t>(depth) + 2];
  look_at(step, middle, between);
  find_touch(step, before, between, shape_A, shape_B, allowed, depth + 1, first);
  if (first && first->theta <= middle) return;
  find_touch(step, between, after, shape_A, shape_B, allowed, depth + 1, first);
}

}  // namespace thenar
