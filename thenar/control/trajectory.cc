// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/trajectory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

void check_waypoints(std::span<const Waypoint> waypoints) {
  if (waypoints.empty()) throw std::invalid_argument("a trajectory needs a waypoint");
  for (std::size_t i = 0; i < waypoints.size(); ++i) {
    if (!std::isfinite(waypoints[i].t) || !std::isfinite(waypoints[i].value))
      throw std::invalid_argument("waypoints must be finite numbers");
    if (i > 0 && !(waypoints[i].t > waypoints[i - 1].t))
      throw std::invalid_argument("waypoints must follow each other in time");
  }
}

/// Hermite's cubic from (a, rate_a) to (b, rate_b), rates per duration.
std::array<double, 6> hermite(double a, double rate_a, double b, double rate_b) {
  const double way = b - a;
  return {a, rate_a, 3 * way - 2 * rate_a - rate_b, rate_a + rate_b - 2 * way, 0, 0};
}

}  // namespace

Trajectory::Trajectory(double value) : first_(value), last_(value) {}

Trajectory::Trajectory(std::span<const Waypoint> waypoints, Interpolation interpolation)
    : interpolation_(interpolation) {
  check_waypoints(waypoints);
  first_ = waypoints.front().value;
  last_ = waypoints.back().value;
  for (const Waypoint& waypoint : waypoints) times_.push_back(waypoint.t);
  if (interpolation == Interpolation::via) {
    add_spline(waypoints);
  } else {
    add_ways(waypoints);
  }
}

void Trajectory::add_ways(std::span<const Waypoint> waypoints) {
  for (std::size_t i = 0; i + 1 < waypoints.size(); ++i) {
    const double a = waypoints[i].value, way = waypoints[i + 1].value - a;
    const double duration = waypoints[i + 1].t - waypoints[i].t;
    if (interpolation_ == Interpolation::hold) add_piece(duration, {a});
    if (interpolation_ == Interpolation::linear) add_piece(duration, {a, way});
    if (interpolation_ == Interpolation::quintic) add_piece(duration, {a, 0, 0, 10 * way, -15 * way, 6 * way});
  }
}

/// The cubic spline with zero rates at its ends: second derivatives of neighbours agree at every waypoint between,
///
///     r₋/h₋ + 2 (1/h₋ + 1/h₊) r + r₊/h₊ = 3 (w₋/h₋² + w₊/h₊²),   h durations, w ways, r rates,
///
/// a tridiagonal system, solved by elimination.
void Trajectory::add_spline(std::span<const Waypoint> waypoints) {
  const std::size_t n = waypoints.size();
  std::vector<double> rate(n, 0), upper(n, 0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h0 = waypoints[i].t - waypoints[i - 1].t, h1 = waypoints[i + 1].t - waypoints[i].t;
    const double w0 = waypoints[i].value - waypoints[i - 1].value, w1 = waypoints[i + 1].value - waypoints[i].value;
    const double right = 3 * (w0 / (h0 * h0) + w1 / (h1 * h1));
    const double pivot = 2 * (1 / h0 + 1 / h1) - upper[i - 1] / h0;
    upper[i] = 1 / h1 / pivot;
    rate[i] = (right - rate[i - 1] / h0) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) rate[i] -= upper[i] * rate[i + 1];
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = waypoints[i + 1].t - waypoints[i].t;
    add_piece(h, hermite(waypoints[i].value, h * rate[i], waypoints[i + 1].value, h * rate[i + 1]));
  }
}

int Trajectory::find_piece(double t) const noexcept {
  return static_cast<int>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin()) - 1;
}

PathPoint Trajectory::evaluate(double t) const noexcept {
  const int i = find_piece(t);
  if (i < 0) return {first_};
  if (i >= static_cast<int>(pieces_.size())) return {last_};
  const Piece& piece = pieces_[static_cast<std::size_t>(i)];
  const std::array<double, 6>& c = piece.coefficients;
  const double s = (t - times_[static_cast<std::size_t>(i)]) / piece.duration;
  double value = 0, first = 0, half_second = 0;  // Horner's scheme for the value and its Taylor coefficients
  for (std::size_t k = c.size(); k-- > 0;) {
    half_second = half_second * s + first;
    first = first * s + value;
    value = value * s + c[k];
  }
  return {value, first / piece.duration, 2 * half_second / (piece.duration * piece.duration)};
}

