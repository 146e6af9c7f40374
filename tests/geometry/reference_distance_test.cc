// SPDX-License-Identifier: BSD-3-Clause
//
// The reference that the distance is compared with, against closed forms and by its own certificates.

#include "reference_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "random_pairs.h"

namespace thenar::reference_distance_test {
namespace {

using Real = long double;
using Vec = Vector3<Real>;
using test::Placement;
using test::RandomPairs;

/// A few roundings of long double on the metre scale.
constexpr Real kTolerance = 1e-17L;

Pose<Real> at(Real x, Real y, Real z) { return Pose<Real>::translation({x, y, z}); }
Pose<Real> turned(const Vec& axis, Real angle, const Vec& p) {
  return {Eigen::AngleAxis<Real>(angle, axis.normalized()).toRotationMatrix(), p};
}
/// The same relative pose seen from another world.
struct World {
  Pose<Real> X = turned({1, 2, 3}, 0.7L, {0.3L, -0.2L, 0.9L});
  reference::Result distance(const Shape& A, const Pose<Real>& X_WA, const Shape& B, const Pose<Real>& X_WB) const {
    const reference::Result result = reference::calc_distance(A, X * X_WA, B, X * X_WB);
    EXPECT_TRUE(result.is_certified);
    EXPECT_LE(result.duality_gap, kTolerance);
    EXPECT_LE((result.p_A - result.p_B - result.gap * result.N).norm(), kTolerance);
    return result;
  }
};

void expect_gap(Real expected, const reference::Result& result) {
  EXPECT_LE(std::abs(expected - result.gap), kTolerance);
}
void expect_normal(const Vec& expected_A, const reference::Result& result) {
  EXPECT_LE((World().X.R * expected_A - result.N).norm(), 1e-16L);
}

TEST(ReferenceDistance, IsThatOfTheCentresForSpheres) {
  for (const Real x : {2.0L, 0.6L, 0.5L}) {  // apart, overlapping by 0.05, touching but for rounding of the radii
    const auto r = World().distance(Sphere{0.25}, at(0, 0, 0), Sphere{0.375}, at(x, 0, 0));
    expect_gap(x - 0.625L, r);
    expect_normal({-1, 0, 0}, r);
  }
}

TEST(ReferenceDistance, OfASphereFromABoxIsToFaceEdgeOrVertex) {
  const Box box{{0.5, 1, 2}};  // half sides 0.25, 0.5, 1
  const Sphere ball{0.125};
  const auto distance = [&](const Vec& p) { return World().distance(box, at(0, 0, 0), ball, at(p.x(), p.y(), p.z())); };
  expect_gap(0.75L - 0.125L, distance({1, 0.1L, 0.2L}));
  expect_gap(5.0L / 8 - 0.125L, distance({0.25L + 3.0L / 8, 1, -0.3L}));
  expect_gap(std::sqrt(3.0L) - 0.125L, distance({-1.25L, 1.5L, 2}));
  // Centre inside: out through the nearest face.
  const auto inside = distance({0.2L, 0.1L, 0.3L});
  expect_gap(-0.05L - 0.125L, inside);
  expect_normal({-1, 0, 0}, inside);
}

TEST(ReferenceDistance, OfCapsulesIsThatOfTheirLines) {
  const Capsule capsule{0.125, 1};
  const Pose<Real> across = turned({1, 0, 0}, std::numbers::pi_v<Real> / 2, {0.75L, 0.1L, 0.2L});
  expect_gap(0.75L - 0.25L, World().distance(capsule, at(0, 0, 0), capsule, across));
  // End over end.
  expect_gap(5.0L / 4 - 0.25L, World().distance(capsule, at(0, 0, 0), capsule, at(0.75L, 0, 2)));
}

TEST(ReferenceDistance, OfASphereFromATorusIsToTheCircle) {
  const Torus torus{1, 0.25};
  const Sphere ball{0.125};
  // From the middle of the hole out to the ring's side; above the ring.
  expect_gap(0.25L - 0.375L, World().distance(torus, at(0, 0, 0), ball, at(0.75L, 0, 0)));
  expect_gap(1 - 0.375L, World().distance(torus, at(0, 0, 0), ball, at(0, 1, 1)));
  expect_gap(std::hypot(0.5L, 0.75L) - 0.375L, World().distance(torus, at(0, 0, 0), ball, at(0, -1.5L, 0.75L)));
}

TEST(ReferenceDistance, OfLinkedRingsIsThatOfTheirCircles) {
  // The second circle stands on end, around a point outside of the first, and reaches into its hole. With x = cos s and
  // y = cos t of their angles, the squared distance is 3.5625 − 2.5 x + 2.5 y − 2 x y: least at x = 1, y = −1.
  const Pose<Real> linked = turned({1, 0, 0}, std::numbers::pi_v<Real> / 2, {1.25L, 0, 0});
  const auto r = World().distance(Torus{1, 0.125}, at(0, 0, 0), Torus{1, 0.25}, linked);
  expect_gap(0.75L - 0.375L, r);
  expect_normal({1, 0, 0}, r);
}

TEST(ReferenceDistance, OnTheAxesOfAnEllipsoidIsTheSemiAxis) {
  const Ellipsoid flat{{1, 0.5, 0.05}};
  for (int axis = 0; axis < 3; ++axis) {
    const Vec p = Vec::Unit(axis) * 3;
    const auto r = World().distance(flat, at(0, 0, 0), Sphere{0.25}, at(p.x(), p.y(), p.z()));
    expect_gap(3 - Real(flat.semi_axes(axis)) - 0.25L, r);
    expect_normal(-Vec::Unit(axis), r);
  }
}

/// A ball around a point p of the surface with normal m, its centre at p + d m, is d − r away.
TEST(ReferenceDistance, OffTheSurfaceOfAnEllipsoidIsAlongTheNormal) {
  const Ellipsoid flat{{1, 0.5, 0.05}};
  RandomPairs random(1);
  for (int i = 0; i < 100; ++i) {
    const Vec a = flat.semi_axes.cast<Real>(), s = random.unit_vector().cast<Real>().normalized();
    const Vec p = a.cwiseProduct(s), m = s.cwiseQuotient(a).normalized();
    const Real d = random.log_uniform(1e-9, 10);
    const Vec q = p + d * m;
    const auto r = World().distance(flat, at(0, 0, 0), Sphere{0.25}, at(q.x(), q.y(), q.z()));
    EXPECT_LE(std::abs(r.gap - (d - 0.25L)), kTolerance * (1 + d));
    expect_normal(-m, r);
  }
}

TEST(ReferenceDistance, OfAConeIsToItsTipSideRimOrBase) {
  const Cone cone{0.375, 1};  // slope 3:8, tip at 0.5
  const Sphere ball{0.125};
  const auto distance = [&](const Vec& p) {
    return World().distance(cone, at(0, 0, 0), ball, at(p.x(), p.y(), p.z()));
  };
  expect_gap(1 - 0.125L, distance({0, 0, 1.5L}));
  expect_gap(0.5L - 0.125L, distance({0.1L, 0.1L, -1}));
  expect_gap(5.0L / 8 - 0.125L, distance({0.375L + 3.0L / 8, 0, -1}));
  const Vec side = Vec(0, 8, 3).normalized(), on = Vec(0, 0.1875L, 0) + 0.75L * side;
  const auto r = distance(on);
  expect_gap(0.75L - 0.125L, r);
  expect_normal(-side, r);
}

TEST(ReferenceDistance, InABowlIsToHollowRimOrFlat) {
  const Bowl bowl{1, 0.5};  // centre of the ball at z = 0.5, rim of radius √0.75
  const Sphere ball{0.125};
  const auto distance = [&](const Vec& p) {
    return World().distance(ball, at(p.x(), p.y(), p.z()), bowl, at(0, 0, 0));
  };
  expect_gap(0.5L - 0.125L, distance({0.3L, 0, 0.1L}));  // 0.5 from the centre
  expect_gap(0.25L - 0.125L, distance({2, 1, 0.25L}));   // over the flat part
  const Real rim = std::sqrt(0.75L);
  expect_gap(0.25L - 0.125L, distance({rim - 0.1L, 0, std::sqrt(0.0525L)}));  // up and in from the rim, in its wedge
  expect_gap(-0.0625L - 0.125L, distance({2, 1, -0.0625L}));                  // centre under the table
}

/// s(n) is a lower bound of the gap for every direction, and points of the bodies give an upper one.
TEST(ReferenceDistance, DualityGapOfConvexPairsIsOfRounding) {
  RandomPairs random(2);
  int convex = 0;
  for (const auto& kinds : test::all_kind_pairs()) {
    if (kinds.A == test::kTorus || kinds.B == test::kTorus || kinds.B >= test::kPlane) continue;
    for (const Placement placement : {Placement::apart, Placement::touching, Placement::shallow}) {
      for (int i = 0; i < 10; ++i) {
        const auto pair = random.pair(kinds, placement);
        EXPECT_LE(pair.expected.duality_gap, 1e-17L * pair.length) << test::name_of(kinds);
        ++convex;
      }
    }
  }
  EXPECT_EQ(convex, 45 * 30);
}

/// No sample of points of the two surfaces is nearer than the reference says, with a ring and a bowl.
TEST(ReferenceDistance, NoPointOfACircleIsNearer) {
  RandomPairs random(3);
  for (const test::ShapeKind other : {0, 3}) {
    for (int i = 0; i < 100; ++i) {
      const auto pair = random.pair({other, test::kTorus}, Placement::apart);
      const bool is_A = std::holds_alternative<Torus>(pair.A);
      const Torus torus = std::get<Torus>(is_A ? pair.A : pair.B);
      const Pose<double>& X_WT = is_A ? pair.X_WA : pair.X_WB;
      const Pose<double>& X_WO = is_A ? pair.X_WB : pair.X_WA;
      const Shape& shape = is_A ? pair.B : pair.A;
      const double radius = other == 0 ? std::get<Sphere>(shape).radius : std::get<Capsule>(shape).radius;
      const double half = other == 0 ? 0 : std::get<Capsule>(shape).length / 2;
      double least = 1e300;
      for (int k = 0; k < 720; ++k) {
        const double angle = k * std::numbers::pi / 360;
        const Vector3<double> q = X_WO.inverse() * (X_WT * Vector3<double>(torus.radius * std::cos(angle),
                                                                           torus.radius * std::sin(angle), 0));
        least = std::min(least, std::hypot(q.x(), q.y(), q.z() - std::clamp(q.z(), -half, half)));
      }
      const double gap = least - radius - torus.tube;
      EXPECT_GE(gap, static_cast<double>(pair.expected.gap) - 1e-12);
      EXPECT_LE(gap, static_cast<double>(pair.expected.gap) + torus.radius * std::numbers::pi / 360);
    }
  }
}

}  // namespace
}  // namespace thenar::reference_distance_test
