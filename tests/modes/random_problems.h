// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random constraint problems, small and often degenerate, with all kinds of rows.

#include <random>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar::test {

class RandomModeProblems {
 public:
  explicit RandomModeProblems(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  bool chance(double p) { return uniform(0, 1) < p; }

  /// `contacts` contacts (planar, polygons, boxes, sliding, without friction) and perhaps a joint row or two. A = J Jᵀ
  /// with as many columns as `freedoms`; b comes from a motion of the freedoms, or is anything; entries are small whole
  /// numbers in some problems, so that much of them coincides.
  ConstraintProblem make(int contacts, int freedoms) {
    std::vector<ConstraintRow> rows;
    if (chance(0.2)) rows.push_back({.kind = RowKind::bilateral});
    for (int c = 0; c < contacts; ++c) add_contact(rows);
    if (chance(0.2)) rows.push_back({.kind = RowKind::unilateral});
    if (chance(0.2)) rows.push_back({.kind = RowKind::boxed, .limit = uniform(0.1, 2)});
    const int n = static_cast<int>(rows.size());
    const bool is_whole = chance(0.3);
    const auto entry = [&] { return is_whole ? static_cast<double>(pick(-2, 2)) : uniform(-1, 1); };
    MatrixX<double> J(n, freedoms);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < freedoms; ++j) J(i, j) = entry();
    }
    VectorX<double> motion(freedoms);
    for (int j = 0; j < freedoms; ++j) motion(j) = entry();
    ConstraintProblem out(n);
    for (int i = 0; i < n; ++i) out.row(i) = rows[static_cast<std::size_t>(i)];
    out.A() = J * J.transpose();
    out.b() = J * motion;
    if (chance(0.3)) {
      for (int i = 0; i < n; ++i) out.b()(i) = entry();
    }
    return out;
  }

 private:
  void add_contact(std::vector<ConstraintRow>& rows) {
    const double mu = chance(0.2) ? 1 : uniform(0.1, 1.5);
    const int kind = pick(0, 4);
    rows.push_back({.kind = kind == 4 ? RowKind::unilateral : RowKind::normal});
    if (kind == 0) {  // planar
      rows.push_back({.kind = RowKind::tangent, .limit = mu});
    } else if (kind == 1) {
      rows.back().faces = pick(3, 5);
      rows.push_back({.kind = RowKind::tangent, .limit = mu});
      rows.push_back({.kind = RowKind::tangent, .limit = chance(0.5) ? mu : uniform(0.1, 1.5)});
    } else if (kind == 2) {
      rows.back().faces = 2;
      rows.push_back({.kind = RowKind::tangent, .limit = mu});
      rows.push_back({.kind = RowKind::tangent, .limit = mu});
    } else if (kind == 3) {
      rows.push_back({.kind = RowKind::sliding, .limit = chance(0.5) ? mu : -mu});
    }
  }

  std::mt19937_64 generator_;
};

}  // namespace thenar::test
