// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/bowl_distance_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/base/assert.h"
#include "thenar/base/sincos.h"
#include "thenar/geometry/bowl_wedge_internal.h"
#include "thenar/geometry/convex_distance_internal.h"
#include "thenar/geometry/core_marks_internal.h"
#include "thenar/geometry/element_newton_internal.h"
#include "thenar/geometry/far_points_internal.h"
#include "thenar/geometry/foot_internal.h"
#include "thenar/geometry/ring_distance_internal.h"

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;

constexpr int kBowlFlat = 0, kBowlRim = 1, kBowlHollow = 2;  ///< features of the bowl
constexpr double kSamePlaceOfBall = 1e-7;                    ///< of the ball's radius
/// Of the size of the pair: rounding, and where rounding is felt in directions.
constexpr double kBowlRounding = 1e-13, kBowlNear = 1e-2;
/// How far, in rad, a normal of the rim may be outside of its fan: rounding.
constexpr double kFanRounding = 1e-9;

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
    out.clear(kSamePlaceOfBall * B.core.size.x);
  }

  void run() {
    add_hollow();
    add_flat();
    add_rim();
    add_section();
    // Deep in the body the deepest point may be nearest to a part that it is no minimum for.
    if (out_.count == 0 || deepest_.gap < out_[0].gap - kBowlRounding * size_) out_.add(deepest_, 0);
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
        if (!is_concentric()) offer_far_point(Vec::zero(), 0, 0);
        return add_cap(0);
      case CoreKind::segment:
        if (size.z >= c.z) offer_far_point({0, 0, size.z}, 2, 0);
        if (size.z >= -c.z) offer_far_point({0, 0, -size.z}, 1, 0);
        return;
      case CoreKind::box:
        return add_far_corners();
      case CoreKind::ellipsoid:
        if (size.x == size.y && size.y == size.z) {
          if (!is_concentric()) offer_far_point(normalized(-centre_) * size.x, 0, 0);
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

  /// A local maximum of |x − C| counts if the hollow is what it is nearest to, or if it is in the body behind the
  /// hollow and that is the way out.
  void offer_far_point(const Vec& x, int feature_A, int number) {
    Candidate found = make_candidate(x, feature_A);
    note_depth(found.place);
    if (is_in_body(found)) {
      if (!find_way_to_hollow(found)) return;
    } else if (found.place.feature_B != kBowlHollow) {
      return;
    }
    out_.add(found.place, number);
    add_patch(found, x - centre_);
  }

  bool is_in_body(const Candidate& point) const { return point.place.gap + A_.radius < 0 && is_convex(A_.core.kind); }

  /// Whether a point in the body gets out by the hollow, at n = −u of the wedge W(u) that it is deepest in. With β the
  /// angle of the wedge and l the distance of its point of the hollow from the edge, it alone has s(n) < −depth for all
  /// other normals if l > depth tan(β/2), where cos β = −u · z and l sin β is how far the point is below the flat part.
  bool find_way_to_hollow(Candidate& point) const {
    const Vec from_centre = point.x - centre_, u = normalized(from_centre);
    const double ball = B_.core.size.x, depth = norm(from_centre) - ball;
    const Vec p_B = centre_ + u * ball;
    const double below = -calc_height(p_B), u_z = dot(u, R_AB_.z);
    if (below < 0) return false;
    if (below * (1 - u_z) < depth * (1 - u_z * u_z) && is_beaten(make_wedge(B_.core, R_AB_.transpose_times(u)), -depth))
      return false;
    point.place.gap = -depth - A_.radius;
    point.place.N = -u;
    point.place.p_A = point.x + u * A_.radius;
    point.place.p_B = p_B;
    point.place.feature_B = kBowlHollow;
    return true;
  }

  /// A corner is farthest if it is not on the near side along any axis.
  void add_far_corners() {
    for (int feature = 18; feature < 26; ++feature) {
      const BoxSides& sides = kBoxSides[static_cast<std::size_t>(feature)];
      const Vec corner = get_box_corner(A_.core.size, feature);
      if (sides[0] * (corner.x - centre_.x) < 0 || sides[1] * (corner.y - centre_.y) < 0 ||
          sides[2] * (corner.z - centre_.z) < 0) {
        continue;
      }
      offer_far_point(corner, feature, 0);
    }
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

  bool is_concentric() const { return norm(centre_) <= kBowlRounding * size_; }

  /// A ball that fills the hollow: its lowest point if all are as near, and others on four meridians of the bowl, two
  /// thirds of the way to the rim.
  void add_cap(double core_radius) {
    const double ball = B_.core.size.x;
    if (norm(centre_) > kPatchAngle * ball) return;
    if (is_concentric()) add_point_of_ball(-R_AB_.z * (core_radius + A_.radius), 0);
    double s, c;
    sincos(2.0 / 3.0 * make_rim_wedge(B_.core, {}).angle, s, c);
    for (int k = 0; k < LocalMinima::kFixedCount; ++k) {
      const Vec u = R_AB_ * place_radially(get_fixed_direction(k), s, -c);
      add_point_of_ball(u * (core_radius + A_.radius), LocalMinima::kFirstFixed + k);
    }
  }

  /// A point of the grown ball, so that the gap belongs to it and not to the middle.
  void add_point_of_ball(const Vec& p, int number) {
    const Vec d = p - centre_;
    Proximity place;
    place.N = d * (-1 / norm(d));
    place.gap = B_.core.size.x - norm(d);
    place.p_A = p;
    place.p_B = p - place.N * place.gap;
    place.feature_B = kBowlHollow;
    if (number == 0 || place.gap <= margin_) out_.add(place, number);
  }

  // --- Flat: the lowest point ---------------------------------------------------------------------------------------

  void add_flat() {
    const Vec down = -R_AB_.z;
    const BoundaryPoint lowest = support(A_.core, down);
    Candidate found = make_candidate(lowest.p, lowest.feature);
    note_depth(found.place);
    const bool is_above_flat = is_in_body(found) ? is_way_up(lowest.p) : found.place.feature_B == kBowlFlat;
    // The height above the flat part, although the point may be above the hollow.
    const double height = calc_height(lowest.p);
    found.place.gap = height - A_.radius;
    found.place.N = R_AB_.z;
    found.place.p_A = lowest.p - R_AB_.z * A_.radius;
    found.place.p_B = lowest.p - R_AB_.z * height;
    found.place.feature_B = kBowlFlat;
    // Of a face or line that is exactly parallel, only the ends count.
    if (is_above_flat && is_single_point(lowest.feature)) out_.add(found.place, 0);
    add_patch(found, down);
  }

  /// Whether up is the way out of the body for the lowest point: the same at the other end of the normals.
  bool is_way_up(const Vec& lowest) const {
    const Vec x_B = R_AB_.transpose_times(lowest - p_AB_);
    const Radial meridian = make_radial(x_B);
    const double ball = B_.core.size.x, rim = B_.core.size.y, beyond = meridian.rho - rim;
    if (beyond < 0) return false;
    if (beyond >= -x_B.z * rim / (2 * ball - B_.core.size.z)) return true;
    const Vec u_B = normalized(R_AB_.transpose_times(lowest - centre_));
    return !is_beaten(make_rim_wedge(B_.core, meridian), x_B.z) || !is_beaten(make_wedge(B_.core, u_B), x_B.z);
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
    // Rods and plates that have passed the rim are at a positive distance of it again.
    const bool has_no_inside = A_.core.kind == CoreKind::segment || A_.core.kind == CoreKind::plate;
    const double level = std::max({margin_, calc_upper_bound(), has_no_inside ? kBowlNear * size_ : 0});
    if (project(rim.core, R_AB_.transpose_times(-p_AB_)).distance - calc_bounding_radius(A_) > level) return;
    LocalMinima found;
    find_ring_minima(rim, A_, X_AB_.inverse(), level, found);
    for (int i = 0; i < found.count; ++i) offer_rim_place(swap_roles(found[i], X_AB_), found[i].number);
  }

  void offer_rim_place(Proximity place, int number) {
    place.feature_B = kBowlRim;
    const bool is_fixed = LocalMinima::is_fixed(number);
    if (!is_fixed && is_convex(A_.core.kind) && std::abs(place.gap + A_.radius) < kBowlNear * size_) {
      return offer_near_rim_place(place, number);
    }
    const bool is_owned = calc_rim_angle(place.p_B, place.N) <= (is_fixed ? kPatchAngle : kFanRounding);
    const bool is_rim_in_core = place.gap + A_.radius < 0;
    if (is_owned && (is_fixed || !is_rim_in_core)) {
      out_.add(place, number);
    } else if (is_rim_in_core) {
      note_depth(place);
    }
  }

  /// Where the rim is next to the core or in it, its nearest point of the core does not tell the normal: the direction
  /// to it is lost in rounding, on edges it is that of one of the faces, and rods and plates have no inside. What tells
  /// is the largest separation.
  void offer_near_rim_place(Proximity place, int number) {
    if (make_exact(place, place.feature_A)) return out_.add(place, number);
    Proximity way = find_way_out(A_, X_AB_, make_rim_wedge_at(place.p_B));
    const double depth = std::max(std::abs(way.gap + A_.radius), kBowlRounding * size_);
    const auto find_feature_at = [&](double step) { return project(A_.core, way.p_B - way.N * step).feature; };
    for (const int feature_A :
         {find_feature_at(1.5 * depth), way.feature_A, find_feature_at(10 * depth), find_feature_at(1e-4 * size_)}) {
      if (make_exact(way, feature_A)) return out_.add(way, number);
    }
    if (way.gap + A_.radius < 0) return note_depth(way);
    if (calc_rim_angle(place.p_B, place.N) <= kFanRounding) out_.add(place, number);
  }

  BowlWedge make_rim_wedge_at(const Vec& p) const {
    return make_rim_wedge(B_.core, make_radial(R_AB_.transpose_times(p - p_AB_)));
  }

  /// Whether A's core has a larger separation from the wedge than `separation` (m).
  bool is_beaten(const BowlWedge& wedge, double separation) const {
    return find_way_out(A_, X_AB_, wedge).gap + A_.radius > separation + kBowlRounding * size_;
  }

  /// The angle between N and the normals that the rim has at p_B.
  double calc_rim_angle(const Vec& p_B, const Vec& N) const {
    return calc_outside(B_.core, kBowlRim, R_AB_.transpose_times(p_B - p_AB_), R_AB_.transpose_times(N)).angle;
  }

  /// Newton's method from `place` on the rim and the given feature of A. False if it leads elsewhere: then nothing
  /// changes.
  bool make_exact(Proximity& place, int feature_A) const {
    Proximity found = place;
    found.feature_A = feature_A;
    if (polish(A_, B_, X_AB_, found) == Polish::failed) return false;
    const Outside a = calc_outside(A_.core, feature_A, found.p_A + found.N * A_.radius, -found.N);
    if (a.length > kBowlRounding * size_ || a.angle > kFanRounding) return false;
    if (norm(found.p_B - place.p_B) > kBowlNear * size_ || calc_rim_angle(found.p_B, found.N) > kFanRounding)
      return false;
    // All of A is on its side of the plane through its point, and no other normal of the rim there is better: a vertex
    // in the body, for one, is nearer to the flat part or to the hollow.
    const double s = found.gap + A_.radius;
    if (-support(A_.core, -found.N).distance - dot(found.N, found.p_B) < s - kBowlRounding * size_) return false;
    if (s < 0 && is_beaten(make_rim_wedge_at(found.p_B), s)) return false;
    place = found;
    return true;
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
    if (A_.core.kind == CoreKind::circle) return add_section_of_circle(low, low_z, high_z);
    Vec y = low + (high - low) * (-low_z / (high_z - low_z));
    if (A_.core.kind == CoreKind::plate) y = find_section_of_plate(y);
    if (norm(y - p_AB_) <= B_.core.size.y) return;
    Proximity way = find_way_out(A_, X_AB_, make_rim_wedge_at(y));
    if (!make_exact(way, project(A_.core, way.p_B).feature)) make_exact(way, way.feature_A);
    out_.add(way, 0);
  }

  double calc_height(const Vec& x) const { return dot(x - p_AB_, R_AB_.z); }

  /// The deepest points between where a circle leaves the body through the flat part and its lowest point.
  void add_section_of_circle(const Vec& low, double low_z, double high_z) {
    constexpr int kSteps = 64;
    const double lowest = std::atan2(low.y, low.x), half = std::acos((high_z + low_z) / (high_z - low_z));
    for (const double end : {lowest - half, lowest + half}) {
      if (make_candidate(get_circle_point(end), 0).place.gap + A_.radius > kSamePlaceOfBall * B_.core.size.x) continue;
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

  /// Adds points of A that are about as near to the same part of the bowl as `nearest`, where A is farthest along d.
  void add_patch(const Candidate& nearest, const Vec& d) {
    if (nearest.place.gap > margin_) return;
    visit_marks(A_.core, nearest.x, d, [&](const Vec& x, int feature, int number) {
      const Candidate mark = make_candidate(x, feature);
      const double rise = mark.place.gap - nearest.place.gap;
      if (mark.place.feature_B != nearest.place.feature_B || mark.place.gap > margin_) return;
      if (rise <= kPatchAngle * norm(x - nearest.x)) out_.add(mark.place, number);
    });
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
