// SPDX-License-Identifier: BSD-3-Clause
#include "random_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thenar::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

Pose<long double> widen(const Pose<double>& X) { return {X.R.cast<long double>(), X.p.cast<long double>()}; }

bool is_hollow(ShapeKind kind) { return kind == kTorus || kind == kBowl; }

}  // namespace

std::vector<KindPair> all_kind_pairs() {
  std::vector<KindPair> pairs;
  for (ShapeKind A = 0; A < kPlane; ++A) {
    for (ShapeKind B = A; B < kShapeKinds; ++B) pairs.push_back({A, B});
  }
  return pairs;
}

std::string name_of(const KindPair& kinds) {
  RandomPairs random(0);
  return std::string(shape_name(random.shape(kinds.A))) + "–" + shape_name(random.shape(kinds.B));
}

double calc_extent(const Shape& shape) {
  return std::visit(Overload{
                        [](const Sphere& s) { return s.radius; },
                        [](const Ellipsoid& s) { return s.semi_axes.maxCoeff(); },
                        [](const Cylinder& s) { return std::hypot(s.radius, s.length / 2); },
                        [](const Capsule& s) { return s.radius + s.length / 2; },
                        [](const Cone& s) { return std::hypot(s.radius, s.height / 2); },
                        [](const Box& s) { return s.sides.norm() / 2; },
                        [](const RoundedBox& s) { return s.sides.norm() / 2; },
                        [](const Torus& s) { return s.radius + s.tube; },
                        [](const Rod& s) { return s.length / 2; },
                        [](const Ellipse& s) { return std::max(s.a, s.b); },
                        [](const Plane&) { return 0.0; },
                        [](const Bowl& s) { return s.radius; },
                    },
                    shape);
}

double calc_thickness(const Shape& shape) {
  return std::visit(Overload{
                        [](const Sphere& s) { return s.radius; },
                        [](const Ellipsoid& s) { return s.semi_axes.minCoeff(); },
                        [](const Cylinder& s) { return std::min(s.radius, s.length / 2); },
                        [](const Capsule& s) { return s.radius; },
                        [](const Cone& s) { return std::min(s.radius, s.height / 2); },
                        [](const Box& s) { return s.sides.minCoeff() / 2; },
                        [](const RoundedBox& s) { return s.sides.minCoeff() / 2; },
                        [](const Torus& s) { return s.tube; },
                        [](const Rod& s) { return s.length / 2; },
                        [](const Ellipse& s) { return std::min(s.a, s.b); },
                        [](const Plane&) { return kInfinity; },
                        [](const Bowl& s) { return std::min(s.depth, 2 * s.radius - s.depth); },
                    },
                    shape);
}

reference::Result calc_reference(const Shape& A, const Pose<double>& X_WA, const Shape& B, const Pose<double>& X_WB) {
  return reference::calc_distance(A, widen(X_WA), B, widen(X_WB));
}

long double calc_separation(const ShapePair& pair, const Vector3<double>& N) {
  return reference::calc_separation(pair.A, widen(pair.X_WA), pair.B, widen(pair.X_WB), N.cast<long double>());
}

Vector3<double> RandomPairs::unit_vector() {
  std::normal_distribution<double> normal;
  const double x = normal(generator_), y = normal(generator_), z = normal(generator_);
  return Vector3<double>(x, y, z).normalized();
}

Matrix3<double> RandomPairs::rotation() {
  std::normal_distribution<double> normal;
  const double w = normal(generator_), x = normal(generator_), y = normal(generator_), z = normal(generator_);
  return Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
}

