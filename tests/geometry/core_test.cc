// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <set>
#include <string>
#include <variant>

#include "core_cases.h"
#include "thenar/geometry/feature_surface.h"

namespace thenar::core_test {
namespace {

using namespace core_cases;

// --- Support ------------------------------------------------------------------------------------------------------

void expect_support(const Core& core, const Boundary& boundary, const Point& d) {
  SCOPED_TRACE(describe(core) + " d " + describe(d));
  const BoundaryPoint b = support(core, d);
  EXPECT_EQ(norm(b.n - d), 0);
  EXPECT_NEAR(b.distance, dot(b.p, d), kRoundings * size_of(core));
  expect_element(core, b);
  const Vec3<Real> along = d.cast<Real>();
  const Real farthest = -boundary.minimise([&](const Vec3<Real>& y) { return -dot(y, along); });
  EXPECT_LE(farthest, b.distance + kRoundings * size_of(core)) << "feature " << b.feature;
}

TEST(CoreSupport, FindsTheFarthestPoint) {
  for (const Core& core : make_cores()) {
    if (!is_bounded(core.kind)) continue;
    const Boundary boundary(core);
    Queries queries(core, boundary);
    for (int i = 0; i < 300; ++i) expect_support(core, boundary, queries.direction());
    for (int cell = 0; cell < 27; ++cell) {
      if (cell == 13) continue;  // no direction
      expect_support(core, boundary, normalized(Point(cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1)));
    }
    if (HasFailure()) return;
  }
}

TEST(CoreSupport, NamesTheFeatureThatHasTheDirection) {
  const auto feature = [](const Core& core, const Point& d) { return support(core, normalized(d)).feature; };
  const Core box{CoreKind::box, {0.5, 0.8, 1.1}};
  EXPECT_EQ(feature(box, {-1, 0, 0}), 0);
  EXPECT_EQ(feature(box, {0, 0, 1}), 5);
  EXPECT_EQ(feature(box, {0, 1, -1}), 6 + 0 + 1);  // along x, upper y
  EXPECT_EQ(feature(box, {1, 0, -1}), 6 + 4 + 2);  // along y, the next axis is z, then x
  EXPECT_EQ(feature(box, {-1, 1e-9, 0}), 6 + 8 + 2);
  EXPECT_EQ(feature(box, {1, -1, 1}), 18 + 1 + 4);
  const Core flat{CoreKind::box, {0.5, 0.8, 0}};
  EXPECT_EQ(feature(flat, {0, 0, -1}), 4);
  EXPECT_EQ(feature(flat, {1, 0, 0}), 6 + 4 + 1 + 2);  // along y, both z are one and count as upper
  EXPECT_EQ(feature(flat, {1, -1, 0}), 18 + 1 + 4);
  const Core segment{CoreKind::segment, {0, 0, 1}};
  EXPECT_EQ(feature(segment, {1, 1, 0}), 0);
  EXPECT_EQ(feature(segment, {1, 1, -1e-9}), 1);
  EXPECT_EQ(feature(segment, {0, 0, 1}), 2);
  const Core cylinder{CoreKind::cylinder, {1, 0, 1}};
  EXPECT_EQ(feature(cylinder, {1, 2, 0}), 0);
  EXPECT_EQ(feature(cylinder, {0, 0, -1}), 1);
  EXPECT_EQ(feature(cylinder, {0, 0, 1}), 2);
  EXPECT_EQ(feature(cylinder, {1, 0, -1e-9}), 3);
  EXPECT_EQ(feature(cylinder, {1e-9, 0, 1}), 4);
  const Core cone{CoreKind::cone, {0.6, 0, 0.9}};
  EXPECT_EQ(feature(cone, {1.8, 0, 0.6}), 0);
  EXPECT_EQ(feature(cone, {0, 0, -1}), 1);
  EXPECT_EQ(feature(cone, {1.8, 0, 0.6 - 1e-9}), 2);
  EXPECT_EQ(feature(cone, {1.8, 0, 0.6 + 1e-9}), 3);
  EXPECT_EQ(feature(cone, {0, 0, 1}), 3);
  const Core plate{CoreKind::plate, {0.6, 1.1, 0}};
  EXPECT_EQ(feature(plate, {0, 0, -1}), 0);
  EXPECT_EQ(feature(plate, {0, 0, 1}), 1);
  EXPECT_EQ(feature(plate, {0, 1e-9, 1}), 2);
}

// The side's normal is met to a few ulp only, wherever it points.
TEST(CoreSupport, NamesTheSideOfAConeAlongItsNormal) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> length(0.01, 1), angle(-std::numbers::pi, std::numbers::pi);
  for (int i = 0; i < 200; ++i) {
    const Core core{CoreKind::cone, {length(random), 0, length(random)}};
    const ContactElement<double> side =
        std::get<ConeSurface>(make_feature_surface({core, 0}, 0).surface).evaluate<double>(0, {angle(random), -1});
    EXPECT_EQ(support(core, side.n).feature, 0) << describe(core) << describe(side.n);
  }
}

// --- Features -----------------------------------------------------------------------------------------------------

/// Random coordinates on a surface that reach beyond what a feature owns, and into those that are short of it.
struct ChartPicker {
  std::mt19937& random;
  double size;

