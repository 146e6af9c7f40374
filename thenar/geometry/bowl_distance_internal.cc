// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/bowl_distance_internal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "thenar/base/assert.h"
#include "thenar/base/sincos.h"
#include "thenar/geometry/convex_distance_internal.h"
#include "thenar/geometry/core_internal.h"
#include "thenar/geometry/element_newton_internal.h"
#include "thenar/geometry/foot_internal.h"
#include "thenar/geometry/ring_distance_internal.h"

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;

constexpr int kFlat = 0, kRim = 1, kHollow = 2;  ///< features of the bowl
constexpr double kSamePlace = 1e-7;              ///< of the ball's radius
/// Of the size of the pair: rounding, and where rounding is felt in directions.
constexpr double kRounding = 1e-13, kNear = 1e-2;
/// How far, in rad, a normal of the rim may be outside of its fan: rounding.
constexpr double kFanRounding = 1e-9;

/// Local maxima of |x − c| over the ellipse or ellipsoid with semi-axes a.
///
/// Where it is stationary, x − c is along the normal: (x_i − c_i) a_i² = μ x_i. With the longest semi-axis a_L,
/// Δ_i = a_L² − a_i² ≥ 0, k_i = a_i |c_i| and μ = a_L² + t,
///
///     x_i = −sign(c_i) a_i z_i,   z_i = k_i/(Δ_i + t),   |z|² = 1                                                 (1)
///
/// The global maximum is the root t > 0, and there is at most one other local maximum: the root t < 0 nearest to 0, if
/// |z(t)| falls to 1 before t = −Δ_i of the second longest semi-axis, which is on c's side of the ellipsoid (Martínez,
/// Local minimizers of quadratic functions on Euclidean balls and spheres, 1994). For c_L = 0 the two roots meet in
/// t = 0, and z_L = ±√(1 − Σ z_i²).
template <std::size_t Size>
class FarPoints {
 public:
  using Array = std::array<double, Size>;

  FarPoints(const Array& a, const Array& c) : a_(a), c_(c) {
    for (std::size_t i = 1; i < Size; ++i) {
      if (a[i] > a[longest_]) longest_ = i;
    }
    for (std::size_t i = 0; i < Size; ++i) {
      delta_[i] = (a[longest_] - a[i]) * (a[longest_] + a[i]);
      k_[i] = a[i] * std::abs(c[i]);
    }
    find_global();
    if (count_ == 1) find_local();
  }

  int count() const { return count_; }
  const Array& operator[](int i) const { return x_[static_cast<std::size_t>(i)]; }
  /// Which end of the longest axis a point is at: 0 or 1.
  int end_of(int i) const { return x_[static_cast<std::size_t>(i)][longest_] > 0 ? 1 : 0; }

 private:
  static constexpr int kMostSteps = 100;

  /// |z|² and its derivative by t.
  struct Secular {
    double z2, slope;
  };
  Secular evaluate(double t) const {
    Secular out{0, 0};
    for (std::size_t i = 0; i < Size; ++i) {
      if (k_[i] == 0) continue;
      const double inverse = 1 / (delta_[i] + t), z = k_[i] * inverse;
      out.z2 += z * z;
      out.slope -= 2 * z * z * inverse;
    }
    return out;
  }

  /// 1/|z| is concave and nearly straight for t > 0: Newton on 1/|z| = 1 climbs to the root from below.
  void find_global() {
    double t = 0;
    for (std::size_t i = 0; i < Size; ++i) t = std::max(t, k_[i] - delta_[i]);
    if (t == 0 && evaluate(0).z2 > 1) t = std::numeric_limits<double>::min();
    if (t == 0) return add_pair();
    for (int step = 0; step < kMostSteps; ++step) {
      const Secular s = evaluate(t);
      const double length = std::sqrt(s.z2), change = 2 * (1 - length) * s.z2 / s.slope;
      t += std::max(0.0, change);
      if (change <= kEpsilon * t) break;
    }
    add(t);
  }

