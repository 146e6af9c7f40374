// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace thenar {
namespace {

using Real = long double;

/// √Aᵢᵢ, the unit of row i; 1 for rows that cannot be moved.
Real unit_of(const ConstraintProblem& problem, int i) {
  const Real a = problem.A()(i, i);
  return a > 0 ? std::sqrt(a) : Real(1);
}

void demand_size(const ConstraintProblem& problem, std::span<const double> vector, const char* name) {
  if (static_cast<int>(vector.size()) == problem.size()) return;
  throw std::invalid_argument(
      fmt::format("{} has {} numbers, the constraint problem has {} rows", name, vector.size(), problem.size()));
}

/// Keeps NaN, which std::max would lose.
Real larger(Real a, Real b) { return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b); }

/// What is wrong with one row or contact, in scaled units.
struct Violation {
  Real bounds = 0, motion = 0, complementarity = 0, dissipation = 0;
  Real worst() const { return larger(larger(bounds, motion), larger(complementarity, dissipation)); }
  void include(const Violation& other) {
    bounds = larger(bounds, other.bounds);
    motion = larger(motion, other.motion);
    complementarity = larger(complementarity, other.complementarity);
    dissipation = larger(dissipation, other.dissipation);
  }
};

Violation judge_row(const ForceBounds& bounds, Real unit, Real z, Real w) {
  Violation violation;
  const Real below = (z - bounds.lower) * unit, above = (bounds.upper - z) * unit;  // room on either side
  violation.bounds = larger(0, larger(-below, -above));
  if (std::isnan(z) || std::isnan(w)) violation.bounds = violation.motion = z + w;
  // w > 0 needs z at its lower bound, w < 0 at its upper one.
  const Real room = std::max(Real(0), w > 0 ? below : above);
  const Real motion = std::abs(w) / unit;
  if (std::isinf(room)) {
    violation.motion = motion;
  } else {
    violation.complementarity = std::min(room, motion);
  }
  return violation;
}

/// The rows of one contact, normal first.
struct ContactRows {
  int tangents = 0, faces = 0;
  bool is_sliding = false;
  std::array<Real, kMostTangents + 1> unit{}, z{}, w{}, mu{};  ///< mu[0] is not used; ratios of a sliding contact

  bool is_box() const { return faces == kBoxFaces; }
  bool has_polygon() const { return faces > kBoxFaces && tangents > 1; }
};

/// Directions of the vertices of the k-gon (8), one after the other: sines cost more than all the rest here. The error
/// of k turns is k roundings of long double.
class PolygonVertex {
 public:
  explicit PolygonVertex(int faces)
      : turn_{std::cos(2 * std::numbers::pi_v<Real> / faces), std::sin(2 * std::numbers::pi_v<Real> / faces)} {}
  std::array<Real, 2> get() const { return at_; }
  std::array<Real, 2> turn() {
    at_ = {turn_[0] * at_[0] - turn_[1] * at_[1], turn_[1] * at_[0] + turn_[0] * at_[1]};
    return at_;
  }

 private:
  std::array<Real, 2> turn_, at_{1, 0};
};

/// The smallest zₙ whose cone holds z_t; rows without friction are judged apart.
Real needed_normal_force(const ContactRows& c) {
  std::array<Real, kMostTangents> s{};
  for (int k = 1; k <= c.tangents; ++k) s[k - 1] = c.mu[k] > 0 ? c.z[k] / c.mu[k] : 0;
  if (c.is_box()) return larger(larger(std::abs(s[0]), std::abs(s[1])), std::abs(s[2]));
  if (!c.has_polygon()) return std::hypot(s[0], s[1], s[2]);
  // The k-gon is the set of points below all its edges, at distance cos(π/k) from the centre.
  Real needed = std::abs(s[2]);
  PolygonVertex vertex(c.faces);
  for (int j = 0; j < c.faces; ++j) {
    const auto from = vertex.get(), to = vertex.turn();
    // The sum of both is the edge's normal times twice that distance.
    const std::array<Real, 2> sum{from[0] + to[0], from[1] + to[1]};
    const Real reach = 2 * (sum[0] * s[0] + sum[1] * s[1]) / (sum[0] * sum[0] + sum[1] * sum[1]);
    needed = larger(needed, reach);
  }
  return needed;
}

