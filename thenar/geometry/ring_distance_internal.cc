// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/ring_distance_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/base/assert.h"
#include "thenar/base/numbers.h"
#include "thenar/base/sincos.h"
#include "thenar/geometry/bowl_distance_internal.h"
#include "thenar/geometry/feature_surface.h"
#include "thenar/geometry/foot_internal.h"

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;

constexpr int kStartSamples = 12;
constexpr int kMostHalvings = 16;            ///< of the start intervals: down to 0.8e-5 rad
constexpr int kHalvingsInside = 3;           ///< so many at least where f < 0
constexpr double kSamePlaceOfCircle = 1e-7;  ///< of the circle's radius

/// Which part of the change of f' over an interval a misfit of the quadratic function may be, for its monotony to be
/// believed; and how far, in misfits, it must stay from zero to have no root.
constexpr double kMonotonicMisfit = 0.005, kClearance = 16;

/// f and f' at one angle.
struct Sample {
  double angle = 0;
  double f = 0;      ///< m
  double slope = 0;  ///< m/rad
  double rho = 0;    ///< m, distance from the axis of B if that is a circle
};

/// f' on an interval as the quadratic function through three samples.
struct SlopeFit {
  double h;               ///< rad, length of the interval
  double low, mid, high;  ///< values
  double misfit;          ///< how far f and f' are from belonging to one cubic polynomial, as an error of f'

  SlopeFit(const Sample& a, const Sample& m, const Sample& b)
      : h(b.angle - a.angle), low(a.slope), mid(m.slope), high(b.slope) {
    // The cubic through f and f' of both ends, in the middle.
    const double value = 0.5 * (a.f + b.f) + 0.125 * h * (a.slope - b.slope);
    const double slope = 1.5 * (b.f - a.f) / h - 0.25 * (a.slope + b.slope);
    misfit = std::abs(m.slope - slope) + 4 * std::abs(m.f - value) / h;
  }

  /// Derivatives by t = (φ − a)/h at both ends.
  double start_rate() const { return 4 * mid - 3 * low - high; }
  double end_rate() const { return 3 * high + low - 4 * mid; }

  bool is_monotonic() const {
    const double first = start_rate(), last = end_rate();
    return first * last > 0 && kMonotonicMisfit * std::min(std::abs(first), std::abs(last)) >= misfit;
  }
  /// Whether f' keeps its sign.
  bool is_clear_of_zero() const {
    const double first = start_rate(), last = end_rate();
    double least = std::min(std::abs(low), std::abs(high));
    if (low * high <= 0 || low * mid <= 0) return false;
    if (first * last < 0) {
      const double t = first / (first - last), extreme = low + t * (first + 0.5 * t * (last - first));
      if (extreme * low <= 0) return false;
      least = std::min(least, std::abs(extreme));
    }
    return least >= kClearance * misfit;
  }
};

class RingSearch {
 public:
  RingSearch(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin, LocalMinima& out)
      : A_(A),
        B_(B),
        R_AB_(X_AB.R),
        p_AB_(X_AB.p),
        radius_(A.core.size.x),
        middle_(R_AB_.transpose_times(-p_AB_)),
        x_(Vec(R_AB_.x.x, R_AB_.y.x, R_AB_.z.x) * radius_),
        y_(Vec(R_AB_.x.y, R_AB_.y.y, R_AB_.z.y) * radius_),
        margin_(margin),
        level_(margin + A.radius + B.radius),
        out_(out) {
    out.clear(kSamePlaceOfCircle * radius_);
  }

  void run() {
    if (B_.core.kind == CoreKind::half_space) {
      solve_single(-x_.z, -y_.z, radius_);
    } else if (B_.core.kind == CoreKind::point) {
      solve_single(p_AB_.x, p_AB_.y, norm(p_AB_));
    } else {
      search();
    }
    add_patch();
    out_.drop_beyond(margin_);
  }

 private:
  // --- f ------------------------------------------------------------------------------------------------------------

