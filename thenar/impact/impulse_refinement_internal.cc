// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/impact/impulse_refinement_internal.h"

#include <cmath>
#include <span>

#include "thenar/complementarity/grade.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

constexpr int kMostSteps = 8;

double calc_grade(const ConstraintProblem& problem, const VectorX<double>& z) {
  return grade_solution(problem, std::span<const double>(z.data(), static_cast<std::size_t>(z.size()))).worst();
}

class Refinement {
 public:
  Refinement(const ConstraintProblem& problem, const VectorX<double>& z)
      : problem_(problem), A_(problem.A()), b_(problem.b()), n_(problem.size()), unit_(n_), modes_(n_, Mode::moves) {
    for (int i = 0; i < n_; ++i) unit_(i) = A_(i, i) > 0 ? 1 / std::sqrt(A_(i, i)) : 1;
    const VectorX<double> w = A_ * z + b_;
    for (int i = 0; i < n_; ++i) {
      if (problem.row(i).kind != RowKind::tangent) choose(i, z, w);
    }
  }

  /// One step of Newton's method, of least change where rows are redundant.
  VectorX<double> step(const VectorX<double>& z) const {
    const VectorX<double> w = A_ * z + b_;
    MatrixX<double> E = A_;
    VectorX<double> e = w;
    for (int i = 0; i < n_; ++i) {
      if (modes_[static_cast<std::size_t>(i)] == Mode::none) {
        E.row(i).setZero();
        E(i, i) = 1 / (unit_(i) * unit_(i));
        e(i) = z(i) * E(i, i);
      } else if (modes_[static_cast<std::size_t>(i)] == Mode::slides && problem_.row(i).kind == RowKind::normal) {
        add_slip(i, z, w, E, e);
      }
    }
    const MatrixX<double> scaled = unit_.asDiagonal() * E * unit_.asDiagonal();
    const VectorX<double> right = unit_.cwiseProduct(e), change = scaled.completeOrthogonalDecomposition().solve(right);
    return z - unit_.cwiseProduct(change);
  }

 private:
  enum class Mode : unsigned char {
    moves,  ///< w = 0
    none,   ///< z = 0
    slides  ///< a contact: w_N = 0, friction by the slip
  };

  void choose(int i, const VectorX<double>& z, const VectorX<double>& w) {
    if (problem_.row(i).kind == RowKind::bilateral) return;
    const int m = problem_.row(i).kind == RowKind::normal ? problem_.tangent_count(i) : 0;
    const auto set = [&](Mode mode) {
      for (int k = 0; k <= m; ++k) modes_[static_cast<std::size_t>(i + k)] = mode;
    };
    if (z(i) / unit_(i) <= w(i) * unit_(i)) {
      set(Mode::none);
      return;
    }
    double reach = 0;  // of z_t − w_t, in units of the friction there is
    for (int k = 1; k <= m; ++k) {
      const double mu = problem_.row(i + k).limit;
      if (mu > 0) reach = std::hypot(reach, (z(i + k) - w(i + k) * unit_(i) * unit_(i)) / mu);
    }
    if (reach > z(i)) set(Mode::slides);
    for (int k = 1; k <= m; ++k) {
      if (!(problem_.row(i + k).limit > 0)) modes_[static_cast<std::size_t>(i + k)] = Mode::none;
    }
  }

  /// Rows z_t + z_N D² w_t / |D w_t| = 0, D = diag(μ), over A_tt to have the unit of w.
  void add_slip(int i, const VectorX<double>& z, const VectorX<double>& w, MatrixX<double>& E,
                VectorX<double>& e) const {
    const int m = problem_.tangent_count(i);
    VectorX<double> mu(m);
    for (int k = 0; k < m; ++k) mu(k) = problem_.row(i + 1 + k).limit;
    const VectorX<double> power = mu.cwiseProduct(w.segment(i + 1, m));
    const double length = power.norm();
    if (!(length > 0)) return;
    const VectorX<double> direction = power / length;
    const MatrixX<double> turn =
        mu.asDiagonal() * (MatrixX<double>::Identity(m, m) - direction * direction.transpose()) * mu.asDiagonal();
    const MatrixX<double> change = z(i) / length * turn * A_.middleRows(i + 1, m);
    for (int k = 0; k < m; ++k) {
      if (!(mu(k) > 0)) continue;
      const int row = i + 1 + k;
      const double unit = 1 / (unit_(row) * unit_(row));
      E.row(row) = unit * change.row(k);
      E(row, row) += unit;
      E(row, i) += unit * mu(k) * direction(k);
      e(row) = unit * (z(row) + z(i) * mu(k) * direction(k));
    }
  }

  const ConstraintProblem& problem_;
  const MatrixX<double> A_;
  const VectorX<double> b_;
  const int n_;
  VectorX<double> unit_;  ///< of z; of w it is the inverse
  std::vector<Mode> modes_;
};

}  // namespace

VectorX<double> refine_impulse(const ConstraintProblem& problem, const VectorX<double>& z) {
  const Refinement refinement(problem, z);
  VectorX<double> best = z, now = z;
  double grade = calc_grade(problem, z);
  for (int k = 0; k < kMostSteps; ++k) {
    now = refinement.step(now);
    if (!now.allFinite()) break;
    const double found = calc_grade(problem, now);
    const bool is_better = found < grade;
    if (is_better) grade = found, best = now;
    if (!is_better && k > 0) break;
  }
  return best;
}

}  // namespace thenar::internal