  double between(double a, double b) const { return std::uniform_real_distribution<double>(a, b)(random); }
  double angle() const { return between(-std::numbers::pi, std::numbers::pi); }
  double length() const { return between(-1.5, 1.5) * std::pow(10, between(-4, 0.3)) * size; }
  /// Longitude and latitude.
  template <class S>
  Vector2<double> operator()(const S&) const {
    return {angle(), angle() / 2};
  }
  Vector2<double> operator()(const CylinderSurface&) const { return {angle(), length()}; }
  Vector2<double> operator()(const RingSurface&) const { return {angle(), angle()}; }
  Vector2<double> operator()(const ConeSurface&) const { return {angle(), length()}; }
  Vector2<double> operator()(const PlaneSurface&) const { return {length(), length()}; }
};

/// An element of the surface of a feature, in the shape's frame.
ContactElement<double> pick_element(const GrownCore& shape, int feature, std::mt19937& random) {
  const FeatureSurface f = make_feature_surface(shape, feature);
  EXPECT_NEAR((f.X_SF.R.transpose() * f.X_SF.R - Matrix3<double>::Identity()).norm(), 0, kEpsilon);
  EXPECT_NEAR(f.X_SF.R.determinant(), 1, kEpsilon);
  const ChartPicker picker{random, size_of(shape.core)};
  ContactElement<double> e =
      std::visit([&](const auto& surface) { return surface.evaluate(0, picker(surface)); }, f.surface);
  const Mat3<double> R(f.X_SF.R);
  e.p = R * e.p + Point(f.X_SF.p);
  e.n = R * e.n, e.x = R * e.x, e.y = R * e.y;
  return e;
}

// A ball that rolls over the core: what a feature owns are those elements (p, n) for which p is nearest to p + r n, if
// only r is less than the radius of what is concave.
TEST(CoreFeature, OwnsTheElementsThatPointsNearbyProjectTo) {
  std::mt19937 random(11);
  for (const Core& core : make_cores()) {
    SCOPED_TRACE(describe(core));
    const double size = size_of(core), r = 0.1 * size;
    const bool is_thick = core.kind != CoreKind::box || has_inside(core);
    for (int feature = 0; feature < feature_count(core.kind); ++feature) {
      int owned_count = 0;
      for (int i = 0; i < 4000; ++i) {
        const ContactElement<double> e = pick_element({core, 0}, feature, random);
        const Outside outside = calc_outside(core, feature, e.p, e.n);
        const BoundaryPoint b = project(core, e.p + e.n * r);
        const double off = norm(b.p - e.p);
        if (outside.length <= kRoundings * size && outside.angle <= kRoundings) {
          ++owned_count;
          // Both ends are rounded, and where a surface is flat p moves by the turn of the normal over the curvature:
          // b/a² at the poles of ellipsoids, which here is up to a thousand times.
          ASSERT_LE(off, 1000 * kRoundings * size) << feature << describe(e.p) << describe(e.n);
          ASSERT_NEAR(b.distance, r, kRoundings * size);
          ASSERT_LE(norm(b.n - e.n), 1000 * kRoundings);
        } else if (is_thick && (outside.length > 1e-5 * size || outside.angle > 1e-5)) {
          ASSERT_GT(off, 1e-7 * size) << feature << describe(e.p) << describe(e.n);
        }
      }
      if (is_thick) {
        EXPECT_GT(owned_count, 0) << feature;
      }
    }
  }
}

bool is_on(const Core& core, int feature, const BoundaryPoint& b, double tolerance) {
  const ContactElement<double> e = snap({core, 0}, feature, b.p, b.n);
  const Outside outside = calc_outside(core, feature, b.p, b.n);
  return norm(e.p - b.p) <= tolerance * size_of(core) && norm(e.n - b.n) <= tolerance && outside.angle <= tolerance &&
         outside.length <= tolerance * size_of(core);
}

TEST(CoreFeature, ElementsBelongToOneFeatureAlone) {
  for (const Core& core : make_cores()) {
    if (core.kind == CoreKind::box && !has_inside(core)) continue;  // its vertices and edges are several in one
    SCOPED_TRACE(describe(core));
    const Boundary boundary(core);
    Queries queries(core, boundary);
    for (int i = 0; i < 1000; ++i) {
      const Point q = queries.around();
      const BoundaryPoint b = project(core, q);
      for (int feature = 0; feature < feature_count(core.kind); ++feature) {
        // Random points are as near as this to the limit between two features about once in 1e5 times.
        ASSERT_EQ(is_on(core, feature, b, 1e-9), feature == b.feature) << describe(q) << feature;
      }
    }
  }
}

TEST(CoreFeature, TellsHowFarOutsideAnElementIs) {
  const auto expect_outside = [](const Core& core, int feature, const Point& p, const Point& n, double length,
                                 double angle) {
    const Outside found = calc_outside(core, feature, p, normalized(n));
    EXPECT_NEAR(found.length, length, kRoundings) << describe(core) << feature;
    EXPECT_NEAR(found.angle, angle, kRoundings) << describe(core) << feature;
  };
  const double right = std::numbers::pi / 2;
  const Core segment{CoreKind::segment, {0, 0, 1}};
  expect_outside(segment, 0, {0, 0, 1.25}, {1, 0, 0}, 0.25, 0);
  expect_outside(segment, 0, {0, 0, 0}, {1, 0, -1}, 0, right / 2);
  expect_outside(segment, 2, {0, 0, 1}, {1, 0, -1}, 0, right / 2);
  const Core box{CoreKind::box, {1, 2, 3}};
  expect_outside(box, 5, {1.3, -2.4, 3}, {0, 0, 1}, 0.5, 0);
  expect_outside(box, 5, {1, -2, 3}, {0, 1, 1}, 0, right / 2);
  expect_outside(box, 6 + 8 + 3, {1, 2, -3.5}, {1, 1, 0}, 0.5, 0);
  expect_outside(box, 6 + 8 + 3, {1, 2, 0}, {1, -1, 0}, 0, right / 2);
  expect_outside(box, 25, {1, 2, 3}, {-1, 0, 0}, 0, right);
  expect_outside(box, 25, {1, 2, 3}, {-1, 1, 0}, 0, right / 2);
  const Core cylinder{CoreKind::cylinder, {1, 0, 2}};
  expect_outside(cylinder, 0, {1, 0, -2.5}, {1, 0, 1}, 0.5, right / 2);
  expect_outside(cylinder, 2, {0, -1.5, 2}, {0, 0, -1}, 0.5, 2 * right);
  expect_outside(cylinder, 4, {1, 0, 2}, {-1, 0, 1}, 0, right / 2);
  expect_outside(cylinder, 3, {1, 0, -2}, {-1, 0, 0}, 0, right);
  expect_outside(cylinder, 3, {1, 0, -2}, {1, 1, 0}, 0, right / 2);
  const Core cone{CoreKind::cone, {2, 0, 1}};  // sides at 45°
  expect_outside(cone, 0, {3, 0, -2}, {1, 0, 1}, std::sqrt(2.0), 0);
  expect_outside(cone, 0, {-1, 0, 2}, {1, 0, 1}, std::sqrt(2.0), 0);  // beyond the apex
  expect_outside(cone, 0, {1, 0, 0}, {0, 0, 1}, 0, right / 2);
  expect_outside(cone, 1, {0, 2.5, -1}, {0, 0, -1}, 0.5, 0);
  expect_outside(cone, 2, {2, 0, -1}, {0, 0, 1}, 0, right / 2);
  expect_outside(cone, 3, {0, 0, 1}, {1, 0, 0}, 0, right / 2);
  const Core plate{CoreKind::plate, {2, 1, 0}};
  expect_outside(plate, 1, {2.5, 0, 0}, {0, 0, 1}, 0.5, 0);
  expect_outside(plate, 0, {0, 0, 0}, {0, 0, 1}, 0, 2 * right);
  expect_outside(plate, 2, {0, 1, 0}, {0, -1, 1}, 0, right / 2);
  expect_outside(plate, 2, {0, 1, 0}, {1, 1, 0}, 0, right / 2);
  const Core bowl = make_bowl(1, 1);
  expect_outside(bowl, 0, {0.75, 0, 0}, {0, 0, 1}, 0.25, 0);
  expect_outside(bowl, 1, {1, 0, 0}, {1, 0, 1}, 0, right / 2);
  expect_outside(bowl, 1, {1, 0, 0}, {-1, 0, -1}, 0, right / 2);
  expect_outside(bowl, 2, Point(1, 0, 1) * std::sqrt(0.5), {-1, 0, -1}, right / 2, 0);
  expect_outside({CoreKind::half_space, {0, 0, 0}}, 0, {7, 0, 0}, {1, 0, 1}, 0, right / 2);
}

// --- Surfaces -----------------------------------------------------------------------------------------------------

/// The largest difference of two elements, relative to the size and to the largest rates.
double calc_difference(const ContactElement<double>& a, const ContactElement<double>& b, double size) {
  const double turn = std::max({1.0, a.N.norm(), a.connection.norm()});
  return std::max({norm(a.p - b.p) / size, norm(a.n - b.n), norm(a.x - b.x), norm(a.y - b.y),
                   (a.D - b.D).norm() / std::max(size, a.D.norm()), (a.N - b.N).norm() / turn,
                   (a.connection - b.connection).norm() / turn});
}

/// By how much rounding of a place, which is that of the size, is enlarged in an element: the direction of a narrow rim
/// suffers by as much as it is narrower; at the ends of a flat plate the normal turns by that much faster once more.
double calc_blur(const Core& core, double size) {
  double narrowest = size;
  for (const double x : {core.size.x, core.size.y, core.size.z}) {
    if (x > 0) narrowest = std::min(narrowest, x);
  }
  return std::pow(size / narrowest, core.kind == CoreKind::plate ? 2 : 1);
}

/// Elements far from the surface, and on the axis, where the direction is a matter of choice.
template <class Check>
void for_each_grown_feature(const Check& check) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const Core& core : make_cores()) {
    SCOPED_TRACE(describe(core));
    const double size = size_of(core);
    const double radius = core.kind == CoreKind::ellipsoid ? 0 : 0.2 * size;
    for (int feature = 0; feature < feature_count(core.kind); ++feature) {
      for (int i = 0; i < 50; ++i) {
        const Point p = i == 0 ? Point(0, 0, 0.5 * size) : Point(normal(random), normal(random), normal(random)) * size;
        const Point n = i == 0 ? Point(0, 0, 1) : normalized(Point(normal(random), normal(random), normal(random)));
        check(GrownCore{core, radius}, feature, p, n, size);
      }
    }
  }
}

