// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/closed_distance_internal.h"

#include <algorithm>
#include <cmath>

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;

double clamp_to(double half, double x) { return std::clamp(x, -half, half); }

/// Places s on the segment A (on z, of half length h_A) and t on B (centre c, direction d, half length h_B) that are
/// nearest: first on the lines, then held to the segments in turn. Parallel ones meet in the middle of their overlap.
struct SegmentPlaces {
  double s = 0, t = 0;
};
SegmentPlaces find_nearest_places(double h_A, double h_B, const Vec& c, const Vec& d) {
  const double b = d.z, along_A = c.z, along_B = dot(d, c);
  const double sine2 = d.x * d.x + d.y * d.y;
  constexpr double kParallel = 1e-24;
  SegmentPlaces out;
  if (sine2 > kParallel) {
    out.s = clamp_to(h_A, (d.x * (d.x * c.z - d.z * c.x) + d.y * (d.y * c.z - d.z * c.y)) / sine2);
  } else {
    const double lower = std::max(-h_A, along_A - h_B), upper = std::min(h_A, along_A + h_B);
    out.s = clamp_to(h_A, (lower + upper) / 2);
  }
  out.t = b * out.s - along_B;
  if (std::abs(out.t) > h_B) {
    out.t = clamp_to(h_B, out.t);
    out.s = clamp_to(h_A, along_A + b * out.t);
  }
  return out;
}

/// The feature of a segment at place s: its line, or one of its ends.
int feature_at(double half, double s) { return s <= -half ? 1 : s >= half ? 2 : 0; }

}  // namespace

Proximity put_ball_on(const GrownCore& A, const GrownCore& ball, const Vec& centre) {
  const BoundaryPoint a = project(A.core, centre);
  Proximity place;
  place.N = -a.n;
  place.p_A = a.p + a.n * A.radius;
  place.p_B = centre - a.n * ball.radius;
  place.gap = a.distance - A.radius - ball.radius;
  place.feature_A = a.feature;
  return place;
}

Proximity put_segments_together(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB) {
  const double h_A = A.core.size.z, h_B = B.core.size.z;
  const Vec c(X_AB.p), d(Vec3<double>(X_AB.R(0, 2), X_AB.R(1, 2), X_AB.R(2, 2))), across{-d.y, d.x, 0};
  const SegmentPlaces places = find_nearest_places(h_A, h_B, c, d);
  const Vec a{0, 0, places.s}, b = c + d * places.t, apart = a - b;
  Proximity place;
  place.feature_A = feature_at(h_A, places.s);
  place.feature_B = feature_at(h_B, places.t);
  Vec direction = apart;
  if (place.feature_A == 0) direction.z = 0;
  if (place.feature_B == 0) direction -= d * dot(direction, d);
  const double distance = norm(direction), sine = norm(across);
  const double size = std::abs(places.s) + norm(c) + std::abs(places.t);
  const bool do_cross = place.feature_A == 0 && place.feature_B == 0 && sine * size > distance;
  if (do_cross || !(distance > 1e-14 * size)) {
    place.N = sine > 0 ? across * (1 / sine) : Vec{1, 0, 0};
    if (dot(place.N, apart) < 0) place.N = -place.N;
  } else {
    place.N = direction * (1 / distance);
  }
  place.gap = dot(place.N, apart) - A.radius - B.radius;
  place.p_A = a - place.N * A.radius;
  place.p_B = b + place.N * B.radius;
  return place;
}

Proximity put_on_half_space(const GrownCore& B, const Pose<double>& X_AB) {
  const Vec up{0, 0, 1};
  const Mat3<double> R_AB(X_AB.R);
  const BoundaryPoint b = support(B.core, R_AB.transpose_times(-up));
  Proximity place;
  place.N = -up;
  place.p_B = Vec(X_AB.p) + R_AB * b.p - up * B.radius;
  place.gap = place.p_B.z;
  place.p_A = {place.p_B.x, place.p_B.y, 0};
  place.feature_B = b.feature;
  return place;
}

}  // namespace thenar::internal
