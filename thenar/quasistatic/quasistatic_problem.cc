// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/quasistatic_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace thenar {
namespace {

using Index = Eigen::Index;

void check_size(const char* name, const MatrixX<double>& matrix, Index rows, Index columns) {
  if (matrix.rows() != rows || matrix.cols() != columns) {
    throw std::invalid_argument(fmt::format("QuasistaticProblem: {} is {} x {}, expected {} x {}", name, matrix.rows(),
                                            matrix.cols(), rows, columns));
  }
  if (!matrix.allFinite()) throw std::invalid_argument(fmt::format("QuasistaticProblem: {} is not finite", name));
}

}  // namespace

std::vector<int> QuasistaticProblem::effort_joints() const {
  std::vector<int> out;
  for (int j = 0; j < joint_count(); ++j) {
    if (!is_position_controlled[static_cast<std::size_t>(j)]) out.push_back(j);
  }
  return out;
}

void QuasistaticProblem::check() const {
  const Index n = contact_count(), joints = joint_count();
  check_size("W_n", W_n, object_freedoms(), n);
  check_size("W_t", W_t, object_freedoms(), n);
  check_size("J_n", J_n, n, joints);
  check_size("J_t", J_t, n, joints);
  check_size("theta_dot", theta_dot, joints, 1);
  check_size("tau", tau, joints, 1);
  check_size("g_obj", g_obj, object_freedoms(), 1);
  check_size("g_man", g_man, joints, 1);
  check_size("mu", mu, n, 1);
  if (static_cast<Index>(is_position_controlled.size()) != joints) {
    throw std::invalid_argument("QuasistaticProblem: one kind of control for each joint expected");
  }
  if (n > 0 && mu.minCoeff() < 0) throw std::invalid_argument("QuasistaticProblem: friction is negative");
}

const char* to_string(QuasistaticMode mode) {
  switch (mode) {
    case QuasistaticMode::breaks:
      return "break";
    case QuasistaticMode::slides_plus:
      return "slide+";
    case QuasistaticMode::slides_minus:
      return "slide-";
    case QuasistaticMode::rolls:
      break;
  }
  return "roll";
}

UnknownForm make_unknown_form(const QuasistaticProblem& problem) {
  const Index n = problem.contact_count(), freedoms = problem.object_freedoms();
  const std::vector<int> efforts = problem.effort_joints();
  const Index m = freedoms + static_cast<Index>(efforts.size());
  UnknownForm out{MatrixX<double>::Zero(2 * n, m), VectorX<double>::Zero(2 * n), VectorX<double>::Zero(m)};
  out.P.topLeftCorner(n, freedoms) = problem.W_n.transpose();
  out.P.bottomLeftCorner(n, freedoms) = problem.W_t.transpose();
  out.h.head(freedoms) = problem.g_obj;
  for (std::size_t k = 0; k < efforts.size(); ++k) {
    const Index column = freedoms + static_cast<Index>(k);
    out.P.col(column).head(n) = -problem.J_n.col(efforts[k]);
    out.P.col(column).tail(n) = -problem.J_t.col(efforts[k]);
    out.h(column) = problem.tau(efforts[k]) - problem.g_man(efforts[k]);
  }
  for (int j = 0; j < problem.joint_count(); ++j) {
    if (!problem.is_position_controlled[static_cast<std::size_t>(j)]) continue;
    out.v0.head(n) -= problem.J_n.col(j) * problem.theta_dot(j);
    out.v0.tail(n) -= problem.J_t.col(j) * problem.theta_dot(j);
  }
  return out;
}

void drop_rounding(MatrixX<double>& matrix) {
  constexpr double kRounding = 1e-14;
  if (matrix.size() == 0) return;
  const VectorX<double> rows = matrix.cwiseAbs().rowwise().maxCoeff();
  const VectorX<double> columns = matrix.cwiseAbs().colwise().maxCoeff().transpose();
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (std::abs(matrix(i, j)) <= kRounding * std::min(rows(i), columns(j))) matrix(i, j) = 0;
    }
  }
}

double find_speed_scale(const VectorX<double>& v0) {
  const double largest = v0.size() > 0 ? v0.cwiseAbs().maxCoeff() : 0;
  return largest > 0 ? largest : 1;
}

}  // namespace thenar
