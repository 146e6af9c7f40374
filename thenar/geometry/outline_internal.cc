// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/outline_internal.h"

#include <algorithm>
#include <cmath>

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;
using Vec2 = Vector2<double>;

double cross2(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

Vec point_on(const FootCurve& straight, double s) { return straight.origin + straight.u * s; }
Vec point_at(const FootCurve& rim, const Vec2& xi) { return rim.origin + rim.u * xi.x() + rim.v * xi.y(); }

// --- Where two ellipses cross --------------------------------------------------------------------------------------

/// c₀ + c₁ t + … of a degree up to 4.
struct Polynomial {
  std::array<double, 5> c{};
  int degree = 0;

  double evaluate(double t) const {
    double sum = c[static_cast<std::size_t>(degree)];
    for (int k = degree; k-- > 0;) sum = sum * t + c[static_cast<std::size_t>(k)];
    return sum;
  }
  Polynomial derivative() const {
    Polynomial out;
    out.degree = degree - 1;
    for (int k = 1; k <= degree; ++k) out.c[static_cast<std::size_t>(k - 1)] = k * c[static_cast<std::size_t>(k)];
    return out;
  }
};

/// Numbers in increasing order.
struct Stops {
  std::array<double, 6> t{};
  int count = 0;
  void add(double value) { t[static_cast<std::size_t>(count++)] = value; }
};

/// The root of p between two places where its signs differ: Newton's method, or halving where that leaves the bracket.
double find_root(const Polynomial& p, double from, double to) {
  const Polynomial slope = p.derivative();
  const bool is_positive = p.evaluate(from) > 0;
  double t = 0.5 * (from + to);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double value = p.evaluate(t);
    ((value > 0) == is_positive ? from : to) = t;
    double next = t - value / slope.evaluate(t);
    if (!(next > from && next < to)) next = 0.5 * (from + to);
    // Halving again once in a while keeps the bracket shrinking from both sides.
    if (iteration % 8 == 7) next = 0.5 * (from + to);
    if (std::abs(next - t) <= 1e-16) return next;
    t = next;
  }
  return t;
}

/// −1, the places in between where the polynomial may turn, and 1: between two stops it is monotonic. The places where
/// it turns are the roots of its derivative, each between two stops of that.
Stops find_stops(const Polynomial& p) {
  Stops out;
  out.add(-1);
  if (p.degree > 1) {
    const Polynomial slope = p.derivative();
    const Stops turns = find_stops(slope);
    for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(turns.count); ++k) {
      const double from = turns.t[k], to = turns.t[k + 1];
      if ((slope.evaluate(from) > 0) != (slope.evaluate(to) > 0)) out.add(find_root(slope, from, to));
    }
  }
  out.add(1);
  return out;
}

/// Points of ellipse A are ξ_B(φ) = k + C (cos φ, sin φ) in the stretched coordinates of B. With t = tan(φ/2) (and
/// φ − π instead of φ in the other half, where the signs of cos φ and sin φ change), |ξ_B|² = 1 is
///
///     |k (1 + t²) ± C (1 − t², 2 t)|² − (1 + t²)² = 0,        −1 ≤ t ≤ 1
Polynomial make_crossing_polynomial(const Vec2& k, const Matrix2<double>& C, double sign) {
  Polynomial out;
  out.degree = 4;
  const auto add_square = [&out](double c0, double c1, double c2, double weight) {
    out.c[0] += weight * c0 * c0;
    out.c[1] += weight * 2 * c0 * c1;
    out.c[2] += weight * (c1 * c1 + 2 * c0 * c2);
    out.c[3] += weight * 2 * c1 * c2;
    out.c[4] += weight * c2 * c2;
  };
  for (int i = 0; i < 2; ++i) add_square(k(i) + sign * C(i, 0), sign * 2 * C(i, 1), k(i) - sign * C(i, 0), 1);
  add_square(1, 0, 1, -1);
  return out;
}

/// One half of ellipse A, seen from B.
struct HalfEllipse {
  double sign;
  Polynomial p;
  Stops stops;

  HalfEllipse(const Vec2& k, const Matrix2<double>& C, double sign_in)
      : sign(sign_in), p(make_crossing_polynomial(k, C, sign_in)), stops(find_stops(p)) {}

  /// |ξ_B|² − 1.
  double measure(double t) const { return p.evaluate(t) / ((1 + t * t) * (1 + t * t)); }
  Vec2 find_point(double t) const { return Vec2(1 - t * t, 2 * t) * (sign / (1 + t * t)); }
};

}  // namespace

