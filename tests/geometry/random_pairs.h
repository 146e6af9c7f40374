// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random pairs of shapes of every kind at a wanted distance, with the reference's answer, for tests and benchmarks of
/// the distance. One seed gives one sequence.

#include <random>
#include <string>
#include <vector>

#include "reference_distance.h"

namespace thenar::test {

/// Number of a shape's type among the alternatives of Shape.
using ShapeKind = int;
constexpr ShapeKind kShapeKinds = static_cast<ShapeKind>(std::variant_size_v<Shape>);
constexpr ShapeKind kTorus = 7, kPlane = 10, kBowl = 11;

struct KindPair {
  ShapeKind A, B;
};
/// Every pair of kinds, in one order, but for those of two unbounded shapes: 75 of them.
std::vector<KindPair> all_kind_pairs();
/// "sphere–box".
std::string name_of(const KindPair& kinds);

/// How far apart.
enum class Placement {
  apart,     ///< gaps from 1e-3 to 30 times the smaller shape
  touching,  ///< gaps of either sign from 1e-12 to 1e-3 of it
  shallow    ///< overlaps from 1e-3 to 3e-2 of it
};

struct ShapePair {
  Shape A, B;
  Pose<double> X_WA, X_WB;
  reference::Result expected;  ///< at these poses
  double length = 0;           ///< m, of coordinates and sizes: what rounding is relative to
};

/// The reference at poses in double.
reference::Result calc_reference(const Shape& A, const Pose<double>& X_WA, const Shape& B, const Pose<double>& X_WB);

/// s(N) for bounded convex shapes.
long double calc_separation(const ShapePair& pair, const Vector3<double>& N);

class RandomPairs {
 public:
  explicit RandomPairs(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  Vector3<double> unit_vector();
  Matrix3<double> rotation();

  /// Sizes from 0.1 to 1 m, times `scale`; one ellipsoid or ellipse in three is as flat as 1:20.
  Shape shape(ShapeKind kind, double scale = 1);

  /// Two shapes, in one pair of three with a size ratio of up to 1000. A small shape is often inside a torus's hole or
  /// a bowl's hollow. Only pairs that the reference certifies.
  ShapePair pair(const KindPair& kinds, Placement placement);

 private:
  Vector3<double> place_beside(const Shape& A, const Shape& B);

  std::mt19937_64 generator_;
};

/// The radius of a ball around the origin that contains the shape, m; of the bowl, that of its ball.
double calc_extent(const Shape& shape);
/// Half of its least width, m: what penetration is shallow against. Infinite for a plane.
double calc_thickness(const Shape& shape);

}  // namespace thenar::test