  /// |z|² is convex in −t: Newton climbs to the first root from t = −k_L, if there is one.
  void find_local() {
    double limit = std::numeric_limits<double>::infinity();  // of −t
    for (std::size_t i = 0; i < Size; ++i) {
      if (i != longest_) limit = std::min(limit, delta_[i]);
    }
    double s = k_[longest_];
    for (int step = 0; step < kMostSteps; ++step) {
      if (!(s < limit)) return;
      const Secular at = evaluate(-s);
      if (!(at.slope > 0)) return;
      const double change = (at.z2 - 1) / at.slope;
      s += std::max(0.0, change);
      if (change <= kEpsilon * s) return add(-s);
    }
  }

  /// x_i/a_i.
  double calc_coordinate(std::size_t i, double t) const {
    if (k_[i] == 0) return 0;
    const double z = k_[i] / (delta_[i] + t);
    return c_[i] > 0 ? -z : z;
  }

  void add(double t) {
    Array& x = x_[static_cast<std::size_t>(count_++)];
    double z2 = 0;
    for (std::size_t i = 0; i < Size; ++i) {
      x[i] = calc_coordinate(i, t);
      z2 += x[i] * x[i];
    }
    const double scale = 1 / std::sqrt(z2);  // onto the surface, also where the root is ill-conditioned
    for (std::size_t i = 0; i < Size; ++i) x[i] *= scale * a_[i];
  }

  void add_pair() {
    for (const double sign : {-1.0, 1.0}) {
      Array& x = x_[static_cast<std::size_t>(count_++)];
      double z2 = 0;
      for (std::size_t i = 0; i < Size; ++i) {
        x[i] = calc_coordinate(i, 0);
        z2 += x[i] * x[i];
        x[i] *= a_[i];
      }
      x[longest_] = sign * a_[longest_] * std::sqrt(std::max(0.0, 1 - z2));
    }
  }

  Array a_, c_, delta_{}, k_{};
  std::size_t longest_ = 0;
  std::array<Array, 2> x_{};
  int count_ = 0;
};

class BowlPair {
 public:
  BowlPair(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin, LocalMinima& out)
      : A_(A),
        B_(B),
        X_AB_(X_AB),
        R_AB_(X_AB.R),
        p_AB_(X_AB.p),
        centre_(p_AB_ + R_AB_.z * bowl_centre(B.core.size)),
        size_(calc_bounding_radius(A) + B.core.size.x),
        margin_(margin),
        out_(out) {
    out.clear(kSamePlace * B.core.size.x);
  }

  void run() {
    add_hollow();
    add_flat();
    add_rim();
    add_section();
    // Deep in the body the deepest point may be nearest to a part that it is no minimum for.
    if (out_.count == 0 || deepest_.gap < out_[0].gap - kRounding * size_) out_.add(deepest_, 0);
    out_.drop_beyond(margin_);
  }

 private:
  struct Candidate {
    Vec x;  // point of A's core
    Proximity place;
  };

  /// A point of A's core against the part of the bowl that is nearest to it.
  Candidate make_candidate(const Vec& x, int feature_A) const {
    const BoundaryPoint b = project(B_.core, R_AB_.transpose_times(x - p_AB_));
    Proximity place;
    place.N = R_AB_ * b.n;
    place.gap = b.distance - A_.radius;
    place.p_A = x - place.N * A_.radius;
    place.p_B = p_AB_ + R_AB_ * b.p;
    place.feature_A = feature_A;
    place.feature_B = b.feature;
    return {x, place};
  }

  void note_depth(const Proximity& place) {
    if (place.gap < deepest_.gap) deepest_ = place;
  }

  // --- Hollow: local maxima of |x − C| ------------------------------------------------------------------------------

