// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/constraint_reduction.h"

#include <cmath>
#include <stdexcept>

namespace thenar {
namespace {

bool is_effectively_bilateral(const ConstraintRow& row) {
  return row.kind == RowKind::bilateral || (row.kind == RowKind::boxed && std::isinf(row.limit));
}

/// Collects the unknowns x with their columns of T and S, and the bounds y that go with them.
class Builder {
 public:
  explicit Builder(const ConstraintProblem& problem)
      : origin(VectorX<double>::Zero(problem.size())), problem_(problem) {
    for (int i = 0; i < problem.size(); ++i) {
      if (is_effectively_bilateral(problem.row(i))) add_unknown(i, 1);
    }
    free_count = unknown_count();
    for (int i = 0; i < problem.size(); ++i) add_row(i);
  }

  int unknown_count() const { return static_cast<int>(unknowns.size()); }

  struct Unknown {
    VectorX<double> force;   ///< z += force × x: a column of T
    VectorX<double> motion;  ///< motion · w ⊥ x: a column of S
  };
  std::vector<Unknown> unknowns;
  /// A row y: constant + Σ over `normal` − Σ over `parts` ⊥ y; y is added to the rows of `parts`.
  struct Bound {
    double constant = 0;
    int normal = -1;
    std::vector<int> parts;
  };
  std::vector<Bound> bounds;
  VectorX<double> origin;
  int free_count = 0;

 private:
  int add_unknown(int row, double factor) {
    VectorX<double> column = VectorX<double>::Zero(problem_.size());
    column(row) = factor;
    unknowns.push_back({column, column});
    return unknown_count() - 1;
  }

  void add_row(int i) {
    const ConstraintRow& row = problem_.row(i);
    if (is_effectively_bilateral(row)) return;
    if (row.kind == RowKind::unilateral) add_unknown(i, 1);
    if (row.kind == RowKind::boxed && row.limit > 0) {
      origin(i) = -row.limit;
      bounds.push_back({2 * row.limit, -1, {add_unknown(i, 1)}});
    }
    if (row.kind == RowKind::normal) add_contact(i);
  }

  void add_contact(int i) {
    const int normal = add_unknown(i, 1), tangents = problem_.tangent_count(i), faces = problem_.row(i).faces;
    if (problem_.is_sliding_contact(i)) {
      for (int k = i + 1; k <= i + tangents; ++k) unknowns.back().force(k) = problem_.row(k).limit;
    } else if (tangents == 1 || faces == kBoxFaces) {
      for (int k = i + 1; k <= i + tangents; ++k) add_interval(normal, k);
    } else {
      add_polygon(normal, i + 1, faces);
      if (tangents == 3) add_interval(normal, i + 3);
    }
  }

  void add_interval(int normal, int row) {
    const double mu = problem_.row(row).limit;
    if (!(mu > 0)) return;
    const int plus = add_unknown(row, mu), minus = add_unknown(row, -mu);
    bounds.push_back({0, normal, {plus, minus}});
  }

  void add_polygon(int normal, int row, int faces) {
    const double mu_1 = problem_.row(row).limit, mu_2 = problem_.row(row + 1).limit;
    if (!(mu_1 > 0) || !(mu_2 > 0)) return;
    Bound bound{0, normal, {}};
    for (int k = 0; k < faces; ++k) {
      const Eigen::Vector2d corner = calc_regular_corner(k, faces);
      bound.parts.push_back(add_unknown(row, mu_1 * corner.x()));
      unknowns.back().force(row + 1) = unknowns.back().motion(row + 1) = mu_2 * corner.y();
    }
    bounds.push_back(std::move(bound));
  }

  const ConstraintProblem& problem_;
};

}  // namespace

bool is_polyhedral(const ConstraintProblem& problem) {
  for (int i = 0; i < problem.size(); ++i) {
    const bool is_smooth = problem.row(i).kind == RowKind::normal && problem.row(i).faces == 0;
    if (is_smooth && problem.tangent_count(i) > 1 && !problem.is_sliding_contact(i)) return false;
  }
  return true;
}

ConstraintReduction::ConstraintReduction(const ConstraintProblem& problem) {
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("ConstraintReduction: " + *fault);
  if (!is_polyhedral(problem)) {
    throw std::invalid_argument("ConstraintReduction: smooth cones are not polyhedral; give their normal rows faces");
  }
  const Builder builder(problem);
  const int n = problem.size(), unknowns = builder.unknown_count();
  const int size = unknowns + static_cast<int>(builder.bounds.size());
  T_.resize(n, unknowns);
  MatrixX<double> S(n, unknowns);
  for (int k = 0; k < unknowns; ++k) {
    T_.col(k) = builder.unknowns[static_cast<std::size_t>(k)].force;
    S.col(k) = builder.unknowns[static_cast<std::size_t>(k)].motion;
  }
  origin_ = builder.origin;
  lcp_.free_count = builder.free_count;
  lcp_.M = MatrixX<double>::Zero(size, size);
  lcp_.q = VectorX<double>::Zero(size);
  lcp_.M.topLeftCorner(unknowns, unknowns) = S.transpose() * problem.A() * T_;
  lcp_.q.head(unknowns) = S.transpose() * (problem.A() * origin_ + problem.b());
  for (std::size_t k = 0; k < builder.bounds.size(); ++k) {
    const Builder::Bound& bound = builder.bounds[k];
    const int y = unknowns + static_cast<int>(k);
    lcp_.q(y) = bound.constant;
    if (bound.normal >= 0) lcp_.M(y, bound.normal) = 1;
    for (const int part : bound.parts) {
      lcp_.M(y, part) = -1;
      lcp_.M(part, y) = 1;
    }
  }
}

}  // namespace thenar
