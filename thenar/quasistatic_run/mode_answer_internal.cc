// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/mode_answer_internal.h"

#include "thenar/linear_programs/linear_program.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Matrix = MatrixX<double>;
using Vector = VectorX<double>;

/// Loads that forces do not balance by more than this part of the strength have none.
constexpr double kUnbalanced = 1e-9;

/// Of all forces that no edge has to pull for, those with the least sum: contacts that could press on each other do
/// not.
bool find_least_sum(const Matrix& G, const Vector& h, Vector& f) {
  LinearProgram program(G);
  for (int i = 0; i < program.row_count(); ++i) program.bound_row(i, -h(i), -h(i));
  for (int j = 0; j < program.column_count(); ++j) {
    program.bound_column(j, 0, LinearProgram::kInfinity);
    program.set_cost(j, 1);
  }
  if (program.solve() != LpStatus::optimal) return false;
  f = program.x();
  return true;
}

/// Largest s with G f + h = 0, f ≥ s; up to 1.
double find_best_share(const Matrix& G, const Vector& h, Vector& f) {
  const Index count = G.cols();
  Matrix A(G.rows(), count + 1);
  A << G, G.rowwise().sum();
  LinearProgram program(A);
  for (int i = 0; i < program.row_count(); ++i) program.bound_row(i, -h(i), -h(i));
  for (int j = 0; j < count; ++j) program.bound_column(j, 0, LinearProgram::kInfinity);
  program.bound_column(static_cast<int>(count), -1, 1);
  program.set_cost(static_cast<int>(count), -1);
  if (program.solve() != LpStatus::optimal) return -1;
  const double share = program.x()(count);
  f = program.x().head(count).array() + share;
  return share;
}

}  // namespace

ModeRows find_mode_rows(const ModeRules& rules, const ModeLabels& labels) {
  ModeRows out;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const RuledContact& contact = rules.contacts[i];
    out.zero.push_back(contact.normal);
    const TouchMode& mode = contact.modes[static_cast<std::size_t>(labels[i] - 1)];
    for (const RowSign& sign : mode.signs) {
      if (sign.sign == 0) {
        out.zero.push_back(sign.row);
      } else {
        out.strict.push_back(sign);
        out.strict_owners.push_back(static_cast<int>(i));
      }
    }
    out.edges.insert(out.edges.end(), mode.edges.begin(), mode.edges.end());
  }
  return out;
}

Vector find_mode_velocity(const ModeRules& rules, const std::vector<int>& zero_rows, const Vector& units,
                          const Vector& reference) {
  const Index m = rules.P.cols();
  Matrix A(static_cast<Index>(zero_rows.size()), m);
  Vector b(A.rows());
  Vector u = reference.size() == m ? reference : Vector::Zero(m);
  for (Index k = 0; k < A.rows(); ++k) {
    const int row = zero_rows[static_cast<std::size_t>(k)];
    A.row(k) = rules.P.row(row).cwiseProduct(units.transpose());
    b(k) = -rules.v0(row) - rules.P.row(row).dot(u);
    const double length = A.row(k).norm();
    if (length > 0) {
      A.row(k) /= length;
      b(k) /= length;
    }
  }
  if (A.size() > 0) {
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
    factor.setThreshold(kSlowRank);
    factor.compute(A);
    u += units.cwiseProduct(factor.solve(b));
  }
  return u;
}

EdgeForces find_edge_forces(const Matrix& G, const Vector& h, const Vector& scale) {
  const Index count = G.cols();
  EdgeForces out;
  Vector& f = out.f;
  f = Vector::Zero(count);
  double unbalanced = h.size() > 0 ? h.cwiseProduct(scale).cwiseAbs().maxCoeff() : 0;
  Index rank = 0;
  if (count > 0 && G.rows() > 0) {
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
    factor.setThreshold(kSlowRank);
    factor.compute(scale.asDiagonal() * G);
    f = factor.solve(Vector(-h.cwiseProduct(scale)));
    rank = factor.rank();
    unbalanced = (G * f + h).cwiseProduct(scale).cwiseAbs().maxCoeff();
  }
  if (unbalanced > kUnbalanced) {
    out.reserve = -unbalanced;
  } else if (count == 0) {
    out.reserve = 1;
  } else {
    out.reserve = f.minCoeff();
    if (out.reserve < 0 && rank < count) out.reserve = find_least_sum(G, h, f) ? 0 : find_best_share(G, h, f);
    f.minCoeff(&out.tightest);
  }
  return out;
}

}  // namespace thenar::internal
