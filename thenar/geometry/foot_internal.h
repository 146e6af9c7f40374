// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a convex shape stands on when it is pressed along a direction d: its foot.
///
/// A foot is a flat face whose normal is within kPatchAngle of d, a straight line (edge, segment, ruling of a
/// cylinder's or cone's side) that is perpendicular to d within kPatchAngle, both (then the face counts first), or
/// nothing: a vertex or a curved place. Since the shape is convex, the point farthest along d always lies on its foot,
/// be it a vertex of the face or the end of the line.
///
/// Feet are given for the core, in the frame of A; `radius` says by how much the shape is grown.

#include <array>
#include <optional>

#include "thenar/geometry/distance.h"

namespace thenar::internal {

/// Directions that differ by less (rad) count as nearly parallel.
inline constexpr double kPatchAngle = 0.1;

/// A shape and its place in the frame of A.
struct PlacedShape {
  const GrownCore& shape;
  Mat3<double> R;
  Vec3<double> p;

  PlacedShape(const GrownCore& shape_in, const Pose<double>& X) : shape(shape_in), R(X.R), p(X.p) {}
  Vec3<double> place(const Vec3<double>& q) const { return p + R * q; }
  Vec3<double> turn(const Vec3<double>& v) const { return R * v; }
  Vec3<double> unplace(const Vec3<double>& q) const { return R.transpose_times(q - p); }
  Vec3<double> unturn(const Vec3<double>& v) const { return R.transpose_times(v); }
};

/// A point that stays on the body, or the end of a ruling.
struct FootPoint {
  int feature = 0;
  /// Tells the points of a rim apart (is_fixed_number); otherwise 0.
  int number = 0;
  Vec3<double> p = Vec3<double>::zero();
};

/// A piece of a foot's border, or a line: straight, origin + s u with s from 0 to 1, or an ellipse,
/// origin + u cos φ + v sin φ.
struct FootCurve {
  int feature = 0;
  bool is_rim = false;
  bool is_edge = false;           ///< straight, and the feature itself, not a ruling of it
  std::array<int, 2> ends{0, 0};  ///< features of the ends of what is straight
  Vec3<double> origin = Vec3<double>::zero(), u = Vec3<double>::zero(), v = Vec3<double>::zero();
};

/// The outline of a foot.
struct Outline {
  bool is_flat = false;  ///< a face; otherwise a line
  int feature = 0;
  double radius = 0;
  Vec3<double> n = Vec3<double>::zero();       ///< of a face: outward normal
  Vec3<double> centre = Vec3<double>::zero();  ///< of a face: a point of its plane
  /// Of a polygon: its corners, in order; curve k joins points k and k + 1. Of a round face: four points of its rim,
  /// others that were asked for, and the rim. Of a line: its ends. Of a half-space: none.
  std::array<FootPoint, 4 + ArcPoints::kSlots> points;
  std::array<FootCurve, 4> curves;
  int point_count = 0, curve_count = 0;
};

/// A straight line of a shape. Where it is a ruling, it turns about the axis with the direction it is asked for.
class FootLine {
 public:
  struct End {
    int feature = 0;
    Vec3<double> p = Vec3<double>::zero();
    double rim_radius = 0;  ///< m; the end lies on a circle of this radius around p, or is p itself
  };
  FootLine(int feature, double radius, const Vec3<double>& axis, const End& lower, const End& upper)
      : feature_(feature), radius_(radius), axis_(axis), ends_{lower, upper} {}

  /// The line that faces d.
  Outline make_outline(const Vec3<double>& d) const;

 private:
  int feature_;
  double radius_;
  Vec3<double> axis_;
  std::array<End, 2> ends_;
};

struct Foot {
  std::optional<Outline> flat;
  /// Two where d is almost along an axis of a box: edges that meet in the vertex farthest along d, the one that is more
  /// across d first.
  std::array<std::optional<FootLine>, 2> lines;
};

/// The foot along the unit vector d (in the frame of A) of a convex shape, with these points of its rim if it is round.
Foot find_foot(const PlacedShape& body, const Vec3<double>& d, const ArcPoints& arc);

/// Whether a feature is the rim of a round face.
bool is_rim(CoreKind kind, int feature);

/// The unit tangent at p (both in S) of a feature that is a curve or has rulings; zero for vertices and other faces.
Vec3<double> calc_tangent(const Core& core, int feature, const Vec3<double>& p);

}  // namespace thenar::internal
