// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_section_internal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace thenar::internal {
namespace {

/// x in the frame of the edge whose sector holds it: `out` along the outer normal, `along` along the edge.
struct EdgeFrame {
  double cosine, sine;  ///< of the outer normal's angle
  double out, along;
};

EdgeFrame find_edge(int faces, double x1, double x2) {
  const double sector = 2 * std::numbers::pi / faces;
  const double angle = sector * (std::floor(std::atan2(x2, x1) / sector) + 0.5);
  const double c = std::cos(angle), s = std::sin(angle);
  return {c, s, c * x1 + s * x2, c * x2 - s * x1};
}

/// By symmetry the nearest edge of a regular polygon is the one of the sector in which x lies.
void project_on_polygon(int faces, double r, SectionPoint& point) {
  const EdgeFrame edge = find_edge(faces, point.p[0], point.p[1]);
  const double apothem = std::cos(std::numbers::pi / faces), half = std::sin(std::numbers::pi / faces);
  if (edge.out <= r * apothem) return;
  point.inside = false;
  const double share = std::abs(edge.along) <= r * half ? edge.along : std::copysign(r * half, edge.along);
  const bool is_vertex = share != edge.along;
  point.p.head<2>() << edge.cosine * r * apothem - edge.sine * share, edge.sine * r * apothem + edge.cosine * share;
  const double turn = is_vertex ? std::copysign(half, edge.along) : 0;
  point.Dr.head<2>() << edge.cosine * apothem - edge.sine * turn, edge.sine * apothem + edge.cosine * turn;
  if (is_vertex) {
    point.Dx.topLeftCorner<2, 2>().setZero();
  } else {
    point.Dx.topLeftCorner<2, 2>() << edge.sine * edge.sine, -edge.sine * edge.cosine, -edge.sine * edge.cosine,
        edge.cosine * edge.cosine;
  }
}

/// Direction k by itself.
void project_on_interval(int k, double r, SectionPoint& point) {
  if (std::abs(point.p[k]) <= r) return;
  point.inside = false;
  point.Dr[k] = std::copysign(1.0, point.p[k]);
  point.p[k] = r * point.Dr[k];
  point.Dx(k, k) = 0;
}

void project_on_ball(double r, SectionPoint& point) {
  const double length = point.p.norm();
  if (length <= r) return;
  point.inside = false;
  point.Dr = point.p / length;
  point.p = r * point.Dr;
  point.Dx -= point.Dr * point.Dr.transpose();
  point.Dx *= r / length;
}

}  // namespace

SectionPoint project_on_section(const ConeSection& section, const Tangent& x, double r) {
  SectionPoint point{x, Tangent::Zero(), TangentMatrix::Identity(), true};
  const double radius = std::max(r, 0.0);
  if (section.is_smooth()) {
    project_on_ball(radius, point);
  } else if (section.is_box()) {
    for (int k = 0; k < 3; ++k) project_on_interval(k, radius, point);
  } else {
    project_on_polygon(section.faces, radius, point);
    project_on_interval(2, radius, point);
  }
  return point;
}

}  // namespace thenar::internal