  void add_hollow() {
    const Vec &size = A_.core.size, &c = centre_;
    switch (A_.core.kind) {
      case CoreKind::point:
        offer_far_point(Vec::zero(), 0, 0);
        return add_cap(0);
      case CoreKind::segment:
        if (size.z >= c.z) offer_far_point({0, 0, size.z}, 2, 0);
        if (size.z >= -c.z) offer_far_point({0, 0, -size.z}, 1, 0);
        return;
      case CoreKind::box:
        return add_far_corners();
      case CoreKind::ellipsoid:
        if (size.x == size.y && size.y == size.z) {
          offer_far_point(find_bottom() * size.x, 0, 0);
          return add_cap(size.x);
        }
        return add_far_points_of_ellipsoid();
      case CoreKind::cylinder:
        if (size.z >= c.z) offer_far_point(find_far_point_of_rim(size.x, size.z), 4, 0);
        if (size.z >= -c.z) offer_far_point(find_far_point_of_rim(size.x, -size.z), 3, 0);
        return;
      case CoreKind::cone:
        return add_far_points_of_cone();
      case CoreKind::plate: {
        const FarPoints<2> far({size.x, size.y}, {c.x, c.y});
        for (int i = 0; i < far.count(); ++i)
          offer_far_point({far[i][0], far[i][1], 0}, 2, LocalMinima::number_minimum(far.end_of(i)));
        return;
      }
      case CoreKind::circle:
        return offer_far_point(find_far_point_of_rim(size.x, 0), 0, 0);
      case CoreKind::half_space:
      case CoreKind::bowl:
        THENAR_ASSERT(is_bounded(A_.core.kind));
    }
  }

  /// A local maximum of |x − C| counts if the hollow is what it is nearest to.
  void offer_far_point(const Vec& x, int feature_A, int number) {
    const Candidate found = make_candidate(x, feature_A);
    note_depth(found.place);
    if (found.place.feature_B != kHollow) return;
    out_.add(found.place, number);
    add_patch(found, x - centre_);
  }

  /// A corner is farthest if it is not on the near side along any axis.
  void add_far_corners() {
    for (int feature = 18; feature < 26; ++feature) {
      const BoxSides& sides = kBoxSides[static_cast<std::size_t>(feature)];
      const Vec corner = get_corner(feature);
      if (sides[0] * (corner.x - centre_.x) < 0 || sides[1] * (corner.y - centre_.y) < 0 ||
          sides[2] * (corner.z - centre_.z) < 0) {
        continue;
      }
      offer_far_point(corner, feature, 0);
    }
  }
  Vec get_corner(int feature) const {
    const BoxSides& sides = kBoxSides[static_cast<std::size_t>(feature)];
    const Vec& half = A_.core.size;
    return {sides[0] * half.x, sides[1] * half.y, sides[2] * half.z};
  }

  void add_far_points_of_ellipsoid() {
    const Vec &a = A_.core.size, &c = centre_;
    const FarPoints<3> far({a.x, a.y, a.z}, {c.x, c.y, c.z});
    for (int i = 0; i < far.count(); ++i)
      offer_far_point({far[i][0], far[i][1], far[i][2]}, 0, LocalMinima::number_minimum(far.end_of(i)));
  }

  /// The rim is farther than the side above it, the apex farther than the side below it, if x − C leads away from the
  /// side.
  void add_far_points_of_cone() {
    const Vec& size = A_.core.size;
    const Vec rim = find_far_point_of_rim(size.x, -size.z);
    const double from_axis = std::sqrt(centre_.x * centre_.x + centre_.y * centre_.y), height = 2 * size.z;
    if (height * (rim.z - centre_.z) <= size.x * (size.x + from_axis)) offer_far_point(rim, 2, 0);
    if (height * (size.z - centre_.z) >= size.x * from_axis) offer_far_point({0, 0, size.z}, 3, 0);
  }

  Vec find_far_point_of_rim(double radius, double z) const {
    const Radial c = make_radial(-centre_);
    return {radius * c.cx, radius * c.cy, z};
  }

  /// The direction from C to the middle of A, or down if they are the same.
  Vec find_bottom() const {
    const double length = norm(centre_);
    return length > 0 ? centre_ * (-1 / length) : -R_AB_.z;
  }

