// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Shapes for the reference distance: points x that satisfy c_i(x) ≤ 0 (or = 0), grown by a ball.
///
/// Written apart from the library: nothing of it is used but the shapes' sizes. Every body is a list of smooth
/// constraints with gradients and Hessians, so that nearest points of any two bodies are the root of one set of
/// first-order conditions (reference_polish.h), whatever mixture of faces, edges, rims and vertices they touch with.

#include <array>
#include <vector>

#include "thenar/geometry/shape.h"
#include "thenar/spatial/pose.h"

namespace thenar::reference {

using Real = long double;
using Vec = Vector3<Real>;

enum class Kind { point, segment, box, ellipsoid, cylinder, cone, plate, circle, half_space, bowl };

/// c(x) ≤ 0 inside, in m; = 0 everywhere on the body if it is an equality.
struct Constraint {
  enum class Form {
    linear,   ///< v · x − offset
    quadric,  ///< (Σ v_i x_i² − 1) offset / 2, with offset the shortest semi-axis
    axial,    ///< √(x² + y²) + slope z − offset
    hollow    ///< offset − |x − v|
  };
  Form form = Form::linear;
  bool is_equality = false;
  Vec v = Vec::Zero();
  Real offset = 0, slope = 0;

  struct Values {
    Real value;
    Vec gradient;
    Matrix3<Real> hessian;
  };
  Values evaluate(const Vec& x) const;
};

/// Which inequalities hold with equality: bits by number. `is_apex`: the point is the tip of the cone, where the side
/// has no gradient.
struct ActiveSet {
  unsigned bits = 0;
  bool is_apex = false;

  bool has(int i) const { return (bits >> i & 1u) != 0; }
  bool operator==(const ActiveSet&) const = default;
};

/// A shape without the ball it is grown by.
struct Body {
  Kind kind = Kind::point;
  /// As far as from the middle to the ends: half lengths, semi-axes, or radius (x, y) and half the height (z). The bowl
  /// has the radius of its ball in x, the height of its centre in z and the radius of its rim in y.
  Vec size = Vec::Zero();
  Real radius = 0;  ///< of the ball that it is grown by
  std::vector<Constraint> constraints;

  bool is_convex() const { return kind != Kind::circle && kind != Kind::bowl; }
  bool is_bounded() const { return kind != Kind::half_space && kind != Kind::bowl; }
  /// Largest distance from the origin, m; 0 for a point. Only for bounded ones.
  Real extent() const;
  Vec apex() const { return {0, 0, size.z()}; }
  Vec hollow_centre() const { return {0, 0, size.z()}; }
  /// The constraints that a point with this active set satisfies with equality, the equalities among them.
  std::vector<Constraint> active_constraints(const ActiveSet& set) const;
};

Body make_body(const Shape& shape);

/// The point of a bounded body that is farthest along d, which need not have unit length.
template <class T>
Vector3<T> support(const Body& body, const Vector3<T>& d);

/// The inequalities that are within `tolerance` (m) of equality at x.
ActiveSet find_active(const Body& body, const Vec& x, Real tolerance);

/// The boundary point nearest to a point q, to about 1e-14 of the size: a start for the exact conditions.
struct Foot {
  Vector3<double> p, n;  ///< n: outward unit normal there
  double distance;       ///< negative inside
  ActiveSet set;
};
Foot find_foot(const Body& body, const Vector3<double>& q);

}  // namespace thenar::reference
