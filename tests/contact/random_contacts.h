// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random features, pairs of them that face each other, and smooth motions with exact velocities and accelerations, for
/// tests of contact kinematics.

#include <array>
#include <random>
#include <string>
#include <vector>

#include "thenar/base/sincos.h"
#include "thenar/contact/charted_point.h"
#include "thenar/contact/moving_internal.h"

namespace thenar::test {

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  Vec3<double> vector(double scale) {
    const double x = uniform(-scale, scale), y = uniform(-scale, scale), z = uniform(-scale, scale);
    return {x, y, z};
  }

 private:
  std::mt19937_64 generator_;
};

/// R turned about the coordinate axis `axis` (0, 1, 2) of its own frame.
template <class T>
Mat3<T> turned_about(const Mat3<T>& R, int axis, const T& angle) {
  T s, c;
  sincos(angle, s, c);
  if (axis == 0) return {R.x, R.y * c + R.z * s, R.z * c - R.y * s};
  if (axis == 1) return {R.x * c - R.z * s, R.y, R.z * c + R.x * s};
  return {R.x * c + R.y * s, R.y * c - R.x * s, R.z};
}

template <class T>
Placement<T> compose(const Placement<T>& X_AB, const Placement<T>& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.R * X_BC.p + X_AB.p};
}

template <class T>
Placement<T> inverse(const Placement<T>& X) {
  return {X.R.transpose(), -X.R.transpose_times(X.p)};
}

template <class To, class From>
Placement<To> cast(const Placement<From>& X) {
  return {X.R.template cast<To>(), X.p.template cast<To>()};
}

/// A rotation to the precision of T, and a translation.
template <class T = double>
Placement<T> random_pose(Random& random, double distance) {
  Mat3<T> R = Mat3<T>::identity();
  for (int axis = 0; axis < 3; ++axis) R = turned_about(R, axis, T(random.uniform(-3, 3)));
  return {R, random.vector(distance).template cast<T>()};
}

/// A smooth motion: coordinates offset + rate t + swing sin(frequency t + phase), three angles and three lengths.
struct SmoothMotion {
  struct Coordinate {
    double offset = 0, rate = 0, swing = 0, frequency = 0, phase = 0;

    template <class T>
    T at(const T& t) const {
      T s, c;
      sincos(t * T(frequency) + T(phase), s, c);
      return T(offset) + t * T(rate) + s * T(swing);
    }
  };
  std::array<Coordinate, 3> angles, lengths;

  template <class T>
  Placement<T> at(const T& t) const {
    Mat3<T> R = Mat3<T>::identity();
    for (int axis = 0; axis < 3; ++axis) R = turned_about(R, axis, angles[axis].at(t));
    return {R, {lengths[0].at(t), lengths[1].at(t), lengths[2].at(t)}};
  }

  /// About the identity at t = 0, with speeds of order 1.
  static SmoothMotion random_start(Random& random) {
    SmoothMotion motion;
    for (auto* part : {&motion.angles, &motion.lengths}) {
      for (Coordinate& x : *part) {
        x = {0, random.uniform(-1, 1), random.uniform(-0.5, 0.5), random.uniform(0.5, 2), random.uniform(-3, 3)};
        x.offset = -x.swing * std::sin(x.phase);
      }
    }
    return motion;
  }
};

/// Pose of a body with the velocity and acceleration of the body (angular) and of its origin (linear).
template <class T>
struct MovingPose {
  Placement<T> X;
  Motion<T> velocity, acceleration;

  /// Velocity and acceleration of the body's material point at p, world axes.
  Motion<T> velocity_at(const Vec3<T>& p) const { return velocity.shifted(p - X.p); }
  Motion<T> acceleration_at(const Vec3<T>& p) const {
    Motion<T> out = acceleration.shifted(p - X.p);
    out.linear += cross(velocity.angular, cross(velocity.angular, p - X.p));
    return out;
  }
};

