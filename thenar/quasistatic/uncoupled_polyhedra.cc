// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/uncoupled_polyhedra.h"

#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

using Index = Eigen::Index;

/// Columns of P that depend on the others to this are dependent.
constexpr double kRankOfPolyhedron = 1e-11;

/// Orthonormal rows whose null space is the column space of P.
MatrixX<double> find_left_null_space(const MatrixX<double>& P) {
  if (P.cols() == 0 || P.rows() == 0) return MatrixX<double>::Identity(P.rows(), P.rows());
  Eigen::ColPivHouseholderQR<MatrixX<double>> qr(P);
  qr.setThreshold(kRankOfPolyhedron);
  const MatrixX<double> Q = first_columns(qr.householderQ(), P.rows());
  return Q.rightCols(P.rows() - qr.rank()).transpose();
}

LinearProgram make_program(const MatrixX<double>& rows, const VectorX<double>& known) {
  LinearProgram out(rows);
  for (int i = 0; i < out.row_count(); ++i) out.bound_row(i, -known(i), -known(i));
  for (int j = 0; j < out.column_count(); ++j) out.bound_column(j, 0, LinearProgram::kInfinity);
  return out;
}

}  // namespace

UncoupledPolyhedra make_polyhedra(const QuasistaticProblem& problem) {
  const UnknownForm form = make_unknown_form(problem);
  const Index n = problem.contact_count(), m = form.P.cols();
  UncoupledPolyhedra out;
  out.Z = find_left_null_space(form.P);
  const auto Z_n = out.Z.leftCols(n), Z_t = out.Z.rightCols(n);
  out.X_rows.resize(out.Z.rows(), 3 * n);
  out.X_rows << Z_n, Z_t, -Z_t;
  // A velocity that nothing holds has a column of rounding, which linear programs would scale up.
  out.X_rows = (out.X_rows.array().abs() < 1e-13).select(0, out.X_rows);
  out.X_known = -out.Z * form.v0;

  // Pᵀ has the wrenches of W and, with a minus sign that d shares, the columns of J_ᾱ.
  const MatrixX<double> normal = form.P.topRows(n).transpose(), tangential = form.P.bottomRows(n).transpose();
  out.C = MatrixX<double>::Zero(n + m, 3 * n);
  out.C.topLeftCorner(n, n).diagonal() = 2 * problem.mu;
  out.C.block(0, n, n, n).diagonal().setConstant(-1);
  out.C.block(0, 2 * n, n, n).diagonal().setConstant(-1);
  out.C.bottomLeftCorner(m, n) = normal - tangential * problem.mu.asDiagonal();
  out.C.block(n, n, m, n) = tangential;
  out.d = VectorX<double>::Zero(n + m);
  out.d.tail(m) = form.h;
  return out;
}

LinearProgram UncoupledPolyhedra::make_X() const { return make_program(X_rows, X_known); }
LinearProgram UncoupledPolyhedra::make_Y() const { return make_program(C, d); }

}  // namespace thenar
