// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Points that are fixed in a core, or follow its lowest ruling, and span whatever it can lie on: corners, ends of
/// lines, four points of a rim. Where a shape lies along something, they stand for the line or face of contact.

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/geometry/core_internal.h"
#include "thenar/geometry/local_minima_internal.h"

namespace thenar::internal {

/// The k-th of the four directions 0°, 90°, 180°, 270° in the x-y plane.
inline Radial get_fixed_direction(int k) {
  constexpr std::array<std::array<double, 2>, LocalMinima::kFixedCount> kDirections{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  const auto& direction = kDirections[static_cast<std::size_t>(k)];
  return {1, direction[0], direction[1]};
}

/// Four points of an ellipse around the z axis.
template <class Visit>
void visit_rim_marks(double a, double b, double z, int feature, const Visit& visit) {
  for (int k = 0; k < LocalMinima::kFixedCount; ++k) {
    const Radial m = get_fixed_direction(k);
    visit(Vec3<double>(a * m.cx, b * m.cy, z), feature, LocalMinima::kFirstFixed + k);
  }
}

/// Four points around an ellipsoid, at the level of `nearest` along its shortest axis.
template <class Visit>
void visit_ellipsoid_marks(const Vec3<double>& size, const Vec3<double>& nearest, const Visit& visit) {
  const std::array<double, 3> a{size.x, size.y, size.z};
  std::array<double, 3> p{nearest.x, nearest.y, nearest.z};
  const auto shortest = static_cast<std::size_t>(std::min_element(a.begin(), a.end()) - a.begin());
  const std::size_t i = (shortest + 1) % 3, j = (shortest + 2) % 3;
  const double z = p[shortest] / a[shortest], scale = std::sqrt(std::max(0.0, 1 - z * z));
  for (int k = 0; k < LocalMinima::kFixedCount; ++k) {
    const Radial m = get_fixed_direction(k);
    p[i] = m.cx * a[i] * scale;
    p[j] = m.cy * a[j] * scale;
    visit(Vec3<double>(p[0], p[1], p[2]), 0, LocalMinima::kFirstFixed + k);
  }
}

inline Vec3<double> get_box_corner(const Vec3<double>& half, int feature) {
  const BoxSides& sides = kBoxSides[static_cast<std::size_t>(feature)];
  return {sides[0] * half.x, sides[1] * half.y, sides[2] * half.z};
}

/// Calls visit(point, feature, number) for the marks of a bounded core, of which `nearest` is the point that it lies on
/// along the direction d. Numbers as in LocalMinima.
template <class Visit>
void visit_marks(const Core& core, const Vec3<double>& nearest, const Vec3<double>& d, const Visit& visit) {
  using Vec = Vec3<double>;
  const Vec& size = core.size;
  switch (core.kind) {
    case CoreKind::segment:
      visit(Vec(0, 0, -size.z), 1, 0);
      visit(Vec(0, 0, size.z), 2, 0);
      break;
    case CoreKind::box:
      for (int feature = 18; feature < 26; ++feature) visit(get_box_corner(size, feature), feature, 0);
      break;
    case CoreKind::ellipsoid:
      visit_ellipsoid_marks(size, nearest, visit);
      break;
    case CoreKind::cylinder:
      for (const int end : {0, 1}) {
        const double z = end == 1 ? size.z : -size.z;
        visit_rim_marks(size.x, size.x, z, 3 + end, visit);
        visit(place_radially(make_radial(d), size.x, z), 3 + end, 0);
      }
      break;
    case CoreKind::cone:
      visit_rim_marks(size.x, size.x, -size.z, 2, visit);
      visit(place_radially(make_radial(d), size.x, -size.z), 2, 0);
      visit(Vec(0, 0, size.z), 3, 0);
      break;
    case CoreKind::plate:
      visit_rim_marks(size.x, size.y, 0, 2, visit);
      break;
    case CoreKind::circle:
      visit_rim_marks(size.x, size.x, 0, 0, visit);
      break;
    case CoreKind::point:
    case CoreKind::half_space:
    case CoreKind::bowl:
      break;
  }
}

}  // namespace thenar::internal
