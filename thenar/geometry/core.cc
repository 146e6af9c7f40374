// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace thenar {
namespace {

struct CoreMaker {
  GrownCore operator()(const Sphere& s) const { return {{CoreKind::point, {0, 0, 0}}, s.radius}; }
  GrownCore operator()(const Ellipsoid& s) const { return {{CoreKind::ellipsoid, s.semi_axes}, 0}; }
  GrownCore operator()(const Cylinder& s) const { return {{CoreKind::cylinder, {s.radius, 0, s.length / 2}}, 0}; }
  GrownCore operator()(const Capsule& s) const { return {{CoreKind::segment, {0, 0, s.length / 2}}, s.radius}; }
  GrownCore operator()(const Cone& s) const { return {{CoreKind::cone, {s.radius, 0, s.height / 2}}, 0}; }
  GrownCore operator()(const Box& s) const { return {{CoreKind::box, Vec3<double>(s.sides) * 0.5}, 0}; }
  GrownCore operator()(const RoundedBox& s) const {
    const auto half = [&s](double side) { return std::max(0.0, side / 2 - s.radius); };
    return {{CoreKind::box, {half(s.sides.x()), half(s.sides.y()), half(s.sides.z())}}, s.radius};
  }
  GrownCore operator()(const Torus& s) const { return {{CoreKind::circle, {s.radius, 0, 0}}, s.tube}; }
  GrownCore operator()(const Rod& s) const { return {{CoreKind::segment, {0, 0, s.length / 2}}, 0}; }
  GrownCore operator()(const Ellipse& s) const { return {{CoreKind::plate, {s.a, s.b, 0}}, 0}; }
  GrownCore operator()(const Plane&) const { return {{CoreKind::half_space, {0, 0, 0}}, 0}; }
  GrownCore operator()(const Bowl& s) const {
    const double rim = std::sqrt(s.depth * (2 * s.radius - s.depth));
    return {{CoreKind::bowl, {s.radius, rim, s.depth}}, 0};
  }
};

double calc_bounding_radius_of(const Core& core) {
  const Vec3<double>& size = core.size;
  switch (core.kind) {
    case CoreKind::point:
      return 0;
    case CoreKind::segment:
    case CoreKind::box:
    case CoreKind::cylinder:
    case CoreKind::cone:
      return norm(size);  // of the farthest corner; sizes that a kind does not use are 0
    case CoreKind::ellipsoid:
    case CoreKind::plate:
    case CoreKind::circle:
      return std::max({size.x, size.y, size.z});
    case CoreKind::half_space:
    case CoreKind::bowl:
      return std::numeric_limits<double>::infinity();
  }
  return 0;
}

}  // namespace

GrownCore make_core(const Shape& shape) { return std::visit(CoreMaker(), shape); }

double calc_bounding_radius(const GrownCore& shape) { return calc_bounding_radius_of(shape.core) + shape.radius; }

int feature_count(CoreKind kind) {
  switch (kind) {
    case CoreKind::point:
    case CoreKind::ellipsoid:
    case CoreKind::half_space:
    case CoreKind::circle:
      return 1;
    case CoreKind::segment:
    case CoreKind::plate:
    case CoreKind::bowl:
      return 3;
    case CoreKind::box:
      return 26;
    case CoreKind::cylinder:
      return 5;
    case CoreKind::cone:
      return 4;
  }
  return 0;
}

std::string feature_name(CoreKind kind, int feature) {
  const auto pick = [feature](std::initializer_list<const char*> names) { return std::string(names.begin()[feature]); };
  switch (kind) {
    case CoreKind::point:
    case CoreKind::ellipsoid:
    case CoreKind::circle:
      return "surface";
    case CoreKind::segment:
      return pick({"line", "end 0", "end 1"});
    case CoreKind::box:
      if (feature < 6) return fmt::format("face {}", feature);
      if (feature < 18) return fmt::format("edge {}", feature - 6);
      return fmt::format("vertex {}", feature - 18);
    case CoreKind::half_space:
      return "face";
    case CoreKind::cylinder:
      return pick({"side", "cap 0", "cap 1", "rim 0", "rim 1"});
    case CoreKind::cone:
      return pick({"side", "base", "rim", "apex"});
    case CoreKind::plate:
      return pick({"face 0", "face 1", "rim"});
    case CoreKind::bowl:
      return pick({"flat", "rim", "hollow"});
  }
  return {};
}

}  // namespace thenar
