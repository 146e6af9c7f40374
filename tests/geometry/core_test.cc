// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <set>
#include <vector>

namespace thenar {
namespace {

using Real = long double;
using Point = Vec3<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Cores to test ---

Core make_bowl(double radius, double depth) { return make_core(Bowl{radius, depth}).core; }

/// Every kind, from compact to extreme, and boxes without thickness.
std::vector<Core> make_cores() {
  return {{CoreKind::point, {0, 0, 0}},
          {CoreKind::segment, {0, 0, 0.7}},
          {CoreKind::segment, {0, 0, 300}},
          {CoreKind::box, {0.5, 0.8, 1.1}},
          {CoreKind::box, {0.001, 1, 0.3}},
          {CoreKind::box, {0.5, 0.7, 0}},
          {CoreKind::box, {0, 0.7, 0}},
          {CoreKind::box, {0, 0, 0}},
          {CoreKind::ellipsoid, {0.5, 0.8, 1.1}},
          {CoreKind::ellipsoid, {0.05, 1, 0.9}},
          {CoreKind::ellipsoid, {1, 0.05, 1}},
          {CoreKind::ellipsoid, {1, 0.001, 0.002}},
          {CoreKind::ellipsoid, {1000, 1, 1000}},
          {CoreKind::ellipsoid, {0.7, 0.7, 0.7}},
          {CoreKind::ellipsoid, {0.7, 0.7 * (1 + 1e-13), 0.7}},
          {CoreKind::cylinder, {0.6, 0, 0.9}},
          {CoreKind::cylinder, {1, 0, 0.001}},
          {CoreKind::cylinder, {0.001, 0, 1}},
          {CoreKind::cone, {0.6, 0, 0.9}},
          {CoreKind::cone, {1, 0, 0.005}},
          {CoreKind::cone, {0.005, 0, 1}},
          {CoreKind::plate, {0.6, 1.1, 0}},
          {CoreKind::plate, {1, 0.001, 0}},
          {CoreKind::plate, {0.8, 0.8, 0}},
          {CoreKind::half_space, {0, 0, 0}},
          {CoreKind::circle, {0.8, 0, 0}},
          make_bowl(1, 0.4),
          make_bowl(1, 1),
          make_bowl(1, 1.7),
          make_bowl(20, 0.01)};
}

std::string describe(const Core& core) {
  std::ostringstream out;
  out << "kind " << static_cast<int>(core.kind) << " size " << core.size.x << ' ' << core.size.y << ' ' << core.size.z;
  return out.str();
}

std::string describe(const Point& q) {
  std::ostringstream out;
  out.precision(17);
  out << "(" << q.x << ", " << q.y << ", " << q.z << ")";
  return out.str();
}

/// What rounding is measured by: the largest size, or 1 for what has none.
double size_of(const Core& core) {
  const double size = std::max({core.size.x, core.size.y, core.size.z});
  return size > 0 ? size : 1;
}

/// Point, segment, plate, circle, and boxes without thickness have no inside.
bool has_inside(const Core& core) {
  if (core.kind == CoreKind::box) return std::min({core.size.x, core.size.y, core.size.z}) > 0;
  return core.kind != CoreKind::point && core.kind != CoreKind::segment && core.kind != CoreKind::plate &&
         core.kind != CoreKind::circle;
}

// --- The oracle: boundaries as patches, searched by brute force in long double ---

/// A piece of a boundary, a point for each (u, v). Angles and lengths from 0 to 1; beyond the end of a piece its end.
using Patch = std::function<Vec3<Real>(Real u, Real v)>;

Real limit(Real x, Real low, Real high) { return std::min(std::max(x, low), high); }

Patch make_disc(Real a, Real b, Real z) {
  return [=](Real u, Real v) {
    // The square onto the disc: what is outside goes to the rim.
    const Real x = 2 * u - 1, y = 2 * v - 1, k = std::max(Real(1), std::sqrt(x * x + y * y));
    return Vec3<Real>(a * x / k, b * y / k, z);
  };
}

/// The surface that a curve r(v), z(v), v in [0, 1], sweeps around z.
Patch make_revolved(const std::function<std::array<Real, 2>(Real)>& curve) {
  return [=](Real u, Real v) {
    const std::array<Real, 2> rz = curve(limit(v, 0, 1));
    const Real angle = 2 * std::numbers::pi_v<Real> * u;
    return Vec3<Real>(rz[0] * std::cos(angle), rz[0] * std::sin(angle), rz[1]);
  };
}

Patch make_rectangle(const Core& core, int axis, int sign) {
  const Vec3<Real> half = core.size.cast<Real>();
  return [=](Real u, Real v) {
    const Real a = 2 * limit(u, 0, 1) - 1, b = 2 * limit(v, 0, 1) - 1, s = sign;
    if (axis == 0) return Vec3<Real>(s * half.x, a * half.y, b * half.z);
    if (axis == 1) return Vec3<Real>(b * half.x, s * half.y, a * half.z);
    return Vec3<Real>(a * half.x, b * half.y, s * half.z);
  };
}

Patch make_ellipsoid_patch(const Vec3<Real>& a) {
  return [=](Real u, Real v) {
    const Real pi = std::numbers::pi_v<Real>, c = std::cos(pi * (v - 0.5L));
    return Vec3<Real>(a.x * c * std::cos(2 * pi * u), a.y * c * std::sin(2 * pi * u), a.z * std::sin(pi * (v - 0.5L)));
  };
}

/// How far the boundaries of half-space and bowl are sampled, m: wider than the points that are asked for.
constexpr Real kFar = 40;

std::vector<Patch> make_patches(const Core& core) {
  const Vec3<Real> size = core.size.cast<Real>();
  switch (core.kind) {
    case CoreKind::point:
      return {[](Real, Real) { return Vec3<Real>::zero(); }};
    case CoreKind::segment:
      return {[=](Real u, Real) { return Vec3<Real>(0, 0, (2 * limit(u, 0, 1) - 1) * size.z); }};
    case CoreKind::box: {
      std::vector<Patch> faces;
      for (int axis = 0; axis < 3; ++axis) {
        for (const int sign : {-1, 1}) faces.push_back(make_rectangle(core, axis, sign));
      }
      return faces;
    }
    case CoreKind::ellipsoid:
      return {make_ellipsoid_patch(size)};
    case CoreKind::cylinder:
      return {make_revolved([=](Real v) -> std::array<Real, 2> {
                return {size.x, (2 * v - 1) * size.z};
              }),
              make_disc(size.x, size.x, -size.z), make_disc(size.x, size.x, size.z)};
    case CoreKind::cone:
      return {make_revolved([=](Real v) -> std::array<Real, 2> {
                return {size.x * (1 - v), (2 * v - 1) * size.z};
              }),
              make_disc(size.x, size.x, -size.z)};
    case CoreKind::plate:
      return {make_disc(size.x, size.y, 0)};
    case CoreKind::half_space:
      return {make_disc(kFar, kFar, 0)};
    case CoreKind::circle:
      return {make_revolved([=](Real) -> std::array<Real, 2> { return {size.x, 0}; })};
    case CoreKind::bowl: {
      const Real centre = size.x - size.z, rim = std::sqrt(size.z * (2 * size.x - size.z));
      const Real end = std::atan2(rim, centre);  // seen from the centre, from straight down
      return {make_revolved([=](Real v) -> std::array<Real, 2> {
                return {rim + v * v * kFar, 0};
              }),
              make_revolved([=](Real v) -> std::array<Real, 2> {
                return {size.x * std::sin(end * v), centre - size.x * std::cos(end * v)};
              })};
    }
  }
  return {};
}

struct Sample {
  Vec3<Real> y;
  const Patch* patch;
  Real u, v;
};

class Boundary {
 public:
  explicit Boundary(const Core& core) : patches_(make_patches(core)) {
    for (const Patch& patch : patches_) {
      for (int i = 0; i <= kCount; ++i) {
        for (int j = 0; j <= kCount; ++j) {
          const Real u = Real(i) / kCount, v = Real(j) / kCount;
          samples_.push_back({patch(u, v), &patch, u, v});
        }
      }
    }
  }
  Boundary(const Boundary&) = delete;
  Boundary& operator=(const Boundary&) = delete;

