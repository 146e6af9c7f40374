// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/events/event_watch.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/integrate/radau_tableau_internal.h"

namespace thenar {
namespace {

/// Dense output of the explicit method is a polynomial of degree 7.
constexpr int kFineDegree = 8;
/// Reactions are looked at in five places, or at the stages of the implicit method.
constexpr int kPlaceDegree = 4;
/// How much of its distance to zero the value at the middle place may differ from what the others predict, and the part
/// of the largest reaction below which that does not matter.
constexpr double kJointTrust = 0.1;
constexpr double kSmallReaction = 1e-3;
/// The part of an actuator's limit by which a command must pass it to count.
constexpr double kEffortRounding = 1e-12;
/// Commands that are so many times as far from limits as they change in a step do not reach them.
constexpr double kJointClearOfChange = 2;
/// A way back to a stop that is longer than this part of the way there is no correction of rounding.
constexpr double kLongestWayBack = 0.1;

/// A stop is out of reach of a step when its gap at both ends is longer than this many times the way at the larger
/// speed.
constexpr double kJointReach = 4;
/// An implicit step should end where something happens in it, or so little later.
constexpr double kCloseToEnd = 0.9, kJointBehind = 1.02;

std::vector<double> stages_of_implicit_method() {
  return {0, internal::radau::kNodes[0], internal::radau::kNodes[1], 1};
}

/// What the polynomial through f at the other nodes has at node m.
double predict(const VectorX<double>& f, const std::vector<double>& nodes, std::size_t m) {
  double sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i == m) continue;
    double weight = 1;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != i && j != m) weight *= (nodes[m] - nodes[j]) / (nodes[i] - nodes[j]);
    }
    sum += weight * f(static_cast<Eigen::Index>(i));
  }
  return sum;
}

/// What is allowed below zero: rounding, and what the step starts with, since a crossing at its very start would be
/// found again and again. (Couplings can leave a coordinate so far beyond a stop that both bound.)
double allowance(double rounding, double start) { return std::max(rounding, -2 * start); }

}  // namespace

EventWatch::EventWatch(ConstrainedMotion& motion, const Tolerances& tolerances)
    : motion_(motion),
      tolerances_(tolerances),
      rows_(motion.rows()),
      fine_(CrossingFinder::make_nodes(kFineDegree)),
      explicit_places_(CrossingFinder::make_nodes(kPlaceDegree)),
      implicit_places_(stages_of_implicit_method()),
      in_reach_(rows_.size(), 0) {
  q_.setZero(motion.model().position_count(), kFineDegree + 1);
  v_.setZero(motion.size(), kFineDegree + 1);
  reactions_.setZero(static_cast<Eigen::Index>(rows_.size()), kPlaceDegree + 1);
  commands_.setZero(motion.size(), kPlaceDegree + 1);
  command_.setZero(motion.size());
  values_.setZero(kFineDegree + 1);
}

bool EventWatch::has_work() const {
  if (motion_.actuation().has_limits()) return true;
  return std::any_of(rows_.begin(), rows_.end(), [](const JointRow& row) {
    return row.kind() == JointRowKind::stop || row.kind() == JointRowKind::friction;
  });
}

EventWatch::Finding EventWatch::find(Stepper& stepper) {
  first_.reset();
  const bool slips = std::any_of(motion_.mode().slip.begin(), motion_.mode().slip.end(), [](int s) { return s != 0; });
  if (find_gaps_in_reach(stepper) || slips) {
    sample_states(stepper);
    watch_gaps(stepper);
    watch_slips(stepper);
  }
  places_ = stepper.is_implicit() ? &implicit_places_ : &explicit_places_;
  if (!watch_reactions(stepper) || !watch_efforts(stepper)) return {.retry = 0.5 * stepper.h(), .crossing = {}};
  if (first_ && stepper.is_implicit() && first_->theta < kCloseToEnd) {
    return {.retry = kJointBehind * first_->theta * stepper.h(), .crossing = {}};
  }
  return {.retry = {}, .crossing = first_};
}

/// Marks the stops that may be met inside the step, those that depend on other coordinates as if these were anywhere.
/// The end of the step need not be better known than its error.
bool EventWatch::find_gaps_in_reach(Stepper& stepper) {
  const State& start = stepper.state();
  const Stepper::Point& end = stepper.interpolate_roughly(1);
  bool any = false;
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    JointRow& stop = rows_[static_cast<std::size_t>(i)];
    char& in_reach = in_reach_[static_cast<std::size_t>(i)];
    in_reach = stop.kind() == JointRowKind::stop && !motion_.mode().holds(i);
    if (in_reach) {
      const double way = stepper.h() * std::max(std::abs(start.v(stop.dof())), std::abs(end.v(stop.dof())));
      const double reach = kJointReach * (way + tolerances_.position_weight(stop.dof()));
      in_reach = std::min(stop.calc_least_value(start.q.data()), stop.calc_least_value(end.q.data())) <= reach;
    }
    any = any || in_reach;
  }
  return any;
}

