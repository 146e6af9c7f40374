// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/patch_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/geometry/element_newton_internal.h"
#include "thenar/geometry/foot_internal.h"
#include "thenar/geometry/outline_internal.h"

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;
using Vec2 = Vector2<double>;

/// Lengths below this, relative to the shapes, are rounding.
constexpr double kPatchRounding = 1e-10;
/// Bare lines that are farther from one plane, relative to their length, cross and do not lie on each other.
constexpr double kSamePlane = 1e-6;
/// How much deeper than the nearest place a corner of an overlap can be.
constexpr double kDeeper = 10;

/// Lengths of the shapes that have one.
double calc_size(const GrownCore& A, const GrownCore& B) {
  return (is_bounded(A.core.kind) ? calc_bounding_radius(A) : 0) +
         (is_bounded(B.core.kind) ? calc_bounding_radius(B) : 0);
}

/// The same place with the names of A and B exchanged.
Proximity exchange(const Proximity& place) {
  return {place.gap, place.p_B, place.p_A, -place.N, place.feature_B, place.feature_A};
}

/// The place where core points a of A and b of B, with a − b = distance N, are nearest.
Proximity make_place(const Vec& a, double radius_A, const Vec& b, double radius_B, const Vec& N, double distance,
                     int feature_A, int feature_B) {
  return {distance - radius_A - radius_B, a - N * radius_A, b + N * radius_B, N, feature_A, feature_B};
}

/// A point of A over a face of B. Seen along its own normal, a tilted face may just miss the point: between grown
/// shapes it is then the border that is nearest.
Proximity put_point_on_face(const FootPoint& point, double radius, const Outline& face, const PlacedShape& B) {
  const double distance = dot(face.n, point.p - face.centre);
  if (radius + face.radius > 0 && distance > 0) {
    const BoundaryPoint nearest = project(B.shape.core, B.unplace(point.p));
    if (nearest.feature != face.feature && nearest.distance > 0) {
      return make_place(point.p, radius, B.place(nearest.p), face.radius, B.turn(nearest.n), nearest.distance,
                        point.feature, nearest.feature);
    }
  }
  return make_place(point.p, radius, point.p - face.n * distance, face.radius, face.n, distance, point.feature,
                    face.feature);
}

/// 1 up to x = 1, 0 from x = 2 on, smooth in between.
double fade(double x) {
  const double rest = std::clamp(2 - x, 0.0, 1.0);
  return rest * rest * (3 - 2 * rest);
}

/// Grows with the angle of d, from 0 at x to 4 after a full turn.
double tell_order(const Vec2& d) {
  const double length = std::abs(d.x()) + std::abs(d.y());
  if (!(length > 0)) return 0;
  const double y = d.y() / length;
  return d.x() < 0 ? 2 - y : d.y() < 0 ? 4 + y : y;
}

double calc_angle(const Vec& a, const Vec& b) { return std::atan2(norm(cross(a, b)), dot(a, b)); }

/// The corners of an overlap, each seen at a place of its own and with a name of its own.
class Corners {
 public:
  struct Corner {
    Proximity place;
    std::uint64_t id;
    Vec2 at;           ///< as it is seen
    double order = 0;  ///< around the middle
  };

  explicit Corners(double tolerance) : tolerance_(tolerance) {}

  bool empty() const { return count_ == 0; }
  Corner* begin() { return corners_.data(); }
  Corner* end() { return corners_.data() + count_; }

  bool is_taken(const Vec2& at) {
    return std::any_of(begin(), end(), [&](const Corner& c) { return (c.at - at).norm() <= tolerance_; });
  }
  /// Whether one of them is this place already: two borders can have their nearest points in the vertex between them.
  bool has(const Proximity& place) {
    return std::any_of(begin(), end(), [&](const Corner& c) {
      return c.place.feature_A == place.feature_A && c.place.feature_B == place.feature_B &&
             norm(c.place.p_A - place.p_A) <= tolerance_;
    });
  }
  Corner* find(std::uint64_t id) {
    return std::find_if(begin(), end(), [id](const Corner& c) { return c.id == id; });
  }

