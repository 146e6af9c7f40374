// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random constraint problems, and an answer to small ones by trying every combination of row states.

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Rows of all kinds over A = J Jᵀ.
class RandomProblems {
 public:
  explicit RandomProblems(unsigned seed) : generator_(seed) {}

  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  double real() { return std::normal_distribution<double>()(generator_); }
  bool chance(double p) { return std::bernoulli_distribution(p)(generator_); }

  RowKind kind() { return static_cast<RowKind>(whole(0, 2)); }

  /// Small whole numbers, so that zeros are exact and ties abound: J is n × rank with entries −2 … 2. With
  /// `consistent`, b = J a plus something ≥ 0 on unilateral rows; then there is a solution, because bᵀ y ≥ 0 for all y
  /// of a certificate (Jᵀ y = 0, y ≥ 0 on unilateral rows).
  ConstraintProblem whole_numbers(int n, int rank, bool consistent) {
    MatrixX<double> J(n, rank);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < rank; ++j) J(i, j) = whole(-2, 2);
    }
    for (int i = 1; i < n; ++i) {
      if (chance(0.15)) J.row(i) = J.row(whole(0, i - 1)) * (chance(0.5) ? 1 : -1);
      if (chance(0.03)) J.row(i).setZero();
    }
    ConstraintProblem problem(n);
    problem.A() = J * J.transpose();
    VectorX<double> a(rank);
    for (int j = 0; j < rank; ++j) a[j] = chance(0.3) ? 0 : whole(-3, 3);
    for (int i = 0; i < n; ++i) {
      problem.row(i).kind = kind();
      problem.row(i).id = static_cast<std::uint64_t>(100 + i);
      problem.row(i).limit = problem.row(i).kind == RowKind::boxed ? whole(0, 3) : 0;
      if (chance(0.05)) problem.row(i).limit = kInfinity;
      problem.b()[i] = J.row(i).dot(a);
      if (problem.row(i).kind == RowKind::unilateral && chance(0.3)) problem.b()[i] += whole(0, 2);
      if (!consistent && chance(0.3)) problem.b()[i] = whole(-2, 2);
    }
    return problem;
  }

  /// Real numbers, always with a solution: b = J a, unilateral rows with something added. Some rows are multiples of
  /// others.
  ConstraintProblem reals(int n, int rank) {
    MatrixX<double> J = matrix(n, rank);
    for (int i = 1; i < n; ++i) {
      if (chance(0.1)) J.row(i) = J.row(whole(0, i - 1)) * real();
    }
    return from_jacobian(J);
  }

  /// The same, but four rows in ten are combinations of others plus something 1e-1 … 1e-16 times as large.
  ConstraintProblem nearly_dependent(int n, int rank) {
    MatrixX<double> J = matrix(n, rank);
    for (int i = 1; i < n; ++i) {
      if (!chance(0.4)) continue;
      const double other = chance(0.3) ? real() : 0;
      J.row(i) = real() * J.row(whole(0, i - 1)) + other * J.row(whole(0, i - 1)) +
                 std::pow(10.0, -whole(1, 16)) * matrix(1, rank);
    }
    return from_jacobian(J);
  }

 private:
  MatrixX<double> matrix(int rows, int columns) {
    MatrixX<double> m(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) m(i, j) = real();
    }
    return m;
  }

  ConstraintProblem from_jacobian(const MatrixX<double>& J) {
    const int n = static_cast<int>(J.rows());
    ConstraintProblem problem(n);
    problem.A() = J * J.transpose();
    const VectorX<double> a = matrix(static_cast<int>(J.cols()), 1);
    for (int i = 0; i < n; ++i) {
      ConstraintRow& row = problem.row(i);
      row.kind = kind();
      row.id = static_cast<std::uint64_t>(100 + i);
      if (row.kind == RowKind::boxed) row.limit = 0.3 * std::abs(real());
      problem.b()[i] = J.row(i).dot(a) + (row.kind == RowKind::unilateral && chance(0.3) ? std::abs(real()) : 0);
    }
    return problem;
  }

  std::mt19937 generator_;
};

/// P A Pᵀ and so on: row i of the result is row order[i] of the problem.
inline ConstraintProblem permuted(const ConstraintProblem& problem, const std::vector<int>& order) {
  const int n = problem.size();
  ConstraintProblem out(n);
  out.accuracy = problem.accuracy;
  for (int i = 0; i < n; ++i) {
    out.row(i) = problem.row(order[i]);
    out.b()[i] = problem.b()[order[i]];
    for (int j = 0; j < n; ++j) out.A()(i, j) = problem.A()(order[i], order[j]);
  }
  return out;
}

