// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What the tests of cores share: cores of every kind, points to ask for, and an oracle that knows boundaries as lists
/// of points.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "thenar/base/numbers.h"
#include "thenar/geometry/core.h"
#include "thenar/geometry/feature_surface.h"

namespace thenar::core_cases {

using Real = long double;
using Point = Vec3<double>;

// --- Cores to test ------------------------------------------------------------------------------------------------

inline Core make_bowl(double radius, double depth) { return make_core(Bowl{radius, depth}).core; }

/// Every kind, from compact to extreme, and boxes without thickness.
inline std::vector<Core> make_cores() {
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

inline std::string describe(const Core& core) {
  std::ostringstream out;
  out << "kind " << static_cast<int>(core.kind) << " size " << core.size.x << ' ' << core.size.y << ' ' << core.size.z;
  return out.str();
}

inline std::string describe(const Point& q) {
  std::ostringstream out;
  out.precision(17);
  out << "(" << q.x << ", " << q.y << ", " << q.z << ")";
  return out.str();
}

/// What rounding is measured by: the largest size, or 1 for what has none.
inline double size_of(const Core& core) {
  const double size = std::max({core.size.x, core.size.y, core.size.z});
  return size > 0 ? size : 1;
}

/// Point, segment, plate, circle, and boxes without thickness have no inside.
inline bool has_inside(const Core& core) {
  if (core.kind == CoreKind::box) return std::min({core.size.x, core.size.y, core.size.z}) > 0;
  return core.kind != CoreKind::point && core.kind != CoreKind::segment && core.kind != CoreKind::plate &&
         core.kind != CoreKind::circle;
}

// --- The oracle: boundaries as patches, searched by brute force in long double ------------------------------------

/// A piece of a boundary, a point for each (u, v). Angles and lengths from 0 to 1; beyond the end of a piece its end.
using Patch = std::function<Vec3<Real>(Real u, Real v)>;

inline Real limit(Real x, Real low, Real high) { return std::min(std::max(x, low), high); }

inline Patch make_disc(Real a, Real b, Real z) {
  return [=](Real u, Real v) {
    // The square onto the disc: what is outside goes to the rim.
    const Real x = 2 * u - 1, y = 2 * v - 1, k = std::max(Real(1), std::sqrt(x * x + y * y));
    return Vec3<Real>(a * x / k, b * y / k, z);
  };
}

/// The surface that a curve r(v), z(v), v in [0, 1], sweeps around z.
inline Patch make_revolved(const std::function<std::array<Real, 2>(Real)>& curve) {
  return [=](Real u, Real v) {
    const std::array<Real, 2> rz = curve(limit(v, 0, 1));
    const Real angle = 2 * std::numbers::pi_v<Real> * u;
    return Vec3<Real>(rz[0] * std::cos(angle), rz[0] * std::sin(angle), rz[1]);
  };
}

inline Patch make_rectangle(const Core& core, int axis, int sign) {
  const Vec3<Real> half = core.size.cast<Real>();
  return [=](Real u, Real v) {
    const Real a = 2 * limit(u, 0, 1) - 1, b = 2 * limit(v, 0, 1) - 1, s = sign;
    if (axis == 0) return Vec3<Real>(s * half.x, a * half.y, b * half.z);
    if (axis == 1) return Vec3<Real>(b * half.x, s * half.y, a * half.z);
    return Vec3<Real>(a * half.x, b * half.y, s * half.z);
  };
}

inline Patch make_ellipsoid_patch(const Vec3<Real>& a) {
  return [=](Real u, Real v) {
    const Real pi = std::numbers::pi_v<Real>, c = std::cos(pi * (v - 0.5L));
    return Vec3<Real>(a.x * c * std::cos(2 * pi * u), a.y * c * std::sin(2 * pi * u), a.z * std::sin(pi * (v - 0.5L)));
  };
}

/// How far the boundaries of half-space and bowl are sampled, m: wider than the points that are asked for.
inline constexpr Real kFar = 40;

inline std::vector<Patch> make_patches(const Core& core) {
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
inline Real calc_implicit(const Core& core, const Point& q_in) {
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

// --- Points to ask for --------------------------------------------------------------------------------------------

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

  /// Near the focal curve of an ellipsoid, where the flat region ends in which both its sides are equally far. There
  /// the nearest point moves fastest.
  Point near_focus() {
    const Point& a = core_.size;
    const double shortest = std::min({a.x, a.y, a.z}), blur = 1 + magnitude(-16, -1) * between(-1, 1);
    const Point d = direction() * blur;
    const auto place = [&](double a_i, double d_i) {
      const double c = (a_i - shortest) * (a_i + shortest);
      return c > 0 ? c / a_i * d_i : a_i * magnitude(-16, -1);
    };
    return {place(a.x, d.x), place(a.y, d.y), place(a.z, d.z)};
  }

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

// --- What a result must satisfy -----------------------------------------------------------------------------------

/// Every result carries a handful of roundings, each of half an ulp of |q| or of the size.
inline constexpr double kRoundings = 8 * kEpsilon;

inline double tolerance_of(const Core& core, const Point& q) { return kRoundings * (size_of(core) + norm(q)); }

/// (p, n) is an element of its feature: a point of the surface, with a normal that the feature has there.
inline void expect_element(const Core& core, const BoundaryPoint& b) {
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

}  // namespace thenar::core_cases