  /// With the first of the numbers `number`, `number` + 2 … that is free.
  void add(const Proximity& place, int number, const Vec2& at) {
    if (count_ == static_cast<int>(corners_.size())) return;
    while (find(make_contact_id(place.feature_A, place.feature_B, number)) != end()) number += 2;
    corners_[static_cast<std::size_t>(count_++)] = {place, make_contact_id(place.feature_A, place.feature_B, number),
                                                    at, 0};
  }

  template <class Condition>
  void remove_if(const Condition& condition) {
    count_ = static_cast<int>(std::remove_if(begin(), end(), condition) - begin());
  }

 private:
  double tolerance_;
  std::array<Corner, ContactList::kCapacity> corners_;
  int count_ = 0;
};

class PatchFinder {
 public:
  PatchFinder(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, const Proximity& nearest)
      : X_AB_(X_AB),
        a_(A, Pose<double>()),
        b_(B, X_AB),
        nearest_(nearest),
        tolerance_(kPatchRounding * calc_size(A, B)),
        view_(nearest.N),
        corners_(2 * tolerance_) {}

  void run(double margin, const ArcPoints& arc_A, const ArcPoints& arc_B, ContactList& out) {
    find_corners(margin, arc_A, arc_B);
    improve_nearest();
    remove_false_corners();
    add_nearest();
    corners_.remove_if([margin](const Corners::Corner& c) { return !(c.place.gap <= margin); });
    if (corners_.empty()) add(nearest_);
    write(out);
  }

 private:
  /// Faces before lines; lines also where faces are parallel but beside each other.
  void find_corners(double margin, const ArcPoints& arc_A, const ArcPoints& arc_B) {
    const Foot foot_A = find_foot(a_, -nearest_.N, arc_A), foot_B = find_foot(b_, nearest_.N, arc_B);
    if (foot_A.flat && foot_B.flat) overlap(*foot_A.flat, *foot_B.flat, normalized(foot_B.flat->n - foot_A.flat->n));
    for (const auto& line : foot_B.lines) {
      if (!corners_.empty() || !foot_A.flat || !line) break;
      overlap(*foot_A.flat, line->make_outline(-foot_A.flat->n), -foot_A.flat->n);
    }
    for (const auto& line : foot_A.lines) {
      if (!corners_.empty() || !foot_B.flat || !line) break;
      overlap(line->make_outline(-foot_B.flat->n), *foot_B.flat, foot_B.flat->n);
    }
    for (const auto& line_A : foot_A.lines) {
      for (const auto& line_B : foot_B.lines) {
        if (!corners_.empty() || !line_A || !line_B) break;
        overlap_lines(line_A->make_outline(-nearest_.N), line_B->make_outline(nearest_.N));
      }
    }
    if (corners_.empty() && foot_A.flat && !foot_B.flat) put_rim_on_curved(*foot_A.flat, a_, b_, false, margin);
    if (corners_.empty() && foot_B.flat && !foot_A.flat) put_rim_on_curved(*foot_B.flat, b_, a_, true, margin);
  }

  /// Two faces, or a face and a line, seen along m, from B into A.
  void overlap(const Outline& A, const Outline& B, const Vec& m) {
    const Outline* line = !A.is_flat ? &A : !B.is_flat ? &B : nullptr;
    is_line_ = line != nullptr;
    view_ = is_line_ ? View(m, line->points[1].p - line->points[0].p) : View(m);
    const SeenOutline seen_A(A, view_, tolerance_), seen_B(B, view_, tolerance_);
    add_points(seen_A, seen_B, false);
    const CrossingList crossings = find_crossings(seen_A, seen_B);
    for (int i = 0; i < crossings.count; ++i) {
      const Crossing& crossing = crossings.list[static_cast<std::size_t>(i)];
      const Vec2 at = view_.see(crossing.p_A);
      if (corners_.is_taken(at)) continue;
      const Proximity place = put_together(crossing, A.radius, B.radius, m);
      if (!corners_.has(place)) add(place, at);
    }
    add_points(seen_A, seen_B, true);
  }

