// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The one place where tolerances of a run are defined: all follow from one number that the user chooses and from the
/// scales of the scenario, so that a hand drawn in millimetres or a giant's hand behave alike.

#include <algorithm>

#include "thenar/model/model.h"
#include "thenar/scenario/state.h"

namespace thenar {

/// What is large and what is small in a scenario.
struct Scales {
  double length = 1;  ///< m, reach of the longest tree: offsets from its root, centre of mass and radius of gyration
  double time = 1;    ///< s, of a swing over that length, or of the initial motion if that is faster
  double mass = 1;    ///< kg, of the whole model

  double effort() const { return mass * length * length / (time * time); }  ///< N m
};

Scales find_scales(const Model& model, const State& initial);

/// What counts as nothing. Coordinates, speeds and efforts of a degree of freedom that turns are in rad, those of one
/// that slides in m: `unit` is 1 or Scales::length.
class Tolerances {
 public:
  Tolerances(const Model& model, const Scales& scales, double tolerance);

  /// Local error allowed in x(i) and in v(i) when the speed is v.
  double position_weight(int dof) const { return tolerance_ * unit(dof); }
  double velocity_weight(int dof, double v) const;

  /// The same of the shear of a layer, m or rad.
  double shear_weight(bool is_angle) const { return tolerance_ * (is_angle ? 1 : scales_.length); }

  /// The same of a point's speed at rest, m/s.
  double slip_error() const { return tolerance_ * scales_.length / scales_.time; }

  /// How far below zero a gap must be to count as crossed: rounding of the coordinate, and of what a step adds to it.
  double gap_rounding(int dof, double q, double bound) const;
  /// A speed that rounding can leave of zero.
  double speed_rounding(int dof) const { return kRounding * unit(dof) / scales_.time; }
  /// The speed that is as fast as anything that counts, whatever moves, m/s; and what is at rest before anything has
  /// moved.
  double slowest_that_counts() const { return kSlowest * scales_.length / scales_.time; }
  double speed_at_rest() const { return kAtRest * slowest_that_counts(); }
  /// An effort that rounding can leave of zero.
  double effort_rounding(int dof) const { return kRounding * scales_.effort() / unit(dof); }
  /// Things that happen within this time happen at once, s.
  double simultaneous() const { return kSimultaneous * scales_.time; }
  /// A bounce lower than this is not computed: it is far below the tolerance, or rounding of the coordinate, which is
  /// near `bound`, begins to tell in its speed.
  double smallest_bounce(int dof, double bound) const {
    return std::max(kSmallestBounce * tolerance_ * unit(dof), kBounceOverRounding * gap_rounding(dof, bound, bound));
  }

  /// The same for a hop of bodies in a scene of the given size, m.
  double smallest_hop(double size) const;

  double tolerance() const { return tolerance_; }
  double unit(int dof) const { return units_[static_cast<std::size_t>(dof)]; }
  const Scales& scales() const { return scales_; }

 private:
  static constexpr double kRounding = 1e-13;
  static constexpr double kSlowest = 1e-3, kAtRest = 1e-8;
  static constexpr double kSimultaneous = 1e-12;
  static constexpr double kSmallestBounce = 1e-4;
  static constexpr double kBounceOverRounding = 500;

  Scales scales_;
  double tolerance_;
  std::vector<double> units_;
};

}  // namespace thenar