  /// The point of the circle and its derivative by the angle, in the frame of B.
  struct CirclePoint {
    double c, s;
    Vec p, dp;
  };
  CirclePoint calc_point(double angle) const {
    CirclePoint out;
    sincos(angle, out.s, out.c);
    out.p = middle_ + x_ * out.c + y_ * out.s;
    out.dp = y_ * out.c - x_ * out.s;
    return out;
  }

  Sample sample(double angle) {
    const CirclePoint q = calc_point(angle);
    const BoundaryPoint b = project(B_.core, q.p);
    Sample out{angle, b.distance, dot(b.n, q.dp), 0};
    if (B_.core.kind == CoreKind::circle) out.rho = std::sqrt(q.p.x * q.p.x + q.p.y * q.p.y);
    if (out.f < best_.f) best_ = out;
    highest_ = std::max(highest_, out.f);
    return out;
  }

  Proximity make_place(double angle) const {
    const CirclePoint q = calc_point(angle);
    const BoundaryPoint b = project(B_.core, q.p);
    Proximity out;
    out.N = R_AB_ * b.n;
    out.gap = b.distance - A_.radius - B_.radius;
    out.p_A = Vec(radius_ * q.c, radius_ * q.s, 0) - out.N * A_.radius;
    out.p_B = p_AB_ + R_AB_ * b.p + out.N * B_.radius;
    out.feature_B = b.feature;
    return out;
  }

  /// What rounding makes of f.
  double calc_rounding() const { return 4 * kEpsilon * (norm(middle_) + radius_); }

  // --- One minimum: half-space and point ----------------------------------------------------------------------------

  /// f falls from both sides towards the direction (x, y) of the circle's plane, which is known to rounding of `size`.
  void solve_single(double x, double y, double size) {
    const bool is_constant = std::sqrt(x * x + y * y) <= 8 * kEpsilon * size;
    out_.add(make_place(is_constant ? 0 : std::atan2(y, x)), is_constant ? LocalMinima::kFirstFixed : 0);
  }

  // --- Search -------------------------------------------------------------------------------------------------------

