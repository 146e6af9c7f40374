// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Shapes of every kind and scenes of free bodies, for tests of the broad phase and of the contact finder.

#include <random>
#include <string>
#include <vector>

#include "thenar/contact/body_shape.h"
#include "thenar/model/model_builder.h"
#include "thenar/spatial/rotation.h"

namespace thenar::test {

class RandomShapes {
 public:
  explicit RandomShapes(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  Vector3<double> vector(double scale) {
    const double x = uniform(-scale, scale), y = uniform(-scale, scale), z = uniform(-scale, scale);
    return {x, y, z};
  }
  Pose<double> pose(double scale) {
    const Matrix3<double> R = rotation_from_rpy(vector(3));
    return {R, vector(scale)};
  }

  /// One of the ten bounded kinds, by number, a few centimetres large.
  Shape bounded(int kind) {
    const double a = uniform(0.01, 0.05), b = uniform(0.01, 0.05), c = uniform(0.01, 0.05);
    switch (kind) {
      case 0:
        return Sphere{a};
      case 1:
        return Ellipsoid{{a, b, c}};
      case 2:
        return Cylinder{a, b};
      case 3:
        return Capsule{a, b};
      case 4:
        return Cone{a, b};
      case 5:
        return Box{{a, b, c}};
      case 6:
        return RoundedBox{{a, b, c}, 0.004};
      case 7:
        return Torus{a, 0.4 * a};
      case 8:
        return Rod{a};
      default:
        return Ellipse{a, b};
    }
  }
  static constexpr int kBoundedKinds = 10;

 private:
  std::mt19937_64 generator_;
};

inline MassProperties unit_mass() {
  MassProperties out;
  out.mass = 1;
  out.inertia = {1, 1, 1, 0, 0, 0};
  return out;
}

inline JointSpec make_joint(const std::string& name, JointKind kind, const Vector3<double>& p_PF = {0, 0, 0}) {
  JointSpec spec{.name = name, .kind = kind};
  spec.X_PF.p = p_PF;
  return spec;
}

}  // namespace thenar::test
