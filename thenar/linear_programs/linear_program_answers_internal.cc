// SPDX-License-Identifier: BSD-3-Clause
// What CLP says, put into the program before it is passed on (linear_program_internal.h).

#include <algorithm>
#include <memory>
#include <vector>

#include "thenar/linear_programs/linear_program_internal.h"

namespace thenar {
namespace {

using Index = Eigen::Index;
using internal::find_scale;
using internal::LpMethod;

/// What a point may violate beyond kTolerance, in parts of the terms of a row: rounding of CLP's solves.
constexpr double kAnswerRounding = 1e-12;
/// Points of CLP may violate more than its tolerance, by what its last clean-up left.
constexpr double kViolation = 10 * LinearProgram::kTolerance;
/// Entries of rays and Farkas vectors, the largest being 1, that stand for zero where a bound forbids them.
constexpr double kZeroWeight = 1e-9;

}  // namespace

/// Also sets `activity` (in CLP's units).
bool LinearProgram::Work::is_feasible(const VectorX<double>& scaled_x) {
  activity.noalias() = A * scaled_x;
  const auto lies = [](double value, double lower, double upper, double size) {
    const double reach = kViolation + kAnswerRounding * size;
    return value >= lower - reach && value <= upper + reach;  // false for NaN
  };
  for (Index j = 0; j < columns(); ++j) {
    const double value = scaled_x(j);
    if (!lies(value, simplex.columnLower()[j], simplex.columnUpper()[j], std::abs(value))) return false;
  }
  for (Index i = 0; i < rows(); ++i) {
    const double size = A.row(i).cwiseAbs().dot(scaled_x.cwiseAbs());
    if (!lies(activity(i), simplex.rowLower()[i], simplex.rowUpper()[i], size)) return false;
  }
  return true;
}

/// Whether nothing with an infinite bound is pushed against it.
bool LinearProgram::Work::are_feasible(const VectorX<double>& scaled_multipliers) const {
  const auto is_held = [](double price, double lower, double upper) {
    if (std::abs(price) <= kViolation) return true;
    return std::abs(price > 0 ? lower : upper) < COIN_DBL_MAX;
  };
  for (Index i = 0; i < rows(); ++i) {
    if (!is_held(scaled_multipliers(i), simplex.rowLower()[i], simplex.rowUpper()[i])) return false;
  }
  for (Index j = 0; j < columns(); ++j) {
    const double price = simplex.objective()[j] - A.col(j).dot(scaled_multipliers);
    if (!is_held(price, simplex.columnLower()[j], simplex.columnUpper()[j])) return false;
  }
  return true;
}

bool LinearProgram::Work::read_optimum() {
  x = Eigen::Map<const VectorX<double>>(simplex.primalColumnSolution(), columns());
  multipliers = Eigen::Map<const VectorX<double>>(simplex.dualRowSolution(), rows());
  if (!is_feasible(x) || !multipliers.allFinite() || !are_feasible(multipliers)) return false;
  x = x.cwiseProduct(column_scale);
  activity = activity.cwiseQuotient(row_scale);
  for (Index i = 0; i < rows(); ++i) {
    multipliers(i) *= row_scale(i) / cost_scale(static_cast<Index>(row_block[static_cast<std::size_t>(i)]));
  }
  objective = costs.dot(x);
  return true;
}

/// Right less left side of (2) in CLP's units, less its rounding. Entries of yᵀA where x has no bound count as zero if
/// they are small.
double LinearProgram::Work::calc_gap(const VectorX<double>& y) const {
  double gap = 0, size = 0;
  const auto add = [&](double term) {
    gap += term;
    size += std::abs(term);
  };
  for (Index i = 0; i < rows(); ++i) {
    if (y(i) != 0) add(y(i) * (y(i) > 0 ? simplex.rowLower()[i] : simplex.rowUpper()[i]));
  }
  for (Index j = 0; j < columns(); ++j) {
    const double d = A.col(j).dot(y);
    const double bound = d > 0 ? simplex.columnUpper()[j] : simplex.columnLower()[j];
    if (std::abs(bound) >= COIN_DBL_MAX && std::abs(d) <= kAnswerRounding * A.col(j).cwiseAbs().dot(y.cwiseAbs()))
      continue;
    if (d != 0) add(-d * bound);
  }
  return gap - kAnswerRounding * size;
}

/// Largest entry 1, zeros where a row has no bound on the side that y pushes to. False if a large entry does.
bool LinearProgram::Work::clean_farkas(VectorX<double>& y) const {
  const double size = y.lpNorm<Eigen::Infinity>();
  if (!(size > 0) || !std::isfinite(size)) return false;
  y *= find_scale(size);
  for (Index i = 0; i < rows(); ++i) {
    const double bound = y(i) > 0 ? simplex.rowLower()[i] : simplex.rowUpper()[i];
    if (std::abs(bound) < COIN_DBL_MAX) continue;
    if (std::abs(y(i)) > kZeroWeight) return false;
    y(i) = 0;
  }
  return true;
}

/// The sign of y is that which meets (2).
bool LinearProgram::Work::take_farkas(const double* found) {
  for (const double sign : {1.0, -1.0}) {
    VectorX<double> y = sign * Eigen::Map<const VectorX<double>>(found, rows());
    if (!clean_farkas(y) || !(calc_gap(y) > 0)) continue;
    farkas = y.cwiseProduct(row_scale);
    return true;
  }
  return false;
}

/// CLP's ray has the sign of the bound that it violates.
bool LinearProgram::Work::read_farkas() {
  const std::unique_ptr<double[]> found(simplex.infeasibilityRay());
  return found != nullptr && take_farkas(found.get());
}

/// A row that its columns' bounds alone refute. CLP gives no vector if its first look at the bounds found one.
bool LinearProgram::Work::find_impossible_row() {
  for (Index i = 0; i < rows(); ++i) {
    for (const double sign : {1.0, -1.0}) {
      VectorX<double> y = sign * VectorX<double>::Unit(rows(), i);
      if (!clean_farkas(y) || !(calc_gap(y) > 0)) continue;
      farkas = y.cwiseProduct(row_scale);
      return true;
    }
  }
  return false;
}

/// The weights y with |y| ≤ 1 that have the largest gap in (2), for programs that CLP refutes without a ray, or with
/// one that does not meet (2). With y = y⁺ − y⁻ and yᵀA = d⁺ − d⁻, all four not negative, the gap is linear. Each
/// unknown has two finite bounds: where one has none, CLP may end the process on an assertion.
bool LinearProgram::Work::find_farkas_by_weights() {
  ClpSimplex weights;
  set_up(weights);
  weights.resize(static_cast<int>(columns()), 0);
  for (int j = 0; j < weights.numberRows(); ++j) weights.setRowBounds(j, 0, 0);
  double largest_bound = 0;
  const auto add_unknown = [&](const VectorX<double>& column, double bound, double gain, double reach) {
    std::vector<int> indices;
    std::vector<double> entries;
    for (Index j = 0; j < column.size(); ++j) {
      if (column(j) == 0) continue;
      indices.push_back(static_cast<int>(j));
      entries.push_back(column(j));
    }
    const bool is_bounded = std::abs(bound) < COIN_DBL_MAX;
    if (is_bounded) largest_bound = std::max(largest_bound, std::abs(bound));
    weights.addColumn(static_cast<int>(indices.size()), indices.data(), entries.data(), 0, is_bounded ? reach : 0,
                      is_bounded ? -gain * bound : 0);
  };
  for (Index i = 0; i < rows(); ++i) {
    add_unknown(A.row(i).transpose(), simplex.rowLower()[i], 1, 1);
    add_unknown(-A.row(i).transpose(), simplex.rowUpper()[i], -1, 1);
  }
  for (Index j = 0; j < columns(); ++j) {
    const double reach = A.col(j).lpNorm<1>();  // |yᵀA| is no larger
    add_unknown(-VectorX<double>::Unit(columns(), j), simplex.columnUpper()[j], -1, reach);
    add_unknown(VectorX<double>::Unit(columns(), j), simplex.columnLower()[j], 1, reach);
  }
  const double scale = find_scale(largest_bound);
  for (int k = 0; k < weights.numberColumns(); ++k) {
    weights.setObjectiveCoefficient(k, weights.objective()[k] * scale);
  }
  weights.allSlackBasis(true);
  if (!run(weights, LpMethod::dual) || weights.status() != 0) return false;
  VectorX<double> y(rows());
  for (Index i = 0; i < rows(); ++i) {
    y(i) = weights.primalColumnSolution()[2 * i] - weights.primalColumnSolution()[2 * i + 1];
  }
  return take_farkas(y.data());
}

/// The steepest direction among those without end, each entry at most 1: a linear program with bounds 0 where the
/// program has any. CLP's own rays are those of its primal method.
bool LinearProgram::Work::find_ray() {
  ClpSimplex cone(simplex);
  const auto open_lower = [](double lower, double reach) { return lower > -COIN_DBL_MAX ? 0 : -reach; };
  const auto open_upper = [](double upper, double reach) { return upper < COIN_DBL_MAX ? 0 : reach; };
  for (int j = 0; j < simplex.numberColumns(); ++j) {
    cone.setColumnBounds(j, open_lower(simplex.columnLower()[j], 1), open_upper(simplex.columnUpper()[j], 1));
  }
  for (int i = 0; i < simplex.numberRows(); ++i) {
    cone.setRowBounds(i, open_lower(simplex.rowLower()[i], COIN_DBL_MAX),
                      open_upper(simplex.rowUpper()[i], COIN_DBL_MAX));
  }
  cone.allSlackBasis(true);
  if (!run(cone, LpMethod::dual) || cone.status() != 0) return false;
  ray = Eigen::Map<const VectorX<double>>(cone.primalColumnSolution(), columns()).cwiseProduct(column_scale);
  return cone.objectiveValue() < -kTolerance && ray.allFinite();
}

}  // namespace thenar