Shape RandomPairs::shape(ShapeKind kind, double scale) {
  const auto length = [&] { return scale * log_uniform(0.1, 1); };
  const auto three = [&] {
    const double x = length(), y = length(), z = length();
    return Vector3<double>(x, y, z);
  };
  const bool is_flat = uniform(0, 1) < 1.0 / 3;
  switch (kind) {
    case 0:
      return Sphere{length()};
    case 1: {
      Ellipsoid s{three()};
      if (is_flat) s.semi_axes.z() = s.semi_axes.head<2>().maxCoeff() / 20;
      return s;
    }
    case 2: {
      const double radius = length();
      return Cylinder{radius, length()};
    }
    case 3: {
      const double radius = length();
      return Capsule{radius, length()};
    }
    case 4: {
      const double radius = length();
      return Cone{radius, length()};
    }
    case 5:
      return Box{three()};
    case 6: {
      const Vector3<double> sides = three();
      return RoundedBox{sides, sides.minCoeff() / 2 * uniform(0.05, 0.95)};
    }
    case kTorus: {
      const double radius = length();
      return Torus{radius, radius * log_uniform(0.05, 0.6)};
    }
    case 8:
      return Rod{length()};
    case 9: {
      Ellipse s;
      s.a = length();
      s.b = is_flat ? s.a / 20 : length();
      return s;
    }
    case kPlane:
      return Plane{};
    default: {
      const double radius = length();
      return Bowl{radius, radius * uniform(0.2, 1.8)};
    }
  }
}

/// Where B's origin goes, in the frame of A: somewhere around, or into the hole or hollow of either.
Vector3<double> RandomPairs::place_beside(const Shape& A, const Shape& B) {
  const Bowl* bowl = std::get_if<Bowl>(&B);
  const double both = calc_extent(A) + calc_extent(B);
  if (bowl != nullptr && uniform(0, 1) < 0.7) {
    // B is the bowl, A somewhere in its ball: B's origin is below or above by as much.
    return unit_vector() * bowl->radius * uniform(0, 1);
  }
  const bool is_in_hole = (std::holds_alternative<Torus>(A) || std::holds_alternative<Torus>(B)) && uniform(0, 1) < 0.5;
  return unit_vector() * both * (is_in_hole ? uniform(0, 0.6) : uniform(0.4, 1.5));
}

ShapePair RandomPairs::pair(const KindPair& kinds, Placement placement) {
  for (;;) {
    ShapePair pair;
    const bool has_ratio = uniform(0, 1) < 1.0 / 3, is_A_smaller = is_hollow(kinds.B) || uniform(0, 1) < 0.5;
    const double ratio = has_ratio ? log_uniform(1e-3, 1) : is_hollow(kinds.B) ? log_uniform(0.1, 1) : 1;
    pair.A = shape(kinds.A, is_A_smaller ? ratio : 1);
    pair.B = shape(kinds.B, is_A_smaller ? 1 : ratio);
    pair.X_WA = {rotation(), unit_vector() * uniform(0, 1)};
    pair.X_WB = {rotation(), Vector3<double>::Zero()};
    pair.X_WB.p = pair.X_WA * place_beside(pair.A, pair.B);

    // Apart somewhere, then along the normal to the wanted gap.
    const reference::Result start = calc_reference(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const bool is_plane = kinds.B == kPlane;
    if (!start.is_certified || (start.gap <= 0 && !is_plane)) continue;
    const double size = std::min(calc_thickness(pair.A), calc_thickness(pair.B));
    double gap = 0;
    switch (placement) {
      case Placement::apart:
        gap = size * log_uniform(1e-3, 30);
        break;
      case Placement::touching:
        gap = size * log_uniform(1e-12, 1e-3) * (uniform(0, 1) < 0.5 ? -1 : 1);
        break;
      case Placement::shallow:
        gap = -size * log_uniform(1e-3, 3e-2);
        break;
    }
    pair.X_WB.p += (start.N * (start.gap - gap)).cast<double>();
    pair.expected = calc_reference(pair.A, pair.X_WA, pair.B, pair.X_WB);
    // In hollows the way may be barred: then what was meant to be apart is deep inside.
    if (!pair.expected.is_certified || pair.expected.gap < std::min(gap, 0.0) - 1e-2 * size) continue;
    pair.length = calc_extent(pair.A) + calc_extent(pair.B) + pair.X_WA.p.norm() + pair.X_WB.p.norm();
    if (uniform(0, 1) < 0.5) {
      std::swap(pair.A, pair.B);
      std::swap(pair.X_WA, pair.X_WB);
      std::swap(pair.expected.p_A, pair.expected.p_B);
      pair.expected.N = -pair.expected.N;
    }
    return pair;
  }
}

}  // namespace thenar::test
