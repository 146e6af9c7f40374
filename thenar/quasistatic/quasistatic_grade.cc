// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/quasistatic_grade.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace thenar {
namespace {

using Real = long double;

/// A sum, and what its terms can be as large as.
class Sum {
 public:
  void add(Real factor, Real term, Real usual) {
    value_ += factor * term;
    size_ = std::max({size_, std::abs(factor * term), std::abs(factor * usual)});
  }
  double relative() const { return size_ > 0 ? static_cast<double>(std::abs(value_) / size_) : 0; }

 private:
  Real value_ = 0, size_ = 0;
};

void check_sizes(const QuasistaticProblem& problem, const QuasistaticSolution& solution) {
  const auto n = problem.contact_count(), joints = problem.joint_count();
  const bool fits = static_cast<int>(solution.modes.size()) == n && solution.c_n.size() == n &&
                    solution.c_t.size() == n && solution.q_dot.size() == problem.object_freedoms() &&
                    solution.theta_dot.size() == joints && solution.tau.size() == joints;
  if (!fits) throw std::invalid_argument("grade_quasistatic: the solution is not of this problem");
}

double grade_given(const QuasistaticProblem& problem, const QuasistaticSolution& solution) {
  double out = 0;
  for (int j = 0; j < problem.joint_count(); ++j) {
    const bool has_speed = problem.is_position_controlled[static_cast<std::size_t>(j)];
    const double wanted = has_speed ? problem.theta_dot(j) : problem.tau(j);
    const double found = has_speed ? solution.theta_dot(j) : solution.tau(j);
    out = std::max(out, std::abs(found - wanted) / std::max(1e-300, std::abs(wanted)));
  }
  return out;
}

double grade_balance(const QuasistaticProblem& problem, const QuasistaticSolution& solution, double force) {
  double out = 0;
  for (int k = 0; k < problem.object_freedoms(); ++k) {
    Sum sum;
    sum.add(1, problem.g_obj(k), 0);
    for (int i = 0; i < problem.contact_count(); ++i) {
      sum.add(problem.W_n(k, i), solution.c_n(i), force);
      sum.add(problem.W_t(k, i), solution.c_t(i), force);
    }
    out = std::max(out, sum.relative());
  }
  for (int j = 0; j < problem.joint_count(); ++j) {
    Sum sum;
    sum.add(1, problem.g_man(j), 0);
    sum.add(-1, solution.tau(j), 0);
    for (int i = 0; i < problem.contact_count(); ++i) {
      sum.add(problem.J_n(i, j), solution.c_n(i), force);
      sum.add(problem.J_t(i, j), solution.c_t(i), force);
    }
    out = std::max(out, sum.relative());
  }
  return out;
}

Real calc_speed(const MatrixX<double>& W, const MatrixX<double>& J, const QuasistaticSolution& solution, int i) {
  Real out = 0;
  for (Eigen::Index k = 0; k < W.rows(); ++k) out += static_cast<Real>(W(k, i)) * solution.q_dot(k);
  for (Eigen::Index j = 0; j < J.cols(); ++j) out -= static_cast<Real>(J(i, j)) * solution.theta_dot(j);
  return out;
}

/// The largest contact velocity that the given joint velocities make, or 1.
double find_known_speed(const QuasistaticProblem& problem) {
  double out = 0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    for (const MatrixX<double>* J : {&problem.J_n, &problem.J_t}) {
      Real speed = 0;
      for (int j = 0; j < problem.joint_count(); ++j) {
        if (problem.is_position_controlled[static_cast<std::size_t>(j)]) {
          speed += static_cast<Real>((*J)(i, j)) * problem.theta_dot(j);
        }
      }
      out = std::max(out, static_cast<double>(std::abs(speed)));
    }
  }
  return out > 0 ? out : 1;
}

}  // namespace

double QuasistaticGrade::worst() const {
  double out = 0;
  for (const double part : {given, balance, penetration, cone, motion, law}) {
    if (!(part <= out)) out = part;  // NaN is the worst
    if (std::isnan(out)) return out;
  }
  return out;
}

QuasistaticGrade grade_quasistatic(const QuasistaticProblem& problem, const QuasistaticSolution& solution) {
  check_sizes(problem, solution);
  QuasistaticGrade out;
  out.given = grade_given(problem, solution);
  const double speed = find_known_speed(problem);
  double force = 0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    force = std::max({force, std::abs(solution.c_n(i)), std::abs(solution.c_t(i))});
  }
  out.balance = grade_balance(problem, solution, force);
  if (!(force > 0)) force = 1;
  const auto raise = [](double& part, Real value, double unit) {
    const auto ratio = static_cast<double>(value / unit);
    if (!(ratio <= part)) part = ratio;
  };
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Real v_n = calc_speed(problem.W_n, problem.J_n, solution, i);
    const Real v_t = calc_speed(problem.W_t, problem.J_t, solution, i);
    const Real c_n = solution.c_n(i), c_t = solution.c_t(i), mu = problem.mu(i);
    raise(out.penetration, -v_n, speed);
    raise(out.cone, std::max(-c_n, std::abs(c_t) - mu * c_n), force);
    const QuasistaticMode mode = solution.modes[static_cast<std::size_t>(i)];
    if (mode == QuasistaticMode::breaks) {
      raise(out.motion, v_n > 0 ? 0 : 1, 1);
      raise(out.law, std::max(std::abs(c_n), std::abs(c_t)), force);
      continue;
    }
    raise(out.motion, std::abs(v_n), speed);
    if (mode == QuasistaticMode::rolls) {
      raise(out.motion, std::abs(v_t), speed);
      continue;
    }
    const int sign = mode == QuasistaticMode::slides_plus ? 1 : -1;
    raise(out.motion, sign * v_t > 0 ? 0 : 1, 1);
    raise(out.law, std::abs(c_t + sign * mu * c_n), force);
  }
  return out;
}

}  // namespace thenar
