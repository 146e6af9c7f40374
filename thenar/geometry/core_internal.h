// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Small pieces that the functions of core.h share: numbering of a box's features, the profile of cone and bowl in the
/// half-plane through their axis, unit vectors that exist where the length is zero.

#include <array>
#include <cmath>

#include "thenar/base/numbers.h"
#include "thenar/geometry/core.h"

namespace thenar::internal {

/// A point of a body of revolution: its distance from the z axis and the unit vector (cx, cy) that it lies along. On
/// the axis every direction is as good: x.
struct Radial {
  double rho, cx, cy;
};
inline Radial make_radial(const Vec3<double>& q) {
  const double rho = std::sqrt(q.x * q.x + q.y * q.y);
  if (!(rho > 0)) return {0, 1, 0};
  return {rho, q.x / rho, q.y / rho};
}

/// The vector with coordinates (r, z) in the half-plane of `c`.
inline Vec3<double> place_radially(const Radial& c, double r, double z) { return {r * c.cx, r * c.cy, z}; }

/// Which sides of its axes a feature of a box lies on: −1, 0 or 1 for x, y, z. A face has one that is not 0, an edge
/// two, a vertex three.
using BoxSides = std::array<signed char, 3>;

constexpr BoxSides box_sides(int feature) {
  BoxSides sides{};
  const auto sign = [](int bit) { return static_cast<signed char>(bit != 0 ? 1 : -1); };
  if (feature < 6) {
    sides[static_cast<std::size_t>(feature / 2)] = sign(feature % 2);
  } else if (feature < 18) {
    const int edge = feature - 6, axis = edge / 4;
    sides[static_cast<std::size_t>((axis + 1) % 3)] = sign(edge & 1);
    sides[static_cast<std::size_t>((axis + 2) % 3)] = sign(edge & 2);
  } else {
    const int vertex = feature - 18;
    sides = {sign(vertex & 1), sign(vertex & 2), sign(vertex & 4)};
  }
  return sides;
}

/// Index of BoxSides in a table of 27.
constexpr std::size_t box_cell(int x, int y, int z) {
  return static_cast<std::size_t>((x + 1) + 3 * (y + 1) + 9 * (z + 1));
}

/// Which side of a box a component of a direction is on. A box without thickness along the axis has no face across it,
/// only edges or vertices at both ends, which are one: they count as the upper one.
inline int box_side(double d, double half) {
  if (d > 0) return 1;
  if (d < 0) return -1;
  return half > 0 ? 0 : 1;
}

constexpr std::array<BoxSides, 26> make_box_side_table() {
  std::array<BoxSides, 26> table{};
  for (int f = 0; f < 26; ++f) table[static_cast<std::size_t>(f)] = box_sides(f);
  return table;
}
constexpr std::array<signed char, 27> make_box_feature_table() {
  std::array<signed char, 27> table{};
  for (int f = 0; f < 26; ++f) {
    const BoxSides s = box_sides(f);
    table[box_cell(s[0], s[1], s[2])] = static_cast<signed char>(f);
  }
  return table;
}
/// Both ways, by look-up.
inline constexpr std::array<BoxSides, 26> kBoxSides = make_box_side_table();
inline constexpr std::array<signed char, 27> kBoxFeature = make_box_feature_table();

/// The side of a cone in the half-plane (ρ, z): from the rim to the apex. Its outward normal is (cosine, sine).
struct ConeProfile {
  double sine, cosine;  ///< of the angle between axis and side
  double slant;         ///< m, from apex to rim
};
inline ConeProfile make_cone_profile(const Vec3<double>& size) {
  const double height = 2 * size.z, slant = std::sqrt(size.x * size.x + height * height);
  return {size.x / slant, height / slant, slant};
}

/// Height of the centre of a bowl's ball.
inline double bowl_centre(const Vec3<double>& size) { return size.x - size.z; }

}  // namespace thenar::internal