TEST(CoreSurface, SnapIsThatOfTheSurfaceInItsPlace) {
  for_each_grown_feature([](const GrownCore& shape, int feature, const Point& p, const Point& n, double size) {
    const FeatureSurface f = make_feature_surface(shape, feature);
    const Mat3<double> R(f.X_SF.R);
    const Point origin(f.X_SF.p), p_F = R.transpose_times(p - origin), n_F = R.transpose_times(n);
    ContactElement<double> e = std::visit([&](const auto& surface) { return surface.snap(p_F, n_F); }, f.surface);
    e.p = R * e.p + origin;
    e.n = R * e.n, e.x = R * e.x, e.y = R * e.y;
    // Going to the frame of the feature blurs the place.
    ASSERT_LE(calc_difference(snap(shape, feature, p, n), e, size), 4 * kRoundings * calc_blur(shape.core, size))
        << feature << describe(p);
  });
}

TEST(CoreSurface, GrowingMovesElementsAlongTheirNormals) {
  for_each_grown_feature([](const GrownCore& shape, int feature, const Point& p, const Point& n, double size) {
    const ContactElement<double> grown = snap(shape, feature, p, n);
    ContactElement<double> e = snap({shape.core, 0}, feature, grown.p - grown.n * shape.radius, grown.n);
    e.grow(shape.radius);
    // Taking the ball off again blurs the place.
    ASSERT_LE(calc_difference(grown, e, size), 2 * kRoundings * calc_blur(shape.core, size))
        << feature << describe(p) << describe(n);
  });
}