/// The point of the k-gon of this radius next to x, by looking at every edge.
std::array<Real, 2> nearest_in_polygon(int faces, Real radius, std::array<Real, 2> x) {
  bool inside = radius > 0;
  Real least = std::numeric_limits<Real>::infinity();
  std::array<Real, 2> nearest = x;
  PolygonVertex vertex(faces);
  for (int j = 0; j < faces; ++j) {
    const auto from = vertex.get(), to = vertex.turn();
    const std::array<Real, 2> edge{radius * (to[0] - from[0]), radius * (to[1] - from[1])};
    const std::array<Real, 2> offset{x[0] - radius * from[0], x[1] - radius * from[1]};
    inside = inside && edge[0] * offset[1] - edge[1] * offset[0] >= 0;
    const Real length2 = edge[0] * edge[0] + edge[1] * edge[1];
    const Real along = length2 > 0 ? (edge[0] * offset[0] + edge[1] * offset[1]) / length2 : 0;
    const Real share = std::clamp(along, Real(0), Real(1));
    const Real distance = std::hypot(offset[0] - share * edge[0], offset[1] - share * edge[1]);
    if (!(distance < least)) continue;
    least = distance;
    nearest = {radius * from[0] + share * edge[0], radius * from[1] + share * edge[1]};
  }
  return inside ? x : nearest;
}

/// The friction force next to x under this normal force, all over μ.
std::array<Real, kMostTangents> nearest_friction(const ContactRows& c, Real normal,
                                                 const std::array<Real, kMostTangents>& x) {
  if (c.is_box()) {
    return {std::clamp(x[0], -normal, normal), std::clamp(x[1], -normal, normal), std::clamp(x[2], -normal, normal)};
  }
  if (c.has_polygon()) {
    const auto polygon = nearest_in_polygon(c.faces, normal, {x[0], x[1]});
    return {polygon[0], polygon[1], std::clamp(x[2], -normal, normal)};
  }
  const Real length = std::hypot(x[0], x[1], x[2]);
  const Real share = length > normal ? normal / length : 1;
  return {share * x[0], share * x[1], share * x[2]};
}

/// How much larger than admissible the friction force is.
Real judge_cone(const ContactRows& c) {
  const Real normal = std::max(Real(0), c.z[0]), needed = needed_normal_force(c);
  Real size = 0, frictionless = 0;
  for (int k = 1; k <= c.tangents; ++k) {
    const Real z = c.z[k] * c.unit[k];
    (c.mu[k] > 0 ? size : frictionless) += z * z;
  }
  Real excess = 0;
  if (!(needed <= normal)) {
    excess = std::min((needed - normal) * c.unit[0], std::sqrt(size) * (1 - normal / needed));
    if (std::isnan(needed)) excess = needed;
  }
  return larger(excess, std::sqrt(frictionless));
}

/// Distance of the friction force from the one that friction would choose: the nearest to z_t − w_t.
Real judge_dissipation(const ContactRows& c) {
  // One unit for all directions, so that the nearest point does not depend on the tangents chosen.
  Real square = 0;
  int count = 0;
  for (int k = 1; k <= c.tangents; ++k) {
    if (c.mu[k] == 0) continue;
    square += (c.mu[k] * c.unit[k]) * (c.mu[k] * c.unit[k]);
    ++count;
  }
  if (count == 0) return 0;
  square /= count;
  std::array<Real, kMostTangents> force{}, x{};
  for (int k = 1; k <= c.tangents; ++k) {
    if (c.mu[k] == 0) continue;
    force[k - 1] = c.z[k] / c.mu[k];
    x[k - 1] = force[k - 1] - c.mu[k] * c.w[k] / square;
  }
  const auto nearest = nearest_friction(c, std::max(Real(0), c.z[0]), x);
  return std::sqrt(square) * std::hypot(force[0] - nearest[0], force[1] - nearest[1], force[2] - nearest[2]);
}

/// Distance of the friction force from the one that belongs to the normal force, (10).
Real judge_ratios(const ContactRows& c) {
  Real square = 0;
  for (int k = 1; k <= c.tangents; ++k) {
    const Real missing = (c.z[k] - c.mu[k] * c.z[0]) * c.unit[k];
    square += missing * missing;
  }
  return std::sqrt(square);
}

Violation judge_contact(const ContactRows& c) {
  Violation violation = judge_row({0, std::numeric_limits<double>::infinity()}, c.unit[0], c.z[0], c.w[0]);
  if (c.is_sliding) {
    violation.bounds = larger(violation.bounds, judge_ratios(c));
    return violation;
  }
  violation.bounds = larger(violation.bounds, judge_cone(c));
  violation.dissipation = judge_dissipation(c);
  return violation;
}

