// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/normal_newton_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/geometry/contact_element.h"
#include "thenar/geometry/core_internal.h"

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;

constexpr int kMostNormalSteps = 24;
/// Largest turn of the normal in one step, rad: beyond it first order means little.
constexpr double kLargestNormalTurn = 0.7;
/// After a turn below this, rad, what is left of it is of the order of its square over that of kRoundness: nothing.
constexpr double kLastTurn = 1e-10;
/// A normal tells points of an ellipsoid apart while |A n| is not below this part of the longest semi-axis: p(n) is
/// then exact to some 1/kRoundness roundings.
constexpr double kRoundness = 0.04;
/// Below this sine two lines count as parallel, and below its square two circles of normals as touching.
constexpr double kParallel = 1e-3;

/// The normals of a feature and its support function (1), in the frame of the shape.
struct NormalSet {
  Vec centre = Vec::zero();
  double radius = 0;       ///< ρ
  bool is_circle = false;  ///< n · axis = height instead of all normals
  Vec axis{0, 0, 1};
  double height = 0;
  Vec squares = Vec::zero();    ///< diagonal of A²
  Vec cofactors = Vec::zero();  ///< diagonal of C²
  double least = 0;             ///< where |A n| is below, normals are no good coordinates
};

NormalSet make_vertex(const Vec& p) {
  NormalSet set;
  set.centre = p;
  return set;
}

/// An edge through p, or the side of a cylinder around it.
NormalSet make_line(const Vec& p, const Vec& axis, double radius) {
  NormalSet set;
  set.centre = p;
  set.radius = radius;
  set.is_circle = true;
  set.axis = axis;
  return set;
}

/// An ellipsoid, or with c = 0 the rim of a plate.
NormalSet make_ellipsoid(const Vec& p, const Vec& a) {
  NormalSet set;
  set.centre = p;
  set.squares = {a.x * a.x, a.y * a.y, a.z * a.z};
  set.cofactors = {set.squares.y * set.squares.z, set.squares.z * set.squares.x, set.squares.x * set.squares.y};
  set.least = kRoundness * std::max({a.x, a.y, a.z});
  return set;
}

NormalSet make_cone_side(const Vec& size) {
  NormalSet set = make_line({0, 0, size.z}, {0, 0, 1}, 0);
  set.height = make_cone_profile(size).sine;
  return set;
}

/// Of a feature of a convex core that is not flat.
NormalSet make_normal_set(const Core& core, int feature) {
  const Vec& size = core.size;
  switch (core.kind) {
    case CoreKind::segment:
      if (feature == 0) return make_line(Vec::zero(), {0, 0, 1}, 0);
      return make_vertex({0, 0, feature == 2 ? size.z : -size.z});
    case CoreKind::box: {
      const BoxSides& sides = kBoxSides[static_cast<std::size_t>(feature)];
      const Vec middle{sides[0] * size.x, sides[1] * size.y, sides[2] * size.z};
      if (feature >= 18) return make_vertex(middle);
      const int axis = (feature - 6) / 4;
      return make_line(middle, {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0}, 0);
    }
    case CoreKind::ellipsoid:
      return make_ellipsoid(Vec::zero(), size);
    case CoreKind::cylinder:
      if (feature == 0) return make_line(Vec::zero(), {0, 0, 1}, size.x);
      return make_ellipsoid({0, 0, feature == 4 ? size.z : -size.z}, {size.x, size.x, 0});
    case CoreKind::cone:
      if (feature == 0) return make_cone_side(size);
      if (feature == 2) return make_ellipsoid({0, 0, -size.z}, {size.x, size.x, 0});
      return make_vertex({0, 0, size.z});
    case CoreKind::plate:
      return make_ellipsoid(Vec::zero(), {size.x, size.y, 0});
    default:
      return make_vertex(Vec::zero());
  }
}

/// v/|v|, without a root where v is a unit vector already but for a small step: the error is 3/8 (|v|² − 1)².
Vec renormalized(const Vec& v) {
  const double length2 = dot(v, v);
  return v * (std::abs(length2 - 1) < 1e-8 ? 1.5 - 0.5 * length2 : 1 / std::sqrt(length2));
}

/// |A n|, and what the support point and its derivatives are made of.
struct Support {
  Vec p;  ///< relative to the centre, in the frame of the shape
  double inverse_height = 0;
  bool is_sure = true;  ///< |A n| is large enough
};

