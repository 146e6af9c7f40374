// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/friction_section_internal.h"

#include <algorithm>

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Vector = VectorX<double>;

/// Half-planes that a force is as near to as this part of its size meet there.
constexpr double kCorner = 1e-9;

/// Half-planes |sₖ| ≤ μₖ.
void add_interval(MatrixX<double>& gradients, Index k, double limit) {
  const Index columns = gradients.cols();
  gradients.conservativeResize(Eigen::NoChange, columns + 2);
  gradients.rightCols(2).setZero();
  gradients(k, columns) = 1 / limit;
  gradients(k, columns + 1) = -1 / limit;
}

/// Edges of the regular polygon, (8) of constraint_problem.h.
void add_polygon(MatrixX<double>& gradients, int faces, const Vector& limits) {
  for (int j = 0; j < faces; ++j) {
    const Eigen::Vector2d middle = 0.5 * (calc_regular_corner(j, faces) + calc_regular_corner((j + 1) % faces, faces));
    gradients.conservativeResize(Eigen::NoChange, gradients.cols() + 1);
    gradients.rightCols(1).setZero();
    gradients.rightCols(1).topRows(2) = middle.cwiseQuotient(limits.head<2>()) / middle.squaredNorm();
  }
}

}  // namespace

double Section::calc_gauge(const Vector& s) const {
  if (is_smooth) return s.cwiseQuotient(limits).norm();
  return std::max(0.0, (gradients.transpose() * s).maxCoeff());
}

Vector Section::find_gradient(const Vector& s) const {
  const double gauge = calc_gauge(s);
  if (!(gauge > 0)) return Vector::Zero(s.size());
  if (is_smooth) return s.cwiseQuotient(limits.cwiseAbs2()) / gauge;
  Vector out = Vector::Zero(s.size());
  int count = 0;
  for (Index j = 0; j < gradients.cols(); ++j) {
    if (gradients.col(j).dot(s) < (1 - kCorner) * gauge) continue;
    out += gradients.col(j);
    ++count;
  }
  return out / count;
}

double Section::calc_power(const Vector& w) const {
  if (is_smooth) return w.cwiseProduct(limits).norm();
  const Vector scaled = w.cwiseProduct(limits);
  const Index planar = polygon > 0 ? 2 : 0;
  const double box = scaled.tail(scaled.size() - planar).lpNorm<1>();
  double best = 0;
  for (int j = 0; j < polygon; ++j) best = std::max(best, -scaled.head<2>().dot(calc_regular_corner(j, polygon)));
  return box + best;
}

Section make_section(const ConstraintProblem& problem, int normal) {
  Section out;
  out.normal = normal;
  const int count = problem.row(normal).kind == RowKind::normal ? problem.tangent_count(normal) : 0;
  for (int i = normal + 1; i <= normal + count; ++i) {
    if (problem.row(i).kind == RowKind::tangent && problem.row(i).limit > 0) out.rows.push_back(i);
  }
  const auto n = static_cast<Index>(out.rows.size());
  out.limits.resize(n);
  for (Index k = 0; k < n; ++k) out.limits(k) = problem.row(out.rows[static_cast<std::size_t>(k)]).limit;
  out.gradients.resize(n, 0);
  const int faces = problem.row(normal).faces;
  out.is_smooth = faces == 0 && n > 1;
  out.polygon = faces > kBoxFaces && n > 1 ? faces : 0;
  if (out.polygon > 0) add_polygon(out.gradients, faces, out.limits);
  for (Index k = out.polygon > 0 ? 2 : 0; k < n; ++k) add_interval(out.gradients, k, out.limits(k));
  return out;
}

double calc_share(const Section& section, const Vector& z) {
  if (section.rows.empty() || !(z(section.normal) > 0)) return 0;
  return section.calc_gauge(section.friction(z)) / z(section.normal);
}

}  // namespace thenar::internal