  /// Vertices and ends, or points of rims, that lie on the other's face.
  void add_points(const SeenOutline& A, const SeenOutline& B, bool is_of_rims) {
    const auto add_those_of = [&](const Outline& points, const SeenOutline& face, const PlacedShape& faced,
                                  bool is_exchanged) {
      if (!face.outline().is_flat) return;
      for (int i = 0; i < points.point_count; ++i) {
        const FootPoint& point = points.points[static_cast<std::size_t>(i)];
        if ((point.number > 0) != is_of_rims) continue;
        const Vec2 at = view_.see(point.p);
        if (corners_.is_taken(at) || !face.contains(at)) continue;
        const Proximity place = put_point_on_face(point, points.radius, face.outline(), faced);
        corners_.add(is_exchanged ? exchange(place) : place, point.number, at);
      }
    };
    add_those_of(A.outline(), B, b_, false);
    add_those_of(B.outline(), A, a_, true);
  }

  /// Two curves that cross seen along m: with their common normal as far as that is near m and its points on the
  /// curves.
  Proximity put_together(const Crossing& crossing, double radius_A, double radius_B, const Vec& m) const {
    const FootCurve &curve_A = *crossing.curve_A, &curve_B = *crossing.curve_B;
    const double distance = dot(m, crossing.p_A - crossing.p_B);
    const Proximity seen =
        make_place(crossing.p_A, radius_A, crossing.p_B, radius_B, m, distance, curve_A.feature, curve_B.feature);
    const bool is_grown = radius_A + radius_B > 0 && distance > 0, is_straight = curve_A.is_edge && curve_B.is_edge;
    if (is_grown && is_straight) return join_segments(crossing, radius_A, radius_B, seen);
    Proximity exact = seen;
    const bool has_exact = is_straight ? cross_straight(crossing, radius_A, radius_B, m, exact)
                                       : polish(a_.shape, b_.shape, X_AB_, exact) == Polish::regular;
    if (!has_exact) return seen;
    const double outside = std::max(calc_length_outside(a_, exact.feature_A, exact.p_A, -exact.N),
                                    calc_length_outside(b_, exact.feature_B, exact.p_B, exact.N));
    const double weight =
        fade(calc_angle(exact.N, m) / kPatchAngle) * fade(1 + outside / (std::abs(distance) + tolerance_));
    return blend(exact, weight, seen);
  }

  /// Nearest points of two straight lines: with a − b = w and their common normal n, a + s e_A and b + t e_B have the
  /// difference (n · w) n.
  static bool cross_straight(const Crossing& crossing, double radius_A, double radius_B, const Vec& m,
                             Proximity& place) {
    const Vec e_A = normalized(crossing.curve_A->u), e_B = normalized(crossing.curve_B->u), across = cross(e_A, e_B);
    const double sine2 = dot(across, across), up = dot(across, m);
    if (!(up * up > sine2 * 0.25)) return false;  // 60° away from m
    const Vec n = across * (std::copysign(1.0, up) / std::sqrt(sine2));
    const Vec w = crossing.p_A - crossing.p_B;
    const double distance = dot(n, w), cosine = dot(e_A, e_B);
    const Vec rest = n * distance - w;  // s e_A − t e_B
    const double s = (dot(rest, e_A) - cosine * dot(rest, e_B)) / sine2;
    const double t = cosine * s - dot(rest, e_B);
    place = make_place(crossing.p_A + e_A * s, radius_A, crossing.p_B + e_B * t, radius_B, n, distance, place.feature_A,
                       place.feature_B);
    return true;
  }