  /// A ball that fills the hollow: points of it on four meridians of the bowl, two thirds of the way to the rim.
  void add_cap(double core_radius) {
    const double ball = B_.core.size.x;
    if (out_.count == 0 || norm(centre_) > kPatchAngle * ball) return;
    double s, c;
    sincos(2.0 / 3.0 * std::acos(std::clamp(bowl_centre(B_.core.size) / ball, -1.0, 1.0)), s, c);
    for (int k = 0; k < LocalMinima::kFixedCount; ++k) {
      const Vec2Direction m = get_fixed_direction(k);
      const Vec u = R_AB_ * Vec(s * m.x, s * m.y, -c);
      // The point of the grown ball, so that the gap belongs to it and not to the middle.
      const Vec p = u * (core_radius + A_.radius), d = p - centre_;
      Proximity place;
      place.N = d * (-1 / norm(d));
      place.gap = ball - norm(d);
      place.p_A = p;
      place.p_B = p - place.N * place.gap;
      place.feature_B = kHollow;
      if (place.gap <= margin_) out_.add(place, LocalMinima::kFirstFixed + k);
    }
  }

  // --- Flat: the lowest point ---------------------------------------------------------------------------------------

  void add_flat() {
    const Vec down = -R_AB_.z;
    const BoundaryPoint lowest = support(A_.core, down);
    const Candidate found = make_candidate(lowest.p, lowest.feature);
    note_depth(found.place);
    // Of a face or line that is exactly parallel, only the ends count.
    const bool is_single = is_single_point(lowest.feature);
    if (found.place.feature_B == kFlat && is_single) out_.add(found.place, 0);
    // The height above the flat part, although the point may be above the hollow.
    Candidate level = found;
    level.place.gap = dot(lowest.p - p_AB_, R_AB_.z) - A_.radius;
    level.place.feature_B = kFlat;
    add_patch(level, down);
  }

  bool is_single_point(int feature) const {
    switch (A_.core.kind) {
      case CoreKind::segment:
        return feature != 0;
      case CoreKind::box:
        return feature >= 18;
      case CoreKind::cylinder:
        return feature >= 3;
      case CoreKind::cone:
      case CoreKind::plate:
        return feature >= 2;
      default:
        return true;
    }
  }

  // --- Rim ----------------------------------------------------------------------------------------------------------

  void add_rim() {
    const GrownCore rim{{CoreKind::circle, {B_.core.size.y, 0, 0}}, 0};
    const double level = std::max(margin_, calc_upper_bound());
    if (project(rim.core, R_AB_.transpose_times(-p_AB_)).distance - calc_bounding_radius(A_) > level) return;
    LocalMinima found;
    find_ring_minima(rim, A_, X_AB_.inverse(), level, found);
    for (int i = 0; i < found.count; ++i) offer_rim_place(swap_roles(found[i], X_AB_), found[i].number);
  }

  /// The angle between N and the normals that the rim has at p_B.
  double calc_rim_angle(const Vec& p_B, const Vec& N) const {
    return calc_outside(B_.core, kRim, R_AB_.transpose_times(p_B - p_AB_), R_AB_.transpose_times(N)).angle;
  }

  void offer_rim_place(Proximity place, int number) {
    place.feature_B = kRim;
    const bool is_fixed = LocalMinima::is_fixed(number);
    if (!is_fixed && std::abs(place.gap + A_.radius) < kNear * size_ && is_convex(A_.core.kind)) sharpen(place);
    const bool is_rim_in_core = place.gap + A_.radius < 0;
    const double allowed = is_fixed ? kPatchAngle : kFanRounding;
    if (is_rim_in_core || calc_rim_angle(place.p_B, place.N) <= allowed) out_.add(place, number);
  }

