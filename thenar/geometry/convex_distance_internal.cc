// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/convex_distance_internal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/base/numbers.h"
#include "thenar/geometry/closed_distance_internal.h"
#include "thenar/geometry/element_newton_internal.h"
#include "thenar/geometry/feature_surface.h"
#include "thenar/geometry/gjk_internal.h"
#include "thenar/geometry/normal_newton_internal.h"

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;

/// Proofs hold to this part of the size of the pair: some hundred roundings.
constexpr double kProof = 2e-14;
constexpr double kNormal = 1e-15;     ///< rad, rounding of a normal
constexpr double kFlatShapes = 1e-9;  ///< flat shapes are in one plane within this angle, and this part of their size
/// Overlaps up to this part of the smaller shape are looked at from all features nearby.
constexpr double kExplored = 0.05;
constexpr double kReach = 8;  ///< times the depth: what is nearby
/// What GJK is run with until something is proved: {factor that cores are shrunk by, accuracy}.
constexpr std::array<std::array<double, 2>, 6> kAttempts{
    {{1, 1e-4}, {0.95, 1e-4}, {1, 1e-10}, {0.95, 1e-10}, {0.7, 1e-4}, {0.3, 1e-4}}};

bool is_flat(CoreKind kind, int feature) {
  switch (kind) {
    case CoreKind::box:
      return feature < 6;
    case CoreKind::cylinder:
      return feature == 1 || feature == 2;
    case CoreKind::cone:
      return feature == 1;
    case CoreKind::plate:
      return feature < 2;
    case CoreKind::half_space:
      return true;
    default:
      return false;
  }
}

/// Whether the feature is a vertex or an edge, straight or round.
bool is_sharp(CoreKind kind, int feature) {
  switch (kind) {
    case CoreKind::box:
      return feature >= 6;
    case CoreKind::cylinder:
      return feature >= 3;
    case CoreKind::cone:
    case CoreKind::plate:
      return feature >= 2;
    default:
      return kind == CoreKind::point || kind == CoreKind::segment;
  }
}

bool is_vertex(CoreKind kind, int feature) {
  switch (kind) {
    case CoreKind::point:
      return true;
    case CoreKind::segment:
      return feature > 0;
    case CoreKind::box:
      return feature >= 18;
    case CoreKind::cone:
      return feature == 3;
    default:
      return false;
  }
}

bool has_straight_edges(CoreKind kind) { return kind == CoreKind::box || kind == CoreKind::segment; }

class ConvexPair {
 public:
  ConvexPair(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB)
      : A_(A),
        B_(B),
        X_AB_(X_AB),
        R_AB_(X_AB.R),
        p_AB_(X_AB.p),
        size_A_(calc_bounding_radius(A)),
        size_B_(calc_bounding_radius(B)),
        length_(size_A_ + size_B_ + norm(p_AB_)) {}

  Proximity solve(const Proximity* guess) const {
    Proximity last;
    last.gap = -kInfinity;
    if (guess != nullptr) {
      Proximity place = *guess;
      const bool is_settled = settle(place);
      if (is_settled && is_certain(place)) return place;
      // Twice as deep within a step is another way out, or a blind spot.
      if (is_settled && place.gap > 2 * guess->gap && is_way_out(place)) last = place;
    }
    return search(last);
  }

 private:
  Vec to_B(const Vec& p) const { return R_AB_.transpose_times(p - p_AB_); }
  Vec from_B(const Vec& p) const { return p_AB_ + R_AB_ * p; }

  /// The farthest points along −N of A and along N of B, on the grown shapes.
  Vec support_A(const Vec& N) const { return support(A_.core, -N).p - N * A_.radius; }
  Vec support_B(const Vec& N) const { return from_B(support(B_.core, R_AB_.transpose_times(N)).p) + N * B_.radius; }

  /// s(N).
  double calc_separation(const Vec& N) const { return dot(N, support_A(N) - support_B(N)); }

  /// Whether the points are on their shapes and the planes through them support both: by what the features own, or
  /// where the normal is at the edge of that, by s(N).
  bool is_proved(const Proximity& place) const {
    const double nothing = kProof * length_;
    if (is_out_of_plane(place.N)) return false;
    const Outside a = calc_outside(A_.core, place.feature_A, place.p_A + place.N * A_.radius, -place.N);
    if (a.length > nothing) return false;
    const Vec N_B = R_AB_.transpose_times(place.N);
    const Outside b = calc_outside(B_.core, place.feature_B, to_B(place.p_B) - N_B * B_.radius, N_B);
    if (b.length > nothing) return false;
    return (a.angle <= kNormal && b.angle <= kNormal) || place.gap - calc_separation(place.N) <= nothing;
  }