  /// At origin + s u: an edge between its ends.
  static int find_feature(const FootCurve& edge, double s) {
    return s <= 0 ? edge.ends[0] : s >= 1 ? edge.ends[1] : edge.feature;
  }

  /// Nearest points of two edges of grown shapes, ends included (Ericson, Real-Time Collision Detection, 5.1.9): they
  /// do not touch themselves, so that the direction from one to the other is their normal.
  static Proximity join_segments(const Crossing& crossing, double radius_A, double radius_B, const Proximity& seen) {
    const FootCurve &A = *crossing.curve_A, &B = *crossing.curve_B;
    const Vec w = A.origin - B.origin, across = cross(A.u, B.u);
    const double a = dot(A.u, A.u), b = dot(A.u, B.u), c = dot(B.u, B.u);
    // On the lines; `across` is not zero, since they are seen to cross.
    double s = std::clamp(dot(cross(B.u, w), across) / dot(across, across), 0.0, 1.0);
    double t = (b * s + dot(B.u, w)) / c;
    if (!(t >= 0 && t <= 1)) {
      t = std::clamp(t, 0.0, 1.0);
      s = std::clamp((b * t - dot(A.u, w)) / a, 0.0, 1.0);
    }
    const Vec p_A = A.origin + A.u * s, p_B = B.origin + B.u * t, apart = p_A - p_B;
    const double distance = norm(apart);
    if (!(distance > 0)) return seen;
    return make_place(p_A, radius_A, p_B, radius_B, apart * (1 / distance), distance, find_feature(A, s),
                      find_feature(B, t));
  }

  /// How far p, on the grown shape with the outward normal n, is beyond the ends of its feature.
  static double calc_length_outside(const PlacedShape& body, int feature, const Vec& p, const Vec& n) {
    const Vec core = body.unplace(p - n * body.shape.radius);
    return calc_outside(body.shape.core, feature, core, body.unturn(n)).length;
  }

  static Proximity blend(const Proximity& exact, double weight, const Proximity& seen) {
    if (weight == 1) return exact;
    Proximity out = seen;
    out.N = normalized(exact.N * weight + seen.N * (1 - weight));
    out.gap = exact.gap * weight + seen.gap * (1 - weight);
    out.p_A = exact.p_A * weight + seen.p_A * (1 - weight);
    out.p_B = out.p_A - out.N * out.gap;
    return out;
  }

  /// Ends of one line that are beside the other.
  void overlap_lines(const Outline& A, const Outline& B) {
    const Vec along_A = A.points[1].p - A.points[0].p;
    if (std::sin(kPatchAngle) < norm(cross(normalized(along_A), normalized(B.points[1].p - B.points[0].p)))) return;
    is_line_ = true;
    view_ = View(nearest_.N, along_A);
    const auto add_ends = [&](const Outline& ends, const Outline& line, bool is_exchanged) {
      for (std::size_t k = 0; k < 2; ++k) {
        const FootPoint& end = ends.points[k];
        const Vec2 at = {view_.see(end.p).x(), 0};
        Proximity place;
        if (corners_.is_taken(at) || !put_end_on_line(end, ends, line, is_exchanged, place)) continue;
        add(is_exchanged ? exchange(place) : place, at);
      }
    };
    add_ends(A, B, false);
    add_ends(B, A, true);
  }