SeenLine::SeenLine(const FootCurve& curve, const View& view) : from(view.see(curve.origin)) {
  const Vec2 whole = view.see(curve.u);
  length = whole.norm();
  along = whole / length;
}

double SeenLine::measure(const Vec2& q) const { return cross2(along, q - from); }

SeenEllipse::SeenEllipse(const FootCurve& rim, const View& view) : centre(view.see(rim.origin)) {
  const Vec2 u = view.see(rim.u), v = view.see(rim.v);
  M << u.x(), v.x(), u.y(), v.y();
  const double det = cross2(u, v);
  M_inverse << v.y() / det, -v.x() / det, -u.y() / det, u.x() / det;
  least = std::abs(det) / M.norm();
}

SeenOutline::SeenOutline(const Outline& outline, const View& view, double tolerance)
    : outline_(outline), tolerance_(tolerance) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(outline.curve_count); ++k) {
    if (curve(k).is_rim) {
      ellipse_.emplace(curve(k), view);
    } else {
      lines_[k].emplace(curve(k), view);
    }
  }
  if (outline.curve_count > 2 && cross2(lines_[0]->along, lines_[1]->along) < 0) turn_ = -1;
}

bool SeenOutline::contains(const Vec2& q) const {
  if (ellipse_) return (ellipse_->stretch_back(q).norm() - 1) * ellipse_->least <= tolerance_;
  for (std::size_t k = 0; k < static_cast<std::size_t>(outline_.curve_count); ++k) {
    if (turn_ * lines_[k]->measure(q) < -tolerance_) return false;
  }
  return true;  // a half-space has no border
}

/// Edges of two polygons. Ends that lie on the other edge are corners already, not crossings.
void SeenOutline::cross_edges(const SeenOutline& B, CrossingList& out) const {
  // Left of edge i of the one, the corner k of the other; edge k begins there.
  using Table = std::array<std::array<double, 4>, 4>;
  const auto measure = [](const SeenOutline& edges, const SeenOutline& corners) {
    Table table{};
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < 4; ++k) table[i][k] = edges.lines_[i]->measure(corners.lines_[k]->from);
    }
    return table;
  };
  const Table of_A = measure(B, *this), of_B = measure(*this, B);
  const auto is_across = [this](double d0, double d1) {
    return (d0 > 0) != (d1 > 0) && std::min(std::abs(d0), std::abs(d1)) > tolerance_;
  };
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      const double a0 = of_A[b][a], a1 = of_A[b][(a + 1) % 4], b0 = of_B[a][b], b1 = of_B[a][(b + 1) % 4];
      if (!is_across(a0, a1) || !is_across(b0, b1)) continue;
      out.add({&curve(a), &B.curve(b), point_on(curve(a), a0 / (a0 - a1)), point_on(B.curve(b), b0 / (b0 - b1))});
    }
  }
}

/// Liang and Barsky (1984). The polygon is taken wider by the tolerance, so that a line upon an edge counts as inside.
SeenOutline::Stretch SeenOutline::clip(const SeenLine& line) const {
  Stretch out{0, line.length, -1, -1};
  for (int k = 0; k < outline_.curve_count; ++k) {
    const SeenLine& edge = *lines_[static_cast<std::size_t>(k)];
    const double inside = turn_ * edge.measure(line.from) + tolerance_;
    const double slope = turn_ * cross2(edge.along, line.along);  // of `inside` along the line
    if (slope == 0) {
      if (inside < 0) return {};
      continue;
    }
    const double at = -inside / slope;
    if (slope > 0 && at > out.from) {
      out.from = at;
      out.entered = k;
    } else if (slope < 0 && at < out.to) {
      out.to = at;
      out.left = k;
    }
  }
  return out;
}

/// A line and this polygon. Ends inside of the polygon are no crossings.
void SeenOutline::cross_line(const SeenOutline& line, bool is_line_of_A, CrossingList& out) const {
  const SeenLine& seen = *line.lines_[0];
  const Stretch stretch = clip(seen);
  if (!(stretch.to - stretch.from > tolerance_)) return;
  const auto add = [&](int edge_index, double at) {
    const std::size_t k = static_cast<std::size_t>(edge_index);
    const SeenLine& edge = *lines_[k];
    const double along_edge = (seen.from + seen.along * at - edge.from).dot(edge.along);
    const Vec on_line = point_on(line.curve(0), at / seen.length),
              on_edge = point_on(curve(k), along_edge / edge.length);
    out.add(is_line_of_A ? Crossing{&line.curve(0), &curve(k), on_line, on_edge}
                         : Crossing{&curve(k), &line.curve(0), on_edge, on_line});
  };
  if (stretch.entered >= 0 && stretch.from > tolerance_) add(stretch.entered, stretch.from);
  if (stretch.left >= 0 && stretch.to < seen.length - tolerance_) add(stretch.left, stretch.to);
}