  /// From a guess of points and features to a proved place.
  bool settle(Proximity& place) const {
    constexpr int kMostCorrections = 8;
    for (int k = 0; k < kMostCorrections; ++k) {
      if ((put_vertex(place) || solve_on_features(place)) && is_proved(place)) return true;
      if (!correct_features(place)) return false;
    }
    return false;
  }

  /// The place that the features have, without regard to where they end. A flat face tells which feature of the other
  /// shape it is. Else by Newton's method on the normal, or on the elements where that is singular.
  bool solve_on_features(Proximity& place) const {
    if (is_flat(A_.core.kind, place.feature_A)) return put_on_face_of_A(place);
    if (is_flat(B_.core.kind, place.feature_B)) return put_on_face_of_B(place);
    return polish_normal(A_, B_, X_AB_, place) || polish(A_, B_, X_AB_, place) != Polish::failed;
  }

  /// A flat face of A: the point of B that is deepest below its plane.
  bool put_on_face_of_A(Proximity& place) const {
    const ContactElement<double> face = snap(A_, place.feature_A, place.p_A, -place.N);
    place.N = -face.n;
    const BoundaryPoint b = support(B_.core, R_AB_.transpose_times(place.N));
    place.p_B = from_B(b.p) + place.N * B_.radius;
    place.feature_B = b.feature;
    place.gap = dot(place.N, face.p - place.p_B);
    place.p_A = place.p_B + place.N * place.gap;
    return true;
  }

  bool put_on_face_of_B(Proximity& place) const {
    const ContactElement<double> face = snap(B_, place.feature_B, to_B(place.p_B), R_AB_.transpose_times(place.N));
    place.N = R_AB_ * face.n;
    const BoundaryPoint a = support(A_.core, -place.N);
    place.p_A = a.p - place.N * A_.radius;
    place.feature_A = a.feature;
    place.gap = dot(place.N, place.p_A - from_B(face.p));
    place.p_B = place.p_A - place.N * place.gap;
    return true;
  }

  /// A vertex outside of the other shape tells which of its features it is.
  bool put_vertex(Proximity& place) const {
    return (is_vertex(A_.core.kind, place.feature_A) && put_vertex_of_A(place)) ||
           (is_vertex(B_.core.kind, place.feature_B) && put_vertex_of_B(place));
  }

  /// A vertex of A: the nearest point of B's core, whose normal is exact however near it is. False if it is inside: the
  /// rest of A may stop it from leaving by the nearest face.
  bool put_vertex_of_A(Proximity& place) const {
    const Vec vertex = snap({A_.core, 0}, place.feature_A, place.p_A, -place.N).p;
    const BoundaryPoint b = project(B_.core, to_B(vertex));
    if (!(b.distance > 0)) return false;
    place.N = R_AB_ * b.n;
    place.feature_B = b.feature;
    place.gap = b.distance - A_.radius - B_.radius;
    place.p_A = vertex - place.N * A_.radius;
    place.p_B = from_B(b.p) + place.N * B_.radius;
    return true;
  }

  bool put_vertex_of_B(Proximity& place) const {
    const Vec vertex = from_B(snap({B_.core, 0}, place.feature_B, to_B(place.p_B), R_AB_.transpose_times(place.N)).p);
    const BoundaryPoint a = project(A_.core, vertex);
    if (!(a.distance > 0)) return false;
    place.N = -a.n;
    place.feature_A = a.feature;
    place.gap = a.distance - A_.radius - B_.radius;
    place.p_A = a.p - place.N * A_.radius;
    place.p_B = vertex + place.N * B_.radius;
    return true;
  }

  /// The features that have the points of `place` nearest to what is outside of them. False when nothing changes.
  bool correct_features(Proximity& place) const {
    const int old_A = place.feature_A, old_B = place.feature_B;
    classify(place);
    return place.feature_A != old_A || place.feature_B != old_B;
  }

  void classify(Proximity& place) const {
    const BoundaryPoint a = project(A_.core, place.p_A - place.N * size_A_);
    place.feature_A = a.feature;
    place.p_A = a.p - place.N * A_.radius;
    const Vec N_B = R_AB_.transpose_times(place.N);
    const BoundaryPoint b = project(B_.core, to_B(place.p_B) + N_B * size_B_);
    place.feature_B = b.feature;
    place.p_B = from_B(b.p) + place.N * B_.radius;
  }