/// D A D, D b, limits / d: the same problem in other units; z becomes z / d and w becomes d w.
inline ConstraintProblem rescaled(const ConstraintProblem& problem, const VectorX<double>& d) {
  ConstraintProblem out = problem;
  for (int i = 0; i < problem.size(); ++i) {
    out.b()[i] *= d[i];
    out.row(i).limit /= d[i];
    for (int j = 0; j < problem.size(); ++j) out.A()(i, j) *= d[i] * d[j];
  }
  return out;
}

/// Every basic solution of a small problem in whole numbers: each row is held, or at a bound, or (bilateral, boxed) out
/// with z = 0 and w = 0. Thresholds of 1e-9 stand for zero: the numbers are quotients of small determinants.
struct Enumeration {
  std::vector<VectorX<double>> z;  ///< one per basis, repeated where bases agree
  VectorX<double> w;               ///< of the first
  bool motions_agree = true;
  bool forces_unique = true;
};

inline Enumeration enumerate(const ConstraintProblem& problem) {
  constexpr double kZero = 1e-9;
  const int n = problem.size();
  Enumeration all;
  std::vector<int> choice(static_cast<std::size_t>(n), 0);  // 0 held, 1 out, 2 at lower, 3 at upper
  const auto admits = [&](int i, int c) {
    const ForceBounds bounds = force_bounds(problem.row(i));
    if (c == 2) return std::isfinite(bounds.lower);
    if (c == 3) return std::isfinite(bounds.upper);
    return c == 0 || bounds.lower < 0;
  };
  const auto try_choice = [&] {
    VectorX<double> z = VectorX<double>::Zero(n);
    std::vector<int> held;
    for (int i = 0; i < n; ++i) {
      if (choice[i] == 0) held.push_back(i);
      if (choice[i] == 2) z[i] = force_bounds(problem.row(i)).lower;
      if (choice[i] == 3) z[i] = force_bounds(problem.row(i)).upper;
    }
    const VectorX<double> load = problem.b() + problem.A() * z;
    if (!held.empty()) {
      const Eigen::FullPivLU<MatrixX<double>> lu(MatrixX<double>(problem.A()(held, held)));
      if (lu.matrixLU().diagonal().cwiseAbs().minCoeff() < kZero) return;
      const VectorX<double> forces = lu.solve(-load(held));
      for (std::size_t p = 0; p < held.size(); ++p) z[held[p]] = forces[static_cast<int>(p)];
    }
    const VectorX<double> w = problem.b() + problem.A() * z;
    for (int i = 0; i < n; ++i) {
      const ForceBounds bounds = force_bounds(problem.row(i));
      if (z[i] < bounds.lower - kZero || z[i] > bounds.upper + kZero) return;
      if (choice[i] < 2 && std::abs(w[i]) > kZero) return;
      if (bounds.lower == bounds.upper) continue;
      if ((choice[i] == 2 && w[i] < -kZero) || (choice[i] == 3 && w[i] > kZero)) return;
    }
    if (all.z.empty()) all.w = w;
    all.motions_agree = all.motions_agree && (w - all.w).lpNorm<Eigen::Infinity>() < kZero;
    all.z.push_back(z);
  };
  for (bool more = true; more;) {
    bool possible = true;
    for (int i = 0; i < n; ++i) possible = possible && admits(i, choice[i]);
    if (possible) try_choice();
    more = false;
    for (int i = 0; i < n && !more; ++i) more = ++choice[i] < 4 ? true : (choice[i] = 0, false);
  }
  if (all.z.empty()) return all;

  // Forces are unique iff no d ≠ 0 has A d = 0, d = 0 where w ≠ 0, and signs that the bounds admit. If one has, so has
  // one of minimal support (elementary vectors, Rockafellar 1969): a subset of the rows with a null space of
  // dimension 1.
  const VectorX<double>& z = all.z.front();
  for (int set = 1; set < 1 << n; ++set) {
    std::vector<int> rows;
    for (int i = 0; i < n; ++i) {
      if (set >> i & 1) rows.push_back(i);
    }
    Eigen::FullPivLU<MatrixX<double>> lu(MatrixX<double>(problem.A()(rows, rows)));
    lu.setThreshold(kZero);
    if (lu.dimensionOfKernel() != 1) continue;
    const VectorX<double> d = lu.kernel().col(0).normalized();
    bool plus = true, minus = true;
    for (std::size_t p = 0; p < rows.size(); ++p) {
      const int i = rows[p];
      const double di = d[static_cast<int>(p)];
      if (std::abs(di) < kZero) continue;
      const ForceBounds bounds = force_bounds(problem.row(i));
      const bool still = std::abs(all.w[i]) < kZero;
      const bool up = still && z[i] < bounds.upper - kZero, down = still && z[i] > bounds.lower + kZero;
      plus = plus && (di > 0 ? up : down);
      minus = minus && (di > 0 ? down : up);
    }
    if (plus || minus) all.forces_unique = false;
  }
  return all;
}

}  // namespace thenar::test