/// The straight curves of `other` and this rim: |ξ(s)|² = 1 along each of them.
void SeenOutline::cross_straight(const SeenOutline& other, bool is_rim_of_A, CrossingList& out) const {
  for (std::size_t k = 0; k < static_cast<std::size_t>(other.outline_.curve_count); ++k) {
    const SeenLine& line = *other.lines_[k];
    const Vec2 from = ellipse_->stretch_back(line.from), along = ellipse_->M_inverse * (line.along * line.length);
    const double length2 = along.squaredNorm(), middle = -along.dot(from) / length2;
    const double nearest = std::abs(cross2(along, from)) / std::sqrt(length2);
    if (!(1 - nearest > tolerance_ / ellipse_->least)) continue;
    const double half = std::sqrt((1 - nearest) * (1 + nearest) / length2), end = tolerance_ / line.length;
    for (const double s : {middle - half, middle + half}) {
      if (s <= end || s >= 1 - end) continue;
      const Vec on_rim = point_at(curve(0), (from + along * s).normalized()), on_line = point_on(other.curve(k), s);
      out.add(is_rim_of_A ? Crossing{&curve(0), &other.curve(k), on_rim, on_line}
                          : Crossing{&other.curve(k), &curve(0), on_line, on_rim});
    }
  }
}

/// Two rims: up to four crossings, in the order of the angle on A. Between two of them the rims must part by more than
/// the tolerance: rims that are one have no crossings.
void SeenOutline::cross_rim(const SeenOutline& B, CrossingList& out) const {
  const Vec2 k = B.ellipse_->stretch_back(ellipse_->centre);
  const Matrix2<double> C = B.ellipse_->M_inverse * ellipse_->M;
  const std::array<HalfEllipse, 2> halves{HalfEllipse(k, C, 1), HalfEllipse(k, C, -1)};
  // The side of B's rim that A's is on: 0 while they are one. |ξ|² − 1 ≈ 2 (|ξ| − 1).
  const double nothing = 2 * tolerance_ / B.ellipse_->least;
  const auto tell_side = [nothing](double value) { return std::abs(value) <= nothing ? 0 : value > 0 ? 1 : -1; };
  const auto add = [&](const Vec2& xi) {
    out.add({&curve(0), &B.curve(0), point_at(curve(0), xi), point_at(B.curve(0), (k + C * xi).normalized())});
  };
  // Once around to know the side that it begins with, then once more.
  int last_side = 0;
  for (const bool is_first_round : {true, false}) {
    for (const HalfEllipse& half : halves) {
      double clear = -1;  // where it was last on one side
      for (std::size_t i = 0; i < static_cast<std::size_t>(half.stops.count); ++i) {
        const double t = half.stops.t[i], value = half.measure(t);
        const int side = tell_side(value);
        if (side == 0) continue;
        if (side == -last_side && !is_first_round) {
          // Where the half begins within rounding of the other rim, that place is as good as the root.
          const bool is_bracketed = (half.p.evaluate(clear) > 0) != (value > 0);
          add(half.find_point(is_bracketed ? find_root(half.p, clear, t) : clear));
        }
        last_side = side;
        clear = t;
      }
    }
  }
}

CrossingList find_crossings(const SeenOutline& A, const SeenOutline& B) {
  CrossingList out;
  if (A.outline_.curve_count == 0 || B.outline_.curve_count == 0) return out;
  if (A.ellipse_ && B.ellipse_) {
    A.cross_rim(B, out);
  } else if (A.ellipse_) {
    A.cross_straight(B, true, out);
  } else if (B.ellipse_) {
    B.cross_straight(A, false, out);
  } else if (!A.outline_.is_flat) {
    B.cross_line(A, true, out);
  } else if (!B.outline_.is_flat) {
    A.cross_line(B, false, out);
  } else {
    A.cross_edges(B, out);
  }
  return out;
}

}  // namespace thenar::internal
