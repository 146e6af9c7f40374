// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// What is wrong with one row, in scaled units.
struct RowViolation {
  Real bounds = 0, motion = 0, complementarity = 0;
  Real worst() const { return larger(bounds, larger(motion, complementarity)); }
};

RowViolation judge_row(const ForceBounds& bounds, Real unit, Real z, Real w) {
  RowViolation violation;
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

}  // namespace

double ConstraintGrade::worst() const { return static_cast<double>(larger(bounds, larger(motion, complementarity))); }

ConstraintGrade grade_solution(const ConstraintProblem& problem, std::span<const double> z) {
  demand_size(problem, z, "z");
  const int n = problem.size();
  const auto A = problem.A();
  RowViolation total;
  Real scale = 0, worst = 0;
  int worst_row = -1;
  for (int i = 0; i < n; ++i) {
    const Real unit = unit_of(problem, i);
    Real w = problem.b()[i], magnitude = std::abs(w);
    for (int j = 0; j < n; ++j) {
      const Real term = Real(A(i, j)) * Real(z[j]);
      w += term;
      magnitude += std::abs(term);
    }
    scale = larger(scale, magnitude / unit);
    const RowViolation violation = judge_row(force_bounds(problem.row(i)), unit, z[i], w);
    total.bounds = larger(total.bounds, violation.bounds);
    total.motion = larger(total.motion, violation.motion);
    total.complementarity = larger(total.complementarity, violation.complementarity);
    if (violation.worst() > worst) worst = violation.worst(), worst_row = i;
  }
  if (scale == 0) scale = 1;
  return {.scale = static_cast<double>(scale),
          .bounds = static_cast<double>(total.bounds / scale),
          .motion = static_cast<double>(total.motion / scale),
          .complementarity = static_cast<double>(total.complementarity / scale),
          .worst_row = worst_row};
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
    if (std::isfinite(yi > 0 ? bounds.upper : bounds.lower)) forbidden = larger(forbidden, std::abs(yi) * unit);
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