/// The motion `pose` of time at time t, differentiated twice by numbers that move. `pose` maps any scalar to a
/// Placement of it.
template <class T, class Pose>
MovingPose<T> differentiate(const Pose& pose, T t) {
  using Once = internal::Moving<T>;
  using Twice = internal::Moving<Once>;
  const Placement<Twice> X = pose(Twice(Once(t, T(1)), Once(T(1), T(0))));
  const auto part = [](const Vec3<Twice>& a, const auto& pick) { return Vec3<T>(pick(a.x), pick(a.y), pick(a.z)); };
  const auto parts = [&](const Mat3<Twice>& M, const auto& pick) {
    return Mat3<T>(part(M.x, pick), part(M.y, pick), part(M.z, pick));
  };
  const auto zeroth = [](const Twice& a) { return a.value().value(); };
  const auto first = [](const Twice& a) { return a.value().rate(); };
  const auto second = [](const Twice& a) { return a.rate().rate(); };
  MovingPose<T> out;
  out.X = {parts(X.R, zeroth), part(X.p, zeroth)};
  // Ṙ Rᵀ = [ω]×, R̈ Rᵀ = [ω̇]× + [ω]×², whose last term is symmetric.
  const auto axial = [](const Mat3<T>& M) {
    const T half = T(1) / T(2);
    return Vec3<T>((M.y.z - M.z.y) * half, (M.z.x - M.x.z) * half, (M.x.y - M.y.x) * half);
  };
  out.velocity = {axial(parts(X.R, first) * out.X.R.transpose()), part(X.p, first)};
  out.acceleration = {axial(parts(X.R, second) * out.X.R.transpose()), part(X.p, second)};
  return out;
}

/// The kinds of features that contacts are made of.
struct FeatureKind {
  std::string name;
  Surface (*make)(Random&);
};

inline const std::vector<FeatureKind>& feature_kinds() {
  static const std::vector<FeatureKind> kinds = {
      {"vertex", [](Random&) -> Surface { return SphereSurface{0}; }},
      {"ball", [](Random& r) -> Surface { return SphereSurface{r.uniform(0.2, 1)}; }},
      {"hollow ball", [](Random& r) -> Surface { return SphereSurface{r.uniform(-3, -1.5)}; }},
      {"edge", [](Random&) -> Surface { return CylinderSurface{0}; }},
      {"cylinder", [](Random& r) -> Surface { return CylinderSurface{r.uniform(0.2, 1)}; }},
      {"torus", [](Random& r) -> Surface { return make_torus_surface(r.uniform(0.8, 1), r.uniform(0.2, 0.6)); }},
      {"rim",
       [](Random& r) -> Surface {
         const double radius = r.uniform(0.4, 1);
         return RingSurface{radius, radius, 0};
       }},
      {"elliptic rim",
       [](Random& r) -> Surface {
         return RingSurface{r.uniform(0.6, 1), r.uniform(0.4, 0.8), 0};
       }},
      {"grown rim",
       [](Random& r) -> Surface {
         return RingSurface{r.uniform(0.8, 1), r.uniform(0.6, 0.8), r.uniform(0.1, 0.3)};
       }},
      {"cone",
       [](Random& r) -> Surface {
         const double angle = r.uniform(0.2, 1.2);
         return ConeSurface{std::sin(angle), std::cos(angle)};
       }},
      {"face", [](Random&) -> Surface { return PlaneSurface{}; }},
      {"ellipsoid",
       [](Random& r) -> Surface {
         return EllipsoidSurface{{r.uniform(0.4, 1), r.uniform(0.4, 1), r.uniform(0.4, 1)}};
       }},
      {"flat ellipsoid",
       [](Random&) -> Surface {
         return EllipsoidSurface{{1, 1, 0.05}};
       }},
      {"capsule",
       [](Random& r) -> Surface {
         return CapsuleSurface{r.uniform(0.2, 0.6), r.uniform(0.2, 0.6)};
       }},
  };
  return kinds;
}

/// A random place well inside the chart that the surface picks for it.
inline ChartedPoint<double> random_point(const Surface& surface, Random& random) {
  ChartedPoint<double> point;
  for (;;) {
    const int charts = std::visit([](const auto& s) { return s.chart_count(); }, surface);
    point.chart = static_cast<int>(random.uniform(0, charts - 1e-9));
    const bool is_cone = std::holds_alternative<ConeSurface>(surface);
    const bool is_ring = std::holds_alternative<RingSurface>(surface);
    const double second = is_cone ? random.uniform(-2, -0.5) : random.uniform(-1, 1) * (is_ring ? 3 : 0.7);
    point.u = {random.uniform(-3, 3), second};
    const ContactElement<double> e = evaluate(surface, point.chart, point.u);
    if (pick_chart(surface, e.p, e.n) == point.chart) return point;
  }
}

/// Pose of B's frame in A's such that the points face each other with the given ψ and gap.
template <class T>
Placement<T> make_facing_pose(const ContactElement<T>& A, const ContactElement<T>& B, const T& psi, const T& gap) {
  T s, c;
  sincos(psi, s, c);
  // contact_kinematics.h (5), solved for B's frame (Q is its own inverse).
  const Mat3<T> in_A(A.x * c - A.y * s, -(A.x * s) - A.y * c, -A.n), in_B(B.x, B.y, B.n);
  const Mat3<T> R = in_A * in_B.transpose();
  return {R, A.p + A.n * gap - R * B.p};
}

}  // namespace thenar::test
