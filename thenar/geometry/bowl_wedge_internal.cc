// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/bowl_wedge_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "thenar/base/sincos.h"

namespace thenar::internal {
namespace {

double arc_cosine(double c) { return std::acos(std::clamp(c, -1.0, 1.0)); }

/// The separation along one normal.
class WaysOut {
 public:
  WaysOut(const GrownCore& A, const Pose<double>& X_AB, const BowlWedge& wedge)
      : A_(A),
        R_AB_(X_AB.R),
        meridian_(wedge.meridian),
        edge_(Vec3<double>(X_AB.p) + R_AB_ * place_radially(wedge.meridian, wedge.edge, 0)) {}

  Proximity look(double angle) const {
    double s, c;
    sincos(angle, s, c);
    Proximity place;
    place.N = R_AB_ * place_radially(meridian_, -s, c);
    const BoundaryPoint a = support(A_.core, -place.N);
    place.gap = -a.distance - dot(place.N, edge_) - A_.radius;
    place.p_A = edge_ + place.N * place.gap;
    place.p_B = edge_;
    place.feature_A = a.feature;
    place.feature_B = 1;
    return place;
  }

 private:
  const GrownCore& A_;
  Mat3<double> R_AB_;
  Radial meridian_;
  Vec3<double> edge_;
};

}  // namespace

BowlWedge make_rim_wedge(const Core& bowl, const Radial& meridian) {
  return {meridian, bowl.size.y, arc_cosine(bowl_centre(bowl.size) / bowl.size.x)};
}

BowlWedge make_wedge(const Core& bowl, const Vec3<double>& u) {
  const Radial meridian = make_radial(u);
  return {meridian, (bowl.size.x + bowl_centre(bowl.size) * u.z) / meridian.rho, arc_cosine(-u.z)};
}

Proximity find_way_out(const GrownCore& A, const Pose<double>& X_AB, const BowlWedge& wedge) {
  constexpr int kSamples = 16, kSteps = 64;
  constexpr double kGolden = 2 - std::numbers::phi;
  const WaysOut ways(A, X_AB, wedge);
  int best = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (int k = 0; k <= kSamples; ++k) {
    const double gap = ways.look(wedge.angle * k / kSamples).gap;
    if (gap > largest) best = k, largest = gap;
  }
  double low = wedge.angle * std::max(0, best - 1) / kSamples;
  double high = wedge.angle * std::min(kSamples, best + 1) / kSamples;
  Proximity left = ways.look(low + kGolden * (high - low)), right = ways.look(high - kGolden * (high - low));
  for (int k = 0; k < kSteps; ++k) {
    if (left.gap > right.gap) {
      high -= kGolden * (high - low);
      right = left;
      left = ways.look(low + kGolden * (high - low));
    } else {
      low += kGolden * (high - low);
      left = right;
      right = ways.look(high - kGolden * (high - low));
    }
  }
  const Proximity& inner = left.gap > right.gap ? left : right;
  return inner.gap > largest ? inner : ways.look(wedge.angle * best / kSamples);
}

}  // namespace thenar::internal
