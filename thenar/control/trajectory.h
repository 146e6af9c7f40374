// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Where something is to be at every time, with its first two derivatives: waypoints joined by polynomials, or a
/// function of time.
///
/// | interpolation | between two waypoints | what jumps at a waypoint |
/// |---|---|---|
/// | hold    | the first value, then the second at once | the value |
/// | linear  | a straight line | the rate |
/// | quintic | 10 s³ − 15 s⁴ + 6 s⁵ of the way: starts and ends at rest, without acceleration | the third derivative |
/// | via     | cubic spline: passes without stopping, at rest at the first and the last | the third derivative, at the
/// ends the second |
///
/// Before the first waypoint and after the last one the value stays.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "thenar/base/expression.h"
#include "thenar/spatial/pose.h"

namespace thenar {

enum class Interpolation : std::uint8_t { hold, linear, quintic, via };

struct Waypoint {
  double t = 0;  ///< s
  double value = 0;
};

struct PathPoint {
  double value = 0, rate = 0, acceleration = 0;
};

/// A change from one piece to the next: the last number before and the first after, s.
struct PathSwitch {
  double before = 0, after = 0;
  int jumping = 0;  ///< the lowest derivative that may jump; 0: the value itself
};

class Trajectory {
 public:
  /// Stays at a value.
  explicit Trajectory(double value = 0);
  /// At least one waypoint, at increasing times; throws std::invalid_argument.
  Trajectory(std::span<const Waypoint> waypoints, Interpolation interpolation);

  PathPoint evaluate(double t) const noexcept;
  /// The first switch with before ≥ from and after ≤ to.
  std::optional<PathSwitch> find_switch(double from, double to) const;
  /// The piece that holds t: −1 before the first waypoint, i from waypoint i on.
  int find_piece(double t) const noexcept;

 private:
  void add_piece(double duration, std::array<double, 6> coefficients) { pieces_.push_back({duration, coefficients}); }
  void add_ways(std::span<const Waypoint> waypoints);
  void add_spline(std::span<const Waypoint> waypoints);

  struct Piece {
    double duration = 1;                   ///< s
    std::array<double, 6> coefficients{};  ///< of powers of the part of the duration that has passed
  };
  Interpolation interpolation_ = Interpolation::hold;
  std::vector<double> times_;  ///< of the waypoints
  std::vector<Piece> pieces_;  ///< from each waypoint but the last to the next
  double first_ = 0, last_ = 0;
};

/// A trajectory, or a function of time and of the level of its joint.
class Target {
 public:
  Target(Trajectory trajectory = Trajectory()) : path_(std::move(trajectory)) {}  // NOLINT: one of the two kinds
  Target(Expression function, double level) : path_(std::move(function)), level_(level) {}

  PathPoint evaluate(double t) const noexcept;
  std::optional<PathSwitch> find_switch(double from, double to) const;

 private:
  std::variant<Trajectory, Expression> path_;
  double level_ = 0;
};

/// A pose and its motion; velocities and accelerations in the axes that the pose is given in.
struct PosePoint {
  Pose<double> pose;
  Vec3<double> angular_velocity = Vec3<double>::zero(), velocity = Vec3<double>::zero();
  Vec3<double> angular_acceleration = Vec3<double>::zero(), acceleration = Vec3<double>::zero();
};

/// The path of a body: its origin moves on straight lines, its axes turn about fixed axes from waypoint to waypoint,
/// the shorter way round.
class PoseTrajectory {
 public:
  struct Waypoint {
    double t = 0;  ///< s
    Pose<double> pose;
  };
  PoseTrajectory() = default;
  /// As Trajectory; `via` is not possible.
  PoseTrajectory(std::span<const Waypoint> waypoints, Interpolation interpolation);

  struct Way {
    Vec3<double> shift = Vec3<double>::zero(), turn = Vec3<double>::zero();  ///< to the next waypoint, m, rad
  };

  PosePoint evaluate(double t) const noexcept;
  std::optional<PathSwitch> find_switch(double from, double to) const { return progress_.find_switch(from, to); }
  /// The way that t lies on, which says where the path leads also while it stands still: the first before it begins,
  /// the last after its end. Zero of a path that stays.
  Way find_way(double t) const noexcept;

 private:
  std::vector<Pose<double>> poses_{Pose<double>{}};
  std::vector<Way> ways_;
  Trajectory progress_;  ///< number of the waypoint, with what has been done of the way to the next
};

}  // namespace thenar