  /// About the least of f(y) over the boundary, and never less: the best sample of every patch, then a short compass
  /// search around it.
  template <class Function>
  Real minimise(const Function& f) const {
    Real least = std::numeric_limits<Real>::infinity();
    const std::size_t per_patch = samples_.size() / patches_.size();
    for (std::size_t first = 0; first < samples_.size(); first += per_patch) {
      const Sample* best = nullptr;
      Real best_value = 0;
      for (std::size_t i = first; i < first + per_patch; ++i) {
        const Real value = f(samples_[i].y);
        if (best == nullptr || value < best_value) best = &samples_[i], best_value = value;
      }
      least = std::min(least, refine(*best, best_value, f));
    }
    return least;
  }

  /// Any boundary point.
  Point pick(std::mt19937& random) const {
    std::uniform_real_distribution<double> share(0, 1);
    const Patch& patch = patches_[random() % patches_.size()];
    return patch(share(random), share(random)).cast<double>();
  }

 private:
  static constexpr int kCount = 36;

  template <class Function>
  static Real refine(const Sample& start, Real value, const Function& f) {
    Real u = start.u, v = start.v, step = 0.5L / kCount;
    for (int tries = 0; tries < 30; ++tries) {
      const auto attempt = [&](Real du, Real dv) {
        const Real there = f((*start.patch)(u + du, v + dv));
        if (!(there < value)) return false;
        value = there, u += du, v += dv;
        return true;
      };
      if (!(attempt(step, 0) || attempt(-step, 0) || attempt(0, step) || attempt(0, -step) || attempt(step, step) ||
            attempt(-step, -step) || attempt(step, -step) || attempt(-step, step))) {
        step /= 4;
      }
    }
    return value;
  }

