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
  if (is_spatial()) {
    check_size("W_u", W_u, object_freedoms(), n);
    check_size("J_u", J_u, n, joints);
    if (sides < kFewestSides || sides > kMostSides) {
      throw std::invalid_argument(fmt::format(
          "QuasistaticProblem: friction has polygons of {} sides, expected {} to {}", sides, kFewestSides, kMostSides));
    }
  }
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
    case QuasistaticMode::slides:
      return "slide";
    case QuasistaticMode::rolls:
      break;
  }
  return "roll";
}

UnknownForm make_unknown_form(const QuasistaticProblem& problem) {
  const Index n = problem.contact_count(), freedoms = problem.object_freedoms();
  const std::vector<int> efforts = problem.effort_joints();
  const Index m = freedoms + static_cast<Index>(efforts.size()), directions = problem.is_spatial() ? 3 : 2;
  const MatrixX<double>* const W[] = {&problem.W_n, &problem.W_t, &problem.W_u};
  const MatrixX<double>* const J[] = {&problem.J_n, &problem.J_t, &problem.J_u};
  UnknownForm out{MatrixX<double>::Zero(directions * n, m), VectorX<double>::Zero(directions * n),
                  VectorX<double>::Zero(m)};
  for (Index d = 0; d < directions; ++d) {
    out.P.block(d * n, 0, n, freedoms) = W[d]->transpose();
    for (std::size_t k = 0; k < efforts.size(); ++k) {
      out.P.block(d * n, freedoms + static_cast<Index>(k), n, 1) = -J[d]->col(efforts[k]);
    }
    for (int j = 0; j < problem.joint_count(); ++j) {
      if (!problem.is_position_controlled[static_cast<std::size_t>(j)]) continue;
      out.v0.segment(d * n, n) -= J[d]->col(j) * problem.theta_dot(j);
    }
  }
  out.h.head(freedoms) = problem.g_obj;
  for (std::size_t k = 0; k < efforts.size(); ++k) {
    out.h(freedoms + static_cast<Index>(k)) = problem.tau(efforts[k]) - problem.g_man(efforts[k]);
  }
  return out;
}

double find_speed_scale(const VectorX<double>& v0) {
  const double largest = v0.size() > 0 ? v0.cwiseAbs().maxCoeff() : 0;
  return largest > 0 ? largest : 1;
}

}  // namespace thenar
