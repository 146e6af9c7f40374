// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Global searches that give the reference distance its starts, each with bounds that leave nothing out: nearest points
/// of convex bodies by a cone program, the best separating directions and the farthest points of a body by branch and
/// bound over the sphere, the nearest points of a circle by branch and bound over its angle.
///
/// They work in double and need not be exact: reference_polish.h makes them so.

#include <functional>
#include <optional>

#include "reference_polish.h"

namespace thenar::reference {

/// Nearest points of two convex, bounded bodies that are apart; inside each other when they overlap.
std::optional<NearestPoints> find_nearest_apart(const Body& A, const Body& B, const Pose<Real>& X_AB);

/// s(n) = min n · a − max n · b over points a of A and b of B: a lower bound of the gap for every unit vector n.
Real calc_separation(const Body& A, const Body& B, const Pose<Real>& X_AB, const Vec& n);

/// Directions around which s(n) of bounded bodies can have its largest value; all others are excluded by upper bounds
/// from support planes. `known`: a value that s(n) has somewhere, or −∞. `is_complete` is false when there were too
/// many to look at (a whole region is as good).
struct Directions {
  struct Spot {
    Vector3<double> n;
    double upper;  ///< bound of the value in the spot around n, m
  };
  std::vector<Spot> spots;  ///< the most promising first
  bool is_complete = true;
};
Directions find_separating_directions(const Body& A, const Body& B, const Pose<Real>& X_AB, double known,
                                      double resolution);

/// Directions u around which the point of A that is farthest from `centre` can lie, if it is at least `least` away and
/// u is one of the directions that `is_wanted` allows (to within a margin in rad, which may be negative). A local
/// maximum lies in the direction it is seen in, so that only directions in which A is seen count.
Directions find_farthest_directions(const Body& A, const Vector3<double>& centre, double least,
                                    const std::function<bool(const Vector3<double>& u, double margin)>& is_wanted);

/// Angles of the points of a circle (in the x-y plane of a frame C) at which its signed distance from a body is locally
/// least and can be the least of all.
struct CircleMinimum {
  double angle;
  Foot foot;  ///< on the body, in its frame
};
std::vector<CircleMinimum> find_circle_minima(double radius, const Pose<double>& X_BC, const Body& B);

}  // namespace thenar::reference