std::optional<PathSwitch> Trajectory::find_switch(double from, double to) const {
  if (pieces_.empty()) return std::nullopt;  // one waypoint: a constant
  const auto next = std::upper_bound(times_.begin(), times_.end(), from);
  if (next == times_.end() || *next > to) return std::nullopt;
  const double before = std::nextafter(*next, -std::numeric_limits<double>::infinity());
  const bool is_end = next == times_.begin() || next + 1 == times_.end();
  int jumping = 3;
  if (interpolation_ == Interpolation::hold) jumping = 0;
  if (interpolation_ == Interpolation::linear) jumping = 1;
  if (interpolation_ == Interpolation::via && is_end) jumping = 2;
  return PathSwitch{before, *next, jumping};
}

PathPoint Target::evaluate(double t) const noexcept {
  if (const auto* trajectory = std::get_if<Trajectory>(&path_)) return trajectory->evaluate(t);
  const std::array<double, 2> values{t, level_}, rates{1, 0};
  const Expression::Taylor taylor = std::get<Expression>(path_).evaluate_along(values, rates);
  return {taylor.value, taylor.first, taylor.second};
}

std::optional<PathSwitch> Target::find_switch(double from, double to) const {
  if (const auto* trajectory = std::get_if<Trajectory>(&path_)) return trajectory->find_switch(from, to);
  const std::array<double, 2> values{from, level_};
  const auto found = std::get<Expression>(path_).find_switch(values, 0, from, to);
  return found ? std::optional(PathSwitch{found->before, found->after, 0}) : std::nullopt;
}

PoseTrajectory::PoseTrajectory(std::span<const Waypoint> waypoints, Interpolation interpolation) {
  if (interpolation == Interpolation::via) {
    throw std::invalid_argument("poses are joined by hold, linear or quintic, not by via");
  }
  std::vector<thenar::Waypoint> numbers;
  poses_.clear();
  for (const Waypoint& waypoint : waypoints) {
    numbers.push_back({waypoint.t, static_cast<double>(poses_.size())});
    poses_.push_back(waypoint.pose);
  }
  progress_ = Trajectory(numbers, interpolation);
  for (std::size_t i = 0; i + 1 < poses_.size(); ++i) {
    const Matrix3<double> turn = poses_[i + 1].R * poses_[i].R.transpose();
    ways_.push_back({Vec3<double>(poses_[i + 1].p - poses_[i].p),
                     rotation_vector_from_quaternion<double>(quaternion_from_rotation(turn))});
  }
}

PosePoint PoseTrajectory::evaluate(double t) const noexcept {
  const PathPoint progress = progress_.evaluate(t);
  const int i = progress_.find_piece(t);
  if (i < 0 || ways_.empty()) return {poses_.front()};
  if (i >= static_cast<int>(ways_.size())) return {poses_.back()};
  const Pose<double>& start = poses_[static_cast<std::size_t>(i)];
  const Way& way = ways_[static_cast<std::size_t>(i)];
  const double done = progress.value - i;
  const Vector4<double> turn = quaternion_from_rotation_vector(way.turn * done);
  const Mat3<double> R = rotation_from_quaternion(turn(0), turn(1), turn(2), turn(3));
  return {.pose = {R.eigen() * start.R, start.p + (way.shift * done).eigen()},
          .angular_velocity = way.turn * progress.rate,
          .velocity = way.shift * progress.rate,
          .angular_acceleration = way.turn * progress.acceleration,
          .acceleration = way.shift * progress.acceleration};
}

PoseTrajectory::Way PoseTrajectory::find_way(double t) const noexcept {
  if (ways_.empty()) return {};
  const int last = static_cast<int>(ways_.size()) - 1;
  return ways_[static_cast<std::size_t>(std::clamp(progress_.find_piece(t), 0, last))];
}

}  // namespace thenar
