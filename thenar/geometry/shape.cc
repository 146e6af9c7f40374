// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/shape.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "thenar/base/numbers.h"
#include "thenar/base/overloaded.h"

namespace thenar {
namespace {

using NamedLength = std::pair<const char*, double>;

std::optional<std::string> find_bad_length(std::initializer_list<NamedLength> lengths) {
  for (const auto& [name, value] : lengths) {
    if (!(value > 0) || !std::isfinite(value)) {
      return fmt::format("the {} must be a finite length greater than 0, found {} m", name, value);
    }
  }
  return std::nullopt;
}

double cube(double x) { return x * x * x; }

/// Sides of the box that a rounded box is grown from.
Vector3<double> inner_sides(const RoundedBox& s) { return s.sides - Vector3<double>::Constant(2 * s.radius); }

double calc_volume_of(const RoundedBox& s) {
  const Vector3<double> a = inner_sides(s);
  const double r = s.radius;
  return a.prod() + 2 * r * (a.x() * a.y() + a.y() * a.z() + a.z() * a.x()) + kPi * r * r * a.sum() +
         4.0 / 3.0 * kPi * cube(r);
}

/// ∫ x² dV of a rounded box for one axis x; y and z are the others. Its parts: box, slabs on its faces, quarter
/// cylinders along its edges, eighths of a ball.
double calc_second_moment(double x, double y, double z, double r) {
  const double half = x / 2, mean = x * x / 12;
  const double along = x * (y * z + 2 * r * (y + z) + kPi * r * r) * mean;  // all that has the box's width in x
  const double slabs = 2 * y * z * (cube(half + r) - cube(half)) / 3;
  const double cylinders = (y + z) * (kPi * r * r * half * half + 2 * half * 4 * cube(r) / 3 + kPi * r * cube(r) / 4);
  const double ball =
      4.0 / 3.0 * kPi * cube(r) * half * half + half * kPi * r * cube(r) + 4 * kPi * cube(r) * r * r / 15;
  return along + slabs + cylinders + ball;
}

Vector3<double> moments_of(const RoundedBox& s) {
  const Vector3<double> a = inner_sides(s);
  const Vector3<double> second = Vector3<double>(calc_second_moment(a.x(), a.y(), a.z(), s.radius),
                                                 calc_second_moment(a.y(), a.z(), a.x(), s.radius),
                                                 calc_second_moment(a.z(), a.x(), a.y(), s.radius)) /
                                 calc_volume_of(s);
  return {second.y() + second.z(), second.z() + second.x(), second.x() + second.y()};
}

/// Principal moments about the centre of mass, divided by the mass, m².
Vector3<double> moments_per_mass(const Shape& shape) {
  const auto of_axial = [](double across, double along) { return Vector3<double>(across, across, along); };
  return std::visit(
      Overloaded{
          [&](const Sphere& s) { return of_axial(0.4 * s.radius * s.radius, 0.4 * s.radius * s.radius); },
          [](const Ellipsoid& s) {
            const Vector3<double> a2 = s.semi_axes.cwiseAbs2();
            return Vector3<double>(0.2 * (a2.y() + a2.z()), 0.2 * (a2.x() + a2.z()), 0.2 * (a2.x() + a2.y()));
          },
          [&](const Cylinder& s) {
            const double r2 = s.radius * s.radius;
            return of_axial(r2 / 4 + s.length * s.length / 12, r2 / 2);
          },
          [&](const Capsule& s) {
            // Shares of the mass in the cylinder and in the two half balls, whose centres of mass lie 3/8 r outside.
            const double r = s.radius, l = s.length;
            const double ball = 4.0 / 3.0 * r / (4.0 / 3.0 * r + l), cylinder = 1 - ball;
            return of_axial(cylinder * (r * r / 4 + l * l / 12) + ball * (0.4 * r * r + l * l / 4 + 3.0 / 8.0 * l * r),
                            cylinder * r * r / 2 + ball * 0.4 * r * r);
          },
          [&](const Cone& s) {
            const double r2 = s.radius * s.radius;
            return of_axial(3.0 / 20.0 * r2 + 3.0 / 80.0 * s.height * s.height, 0.3 * r2);
          },
          [](const Box& s) {
            const Vector3<double> a2 = s.sides.cwiseAbs2() / 12;
            return Vector3<double>(a2.y() + a2.z(), a2.x() + a2.z(), a2.x() + a2.y());
          },
          [](const RoundedBox& s) { return moments_of(s); },
          [&](const Torus& s) {
            const double r2 = s.radius * s.radius, t2 = s.tube * s.tube;
            return of_axial(r2 / 2 + 5.0 / 8.0 * t2, r2 + 0.75 * t2);
          },
          [&](const Rod& s) { return of_axial(s.length * s.length / 12, 0); },
          [](const Ellipse& s) { return Vector3<double>(s.b * s.b / 4, s.a * s.a / 4, (s.a * s.a + s.b * s.b) / 4); },
          [](const Plane&) { return Vector3<double>(0, 0, 0); },
          [](const Bowl&) { return Vector3<double>(0, 0, 0); },
      },
      shape);
}

}  // namespace

const char* shape_name(const Shape& shape) {
  return std::visit([]<class S>(const S&) { return S::kName; }, shape);
}

std::optional<std::string> find_fault(const Shape& shape) {
  const auto of_three = [](const char* what, const Vector3<double>& v) {
    return find_bad_length({{what, v.x()}, {what, v.y()}, {what, v.z()}});
  };
  return std::visit(
      Overloaded{
          [](const Sphere& s) {
            return find_bad_length({{"radius", s.radius}});
          },
          [&](const Ellipsoid& s) { return of_three("semi-axis", s.semi_axes); },
          [](const Cylinder& s) {
            return find_bad_length({{"radius", s.radius}, {"length", s.length}});
          },
          [](const Capsule& s) {
            return find_bad_length({{"radius", s.radius}, {"length", s.length}});
          },
          [](const Cone& s) {
            return find_bad_length({{"radius", s.radius}, {"height", s.height}});
          },
          [&](const Box& s) { return of_three("side", s.sides); },
          [&](const RoundedBox& s) -> std::optional<std::string> {
            if (auto fault = of_three("side", s.sides)) return fault;
            if (auto fault = find_bad_length({{"radius", s.radius}})) return fault;
            if (2 * s.radius <= s.sides.minCoeff()) return std::nullopt;
            return fmt::format("the radius must be at most half the shortest side, {} m, found {} m",
                               s.sides.minCoeff() / 2, s.radius);
          },
          [](const Torus& s) -> std::optional<std::string> {
            if (auto fault = find_bad_length({{"radius", s.radius}, {"tube", s.tube}})) return fault;
            if (s.tube < s.radius) return std::nullopt;
            return fmt::format("the tube must be thinner than the radius, {} m, found {} m", s.radius, s.tube);
          },
          [](const Rod& s) {
            return find_bad_length({{"length", s.length}});
          },
          [](const Ellipse& s) {
            return find_bad_length({{"semi-axis", s.a}, {"semi-axis", s.b}});
          },
          [](const Plane&) { return std::optional<std::string>(); },
          [](const Bowl& s) -> std::optional<std::string> {
            if (auto fault = find_bad_length({{"radius", s.radius}, {"depth", s.depth}})) return fault;
            if (s.depth < 2 * s.radius) return std::nullopt;
            return fmt::format("the depth must be less than the diameter, {} m, found {} m", 2 * s.radius, s.depth);
          },
      },
      shape);
}

bool is_unbounded(const Shape& shape) {
  return std::holds_alternative<Plane>(shape) || std::holds_alternative<Bowl>(shape);
}

double calc_volume(const Shape& shape) {
  return std::visit(Overloaded{
                        [](const Sphere& s) { return 4.0 / 3.0 * kPi * s.radius * s.radius * s.radius; },
                        [](const Ellipsoid& s) { return 4.0 / 3.0 * kPi * s.semi_axes.prod(); },
                        [](const Cylinder& s) { return kPi * s.radius * s.radius * s.length; },
                        [](const Capsule& s) { return kPi * s.radius * s.radius * (s.length + 4.0 / 3.0 * s.radius); },
                        [](const Cone& s) { return kPi * s.radius * s.radius * s.height / 3; },
                        [](const Box& s) { return s.sides.prod(); },
                        [](const RoundedBox& s) { return calc_volume_of(s); },
                        [](const Torus& s) { return 2 * kPi * kPi * s.radius * s.tube * s.tube; },
                        [](const auto&) { return 0.0; },
                    },
                    shape);
}

MassProperties mass_properties_from_mass(const Shape& shape, double mass) {
  const Vector3<double> moments = mass * moments_per_mass(shape);
  MassProperties out;
  out.mass = mass;
  if (const Cone* cone = std::get_if<Cone>(&shape)) out.com.z() = -cone->height / 4;
  out.inertia = {moments.x(), moments.y(), moments.z(), 0, 0, 0};
  return out;
}

MassProperties mass_properties_from_density(const Shape& shape, double density) {
  if (calc_volume(shape) == 0) {
    throw std::invalid_argument(
        fmt::format("the shape {} has no volume: give its mass instead of a density", shape_name(shape)));
  }
  return mass_properties_from_mass(shape, density * calc_volume(shape));
}

}  // namespace thenar