/// wᵢ, and the numbers whose sum it is.
struct RowMotion {
  Real w = 0, magnitude = 0;
};

RowMotion calc_motion(const ConstraintProblem& problem, std::span<const double> z, int i) {
  RowMotion motion{problem.b()[i], std::abs(Real(problem.b()[i]))};
  for (int j = 0; j < problem.size(); ++j) {
    const Real term = Real(problem.A()(i, j)) * Real(z[j]);
    motion.w += term;
    motion.magnitude += std::abs(term);
  }
  return motion;
}

}  // namespace

double ConstraintGrade::worst() const {
  const Real rows = larger(larger(bounds, motion), larger(complementarity, dissipation));
  return static_cast<double>(larger(rows, momentum));
}

ConstraintGrade grade_solution(const ConstraintProblem& problem, std::span<const double> z) {
  demand_size(problem, z, "z");
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("constraint problem: " + *fault);
  Violation total;
  Real scale = 0, worst = 0;
  int worst_row = -1;
  for (int first = 0; first < problem.size();) {
    const ConstraintRow& row = problem.row(first);
    const bool is_contact = row.kind == RowKind::normal;
    ContactRows rows{.tangents = is_contact ? problem.tangent_count(first) : 0,
                     .faces = row.faces,
                     .is_sliding = problem.is_sliding_contact(first)};
    for (int k = 0; k <= rows.tangents; ++k) {
      const RowMotion motion = calc_motion(problem, z, first + k);
      rows.unit[k] = unit_of(problem, first + k);
      rows.z[k] = z[first + k];
      rows.w[k] = motion.w;
      rows.mu[k] = problem.row(first + k).limit;
      scale = larger(scale, motion.magnitude / rows.unit[k]);
    }
    const Violation violation =
        is_contact ? judge_contact(rows) : judge_row(force_bounds(row), rows.unit[0], rows.z[0], rows.w[0]);
    total.include(violation);
    if (violation.worst() > worst) worst = violation.worst(), worst_row = first;
    first += rows.tangents + 1;
  }
  if (scale == 0) scale = 1;
  return {.scale = static_cast<double>(scale),
          .bounds = static_cast<double>(total.bounds / scale),
          .motion = static_cast<double>(total.motion / scale),
          .complementarity = static_cast<double>(total.complementarity / scale),
          .dissipation = static_cast<double>(total.dissipation / scale),
          .worst_row = worst_row};
}

ConstraintGrade grade_solution(const ConstraintProblem& problem, std::span<const double> z, std::span<const double> w) {
  demand_size(problem, w, "w");
  ConstraintGrade out = grade_solution(problem, z);
  Real worst = 0;
  for (int i = 0; i < problem.size(); ++i) {
    const Real stated = w[static_cast<std::size_t>(i)];
    worst = larger(worst, std::abs(stated - calc_motion(problem, z, i).w) / unit_of(problem, i));
  }
  out.momentum = static_cast<double>(worst / out.scale);
  return out;
}

CertificateGrade grade_certificate(const ConstraintProblem& problem, std::span<const double> y) {
  demand_size(problem, y, "certificate");
  const int n = problem.size();
  const auto A = problem.A();
  Real norm = 0, gain = 0, b_scale = 0, push = 0, forbidden = 0;
  for (int i = 0; i < n; ++i) {
    const Real unit = unit_of(problem, i);
    const ForceBounds bounds = force_bounds(problem.row(i));
    const Real yi = y[i];
    norm += std::abs(yi) * unit;
    gain -= yi * Real(problem.b()[i]);
    b_scale = larger(b_scale, std::abs(Real(problem.b()[i])) / unit);
    const RowKind kind = problem.row(i).kind;
    const bool is_contact = kind == RowKind::normal || kind == RowKind::tangent || kind == RowKind::sliding;
    if (is_contact || std::isfinite(yi > 0 ? bounds.upper : bounds.lower))
      forbidden = larger(forbidden, std::abs(yi) * unit);
    Real Ay = 0;
    for (int j = 0; j < n; ++j) Ay += Real(A(i, j)) * Real(y[j]);
    push = larger(push, std::abs(Ay) / unit);
  }
  if (!(norm > 0) || !(b_scale > 0)) return {};
  return {.cone = static_cast<double>(forbidden / norm),
          .gain = static_cast<double>(gain / (norm * b_scale)),
          .reach = static_cast<double>(gain / (push * b_scale))};
}

}  // namespace thenar
