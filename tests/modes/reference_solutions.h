// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// All solutions of a constraint problem by a third way: the facets of Stewart and Trinkle as an LCP
/// (constraint_reduction.h), and its complementary bases (all_solutions.h).

#include <cmath>
#include <vector>

#include "thenar/complementarity/all_solutions.h"
#include "thenar/complementarity/constraint_reduction.h"
#include "thenar/modes/verdict.h"

namespace thenar::test {

/// What is nothing but rounding becomes 0: LCPs are scaled by the mean size of all entries that are not 0.
inline ConstraintProblem clear_rounding(ConstraintProblem problem) {
  const VectorX<double> diagonal = problem.A().diagonal();
  const VectorX<double> size = (diagonal.array() > 0).select(diagonal.cwiseSqrt(), 1);
  const double largest = problem.b().cwiseQuotient(size).lpNorm<Eigen::Infinity>();
  for (int i = 0; i < problem.size(); ++i) {
    ConstraintRow& row = problem.row(i);
    if (row.kind == RowKind::sliding && std::abs(row.limit) < problem.accuracy) row.limit = 0;
    if (std::abs(problem.b()(i)) < problem.accuracy * size(i) * largest) problem.b()(i) = 0;
    for (int j = 0; j < problem.size(); ++j) {
      if (std::abs(problem.A()(i, j)) < problem.accuracy * size(i) * size(j)) problem.A()(i, j) = 0;
    }
  }
  return problem;
}

struct ReferenceSolutions {
  explicit ReferenceSolutions(const ConstraintProblem& problem) {
    const ConstraintReduction reduction(clear_rounding(problem));
    const AllSolutions all = find_all_solutions(reduction.lcp());
    is_complete = all.is_complete();
    for (const SolutionCell& cell : all.cells) {
      for (const VectorX<double>& x : cell.vertices) points.push_back(reduction.recover(x));
      for (const auto* list : {&cell.rays, &cell.lines}) {
        for (const VectorX<double>& x : *list) {
          VectorX<double> direction = reduction.recover_direction(x);
          if (direction.norm() < 1e-9) continue;  // another way to write the same force
          direction.normalize();
          for (const VectorX<double>& start : cell.vertices) {
            points.push_back(reduction.recover(start) + direction);
            if (list == &cell.lines) points.push_back(reduction.recover(start) - direction);
          }
        }
      }
    }
  }

  /// Whether all points are the same, or have the same `of`.
  template <class Value>
  bool are_same(const Value& of) const {
    for (const VectorX<double>& z : points) {
      const double size = 1 + of(z).template lpNorm<Eigen::Infinity>();
      if ((of(z) - of(points.front())).template lpNorm<Eigen::Infinity>() > 1e-6 * size) return false;
    }
    return true;
  }

  Verdict verdict(const ConstraintProblem& problem) const {
    if (points.empty()) return Verdict::none;
    if (!are_same([&](const VectorX<double>& z) { return VectorX<double>(problem.A() * z); })) return Verdict::several;
    return are_same([](const VectorX<double>& z) { return z; }) ? Verdict::unique : Verdict::unique_motion;
  }

  std::vector<VectorX<double>> points;  ///< vertices of all cells, and a point on each of their rays and lines
  bool is_complete = false;
};

}  // namespace thenar::test