  std::vector<Patch> patches_;
  std::vector<Sample> samples_;
};

/// c(q) < 0 inside, > 0 outside, in long double and in m; near the boundary |c| is at least the distance.
Real calc_implicit(const Core& core, const Point& q_in) {
  const Vec3<Real> q = q_in.cast<Real>(), size = core.size.cast<Real>();
  const Real rho = std::sqrt(q.x * q.x + q.y * q.y);
  switch (core.kind) {
    case CoreKind::point:
      return norm(q);
    case CoreKind::segment:
      return std::max(rho, std::abs(q.z) - size.z);
    case CoreKind::box:
      return std::max({std::abs(q.x) - size.x, std::abs(q.y) - size.y, std::abs(q.z) - size.z});
    case CoreKind::ellipsoid:
      return (norm(Vec3<Real>(q.x / size.x, q.y / size.y, q.z / size.z)) - 1) * Real(size_of(core));
    case CoreKind::cylinder:
      return std::max(rho - size.x, std::abs(q.z) - size.z);
    case CoreKind::cone: {
      const Real height = 2 * size.z;
      return std::max((rho * height + (q.z - size.z) * size.x) / std::sqrt(height * height + size.x * size.x),
                      -size.z - q.z);
    }
    case CoreKind::plate:
      return std::max(std::abs(q.z), (norm(Vec3<Real>(q.x / size.x, q.y / size.y, 0)) - 1) * std::max(size.x, size.y));
    case CoreKind::half_space:
      return q.z;
    case CoreKind::circle:
      return std::max(std::abs(rho - size.x), std::abs(q.z));
    case CoreKind::bowl: {
      const Real z = q.z - (size.x - size.z);
      return std::max(q.z, size.x - std::sqrt(rho * rho + z * z));
    }
  }
  return 0;
}

// --- Points to ask for ---

class Queries {
 public:
  Queries(const Core& core, const Boundary& boundary) : core_(core), boundary_(boundary), random_(7) {}

  Point direction() {
    std::normal_distribution<double> normal;
    return normalized(Point(normal(random_), normal(random_), normal(random_)));
  }
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  double magnitude(double a, double b) { return std::pow(10, between(a, b)); }

  /// In and around the core, of its own proportions.
  Point around() {
    const auto extent = [this](double x) { return 2.5 * x + 0.02 * size_of(core_); };
    const Point e = is_bounded(core_.kind) && core_.kind != CoreKind::circle
                        ? Point(extent(std::max(core_.size.x, core_.size.y)),
                                extent(std::max(core_.size.x, core_.size.y)), extent(core_.size.z))
                        : Point(2, 2, 2) * size_of(core_);
    return {between(-e.x, e.x), between(-e.y, e.y), between(-e.z, e.z)};
  }
  /// From 1e-12 to 1e-2 sizes off the boundary.
  Point near_boundary() { return boundary_.pick(random_) + direction() * (magnitude(-12, -2) * size_of(core_)); }
  Point on_boundary() { return boundary_.pick(random_); }
  /// Up to 1e6 sizes away.
  Point far() { return direction() * (magnitude(0, 6) * size_of(core_)); }

  /// Points of symmetry and of the limits between features, exact and off by tiny amounts.
  std::vector<Point> special() {
    const std::vector<double> offsets{0, 1e-200, -1e-30, 1e-17, -1e-13, 1e-9};
    std::vector<Point> out;
    for (const double x : coordinates(core_.size.x)) {
      for (const double y : coordinates(core_.size.y)) {
        for (const double z : coordinates(core_.kind == CoreKind::bowl ? core_.size.x - core_.size.z : core_.size.z)) {
          out.push_back({x, y, z});
          const auto off = [&] { return offsets[random_() % offsets.size()] * size_of(core_); };
          out.push_back({x + off(), y + off(), z + off()});
        }
      }
    }
    return out;
  }

 private:
  std::vector<double> coordinates(double size) const {
    std::set<double> out{0, 0.3 * size_of(core_)};
    for (const double k : {0.5, 1.0, 1.5}) out.insert({k * size, -k * size});
    return {out.begin(), out.end()};
  }