  /// Where the rim is next to the core or in it, its nearest point of the core does not tell the normal: the direction
  /// to it is lost in rounding, on edges it is that of one of the faces, and rods and plates have no inside. What tells
  /// is the largest separation.
  void sharpen(Proximity& place) const {
    if (make_exact(place, place.feature_A)) return;
    Proximity way = find_way_over_rim(make_radial(R_AB_.transpose_times(place.p_B - p_AB_)));
    for (const double step : {1e-4, 1e-2, 1e-6}) {
      const int feature_A = project(A_.core, way.p_B - way.N * (step * size_)).feature;
      if (!make_exact(way, feature_A)) continue;
      place = way;
      return;
    }
  }

  /// Newton's method from `place` on the rim and the given feature of A. False if it leads elsewhere: then nothing
  /// changes.
  bool make_exact(Proximity& place, int feature_A) const {
    Proximity found = place;
    found.feature_A = feature_A;
    if (polish(A_, B_, X_AB_, found) == Polish::failed) return false;
    const Outside a = calc_outside(A_.core, feature_A, found.p_A + found.N * A_.radius, -found.N);
    if (a.length > kRounding * size_ || a.angle > kFanRounding) return false;
    if (norm(found.p_B - place.p_B) > kNear * size_ || calc_rim_angle(found.p_B, found.N) > kFanRounding) return false;
    // All of A is on its side of the plane through its point, and no other normal of the rim there is better: a vertex
    // in the body is nearer to the flat part or the hollow.
    if (calc_separation(found.p_B, found.N) < found.gap - kRounding * size_) return false;
    if (found.gap + A_.radius < 0) {
      constexpr double kTurn = 1e-3;
      const Vec turn = normalized(cross(found.N, cross(R_AB_.z, found.p_B - p_AB_))) * kTurn;
      for (const Vec& N : {normalized(found.N + turn), normalized(found.N - turn)}) {
        if (calc_rim_angle(found.p_B, N) > kFanRounding) continue;
        if (calc_separation(found.p_B, N) > found.gap + kRounding * size_) return false;
      }
    }
    place = found;
    return true;
  }

  /// s(N) of A and a point of the rim.
  double calc_separation(const Vec& rim, const Vec& N) const {
    return -support(A_.core, -N).distance - dot(N, rim) - A_.radius;
  }

  /// The normal of the rim on a meridian along which A is farthest away, or least deep in the wedge between the flat
  /// part and the tangent plane of the hollow.
  Proximity find_way_over_rim(const Radial& meridian) const {
    constexpr int kSamples = 16, kThirds = 60;
    const Vec rim = p_AB_ + R_AB_ * place_radially(meridian, B_.core.size.y, 0);
    const double fan = std::acos(std::clamp(bowl_centre(B_.core.size) / B_.core.size.x, -1.0, 1.0));
    const auto make_place = [&](double angle) {
      double s, c;
      sincos(angle, s, c);
      Proximity place;
      place.N = R_AB_ * place_radially(meridian, -s, c);
      const BoundaryPoint a = support(A_.core, -place.N);
      place.gap = -a.distance - dot(place.N, rim) - A_.radius;
      place.p_A = rim + place.N * place.gap;
      place.p_B = rim;
      place.feature_A = a.feature;
      place.feature_B = kRim;
      return place;
    };
    int best = 0;
    for (int k = 1; k <= kSamples; ++k) {
      if (make_place(fan * k / kSamples).gap > make_place(fan * best / kSamples).gap) best = k;
    }
    double low = fan * std::max(0, best - 1) / kSamples, high = fan * std::min(kSamples, best + 1) / kSamples;
    for (int k = 0; k < kThirds; ++k) {
      const double third = (high - low) / 3;
      if (make_place(low + third).gap > make_place(high - third).gap) {
        high -= third;
      } else {
        low += third;
      }
    }
    return make_place(0.5 * (low + high));
  }

  /// A gap that the pair has at most: of what was found, or of some point of A.
  double calc_upper_bound() const {
    if (out_.count > 0) return out_[0].gap;
    const Vec some = A_.core.kind == CoreKind::circle ? Vec(A_.core.size.x, 0, 0) : Vec::zero();
    return make_candidate(some, 0).place.gap;
  }