  /// With a way out of the overlap that the last answer led to, or −∞ as its gap.
  Proximity search(const Proximity& last) const {
    Proximity settled = last, bound;
    bound.gap = -kInfinity;
    const bool is_continued = last.gap > -kInfinity;
    bool is_confirmed = false;
    if (!is_continued && guess_by_projection(settled) && settle(settled) && is_certain(settled)) return settled;
    settled.gap = last.gap;
    // The cores as they are, then shrunk, which helps where they touch and rounding blinds GJK; then more closely.
    for (const auto& [shrink, accuracy] : kAttempts) {
      const GjkResult rough = run_gjk(A_.core, B_.core, X_AB_, shrink, accuracy);
      if (rough.status == GjkStatus::unclear) continue;
      consider_direction(rough.N, bound);
      Proximity place = make_guess(rough, shrink);
      const bool is_proved = settle(place);
      if (is_proved && place.gap > 0) return place;
      if (is_proved && place.gap > settled.gap && is_way_out(place)) settled = place;
      const bool is_best = settled.gap >= bound.gap - kProof * length_;
      if (is_best && is_certain(settled)) return settled;
      is_confirmed = is_continued && is_proved && place.gap >= settled.gap - kProof * length_;
      if (is_best && (is_confirmed || shrink < 1)) break;
    }
    if (!(settled.gap > -kInfinity)) consider_axes(bound);
    const bool is_settled = settled.gap >= bound.gap - kProof * length_;
    if (!is_settled) return find_best_way_out(bound, Trust::bound);
    if (!is_shallow(settled)) return settled;
    return find_best_way_out(settled, is_confirmed ? Trust::confirmed : Trust::proved);
  }

  bool is_shallow(const Proximity& place) const { return place.gap >= -kExplored * std::min(size_A_, size_B_); }

  /// The nearest point of A to the middle of B, and the nearest of B to that: often on the right features. False when
  /// one is inside the other.
  bool guess_by_projection(Proximity& place) const {
    const BoundaryPoint a = project(A_.core, p_AB_);
    if (!(a.distance > 0)) return false;
    const BoundaryPoint b = project(B_.core, to_B(a.p));
    if (!(b.distance > 0)) return false;
    place.N = R_AB_ * b.n;
    place.feature_A = a.feature;
    place.feature_B = b.feature;
    place.p_A = a.p - place.N * A_.radius;
    place.p_B = from_B(b.p) + place.N * B_.radius;
    return true;
  }

  Proximity make_guess(const GjkResult& rough, double shrink) const {
    Proximity place;
    place.N = rough.N;
    place.p_A = rough.p_A * (1 / shrink);
    place.p_B = p_AB_ + (rough.p_B - p_AB_) * (1 / shrink);
    classify(place);
    return place;
  }

  /// Any direction bounds the gap from below. The best one is the answer where nothing is proved, which happens to deep
  /// overlaps only; it is not critical, so that its points do not face each other exactly.
  void consider_direction(const Vec& N, Proximity& best) const {
    const double separation = calc_separation(N);
    if (!(separation > best.gap)) return;
    if (is_out_of_plane(N)) return;
    best.N = N;
    best.p_A = support_A(N);
    best.p_B = support_B(N);
    best.gap = separation;
    take_facing_points(best);
  }

  /// Edges and faces have many support points along a normal of theirs: takes one that faces that of the other shape,
  /// if there is one.
  void take_facing_points(Proximity& place) const {
    Proximity from_A = place, from_B_side = place;
    from_A.p_B = place.p_A - place.N * place.gap;
    from_B_side.p_A = place.p_B + place.N * place.gap;
    const auto calc_mismatch = [&](const Proximity& candidate) {
      const Vec d = candidate.p_A - candidate.p_B - candidate.N * candidate.gap;
      return dot(d, d);
    };
    classify(place);
    for (Proximity* candidate : {&from_A, &from_B_side}) {
      classify(*candidate);
      if (calc_mismatch(*candidate) < calc_mismatch(place)) place = *candidate;
    }
  }

  /// For overlaps that blind GJK altogether: along the axes of both shapes and from middle to middle.
  void consider_axes(Proximity& best) const {
    for (const Vec& axis : {Vec{1, 0, 0}, Vec{0, 1, 0}, Vec{0, 0, 1}, R_AB_.x, R_AB_.y, R_AB_.z}) {
      consider_direction(axis, best);
      consider_direction(-axis, best);
    }
    if (dot(p_AB_, p_AB_) > 0) consider_direction(-normalized(p_AB_), best);
  }

