// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/shape.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace thenar {
namespace {

constexpr double kPi = std::numbers::pi;

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

using NamedLength = std::pair<const char*, double>;

std::optional<std::string> find_bad_length(std::initializer_list<NamedLength> lengths) {
  for (const auto& [name, value] : lengths) {
    if (!(value > 0) || !std::isfinite(value)) {
      return fmt::format("the {} must be a finite length greater than 0, found {} m", name, value);
    }
  }
  return std::nullopt;
}

/// Principal moments about the centre of mass, divided by the mass, m².
Vector3<double> moments_per_mass(const Shape& shape) {
  const auto of_axial = [](double across, double along) { return Vector3<double>(across, across, along); };
  return std::visit(
      Overload{
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
          [&](const Rod& s) { return of_axial(s.length * s.length / 12, 0); },
      },
      shape);
}

}  // namespace

const char* shape_name(const Shape& shape) {
  return std::visit(
      Overload{[](const Sphere&) { return "sphere"; }, [](const Ellipsoid&) { return "ellipsoid"; },
               [](const Cylinder&) { return "cylinder"; }, [](const Capsule&) { return "capsule"; },
               [](const Cone&) { return "cone"; }, [](const Box&) { return "box"; }, [](const Rod&) { return "rod"; }},
      shape);
}

std::optional<std::string> find_fault(const Shape& shape) {
  const auto of_three = [](const char* what, const Vector3<double>& v) {
    return find_bad_length({{what, v.x()}, {what, v.y()}, {what, v.z()}});
  };
  return std::visit(Overload{
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
                        [](const Rod& s) {
                          return find_bad_length({{"length", s.length}});
                        },
                    },
                    shape);
}

double calc_volume(const Shape& shape) {
  return std::visit(Overload{
                        [](const Sphere& s) { return 4.0 / 3.0 * kPi * s.radius * s.radius * s.radius; },
                        [](const Ellipsoid& s) { return 4.0 / 3.0 * kPi * s.semi_axes.prod(); },
                        [](const Cylinder& s) { return kPi * s.radius * s.radius * s.length; },
                        [](const Capsule& s) { return kPi * s.radius * s.radius * (s.length + 4.0 / 3.0 * s.radius); },
                        [](const Cone& s) { return kPi * s.radius * s.radius * s.height / 3; },
                        [](const Box& s) { return s.sides.prod(); },
                        [](const Rod&) { return 0.0; },
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
  if (std::holds_alternative<Rod>(shape)) {
    throw std::invalid_argument("a rod is a line without volume: give its mass instead of a density");
  }
  return mass_properties_from_mass(shape, density * calc_volume(shape));
}

}  // namespace thenar