// --- The rest -----------------------------------------------------------------------------------------------------

void expect_core(const Shape& shape, CoreKind kind, const Point& size, double radius) {
  const GrownCore found = make_core(shape);
  EXPECT_EQ(found.core.kind, kind) << shape_name(shape);
  EXPECT_LE(norm(found.core.size - size), kEpsilon) << shape_name(shape) << describe(found.core.size);
  EXPECT_EQ(found.radius, radius) << shape_name(shape);
}

TEST(Core, OfEveryShape) {
  expect_core(Sphere{0.3}, CoreKind::point, {0, 0, 0}, 0.3);
  expect_core(Ellipsoid{{0.1, 0.2, 0.3}}, CoreKind::ellipsoid, {0.1, 0.2, 0.3}, 0);
  expect_core(Cylinder{0.1, 0.8}, CoreKind::cylinder, {0.1, 0, 0.4}, 0);
  expect_core(Capsule{0.1, 0.8}, CoreKind::segment, {0, 0, 0.4}, 0.1);
  expect_core(Cone{0.1, 0.8}, CoreKind::cone, {0.1, 0, 0.4}, 0);
  expect_core(Box{{0.2, 0.4, 0.6}}, CoreKind::box, {0.1, 0.2, 0.3}, 0);
  expect_core(RoundedBox{{0.2, 0.4, 0.6}, 0.1}, CoreKind::box, {0, 0.1, 0.2}, 0.1);
  expect_core(Torus{0.3, 0.1}, CoreKind::circle, {0.3, 0, 0}, 0.1);
  expect_core(Rod{0.8}, CoreKind::segment, {0, 0, 0.4}, 0);
  expect_core(Ellipse{0.2, 0.1}, CoreKind::plate, {0.2, 0.1, 0}, 0);
  expect_core(Plane{}, CoreKind::half_space, {0, 0, 0}, 0);
  expect_core(Bowl{0.5, 0.2}, CoreKind::bowl, {0.5, 0.4, 0.2}, 0);
}