Support find_support(const NormalSet& set, const Vec& n) {
  const Vec m{set.squares.x * n.x, set.squares.y * n.y, set.squares.z * n.z};
  const double height2 = dot(m, n);
  if (set.least == 0) return {Vec::zero(), 0, true};
  const double inverse = 1 / std::sqrt(height2);
  return {m * inverse, inverse, height2 > set.least * set.least};
}

/// A symmetric 2 × 2 matrix.
struct Symmetric {
  double xx, xy, yy;
};

/// H of equation (4).
inline Symmetric calc_radii(const NormalSet& set, const Support& support, const Vec& x, const Vec& y) {
  const double k = support.inverse_height * support.inverse_height * support.inverse_height;
  const Vec& c = set.cofactors;
  const Vec cx{c.x * x.x, c.y * x.y, c.z * x.z}, cy{c.x * y.x, c.y * y.y, c.z * y.z};
  return {k * dot(cy, y), -k * dot(cx, y), k * dot(cx, x)};
}

class NormalNewton {
 public:
  NormalNewton(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, const Proximity& place)
      : R_AB_(X_AB.R),
        a_(make_normal_set(A.core, place.feature_A)),
        b_(make_normal_set(B.core, place.feature_B)),
        radius_A_(A.radius + a_.radius),
        radius_B_(B.radius + b_.radius),
        centre_B_(Vec(X_AB.p) + R_AB_ * b_.centre),
        N_(place.N) {
    const double length =
        norm(a_.centre) + norm(centre_B_) + radius_A_ + radius_B_ + a_.least / kRoundness + b_.least / kRoundness;
    rounding_ = 4 * kEpsilon * length;
  }

  bool run() {
    if (a_.is_circle && b_.is_circle) return meet();
    if (a_.is_circle) return turn_about(a_.axis, -a_.height);
    if (b_.is_circle) return turn_about(R_AB_ * b_.axis, b_.height);
    return turn_freely();
  }

  void write(Proximity& place) const {
    place.N = N_;
    place.p_A = p_A_ - N_ * radius_A_;
    place.p_B = p_B_ + N_ * radius_B_;
    place.gap = separation_ - radius_A_ - radius_B_;
  }

 private:
  /// The points at N. False where they are not determined well.
  bool evaluate() {
    support_A_ = find_support(a_, -N_);
    support_B_ = find_support(b_, R_AB_.transpose_times(N_));
    p_A_ = a_.centre + support_A_.p;
    p_B_ = centre_B_ + R_AB_ * support_B_.p;
    w_ = p_A_ - p_B_;
    separation_ = dot(N_, w_);
    return support_A_.is_sure && support_B_.is_sure;
  }

  /// H of both for the unit vectors x, y across N.
  void calc_radii_of_both(const Vec& x, const Vec& y) {
    H_A_ = calc_radii(a_, support_A_, x, y);
    H_B_ = calc_radii(b_, support_B_, R_AB_.transpose_times(x), R_AB_.transpose_times(y));
  }

  /// The points to first order after a turn of N by d_x x + d_y y. The separation is stationary.
  void shift_points(const Vec& x, const Vec& y, double d_x, double d_y) {
    p_A_ -= x * (H_A_.xx * d_x + H_A_.xy * d_y) + y * (H_A_.xy * d_x + H_A_.yy * d_y);
    p_B_ += x * (H_B_.xx * d_x + H_B_.xy * d_y) + y * (H_B_.xy * d_x + H_B_.yy * d_y);
  }