  /// `end` of a line of the one (A, or B if exchanged) beside `line` of the other. False when it is beyond its ends.
  bool put_end_on_line(const FootPoint& end, const Outline& ends, const Outline& line, bool is_exchanged,
                       Proximity& place) const {
    const Vec whole = line.points[1].p - line.points[0].p;
    const double length = norm(whole);
    const Vec along = whole * (1 / length);
    const double at = dot(along, end.p - line.points[0].p);
    if (at < -tolerance_ || at > length + tolerance_) return false;
    const Vec N = is_exchanged ? -nearest_.N : nearest_.N, on_line = line.points[0].p + along * at;
    const Vec w = end.p - on_line;
    const auto make = [&](const Vec& normal, const Vec& foot) {
      return make_place(end.p, ends.radius, foot, line.radius, normal, dot(normal, w), end.feature, line.feature);
    };
    const bool is_straight = ends.curves[0].is_edge && line.curves[0].is_edge;
    if (is_straight && ends.radius + line.radius > tolerance_ && norm(w) > tolerance_) {
      place = make(normalized(dot(w, N) < 0 ? -w : w), on_line);
      return true;
    }
    if (!is_straight) {
      Proximity exact = make(N, on_line);
      if (is_exchanged) exact = exchange(exact);
      if (polish(a_.shape, b_.shape, X_AB_, exact) == Polish::regular) {
        place = is_exchanged ? exchange(exact) : exact;
        return true;
      }
    }
    const Vec n = normalized(N - along * dot(N, along));
    const double distance = dot(n, w);
    place = make(n, end.p - n * distance);
    return norm(w - n * distance) <= kSamePlane * length;
  }

  /// A round face of `flat_body` on something curved: a ring if all four points of the rim are within the margin, with
  /// normals that the rim has.
  void put_rim_on_curved(const Outline& flat, const PlacedShape& flat_body, const PlacedShape& other, bool is_exchanged,
                         double margin) {
    if (flat.curve_count == 0 || !flat.curves[0].is_rim) return;
    std::array<Proximity, 4> places;
    for (std::size_t k = 0; k < 4; ++k) {
      const FootPoint& point = flat.points[k];
      const BoundaryPoint nearest = project(other.shape.core, other.unplace(point.p));
      const Vec n = other.turn(nearest.n);
      const Outside outside =
          calc_outside(flat_body.shape.core, point.feature, flat_body.unplace(point.p), -flat_body.unturn(n));
      places[k] = make_place(point.p, flat.radius, other.place(nearest.p), other.shape.radius, n, nearest.distance,
                             point.feature, nearest.feature);
      if (places[k].gap > margin || outside.angle > kPatchAngle) return;
    }
    is_line_ = false;
    is_ring_ = true;
    view_ = View(is_exchanged ? flat.n : -flat.n);
    for (std::size_t k = 0; k < 4; ++k) {
      corners_.add(is_exchanged ? exchange(places[k]) : places[k], flat.points[k].number, view_.see(flat.points[k].p));
    }
  }

  /// s(N) of distance.h.
  double calc_separation(const Vec& N) const {
    const Vec a = support(a_.shape.core, -N).p, b = b_.place(support(b_.shape.core, b_.unturn(N)).p);
    return dot(N, a - b) - a_.shape.radius - b_.shape.radius;
  }

  /// Of shapes that overlap by rounding with an edge along a line, one corner may be a better way out. Half-spaces and
  /// bowls have no such edges.
  void improve_nearest() {
    const CoreKind kind_A = a_.shape.core.kind, kind_B = b_.shape.core.kind;
    if (!(nearest_.gap < -tolerance_) || !is_bounded(kind_A) || !is_bounded(kind_B)) return;
    double best = nearest_.gap + tolerance_;
    for (const Corners::Corner& c : corners_) {
      const double separation = calc_separation(c.place.N);
      if (separation > best) best = separation, nearest_ = c.place;
    }
  }

  /// Where a border crosses another and does not have the normal of the crossing, its surface goes on behind: nothing
  /// is nearer than the nearest place. Of shapes that overlap, corners may be deeper by a part of the depth.
  void remove_false_corners() {
    const double least = nearest_.gap - tolerance_ + kDeeper * std::min(0.0, nearest_.gap);
    corners_.remove_if([least](const Corners::Corner& c) { return c.place.gap < least; });
  }

