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
                    solution.c_t.size() == n && solution.c_u.size() == (problem.is_spatial() ? n : 0) &&
                    static_cast<int>(solution.sectors.size()) == (problem.is_spatial() ? n : 0) &&
                    solution.q_dot.size() == problem.object_freedoms() && solution.theta_dot.size() == joints &&
                    solution.tau.size() == joints;
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
      if (problem.is_spatial()) sum.add(problem.W_u(k, i), solution.c_u(i), force);
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
      if (problem.is_spatial()) sum.add(problem.J_u(i, j), solution.c_u(i), force);
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
    for (const MatrixX<double>* J : {&problem.J_n, &problem.J_t, &problem.J_u}) {
      if (J->rows() == 0) continue;
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

/// Raises violations one by one.
struct Raiser {
  double speed, force;
  QuasistaticGrade& out;

  static void raise(double& part, Real value, double unit) {
    const auto ratio = static_cast<double>(value / unit);
    if (!(ratio <= part)) part = ratio;
  }

  /// Slip and friction of a touching contact in the plane.
  void grade_line(QuasistaticMode mode, Real mu, Real c_n, Real c_t, Real v_t) const {
    raise(out.cone, std::max(-c_n, std::abs(c_t) - mu * c_n), force);
    if (mode == QuasistaticMode::breaks) return;
    if (mode == QuasistaticMode::rolls) return raise(out.motion, std::abs(v_t), speed);
    if (mode == QuasistaticMode::slides) return raise(out.motion, 1, 1);  // of no direction
    const int sign = mode == QuasistaticMode::slides_plus ? 1 : -1;
    raise(out.motion, sign * v_t > 0 ? 0 : 1, 1);
    raise(out.law, std::abs(c_t + sign * mu * c_n), force);
  }

  /// The same with a polygon of friction in space.
  void grade_polygon(const QuasistaticProblem& problem, const QuasistaticSolution& solution, int i, Real v_t,
                     Real v_u) const {
    const int k = problem.sides, sector = solution.sectors[static_cast<std::size_t>(i)];
    const Real mu = problem.mu(i), c_n = solution.c_n(i), c_t = solution.c_t(i), c_u = solution.c_u(i);
    const QuasistaticMode mode = solution.modes[static_cast<std::size_t>(i)];
    const Real pi = std::acos(Real{-1});
    const auto along = [&](Real place, Real x, Real y) {
      const Real angle = 2 * pi * place / static_cast<Real>(k);
      return std::cos(angle) * x + std::sin(angle) * y;
    };
    // Faces are at right angles to the middles between corners, cos(π/k) from the middle of the polygon.
    const Real reach = std::cos(pi / static_cast<Real>(k)) * mu * c_n;
    raise(out.cone, std::max(-c_n, mu > 0 ? Real{0} : std::hypot(c_t, c_u)), force);
    for (int j = 0; j < k; ++j) raise(out.cone, along(static_cast<Real>(j) + 0.5L, c_t, c_u) - reach, force);
    if (mode == QuasistaticMode::breaks) return;
    const bool is_known = mode == QuasistaticMode::rolls || (mode == QuasistaticMode::slides && sector < 2 * k);
    if (!is_known || (mode == QuasistaticMode::rolls && !(mu > 0))) return raise(out.motion, 1, 1);
    if (!(mu > 0)) return;
    if (mode == QuasistaticMode::rolls) return raise(out.motion, std::hypot(v_t, v_u), speed);
    if (sector < 0) return raise(out.motion, 1, 1);
    // Slip along e_j, which is 90° further than the middle between corners j and j + 1.
    const int j = sector / 2;
    const auto slip = [&](int side) {
      return along(static_cast<Real>(side) + 0.5L + static_cast<Real>(k) / 4, v_t, v_u);
    };
    if (sector % 2 == 0) {
      raise(out.motion, slip(j) > 0 && slip(j - 1) < 0 ? 0 : 1, 1);
      const Real angle = 2 * pi * j / static_cast<Real>(k);
      raise(out.law, std::hypot(c_t - mu * c_n * std::cos(angle), c_u - mu * c_n * std::sin(angle)), force);
    } else {
      raise(out.motion, std::abs(slip(j)), speed);
      raise(out.motion, slip(j + 1) > 0 && slip(j - 1) < 0 ? 0 : 1, 1);
      raise(out.law, std::abs(along(static_cast<Real>(j) + 0.5L, c_t, c_u) - reach), force);
    }
  }
};

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
  const bool is_spatial = problem.is_spatial();
  double force = 0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    force = std::max({force, std::abs(solution.c_n(i)), std::abs(solution.c_t(i))});
    if (is_spatial) force = std::max(force, std::abs(solution.c_u(i)));
  }
  out.balance = grade_balance(problem, solution, force);
  if (!(force > 0)) force = 1;
  const Raiser raiser{speed, force, out};
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Real v_n = calc_speed(problem.W_n, problem.J_n, solution, i);
    const Real v_t = calc_speed(problem.W_t, problem.J_t, solution, i);
    const QuasistaticMode mode = solution.modes[static_cast<std::size_t>(i)];
    Raiser::raise(out.penetration, -v_n, speed);
    if (mode == QuasistaticMode::breaks) {
      Raiser::raise(out.motion, v_n > 0 ? 0 : 1, 1);
      const double c_u = is_spatial ? std::abs(solution.c_u(i)) : 0;
      Raiser::raise(out.law, std::max({std::abs(solution.c_n(i)), std::abs(solution.c_t(i)), c_u}), force);
    } else {
      Raiser::raise(out.motion, std::abs(v_n), speed);
    }
    if (is_spatial) {
      raiser.grade_polygon(problem, solution, i, v_t, calc_speed(problem.W_u, problem.J_u, solution, i));
    } else {
      raiser.grade_line(mode, problem.mu(i), solution.c_n(i), solution.c_t(i), v_t);
    }
  }
  return out;
}

}  // namespace thenar