  // --- Behind the rim -----------------------------------------------------------------------------------------------

  /// A core that goes through the plane of the flat part outside of the rim is in the body. If its lowest point is
  /// behind the wall, in the hollow or above it, no place so far need tell: rods and plates have no inside that the rim
  /// could be in, and the rim may be behind a thicker core.
  void add_section() {
    if (out_.count > 0 && out_[0].gap + A_.radius < 0) return;
    const Vec low = support(A_.core, -R_AB_.z).p, high = support(A_.core, R_AB_.z).p;
    const double low_z = calc_height(low), high_z = calc_height(high);
    if (!(low_z < 0 && high_z > 0)) return;
    if (make_candidate(low, 0).place.feature_B == kFlat) return;
    if (A_.core.kind == CoreKind::circle) return add_section_of_circle(low, low_z, high_z);
    Vec y = low + (high - low) * (-low_z / (high_z - low_z));
    if (A_.core.kind == CoreKind::plate) y = find_section_of_plate(y);
    const Radial meridian = make_radial(R_AB_.transpose_times(y - p_AB_));
    if (meridian.rho <= B_.core.size.y) return;
    Proximity way = find_way_over_rim(meridian);
    if (!make_exact(way, project(A_.core, way.p_B).feature)) make_exact(way, way.feature_A);
    out_.add(way, 0);
  }

  double calc_height(const Vec& x) const { return dot(x - p_AB_, R_AB_.z); }

  /// The deepest points between where a circle leaves the body through the flat part and its lowest point.
  void add_section_of_circle(const Vec& low, double low_z, double high_z) {
    constexpr int kSteps = 64;
    const double lowest = std::atan2(low.y, low.x), half = std::acos((high_z + low_z) / (high_z - low_z));
    for (const double end : {lowest - half, lowest + half}) {
      if (make_candidate(get_circle_point(end), 0).place.gap + A_.radius > kSamePlace * B_.core.size.x) continue;
      for (int k = 0; k < kSteps; ++k) {
        note_depth(make_candidate(get_circle_point(end + (lowest - end) * k / kSteps), 0).place);
      }
    }
  }
  Vec get_circle_point(double angle) const {
    double s, c;
    sincos(angle, s, c);
    return {A_.core.size.x * c, A_.core.size.x * s, 0};
  }

  /// A plate and the plane of the flat part have a chord in common, on which y lies. Its point nearest to the bowl's
  /// axis if that is outside of the rim, else its farther end.
  Vec find_section_of_plate(const Vec& y) const {
    const Vec& a = A_.core.size;
    const Vec d = normalized(Vec(R_AB_.z.y, -R_AB_.z.x, 0));
    // |(y + t d)/a|² = 1.
    const double dd = d.x * d.x / (a.x * a.x) + d.y * d.y / (a.y * a.y);
    const double yd = y.x * d.x / (a.x * a.x) + y.y * d.y / (a.y * a.y);
    const double yy = y.x * y.x / (a.x * a.x) + y.y * y.y / (a.y * a.y) - 1;
    const double root = std::sqrt(std::max(0.0, yd * yd - dd * yy));
    const double first = (-yd - root) / dd, last = (-yd + root) / dd, foot = dot(p_AB_ - y, d);
    const Vec nearest = y + d * std::clamp(foot, first, last);
    if (norm(nearest - p_AB_) > B_.core.size.y) return nearest;
    return y + d * (foot - first > last - foot ? first : last);
  }

  // --- Patches ------------------------------------------------------------------------------------------------------