  /// Whether a proved place is the answer: shapes that do not overlap have one only, and no other way out of an overlap
  /// is shorter where one of the points is inside a smooth part of its boundary.
  bool is_certain(const Proximity& place) const {
    if (place.gap >= -kProof * length_) return true;
    return is_smooth_around(A_, place.feature_A, place.p_A, -place.N, -place.gap) ||
           is_smooth_around(B_, place.feature_B, to_B(place.p_B), R_AB_.transpose_times(place.N), -place.gap);
  }

  /// Let a shape contain points q around its boundary point p. A direction that is turned by θ from n separates the
  /// shapes by no more than −(depth cos θ + how far q is from p along it).
  ///
  /// - A ball of radius R > depth that touches at p gives −(R − (R − depth) cos θ) ≤ −depth. It exists everywhere on a
  ///   shape that is grown by R, and with the least radius of curvature on an ellipsoid.
  /// - Else the boundary around p, as far as kReach depths and with radii of curvature of two depths or more, excludes
  ///   all θ with tan (θ/2) ≤ kReach, and what is below it the rest: a thin shape's other side would be within reach.
  static bool is_smooth_around(const GrownCore& shape, int feature, const Vec& p, const Vec& n, double depth) {
    if (depth < shape.radius) return true;
    if (shape.core.kind == CoreKind::ellipsoid) return depth < calc_least_radius(shape.core.size);
    if (is_sharp(shape.core.kind, feature)) return false;
    const ContactElement<double> e = snap(shape, feature, p, n);
    if (calc_forms(e).curvature.norm() * depth > 0.5) return false;
    return find_features_near(shape, p, n, kReach * depth).count == 1;
  }

  /// Of an ellipsoid: a_min²/a_max.
  static double calc_least_radius(const Vec& a) {
    const double least = std::min({a.x, a.y, a.z});
    return least * least / std::max({a.x, a.y, a.z});
  }

  struct Features {
    static constexpr int kCapacity = 26;
    std::array<int, kCapacity> list;
    int count = 0;
    auto begin() const { return list.begin(); }
    auto end() const { return list.begin() + count; }
  };

  /// The features within `reach` (m) of a boundary point, all in the frame of the shape.
  static Features find_features_near(const GrownCore& shape, const Vec& p, const Vec& n, double reach) {
    Features out;
    for (int feature = 0; feature < feature_count(shape.core.kind); ++feature) {
      const ContactElement<double> nearest = snap(shape, feature, p, n);
      if (norm(nearest.p - p) > reach) continue;
      const Vec on_core = nearest.p - nearest.n * shape.radius;
      if (calc_outside(shape.core, feature, on_core, nearest.n).length > reach) continue;
      out.list[static_cast<std::size_t>(out.count++)] = feature;
    }
    return out;
  }

  /// A way out that is not critical, that is, and that both the last answer and GJK led to.
  enum class Trust { bound, proved, confirmed };

  struct WaysOut {
    Proximity first, best;
    Trust trust;   ///< in `first`
    double least;  ///< gap that is better than that of `best`
  };

  /// Ways out of a shallow overlap where edges and vertices have passed each other: each pair of features around the
  /// points has its own critical directions, and the best one that is proved counts.
  Proximity find_best_way_out(const Proximity& first, Trust trust) const {
    // The points of a mere bound do not face each other exactly; what is proved is better at the same depth.
    const double reach = kReach * (norm(first.p_A - first.p_B) - first.gap) + kProof * length_;
    WaysOut ways{first, first, trust, first.gap + (trust == Trust::bound ? -kProof : kProof) * length_};
    const Features of_A = find_features_near(A_, first.p_A, -first.N, reach);
    const Features of_B = find_features_near(B_, to_B(first.p_B), R_AB_.transpose_times(first.N), reach);
    for (const int feature_A : of_A) {
      for (const int feature_B : of_B) explore_features(feature_A, feature_B, ways);
    }
    return ways.best;
  }