TEST(Core, BoundingRadiusIsThatOfTheFarthestPoint) {
  for (const Core& core : make_cores()) {
    SCOPED_TRACE(describe(core));
    if (!is_bounded(core.kind)) {
      EXPECT_EQ(calc_bounding_radius({core, 0.1}), std::numeric_limits<double>::infinity());
      continue;
    }
    // The farthest point lies on the grid of samples: a corner, a rim or the end of an axis.
    const Real farthest = -Boundary(core).minimise([](const Vec3<Real>& y) { return -norm(y); });
    EXPECT_NEAR(calc_bounding_radius({core, 0.1}), static_cast<double>(farthest) + 0.1, kRoundings * size_of(core));
  }
}

TEST(Core, FeaturesHaveNamesOfTheirOwn) {
  for (const Core& core : make_cores()) {
    std::set<std::string> names;
    for (int feature = 0; feature < feature_count(core.kind); ++feature) names.insert(feature_name(core.kind, feature));
    EXPECT_EQ(static_cast<int>(names.size()), feature_count(core.kind));
    EXPECT_EQ(names.count(""), 0u);
  }
  EXPECT_EQ(feature_name(CoreKind::box, 3), "face 3");
  EXPECT_EQ(feature_name(CoreKind::box, 25), "vertex 7");
  EXPECT_EQ(feature_name(CoreKind::cylinder, 4), "rim 1");
  EXPECT_EQ(feature_name(CoreKind::cone, 0), "side");
}

}  // namespace
}  // namespace thenar::core_test