  const Core& core_;
  const Boundary& boundary_;
  std::mt19937 random_;
};

// --- project ---

/// Every result carries a handful of roundings, each of half an ulp of |q| or of the size.
constexpr double kRoundings = 16 * kEpsilon;

double tolerance_of(const Core& core, const Point& q) { return kRoundings * (size_of(core) + norm(q)); }

/// (p, n) is an element of its feature: a point of the surface, with a normal that the feature has there.
void expect_element(const Core& core, const BoundaryPoint& b) {
  const double tolerance = kRoundings * std::max(size_of(core), norm(b.p));
  ASSERT_GE(b.feature, 0);
  ASSERT_LT(b.feature, feature_count(core.kind));
  EXPECT_LE(std::abs(calc_implicit(core, b.p)), tolerance);
  EXPECT_NEAR(norm(b.n), 1, 4 * kEpsilon);
  const ContactElement<double> e = snap({core, 0}, b.feature, b.p, b.n);
  EXPECT_LE(norm(e.p - b.p), tolerance);
  EXPECT_LE(norm(e.n - b.n), kRoundings);
  const Outside outside = calc_outside(core, b.feature, b.p, b.n);
  EXPECT_LE(outside.length, tolerance);
  EXPECT_LE(outside.angle, kRoundings);
}

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

TEST(CoreProject, NormalsStayUnitAndOutwardWithinRoundingOfCorners) {
  const double h = 0.7, tiny = 1e-17;
  const auto expect_outward = [](const Core& core, const Point& q, int feature, const Point& middle) {
    const BoundaryPoint b = project(core, q);
    EXPECT_EQ(b.feature, feature) << describe(core);
    EXPECT_NEAR(norm(b.n), 1, 4 * kEpsilon);
    EXPECT_GT(dot(b.n, normalized(middle)), 0.7) << describe(core) << describe(b.n);
  };
  const double up = std::nextafter(h, 1.0);
  expect_outward({CoreKind::segment, {0, 0, h}}, {tiny, 0, up}, 2, {0, 0, 1});
  expect_outward({CoreKind::box, {h, h, h}}, {up, up, up}, 25, {1, 1, 1});
  expect_outward({CoreKind::cylinder, {h, 0, h}}, {up, 0, up}, 4, {1, 0, 1});
  expect_outward({CoreKind::cone, {h, 0, h}}, {0, 0, up}, 3, {0, 0, 1});
  expect_outward({CoreKind::cone, {h, 0, h}}, {up, 0, -up}, 2, {1, 0, -0.5});
  expect_outward({CoreKind::plate, {h, 0.3, 0}}, {up, 0, tiny}, 2, {1, 0, 0});
  expect_outward({CoreKind::circle, {h, 0, 0}}, {0, h, 0}, 0, {0, 1, 0});
}

// --- support ---

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

// --- features ---

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

// --- surfaces ---

/// The largest difference of two elements, relative to the size and to the largest rates.
double calc_difference(const ContactElement<double>& a, const ContactElement<double>& b, double size) {
  const double turn = std::max({1.0, a.N.norm(), a.connection.norm()});
  return std::max({norm(a.p - b.p) / size, norm(a.n - b.n), norm(a.x - b.x), norm(a.y - b.y),
                   (a.D - b.D).norm() / std::max(size, a.D.norm()), (a.N - b.N).norm() / turn,
                   (a.connection - b.connection).norm() / turn});
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
    ASSERT_LE(calc_difference(snap(shape, feature, p, n), e, size), 4 * kRoundings) << feature << describe(p);
  });
}

TEST(CoreSurface, GrowingMovesElementsAlongTheirNormals) {
  for_each_grown_feature([](const GrownCore& shape, int feature, const Point& p, const Point& n, double size) {
    const ContactElement<double> grown = snap(shape, feature, p, n);
    ContactElement<double> e = snap({shape.core, 0}, feature, grown.p - grown.n * shape.radius, grown.n);
    e.grow(shape.radius);
    const double steep = shape.core.kind == CoreKind::cone ? size / std::min(shape.core.size.x, shape.core.size.z) : 1;
    const double flat = shape.core.kind == CoreKind::plate ? size / std::min(shape.core.size.x, shape.core.size.y) : 1;
    // A cone is grown from an apex r/sine away; the direction of a flat rim is blurred by its proportions.
    ASSERT_LE(calc_difference(grown, e, size), 10 * kRoundings * steep * flat * flat) << feature << describe(p);
  });
}

// --- the rest ---

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
      EXPECT_EQ(calc_bounding_radius({core, 0.1}), kInfinity);
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
}  // namespace thenar
