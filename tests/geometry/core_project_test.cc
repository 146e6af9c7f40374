// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core_cases.h"
#include "thenar/geometry/core.h"

namespace thenar::core_project_test {
namespace {

using namespace core_cases;

/// What makes p the nearest point: it is a boundary point, q is at `distance` along its normal, on the right side, and
/// no boundary point is nearer.
void expect_projection(const Core& core, const Boundary& boundary, const Point& q) {
  SCOPED_TRACE(describe(core) + " q " + describe(q));
  const BoundaryPoint b = project(core, q);
  const double tolerance = tolerance_of(core, q);
  expect_element(core, b);
  EXPECT_LE(norm(b.p + b.n * b.distance - q), tolerance);
  if (std::abs(b.distance) > tolerance) {
    EXPECT_EQ(b.distance < 0, has_inside(core) && calc_implicit(core, q) < 0) << b.distance;
  }
  const Vec3<Real> target = q.cast<Real>();
  const Real nearest = boundary.minimise([&](const Vec3<Real>& y) { return norm(y - target); });
  EXPECT_GE(nearest, std::abs(b.distance) - tolerance) << "feature " << b.feature;
}

TEST(CoreProject, FindsTheNearestBoundaryPoint) {
  for (const Core& core : make_cores()) {
    const Boundary boundary(core);
    Queries queries(core, boundary);
    for (int i = 0; i < 400; ++i) expect_projection(core, boundary, queries.around());
    for (int i = 0; i < 300; ++i) expect_projection(core, boundary, queries.near_boundary());
    for (int i = 0; i < 100; ++i) expect_projection(core, boundary, queries.on_boundary());
    if (HasFailure()) return;
  }
}

TEST(CoreProject, HoldsAtPointsOfSymmetry) {
  for (const Core& core : make_cores()) {
    const Boundary boundary(core);
    Queries queries(core, boundary);
    for (const Point& q : queries.special()) expect_projection(core, boundary, q);
    if (HasFailure()) return;
  }
}

TEST(CoreProject, HoldsNearTheFocalCurveOfEllipsoids) {
  for (const Core& core : make_cores()) {
    if (core.kind != CoreKind::ellipsoid) continue;
    const Boundary boundary(core);
    Queries queries(core, boundary);
    for (int i = 0; i < 500; ++i) expect_projection(core, boundary, queries.near_focus());
    if (HasFailure()) return;
  }
}

TEST(CoreProject, HoldsInPlanesOfSymmetryInsideEllipsoids) {
  // There the nearest point is beside the plane if q is inside the focal curve, and in it otherwise.
  for (const Core& core : make_cores()) {
    if (core.kind != CoreKind::ellipsoid) continue;
    const Boundary boundary(core);
    std::mt19937_64 generator(5);
    std::uniform_real_distribution<double> part(-1, 1);
    for (int i = 0; i < 300; ++i) {
      Point q(part(generator) * core.size.x, part(generator) * core.size.y, part(generator) * core.size.z);
      (i % 3 == 0 ? q.x : i % 3 == 1 ? q.y : q.z) = 0;
      expect_projection(core, boundary, q);
    }
    if (HasFailure()) return;
  }
}

TEST(CoreProject, HoldsFarAway) {
  for (const Core& core : make_cores()) {
    if (!is_bounded(core.kind)) continue;
    const Boundary boundary(core);
    Queries queries(core, boundary);
    for (int i = 0; i < 100; ++i) expect_projection(core, boundary, queries.far());
    if (HasFailure()) return;
  }
}

// The distance of a point to a set changes by no more than the point moves; less the distance to the complement on the
// inside it still does so, since a segment from inside to outside meets the boundary.
TEST(CoreProject, SignedDistanceChangesNoMoreThanThePointMoves) {
  for (const Core& core : make_cores()) {
    SCOPED_TRACE(describe(core));
    const Boundary boundary(core);
    Queries queries(core, boundary);
    for (int i = 0; i < 3000; ++i) {
      const Point q = i % 2 == 0 ? queries.around() : queries.near_boundary();
      const Point other = q + queries.direction() * (queries.magnitude(-16, 0) * size_of(core));
      const double change = project(core, other).distance - project(core, q).distance;
      ASSERT_LE(std::abs(change), norm(other - q) + tolerance_of(core, q)) << describe(q) << describe(other);
    }
  }
}

// Nearer than some ulp to a corner there is no direction to the point, but a normal all the same.
TEST(CoreProject, NormalsStayUnitAndOutwardWithinRoundingOfCorners) {
  const double h = 0.7, tiny = 1e-17, ulp = kEpsilon / 2;
  const auto expect_outward = [](const Core& core, const Point& q, int feature, const Point& middle) {
    const BoundaryPoint b = project(core, q);
    EXPECT_EQ(b.feature, feature) << describe(core);
    EXPECT_NEAR(norm(b.n), 1, 4 * kEpsilon);
    EXPECT_GT(dot(b.n, normalized(middle)), 0.9) << describe(core) << describe(b.n);
  };
  const double up = std::nextafter(h, 1.0);
  expect_outward({CoreKind::segment, {0, 0, h}}, {tiny, 0, up}, 2, {0, 0, 1});
  expect_outward({CoreKind::box, {h, h, h}}, {up, up, up}, 25, {1, 1, 1});
  expect_outward({CoreKind::cylinder, {h, 0, h}}, {up, 0, h + 20 * ulp}, 4, {1, 0, 1});
  expect_outward({CoreKind::cone, {h, 0, h}}, {0, 0, up}, 3, {0, 0, 1});
  expect_outward({CoreKind::cone, {h, 0, h}}, {up, 0, -up}, 2, {1, 0, -0.5});
  expect_outward({CoreKind::plate, {h, 0.3, 0}}, {up, 0, tiny}, 2, {1, 0, 0});
  expect_outward({CoreKind::circle, {h, 0, 0}}, {0, h, 0}, 0, {0, 1, 0});
}

TEST(CoreProject, HasAFixedAnswerWhereManyPointsAreNearest) {
  const auto expect_answer = [](const Core& core, const Point& q, const Point& p, const Point& n, double distance) {
    const BoundaryPoint b = project(core, q);
    EXPECT_LE(norm(b.p - p), kRoundings) << describe(core) << describe(b.p);
    EXPECT_LE(norm(b.n - n), kRoundings) << describe(core) << describe(b.n);
    EXPECT_NEAR(b.distance, distance, kRoundings);
  };
  expect_answer({CoreKind::point, {0, 0, 0}}, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, 0);
  expect_answer({CoreKind::segment, {0, 0, 1}}, {0, 0, 0.5}, {0, 0, 0.5}, {1, 0, 0}, 0);
  expect_answer({CoreKind::box, {1, 1, 1}}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, -1);
  expect_answer({CoreKind::ellipsoid, {1, 0.5, 2}}, {0, 0, 0}, {0, 0.5, 0}, {0, 1, 0}, -0.5);
  expect_answer({CoreKind::ellipsoid, {1, 0.5, 2}}, {0, -1e-200, 0}, {0, -0.5, 0}, {0, -1, 0}, -0.5);
  expect_answer({CoreKind::ellipsoid, {1, 1, 1}}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, -1);
  expect_answer({CoreKind::cylinder, {0.5, 0, 1}}, {0, 0, 0.3}, {0.5, 0, 0.3}, {1, 0, 0}, -0.5);
  expect_answer({CoreKind::plate, {1, 2, 0}}, {0.3, 0, 0}, {0.3, 0, 0}, {0, 0, 1}, 0);
  expect_answer({CoreKind::circle, {0.5, 0, 0}}, {0, 0, 0}, {0.5, 0, 0}, {-1, 0, 0}, 0.5);
  expect_answer(make_bowl(1, 0.4), {0, 0, 0.6}, {0, 0, -0.4}, {0, 0, 1}, 1);
  expect_answer(make_bowl(1, 1.6), {0, 0, 0}, {0.8, 0, 0}, {-1, 0, 0}, 0.8);
}

}  // namespace
}  // namespace thenar::core_project_test