void EventWatch::sample_states(Stepper& stepper) {
  for (std::size_t k = 0; k < fine_.nodes().size(); ++k) {
    const Stepper::Point& point = stepper.interpolate(fine_.nodes()[k]);
    q_.col(static_cast<Eigen::Index>(k)) = point.q;
    v_.col(static_cast<Eigen::Index>(k)) = point.v;
  }
}

/// Narrows the first crossing of the function, whose values are at the nodes of the finder, and keeps it if it comes
/// before those found so far.
template <class Function>
bool EventWatch::keep_first(CrossingFinder& finder, const VectorX<double>& values, const Function& function,
                            Crossing found) {
  const auto bracket = finder.find(values, function);
  if (!bracket || (first_ && bracket->before >= first_->theta)) return false;
  found.theta =
      function(bracket->before) < 0 ? bracket->before : refine_crossing(*bracket, kEventBracket, function).after;
  if (first_ && first_->theta <= found.theta) return false;
  first_ = found;
  return true;
}

void EventWatch::watch_gaps(Stepper& stepper) {
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    if (!in_reach_[static_cast<std::size_t>(i)]) continue;
    JointRow& stop = rows_[static_cast<std::size_t>(i)];
    const double* q = q_.col(0).data();
    const double allowed =
        allowance(tolerances_.gap_rounding(stop.dof(), q[stop.coordinate()], stop.calc_target(q)), stop.calc_value(q));
    for (Eigen::Index k = 0; k < values_.size(); ++k) values_(k) = stop.calc_value(q_.col(k).data()) + allowed;
    const auto gap = [&](double theta) { return stop.calc_value(stepper.interpolate(theta).q.data()) + allowed; };
    if (keep_first(fine_, values_, gap, {.row = i, .kind = CrossingKind::gap})) move_to_contact(stepper, stop);
  }
}

/// From just below the stop to the stop itself. Crossings are found below zero by more than rounding, or a joint that
/// starts on its stop would meet it at once; where it is met again, a step along its speed leads back.
void EventWatch::move_to_contact(Stepper& stepper, JointRow& stop) {
  const Stepper::Point& point = stepper.interpolate(first_->theta);
  stop.update(point.q.data(), point.v.data());
  const double back = stop.calc_value(point.q.data()) / stop.multiply(point.v.data()) / stepper.h();
  if (back > 0 && back < kLongestWayBack * first_->theta) first_->theta -= back;
}

void EventWatch::watch_slips(Stepper& stepper) {
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    const int direction = motion_.mode().slip[static_cast<std::size_t>(i)];
    if (direction == 0) continue;
    const int dof = rows_[static_cast<std::size_t>(i)].dof();
    // Less than what counts as rest, so that a slip found to have ended does rest.
    const double allowed = allowance(0.25 * tolerances_.speed_rounding(dof), direction * v_(dof, 0));
    for (Eigen::Index k = 0; k < values_.size(); ++k) values_(k) = direction * v_(dof, k) + allowed;
    keep_first(fine_, values_, [&](double theta) { return direction * stepper.interpolate(theta).v(dof) + allowed; },
               {.row = i, .kind = CrossingKind::slip});
  }
}

/// How far a reaction is inside its bound: a stop pushes (sign 1), friction stays within ±f.
double EventWatch::calc_margin(double reaction, int row, double sign) const {
  const JointRow& r = rows_[static_cast<std::size_t>(row)];
  return r.friction_limit() + sign * reaction + tolerances_.effort_rounding(r.dof());
}

bool EventWatch::watch_reactions(Stepper& stepper) {
  const std::vector<int>& held = motion_.mode().held;
  const auto is_watched = [&](int i) {
    const JointRowKind kind = rows_[static_cast<std::size_t>(i)].kind();
    return kind == JointRowKind::stop || kind == JointRowKind::friction;
  };
  if (std::none_of(held.begin(), held.end(), is_watched)) return true;
  const auto count = static_cast<Eigen::Index>(held.size());
  const std::vector<double>& places = places_->nodes();
  for (std::size_t k = 0; k < places.size(); ++k) {
    reactions_.col(static_cast<Eigen::Index>(k)).head(count) = stepper.calc_reactions(places[k]);
  }
  place_values_.resize(static_cast<Eigen::Index>(places.size()));
  for (Eigen::Index k = 0; k < count; ++k) {
    const int row = held[static_cast<std::size_t>(k)];
    if (!is_watched(row)) continue;
    if (!watch_bound(stepper, k, 1)) return false;
    if (rows_[static_cast<std::size_t>(row)].kind() == JointRowKind::friction && !watch_bound(stepper, k, -1)) {
      return false;
    }
  }
  return true;
}