  /// If it is nearer than all corners: in the place of the corner with its name, or beside them.
  void add_nearest() {
    const auto is_covering = [&](const Corners::Corner& c) { return c.place.gap <= nearest_.gap + tolerance_; };
    if (std::any_of(corners_.begin(), corners_.end(), is_covering)) return;
    const int number = calc_number(nearest_);
    Corners::Corner* known = corners_.find(make_contact_id(nearest_.feature_A, nearest_.feature_B, number));
    if (known != corners_.end()) {
      known->place = nearest_;
    } else {
      add(nearest_);
    }
  }

  void add(const Proximity& place) { add(place, view_.see(place.p_A)); }
  void add(const Proximity& place, const Vec2& at) { corners_.add(place, calc_number(place), at); }

  /// In which sense a rim crosses another curve; 0 for all others.
  int calc_number(const Proximity& place) const {
    const CoreKind kind_A = a_.shape.core.kind, kind_B = b_.shape.core.kind;
    if (!is_rim(kind_A, place.feature_A) && !is_rim(kind_B, place.feature_B)) return 0;
    const auto find_tangent = [](const PlacedShape& body, int feature, const Vec& p) {
      return body.turn(calc_tangent(body.shape.core, feature, body.unplace(p)));
    };
    const Vec t_A = find_tangent(a_, place.feature_A, place.p_A), t_B = find_tangent(b_, place.feature_B, place.p_B);
    const double sense = dot(cross(t_A, t_B), place.N);
    return std::abs(sense) < kPatchAngle ? 0 : sense > 0 ? 1 : 2;
  }

  PatchKind tell_kind() {
    const long count = corners_.end() - corners_.begin();
    if (count == 1) return PatchKind::points;
    if (count == 2 || is_line_) return PatchKind::segment;
    const auto is_on_rim = [&](const Corners::Corner& c) {
      return is_rim(a_.shape.core.kind, c.place.feature_A) || is_rim(b_.shape.core.kind, c.place.feature_B);
    };
    const bool is_ring = is_ring_ || std::all_of(corners_.begin(), corners_.end(), is_on_rim);
    return is_ring ? PatchKind::ring : PatchKind::polygon;
  }

  /// Lines along x; regions around their middle, from the smallest identity on.
  void sort() {
    if (is_line_) {
      std::sort(corners_.begin(), corners_.end(),
                [](const Corners::Corner& a, const Corners::Corner& b) { return a.at.x() < b.at.x(); });
      return;
    }
    Vec2 middle = Vec2::Zero();
    for (const Corners::Corner& c : corners_) middle += c.at;
    middle /= static_cast<double>(corners_.end() - corners_.begin());
    for (Corners::Corner& c : corners_) c.order = tell_order(c.at - middle);
    std::sort(corners_.begin(), corners_.end(),
              [](const Corners::Corner& a, const Corners::Corner& b) { return a.order < b.order; });
    const auto first = std::min_element(corners_.begin(), corners_.end(),
                                        [](const Corners::Corner& a, const Corners::Corner& b) { return a.id < b.id; });
    std::rotate(corners_.begin(), first, corners_.end());
  }

  void write(ContactList& out) {
    sort();
    out.kind = out.count == 0 ? tell_kind() : PatchKind::points;
    for (const Corners::Corner& c : corners_) out.add(c.place, c.id);
  }

  const Pose<double>& X_AB_;
  PlacedShape a_, b_;
  Proximity nearest_;
  double tolerance_;
  View view_;
  bool is_line_ = false;  // the overlap is a line
  bool is_ring_ = false;  // the rim of a round face on something curved
  Corners corners_;
};

}  // namespace

void add_patch_points(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, const Proximity& nearest,
                      double margin, ContactList& out, const ArcPoints& arc_A, const ArcPoints& arc_B) {
  if (!(nearest.gap <= margin)) return;
  PatchFinder(A, B, X_AB, nearest).run(margin, arc_A, arc_B, out);
}

}  // namespace thenar::internal
