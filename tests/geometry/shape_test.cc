// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/shape.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace thenar::shape_test {
namespace {

constexpr double kPi = std::numbers::pi;

/// Moments of a solid by brute force: volume, ∫ p dV and ∫ p pᵀ dV.
struct Moments {
  double volume = 0;
  Vector3<double> first = Vector3<double>::Zero();
  Matrix3<double> second = Matrix3<double>::Zero();

  void add(double weight, const Vector3<double>& p) {
    volume += weight;
    first += weight * p;
    second += weight * p * p.transpose();
  }
  /// Mass properties at unit density.
  MassProperties properties() const {
    MassProperties out;
    out.mass = volume;
    out.com = first / volume;
    const Matrix3<double> central = second - volume * out.com * out.com.transpose();
    out.inertia = Symmetric3<double>::from_matrix(central.trace() * Matrix3<double>::Identity() - central);
    return out;
  }
};

/// Nodes and weights of Gauss's rule with 5 points on [-1, 1]: exact for polynomials of degree 9.
constexpr std::array<double, 5> kNodes{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                       0.9061798459386640};
constexpr std::array<double, 5> kWeights{0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                         0.2369268850561891};

/// ∫ f over [a, b], cut into pieces.
void integrate(double a, double b, int pieces, const std::function<void(double x, double weight)>& f) {
  const double half = 0.5 * (b - a) / pieces;
  for (int k = 0; k < pieces; ++k) {
    const double middle = a + (2 * k + 1) * half;
    for (std::size_t i = 0; i < kNodes.size(); ++i) f(middle + half * kNodes[i], half * kWeights[i]);
  }
}

/// A solid of revolution, radius(z) on [a, b]; discs have closed moments, so only z is integrated.
Moments revolve(double a, double b, const std::function<double(double)>& radius) {
  Moments m;
  integrate(a, b, 400, [&](double z, double weight) {
    const double r2 = radius(z) * radius(z), area = kPi * r2;
    m.add(weight * area, {0, 0, z});
    m.second(0, 0) += weight * area * r2 / 4;
    m.second(1, 1) += weight * area * r2 / 4;
  });
  return m;
}

void expect_same(const MassProperties& found, const MassProperties& expected, double tolerance) {
  const double size2 = expected.inertia.matrix().trace() / expected.mass;
  EXPECT_NEAR(found.mass, expected.mass, tolerance * expected.mass);
  EXPECT_LT((found.com - expected.com).norm(), tolerance * std::sqrt(size2));
  EXPECT_LT((found.inertia.matrix() - expected.inertia.matrix()).norm(), tolerance * expected.mass * size2);
}

// The integrands are polynomials, piecewise, or have a square root at the ends only, hence the tolerances: rounding for
// the former; r² = R² − z² of balls is a polynomial as well.
constexpr double kRounding = 1e-12;

TEST(Shape, SphereEqualsQuadrature) {
  const double r = 0.7;
  const Moments m = revolve(-r, r, [r](double z) { return std::sqrt(r * r - z * z); });
  expect_same(mass_properties_from_density(Sphere{r}, 1), m.properties(), kRounding);
}

TEST(Shape, CylinderEqualsQuadrature) {
  const Moments m = revolve(-0.6, 0.6, [](double) { return 0.25; });
  expect_same(mass_properties_from_density(Cylinder{0.25, 1.2}, 1), m.properties(), kRounding);
}

TEST(Shape, CapsuleEqualsQuadrature) {
  const double r = 0.3, l = 1.0;
  // 400 pieces of [-0.8, 0.8]: the caps begin at piece boundaries, so the integrand is a polynomial on every piece.
  const Moments m = revolve(-l / 2 - r, l / 2 + r, [=](double z) {
    const double beyond = std::max(0.0, std::abs(z) - l / 2);
    return std::sqrt(r * r - beyond * beyond);
  });
  expect_same(mass_properties_from_density(Capsule{r, l}, 1), m.properties(), kRounding);
}

TEST(Shape, ConeEqualsQuadrature) {
  const double r = 0.4, h = 0.9;
  const Moments m = revolve(-h / 2, h / 2, [=](double z) { return r * (0.5 - z / h); });
  const MassProperties found = mass_properties_from_density(Cone{r, h}, 1);
  expect_same(found, m.properties(), kRounding);
  EXPECT_NEAR(found.com.z(), -h / 4, kRounding);
}

TEST(Shape, BoxEqualsQuadrature) {
  const Vector3<double> s(0.2, 0.5, 1.1);
  Moments m;
  integrate(-s.x() / 2, s.x() / 2, 1, [&](double x, double wx) {
    integrate(-s.y() / 2, s.y() / 2, 1, [&](double y, double wy) {
      integrate(-s.z() / 2, s.z() / 2, 1, [&](double z, double wz) { m.add(wx * wy * wz, {x, y, z}); });
    });
  });
  expect_same(mass_properties_from_density(Box{s}, 1), m.properties(), kRounding);
}

TEST(Shape, EllipsoidEqualsQuadrature) {
  // Across z the sections are ellipses with semi-axes a k, b k, k² = 1 − z²/c², and moments π a b k² (a² k²/4, …).
  const double a = 0.3, b = 0.5, c = 0.8;
  Moments m;
  integrate(-c, c, 50, [&](double z, double weight) {
    const double k2 = 1 - z * z / (c * c), area = kPi * a * b * k2;
    m.add(weight * area, {0, 0, z});
    m.second(0, 0) += weight * area * a * a * k2 / 4;
    m.second(1, 1) += weight * area * b * b * k2 / 4;
  });
  expect_same(mass_properties_from_density(Ellipsoid{{a, b, c}}, 1), m.properties(), kRounding);
}

/// ∫ f over an interval that ends in quarters of circles: [−half − r, half + r], where the ends are taken as
/// half + r sin θ, so that square roots at the tips become smooth. `f` gets what is left of the radius there, r cos θ.
void integrate_rounded(double half, double r, const std::function<void(double x, double left, double weight)>& f) {
  if (half > 0) integrate(-half, half, 1, [&](double x, double weight) { f(x, r, weight); });
  integrate(0, kPi / 2, 8, [&](double angle, double weight) {
    const double left = r * std::cos(angle);
    for (const double side : {-1.0, 1.0}) f(side * (half + r * std::sin(angle)), left, weight * left);
  });
}

Moments cut_rounded_box(const Vector3<double>& sides, double r) {
  const Vector3<double> half = sides / 2 - Vector3<double>::Constant(r);
  Moments m;
  integrate_rounded(half.z(), r, [&](double z, double left_z, double wz) {
    integrate_rounded(half.y(), left_z, [&](double y, double left_y, double wy) {
      const double reach = half.x() + left_y;  // the line at (y, z) lies within ± reach
      integrate(-reach, reach, 1, [&](double x, double wx) { m.add(wx * wy * wz, {x, y, z}); });
    });
  });
  return m;
}

TEST(Shape, RoundedBoxEqualsQuadrature) {
  // Smooth integrands, eight pieces of a quarter circle: the error of the rule is (π/16)^10/10! and below rounding.
  for (const double r : {0.02, 0.1}) {
    const Vector3<double> sides(0.2, 0.5, 1.1);
    const MassProperties found = mass_properties_from_density(RoundedBox{sides, r}, 1);
    expect_same(found, cut_rounded_box(sides, r).properties(), kRounding);
    EXPECT_DOUBLE_EQ(found.mass, calc_volume(RoundedBox{sides, r}));
  }
}

TEST(Shape, TorusEqualsQuadrature) {
  const double R = 0.5, t = 0.2;
  Moments m;
  integrate(0, 2 * kPi, 24, [&](double around, double w1) {
    integrate(0, 2 * kPi, 24, [&](double across, double w2) {
      integrate(0, t, 1, [&](double s, double w3) {
        const double rho = R + s * std::cos(across);
        m.add(w1 * w2 * w3 * s * rho, {rho * std::cos(around), rho * std::sin(around), s * std::sin(across)});
      });
    });
  });
  expect_same(mass_properties_from_density(Torus{R, t}, 1), m.properties(), kRounding);
}

TEST(Shape, EllipseEqualsQuadrature) {
  const double a = 0.3, b = 0.7;
  Moments m;
  integrate(0, 2 * kPi, 24, [&](double angle, double w1) {
    integrate(0, 1, 1, [&](double s, double w2) {
      m.add(w1 * w2 * a * b * s, {a * s * std::cos(angle), b * s * std::sin(angle), 0});
    });
  });
  expect_same(mass_properties_from_mass(Ellipse{a, b}, kPi * a * b), m.properties(), kRounding);
}

TEST(Shape, LimitsAgree) {
  // An ellipsoid with equal axes is a ball; a capsule without cylinder too; slender solids approach the rod.
  expect_same(mass_properties_from_mass(Ellipsoid{{0.2, 0.2, 0.2}}, 3), mass_properties_from_mass(Sphere{0.2}, 3),
              1e-15);
  expect_same(mass_properties_from_mass(Capsule{0.2, 1e-12}, 3), mass_properties_from_mass(Sphere{0.2}, 3), 1e-11);
  const MassProperties rod = mass_properties_from_mass(Rod{2.0}, 3);
  EXPECT_EQ(rod.inertia.zz, 0);
  EXPECT_DOUBLE_EQ(rod.inertia.xx, 3 * 4.0 / 12);
  expect_same(mass_properties_from_mass(Cylinder{1e-7, 2.0}, 3), rod, 1e-13);
  expect_same(mass_properties_from_mass(Box{{1e-7, 1e-7, 2.0}}, 3), rod, 1e-13);
  // A box rounded as far as it can be is a ball or a capsule; hardly rounded, it is a box: what is cut off is of the
  // order of (r/side)². A ring with a thin tube is a hoop. A flat ellipsoid is not an ellipse, which is evenly thick.
  expect_same(mass_properties_from_mass(RoundedBox{{0.4, 0.4, 0.4}, 0.2}, 3), mass_properties_from_mass(Sphere{0.2}, 3),
              1e-15);
  expect_same(mass_properties_from_density(RoundedBox{{0.4, 0.4, 1.0}, 0.2}, 3),
              mass_properties_from_density(Capsule{0.2, 0.6}, 3), 1e-14);
  expect_same(mass_properties_from_density(RoundedBox{{0.2, 0.5, 1.1}, 1e-8}, 3),
              mass_properties_from_density(Box{{0.2, 0.5, 1.1}}, 3), 1e-13);
  EXPECT_NEAR(mass_properties_from_mass(Torus{0.5, 1e-8}, 3).inertia.zz, 3 * 0.25, 1e-14);
  expect_same(mass_properties_from_mass(Cylinder{0.3, 1e-8}, 3), mass_properties_from_mass(Ellipse{0.3, 0.3}, 3),
              1e-13);
}

TEST(Shape, EveryShapeIsAPossibleBody) {
  const std::array<Shape, 10> shapes{Sphere{0.1},
                                     Ellipsoid{{0.1, 0.2, 0.3}},
                                     Cylinder{0.1, 0.3},
                                     Capsule{0.1, 0.3},
                                     Cone{0.1, 0.3},
                                     Box{{0.1, 0.2, 0.3}},
                                     RoundedBox{{0.1, 0.2, 0.3}, 0.05},
                                     Torus{0.3, 0.1},
                                     Rod{0.4},
                                     Ellipse{0.1, 0.2}};
  for (const Shape& shape : shapes) {
    EXPECT_FALSE(find_fault(shape)) << shape_name(shape);
    EXPECT_FALSE(mass_properties_from_mass(shape, 2).find_fault()) << shape_name(shape);
    EXPECT_DOUBLE_EQ(mass_properties_from_mass(shape, 2).mass, 2);
    EXPECT_FALSE(is_unbounded(shape)) << shape_name(shape);
  }
}

TEST(Shape, PlaneAndBowlFillHalfTheWorld) {
  EXPECT_TRUE(is_unbounded(Plane{}));
  EXPECT_TRUE(is_unbounded(Bowl{0.2, 0.3}));
  EXPECT_FALSE(find_fault(Plane{}));
  EXPECT_FALSE(find_fault(Bowl{0.2, 0.3}));
}

TEST(Shape, BadSizesAreNamed) {
  EXPECT_NE(find_fault(Sphere{0})->find("radius"), std::string::npos);
  EXPECT_NE(find_fault(Cylinder{1, -1})->find("length"), std::string::npos);
  EXPECT_NE(find_fault(Cone{1, std::numeric_limits<double>::infinity()})->find("height"), std::string::npos);
  EXPECT_NE(find_fault(Box{{1, std::nan(""), 1}})->find("side"), std::string::npos);
  EXPECT_NE(find_fault(Torus{1, 0})->find("tube"), std::string::npos);
  EXPECT_NE(find_fault(Ellipse{1, -1})->find("semi-axis"), std::string::npos);
  EXPECT_NE(find_fault(Bowl{1, 0})->find("depth"), std::string::npos);
  EXPECT_THROW(mass_properties_from_density(Rod{1}, 1000), std::invalid_argument);
  EXPECT_THROW(mass_properties_from_density(Ellipse{1, 1}, 1000), std::invalid_argument);
}

TEST(Shape, SizesThatContradictEachOtherAreNamed) {
  EXPECT_EQ(*find_fault(RoundedBox{{1, 0.5, 1}, 0.3}),
            "the radius must be at most half the shortest side, 0.25 m, found 0.3 m");
  EXPECT_EQ(*find_fault(Torus{0.3, 0.3}), "the tube must be thinner than the radius, 0.3 m, found 0.3 m");
  EXPECT_EQ(*find_fault(Bowl{0.3, 0.6}), "the depth must be less than the diameter, 0.6 m, found 0.6 m");
  EXPECT_FALSE(find_fault(RoundedBox{{1, 0.5, 1}, 0.25}));
}

}  // namespace
}  // namespace thenar::shape_test