  void search() {
    std::array<Sample, kStartSamples + 1> start;
    for (int i = 0; i < kStartSamples; ++i) start[index(i)] = sample(2 * kPi * i / kStartSamples);
    start[kStartSamples] = start[0];
    start[kStartSamples].angle = 2 * kPi;
    // Around the lowest sample first: it makes the others easy to exclude.
    const int first = static_cast<int>(std::lround(best_.angle * kStartSamples / (2 * kPi))) + kStartSamples - 1;
    for (int i = 0; i < kStartSamples; ++i) {
      const int k = (first + i) % kStartSamples;
      explore(start[index(k)], start[index(k + 1)], kMostHalvings);
    }
    report();
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  /// Finds the minima between two samples.
  void explore(const Sample& a, const Sample& b, int halvings_left) {
    if (is_excluded(a, b)) return;
    const Sample m = sample(0.5 * (a.angle + b.angle));
    const double steepest = std::max({std::abs(a.slope), std::abs(m.slope), std::abs(b.slope)});
    if (steepest * (b.angle - a.angle) <= calc_rounding()) return;  // constant, as good as any place on it
    // Inside of B slopes jump, twice in an interval for all that a fit on a long one knows.
    const bool is_fit_trusted = std::min({a.f, m.f, b.f}) > 0 || halvings_left <= kMostHalvings - kHalvingsInside;
    const SlopeFit fit(a, m, b);
    if (is_fit_trusted && fit.is_clear_of_zero()) return;
    if ((is_fit_trusted && fit.is_monotonic()) || halvings_left == 0) {
      if (a.slope < 0 && m.slope >= 0) refine(a, m);
      if (m.slope < 0 && b.slope >= 0) refine(m, b);
      return;
    }
    explore(a, m, halvings_left - 1);
    explore(m, b, halvings_left - 1);
  }

  /// A bound −K of f'' from below between two samples; infinite where there is none.
  double calc_curvature_bound(const Sample& a, const Sample& b) const {
    if (B_.core.kind != CoreKind::circle) return radius_;
    const double least_rho = 0.5 * (a.rho + b.rho - radius_ * (b.angle - a.angle));
    if (least_rho >= B_.core.size.x) return radius_;
    return least_rho > 0 ? radius_ + radius_ * radius_ / least_rho : kInfinity;
  }

  /// Whether no minimum of interest is between two samples, by (2).
  bool is_excluded(const Sample& a, const Sample& b) const {
    const double h = b.angle - a.angle, level = std::max(level_, best_.f);
    if (0.5 * (a.f + b.f - radius_ * h) > level) return true;
    const double K = calc_curvature_bound(a, b);
    if (K == kInfinity) return false;
    if (a.slope > K * h || b.slope < -K * h) return true;
    if (std::min(a.f, b.f) <= level) return false;
    // Where the two parabolas of curvature −K cross: f is above the first before, above the second after, and parabolas
    // that open downwards are lowest at the ends.
    const double bend = b.slope - a.slope + K * h;
    if (!(bend > 0)) return true;
    const double s = std::clamp((a.f - b.f + b.slope * h + 0.5 * K * h * h) / bend, 0.0, h);
    return a.f + s * (a.slope - 0.5 * K * s) > level;
  }

  /// The root of f' between a sample with a negative and one with a positive slope (Chandrupatla, A new hybrid
  /// quadratic/bisection algorithm for finding the zero of a nonlinear function, 1997).
  void refine(const Sample& a, const Sample& b) {
    Sample p = b, q = a, r = a;  // the last, the other end of the bracket, the one before
    double t = p.slope / (p.slope - q.slope);
    constexpr int kMostSteps = 100;
    for (int k = 0; k < kMostSteps; ++k) {
      const double width = std::abs(q.angle - p.angle), least = 2 * kEpsilon * 2 * kPi / width;
      if (p.slope == 0 || least >= 0.5) break;
      t = std::clamp(t, least, 1 - least);
      const Sample x = sample(p.angle + t * (q.angle - p.angle));
      if ((x.slope < 0) == (p.slope < 0)) {
        r = p;
      } else {
        r = q;
        q = p;
      }
      p = x;
      if (std::abs(p.slope) <= kEpsilon * radius_) break;
      const double xi = (p.angle - q.angle) / (r.angle - q.angle), phi = (p.slope - q.slope) / (r.slope - q.slope);
      const bool is_safe = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
      t = is_safe ? p.slope / (q.slope - p.slope) * r.slope / (q.slope - r.slope) +
                        (r.angle - p.angle) / (q.angle - p.angle) * p.slope / (r.slope - p.slope) * q.slope /
                            (r.slope - q.slope)
                  : 0.5;
    }
    keep(std::abs(p.slope) <= std::abs(q.slope) ? p : q);
  }

  /// When there are too many, the highest is lost.
  void keep(const Sample& minimum) {
    if (found_count_ < LocalMinima::kCapacity) {
      found_[index(found_count_++)] = minimum;
      return;
    }
    Sample& highest = *std::max_element(found_.begin(), found_.end(), [](auto& s, auto& t) { return s.f < t.f; });
    if (minimum.f < highest.f) highest = minimum;
  }

  /// Turns the minima into places, numbered in the order of their angles.
  void report() {
    if (highest_ - best_.f <= calc_rounding()) return out_.add(make_place(0), LocalMinima::kFirstFixed);
    // A minimum is missing where f is constant to rounding around it.
    const bool is_best_known = std::any_of(found_.begin(), found_.begin() + found_count_,
                                           [&](const Sample& s) { return s.f <= best_.f + calc_rounding(); });
    if (!is_best_known) keep(best_);
    std::sort(found_.begin(), found_.begin() + found_count_,
              [](const Sample& s, const Sample& t) { return s.angle < t.angle; });
    std::array<int, LocalMinima::kCapacity> features{};
    for (int i = 0; i < found_count_; ++i) {
      const Proximity place = make_place(found_[index(i)].angle);
      features[index(i)] = place.feature_B;
      const auto rank = std::count(features.begin(), features.begin() + i, place.feature_B);
      out_.add(place, LocalMinima::number_minimum(static_cast<int>(rank)));
    }
  }

  // --- Patches ------------------------------------------------------------------------------------------------------

  void add_patch() {
    if (out_[0].gap > margin_) return;
    const Proximity nearest = out_[0];
    std::array<Proximity, LocalMinima::kFixedCount> fixed;
    std::array<bool, LocalMinima::kFixedCount> is_parallel;
    bool is_ring = false;
    for (int k = 0; k < LocalMinima::kFixedCount; ++k) {
      fixed[index(k)] = make_place(2 * kPi * k / LocalMinima::kFixedCount);
      is_parallel[index(k)] = is_along(nearest, fixed[index(k)]);
      is_ring = is_ring || (is_parallel[index(k)] && norm(fixed[index(k)].p_A - nearest.p_A) > out_.resolution);
    }
    for (int k = 0; is_ring && k < LocalMinima::kFixedCount; ++k) {
      if (is_parallel[index(k)]) out_.add(fixed[index(k)], LocalMinima::kFirstFixed + k);
    }
    for (int k = 0; is_ring && k < ArcPoints::kSlots; ++k) {
      if (std::isnan(out_.arc.angles[index(k)])) continue;
      const Proximity place = make_place(out_.arc.angles[index(k)]);
      if (is_along(nearest, place)) out_.add(place, kFirstArcNumber + k);
    }
    if (B_.core.kind != CoreKind::half_space && std::abs(nearest.N.z) >= std::cos(kPatchAngle)) add_arc_ends(nearest);
  }

  /// Whether a place is near, and the distance from the nearest place to it does not rise steeply.
  bool is_along(const Proximity& nearest, const Proximity& place) const {
    return place.gap <= margin_ && place.gap - nearest.gap <= kPatchAngle * norm(place.p_A - nearest.p_A);
  }

  /// Whether the circle is above a flat face of B that the nearest place's normal is about the normal of.
  bool is_above_face(const Proximity& nearest, double angle) const {
    const BoundaryPoint b = project(B_.core, calc_point(angle).p);
    if (dot(R_AB_ * b.n, nearest.N) < std::cos(kPatchAngle)) return false;
    return std::holds_alternative<PlaneSurface>(make_feature_surface(B_, b.feature).surface);
  }

  /// The ends of the arcs that are above a face.
  void add_arc_ends(const Proximity& nearest) {
    constexpr int kSteps = 64, kBisections = 48;
    int number = LocalMinima::kFirstEnd;
    bool was_above = is_above_face(nearest, 0);
    for (int i = 0; i < kSteps; ++i) {
      double inside = 2 * kPi * i / kSteps, outside = 2 * kPi * (i + 1) / kSteps;
      const bool is_above = is_above_face(nearest, outside);
      if (is_above == was_above) continue;
      if (is_above) std::swap(inside, outside);
      was_above = is_above;
      for (int k = 0; k < kBisections; ++k) {
        const double middle = 0.5 * (inside + outside);
        (is_above_face(nearest, middle) ? inside : outside) = middle;
      }
      const Proximity end = make_place(inside);
      if (is_along(nearest, end)) out_.add(end, number++);
    }
  }

  const GrownCore& A_;
  const GrownCore& B_;
  Mat3<double> R_AB_;
  Vec p_AB_;
  double radius_;          // of the circle
  Vec middle_, x_, y_;     // of the circle in the frame of B; x_, y_ as long as the radius
  double margin_, level_;  // of the gap and of f
  LocalMinima& out_;
  Sample best_{0, kInfinity, 0, 0};  // of all samples
  double highest_ = -kInfinity;
  std::array<Sample, LocalMinima::kCapacity> found_;
  int found_count_ = 0;
};

}  // namespace

void find_ring_minima(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin,
                      LocalMinima& out) {
  THENAR_ASSERT(A.core.kind == CoreKind::circle);
  if (B.core.kind == CoreKind::bowl) return find_bowl_minima(A, B, X_AB, margin, out);
  RingSearch(A, B, X_AB, margin, out).run();
}

}  // namespace thenar::internal