  struct Vec2Direction {
    double x, y;
  };
  static Vec2Direction get_fixed_direction(int k) {
    constexpr std::array<Vec2Direction, LocalMinima::kFixedCount> kDirections{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
    return kDirections[static_cast<std::size_t>(k)];
  }

  /// Adds points of A that are about as near to the same part of the bowl as `nearest`, where A is farthest along d.
  void add_patch(const Candidate& nearest, const Vec& d) {
    if (nearest.place.gap > margin_) return;
    visit_marks(nearest.x, d, [&](const Vec& x, int feature, int number) {
      const Candidate mark = make_candidate(x, feature);
      const double rise = mark.place.gap - nearest.place.gap;
      if (mark.place.feature_B != nearest.place.feature_B || mark.place.gap > margin_) return;
      if (rise <= kPatchAngle * norm(x - nearest.x)) out_.add(mark.place, number);
    });
  }

  /// Points of the core that span what it can lie on: visit(x, feature, number).
  template <class Visit>
  void visit_marks(const Vec& nearest, const Vec& d, const Visit& visit) const {
    const Vec& size = A_.core.size;
    const Radial along = make_radial(d);
    switch (A_.core.kind) {
      case CoreKind::segment:
        visit({0, 0, -size.z}, 1, 0);
        visit({0, 0, size.z}, 2, 0);
        break;
      case CoreKind::box:
        for (int feature = 18; feature < 26; ++feature) visit(get_corner(feature), feature, 0);
        break;
      case CoreKind::ellipsoid:
        visit_widest_section(nearest, visit);
        break;
      case CoreKind::cylinder:
        for (const int end : {0, 1}) {
          const double z = end == 1 ? size.z : -size.z;
          visit_rim(size.x, size.x, z, 3 + end, visit);
          visit(place_radially(along, size.x, z), 3 + end, 0);
        }
        break;
      case CoreKind::cone:
        visit_rim(size.x, size.x, -size.z, 2, visit);
        visit(place_radially(along, size.x, -size.z), 2, 0);
        visit({0, 0, size.z}, 3, 0);
        break;
      case CoreKind::plate:
        visit_rim(size.x, size.y, 0, 2, visit);
        break;
      case CoreKind::circle:
        visit_rim(size.x, size.x, 0, 0, visit);
        break;
      default:
        break;
    }
  }

  template <class Visit>
  static void visit_rim(double a, double b, double z, int feature, const Visit& visit) {
    for (int k = 0; k < LocalMinima::kFixedCount; ++k) {
      const Vec2Direction m = get_fixed_direction(k);
      visit(Vec(a * m.x, b * m.y, z), feature, LocalMinima::kFirstFixed + k);
    }
  }

  /// Around an ellipsoid, through the nearest point and across its shortest axis.
  template <class Visit>
  void visit_widest_section(const Vec& nearest, const Visit& visit) const {
    const std::array<double, 3> a{A_.core.size.x, A_.core.size.y, A_.core.size.z};
    const std::array<double, 3> x{nearest.x, nearest.y, nearest.z};
    const auto shortest = static_cast<std::size_t>(std::min_element(a.begin(), a.end()) - a.begin());
    const std::size_t i = (shortest + 1) % 3, j = (shortest + 2) % 3;
    const double z = x[shortest] / a[shortest], scale = std::sqrt(std::max(0.0, 1 - z * z));
    for (int k = 0; k < LocalMinima::kFixedCount; ++k) {
      const Vec2Direction m = get_fixed_direction(k);
      std::array<double, 3> p = x;
      p[i] = m.x * a[i] * scale;
      p[j] = m.y * a[j] * scale;
      visit(Vec(p[0], p[1], p[2]), 0, LocalMinima::kFirstFixed + k);
    }
  }

  const GrownCore& A_;
  const GrownCore& B_;
  const Pose<double>& X_AB_;
  Mat3<double> R_AB_;
  Vec p_AB_;
  Vec centre_;   // of the ball, in the frame of A
  double size_;  // m, of the pair
  double margin_;
  LocalMinima& out_;
  Proximity deepest_{std::numeric_limits<double>::infinity(), {}, {}, {}, 0, 0};
};

}  // namespace

void find_bowl_minima(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin,
                      LocalMinima& out) {
  THENAR_ASSERT(is_bounded(A.core.kind) && B.core.kind == CoreKind::bowl);
  BowlPair(A, B, X_AB, margin, out).run();
}

}  // namespace thenar::internal