  /// Curved features have several critical directions: the search begins around N, too. They do not come out of nothing
  /// from one step to the next.
  void explore_features(int feature_A, int feature_B, WaysOut& ways) const {
    Proximity start = ways.first;
    start.feature_A = feature_A;
    start.feature_B = feature_B;
    Proximity place = start;
    if (solve_on_features(place)) consider_way_out(place, ways);
    if (ways.trust == Trust::confirmed) return;
    if (is_flat(A_.core.kind, feature_A) || is_flat(B_.core.kind, feature_B)) return;
    if (has_straight_edges(A_.core.kind) && has_straight_edges(B_.core.kind)) return;
    const Vec& N = ways.first.N;
    Vec x, y;
    complete_frame(N, x, y);
    for (const Vec& direction : {N + x, N - x, N + y, N - y, x, -x, y, -y}) {
      place = start;
      place.N = normalized(direction);
      if (solve_on_features(place)) consider_way_out(place, ways);
    }
  }

  void consider_way_out(const Proximity& place, WaysOut& ways) const {
    if (place.gap < ways.least || !is_proved(place)) return;
    ways.best = place;
    ways.least = place.gap + kProof * length_;
  }

  bool has_plate() const { return A_.core.kind == CoreKind::plate || B_.core.kind == CoreKind::plate; }
  Vec find_plate_normal() const { return A_.core.kind == CoreKind::plate ? Vec{0, 0, 1} : R_AB_.z; }

  /// Whether both are flat and lie in one plane: a planar problem, in which nobody gets out of the way sideways.
  bool are_coplanar() const {
    if (!has_plate() || A_.radius > 0 || B_.radius > 0) return false;
    const auto is_thin = [](CoreKind kind) { return kind == CoreKind::plate || kind == CoreKind::segment; };
    if (!is_thin(A_.core.kind) || !is_thin(B_.core.kind)) return false;
    const Vec n = find_plate_normal(), z_A{0, 0, 1};
    // The axis of a segment lies in the plane, that of a plate is across it.
    const double tilt_A = A_.core.kind == CoreKind::segment ? n.z : norm(cross(n, z_A));
    const double tilt_B = B_.core.kind == CoreKind::segment ? dot(n, R_AB_.z) : norm(cross(n, R_AB_.z));
    return std::abs(tilt_A) < kFlatShapes && std::abs(tilt_B) < kFlatShapes &&
           std::abs(dot(n, p_AB_)) < kFlatShapes * length_;
  }

  bool is_out_of_plane(const Vec& N) const {
    return has_plate() && std::abs(dot(N, find_plate_normal())) > kFlatShapes && are_coplanar();
  }

  /// Whether no direction nearby separates the shapes better: a critical direction of overlapping shapes need not be a
  /// maximum of s. Two vertices that have passed each other are not.
  bool is_way_out(const Proximity& place) const {
    if (place.gap >= -kProof * length_) return true;
    Vec x, y;
    complete_frame(place.N, x, y);
    if (are_coplanar()) x = normalized(cross(place.N, find_plate_normal())), y = x;
    constexpr double kHalf = 0.70710678118654752;
    for (const double angle : {0.1, 0.01}) {
      for (const Vec& t : {x, -x, y, -y, (x + y) * kHalf, (x - y) * kHalf, (y - x) * kHalf, -(x + y) * kHalf}) {
        if (calc_separation(normalized(place.N + t * angle)) > place.gap + kProof * length_) return false;
      }
    }
    return true;
  }

  const GrownCore& A_;
  const GrownCore& B_;
  const Pose<double>& X_AB_;
  Mat3<double> R_AB_;
  Vec p_AB_;
  double size_A_, size_B_, length_;
};

}  // namespace

Proximity swap_roles(const Proximity& place_B, const Pose<double>& X_AB) {
  const Mat3<double> R(X_AB.R);
  const Vec p(X_AB.p);
  Proximity out;
  out.gap = place_B.gap;
  out.p_A = p + R * place_B.p_B;
  out.p_B = p + R * place_B.p_A;
  out.N = R * -place_B.N;
  out.feature_A = place_B.feature_B;
  out.feature_B = place_B.feature_A;
  return out;
}

Proximity find_closest_convex(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB,
                              const Proximity* guess) {
  if (B.core.kind == CoreKind::point) return put_ball_on(A, B, Vec(X_AB.p));
  if (A.core.kind == CoreKind::half_space) return put_on_half_space(B, X_AB);
  if (A.core.kind == CoreKind::point) return swap_roles(put_ball_on(B, A, Vec(X_AB.inverse().p)), X_AB);
  if (B.core.kind == CoreKind::half_space) return swap_roles(put_on_half_space(A, X_AB.inverse()), X_AB);
  if (A.core.kind == CoreKind::segment && B.core.kind == CoreKind::segment) return put_segments_together(A, B, X_AB);
  return ConvexPair(A, B, X_AB).solve(guess);
}

}  // namespace thenar::internal