/// Whether place_values_ fit one polynomial well enough to tell their sign between the places; differences up to
/// `nothing` do not count.
bool EventWatch::are_trusted(double nothing) const {
  const double surprise = std::abs(place_values_(2) - predict(place_values_, places_->nodes(), 2));
  const double smallest = std::abs(place_values_.minCoeff());
  const double small = kSmallReaction * place_values_.cwiseAbs().maxCoeff();
  return surprise <= std::max(kJointTrust * std::max(smallest, small), nothing);
}

/// Watches reaction k against its lower (sign 1) or upper (−1) bound; false when the places do not suffice.
bool EventWatch::watch_bound(Stepper& stepper, Eigen::Index k, double sign) {
  const int row = motion_.mode().held[static_cast<std::size_t>(k)];
  for (Eigen::Index i = 0; i < place_values_.size(); ++i) place_values_(i) = calc_margin(reactions_(k, i), row, sign);
  if (!are_trusted(tolerances_.effort_rounding(rows_[static_cast<std::size_t>(row)].dof()))) return false;
  keep_first(*places_, place_values_,
             [&](double theta) { return calc_margin(stepper.calc_reactions(theta)(k), row, sign); },
             {.row = row, .kind = CrossingKind::reaction, .at_upper = sign < 0});
  return true;
}

/// Commands of actuators at one of the places. Rough is good enough to see whether a limit comes near; where it is
/// passed is found exactly.
void EventWatch::look_at_commands(Stepper& stepper, std::size_t place) {
  const double theta = places_->nodes()[place];
  const Stepper::Point& point = stepper.interpolate_roughly(theta);
  motion_.calc_commands(stepper.t() + theta * stepper.h(), point.q.data(), point.v.data(),
                        commands_.col(static_cast<Eigen::Index>(place)).data());
}

/// Whether commands at the ends and at a place between them are farther from limits than they change.
bool EventWatch::has_clear_commands(std::size_t middle, std::size_t end) const {
  const VectorX<double>& limits = motion_.model().effort_limit();
  for (int dof = 0; dof < motion_.size(); ++dof) {
    if (!std::isfinite(limits(dof))) continue;
    const auto [low, high] = std::minmax({commands_(dof, 0), commands_(dof, static_cast<Eigen::Index>(middle)),
                                          commands_(dof, static_cast<Eigen::Index>(end))});
    const double room = limits(dof) - std::max(std::abs(low), std::abs(high));
    if (motion_.actuation().side(dof) != 0 || !(room > kJointClearOfChange * (high - low)) || !(room > 0)) return false;
  }
  return true;
}

/// Commands of actuators that pass a limit, either way.
bool EventWatch::watch_efforts(Stepper& stepper) {
  if (!motion_.actuation().has_limits()) return true;
  const std::size_t end = places_->nodes().size() - 1, middle = (end + 1) / 2;
  for (const std::size_t place : {std::size_t{0}, middle, end}) look_at_commands(stepper, place);
  if (has_clear_commands(middle, end)) return true;
  for (std::size_t place = 1; place < end; ++place) {
    if (place != middle) look_at_commands(stepper, place);
  }
  place_values_.resize(static_cast<Eigen::Index>(end) + 1);
  const VectorX<double>& limits = motion_.model().effort_limit();
  for (int dof = 0; dof < motion_.size(); ++dof) {
    if (!std::isfinite(limits(dof))) continue;
    for (const int bound : {-1, 1}) {
      if (motion_.actuation().side(dof) != -bound && !watch_limit(stepper, dof, bound)) return false;
    }
  }
  return true;
}

double EventWatch::calc_command(Stepper& stepper, double theta, int dof) {
  const Stepper::Point& point = stepper.interpolate(theta);
  motion_.calc_commands(stepper.t() + theta * stepper.h(), point.q.data(), point.v.data(), command_.data());
  return command_(dof);
}

/// False when the places do not suffice.
bool EventWatch::watch_limit(Stepper& stepper, int dof, int bound) {
  const Actuation& actuation = motion_.actuation();
  const double rounding =
      std::max(tolerances_.effort_rounding(dof), kEffortRounding * motion_.model().effort_limit()(dof));
  const double allowed = allowance(rounding, actuation.calc_margin(dof, bound, commands_(dof, 0)));
  for (Eigen::Index k = 0; k < place_values_.size(); ++k) {
    place_values_(k) = actuation.calc_margin(dof, bound, commands_(dof, k)) + allowed;
  }
  if (!are_trusted(rounding)) return false;
  keep_first(
      *places_, place_values_,
      [&](double theta) { return actuation.calc_margin(dof, bound, calc_command(stepper, theta, dof)) + allowed; },
      {.row = dof, .kind = CrossingKind::effort, .at_upper = bound > 0});
  return true;
}

}  // namespace thenar