  /// Equation (2).
  bool turn_freely() {
    double best = -std::numeric_limits<double>::infinity();
    Vec start = N_, step = Vec::zero();
    for (int i = 0; i < kMostNormalSteps; ++i) {
      if (!evaluate()) return false;
      if (separation_ < best - rounding_) {
        step = step * 0.5;
        N_ = renormalized(start + step);
        continue;
      }
      best = separation_;
      start = N_;
      Vec x, y;
      complete_frame(N_, x, y);
      calc_radii_of_both(x, y);
      const double radii_x = H_A_.xx + H_B_.xx, xy = H_A_.xy + H_B_.xy, radii_y = H_A_.yy + H_B_.yy;
      // While the shapes overlap along N, (2) may lead downhill. H alone never does.
      const bool is_uphill = (radii_x + separation_) * (radii_y + separation_) > xy * xy && radii_x + separation_ > 0;
      const double ball = is_uphill ? separation_ : std::abs(separation_);
      const double xx = radii_x + ball, yy = radii_y + ball, det = xx * yy - xy * xy;
      if (!(det > 0)) return false;
      const double inverse = 1 / det, r_x = dot(x, w_), r_y = dot(y, w_);
      const double d_x = (yy * r_x - xy * r_y) * inverse, d_y = (xx * r_y - xy * r_x) * inverse;
      const double turn2 = d_x * d_x + d_y * d_y;
      const double part = turn2 > kLargestNormalTurn * kLargestNormalTurn ? kLargestNormalTurn / std::sqrt(turn2) : 1;
      step = x * (part * d_x) + y * (part * d_y);
      N_ = renormalized(N_ + step);
      if (turn2 < kLastTurn * kLastTurn || std::max(std::abs(r_x), std::abs(r_y)) < rounding_) {
        shift_points(x, y, d_x, d_y);
        return true;
      }
    }
    return false;
  }

  /// Equation (3): N · axis = height.
  bool turn_about(const Vec& axis, double height) {
    const double k = std::sqrt((1 - height) * (1 + height));
    Vec e = N_ - axis * dot(N_, axis);
    if (!(dot(e, e) > 0)) return false;
    e = normalized(e);
    for (int i = 0; i < kMostNormalSteps; ++i) {
      N_ = axis * height + e * k;
      if (!evaluate()) return false;
      const Vec t = cross(axis, e), across = cross(N_, t);
      calc_radii_of_both(t, across);
      const double slope = dot(e, w_) + k * (H_A_.xx + H_B_.xx);
      if (!(slope > 0)) return false;
      const double error = dot(t, w_), turn = std::clamp(error / slope, -kLargestNormalTurn, kLargestNormalTurn);
      e += t * turn;
      e = renormalized(e - axis * dot(e, axis));
      if (std::abs(turn) < kLastTurn || std::abs(error) < rounding_) {
        N_ = axis * height + e * k;
        shift_points(t, across, k * turn, 0);
        put_on_ruling();
        return true;
      }
    }
    return false;
  }

  /// The point on the line or side is where the other one's normal meets it.
  void put_on_ruling() {
    if (a_.is_circle) {
      p_A_ = p_B_ + N_ * separation_;
    } else {
      p_B_ = p_A_ - N_ * separation_;
    }
  }

  /// Two circles of normals, N · u = k_A and N · v = k_B: of the two directions that they have in common, the one
  /// nearer to N. The places are where two rulings are nearest.
  bool meet() {
    const Vec u = a_.axis, v = R_AB_ * b_.axis, across = cross(u, v);
    const double k_A = -a_.height, k_B = b_.height, cosine = dot(u, v), sine2 = dot(across, across);
    if (sine2 < kParallel * kParallel) return false;
    const double inverse = 1 / sine2;
    const Vec m = u * ((k_A - cosine * k_B) * inverse) + v * ((k_B - cosine * k_A) * inverse);
    const double rest2 = (1 - dot(m, m)) * inverse;
    if (!(rest2 > kParallel * kParallel)) return false;
    const double rest = std::sqrt(rest2);
    N_ = normalized(m + across * (dot(N_, across) >= 0 ? rest : -rest));
    const Vec w = a_.centre - centre_B_, r_A = u - N_ * dot(u, N_), r_B = v - N_ * dot(v, N_), side = cross(N_, r_B);
    const double divisor = dot(r_A, side);
    if (!(std::abs(divisor) > kParallel)) return false;
    separation_ = dot(N_, w);
    p_A_ = a_.centre - r_A * (dot(w, side) / divisor);
    p_B_ = p_A_ - N_ * separation_;
    return true;
  }

  Mat3<double> R_AB_;
  NormalSet a_, b_;
  double radius_A_, radius_B_;
  Vec centre_B_;  // in the frame of A, like all below
  Vec N_, p_A_, p_B_, w_;
  Support support_A_, support_B_;
  Symmetric H_A_, H_B_;
  double separation_ = 0, rounding_ = 0;
};

}  // namespace

bool polish_normal(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, Proximity& place) {
  NormalNewton newton(A, B, X_AB, place);
  if (!newton.run()) return false;
  newton.write(place);
  return true;
}

}  // namespace thenar::internal
