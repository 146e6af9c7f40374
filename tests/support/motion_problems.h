// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Motions with known answers for the tests of the integrators, and the loops that carry them through time.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "thenar/integrate/integrator.h"

namespace thenar::test {

using State = VectorX<double>;

/// v̇ = f(t, x, v) with ẋ = v, inner states ṡ = r(t, x, v), which stand behind v, and quadratures ẇ = g(t, x, v). Counts
/// what it is asked; the Jacobian is made of forward differences (2 n accelerations, not counted as slopes) unless one
/// is given.
class Problem : public MotionEquations {
 public:
  using Function = std::function<void(double t, const double* x, const double* v, double* out)>;
  using Jacobian = std::function<void(double t, const double* x, const double* v, Eigen::Ref<MatrixX<double>> dv_dx,
                                      Eigen::Ref<MatrixX<double>> dv_dv)>;

  Problem(int n, Function f) : n_(n), f_(std::move(f)), trial_(2 * n), a_(n) {}
  Problem& set_quadratures(int m, Function g) {
    m_ = m, g_ = std::move(g);
    return *this;
  }
  Problem& set_inner(int l, Function r) {
    l_ = l, r_ = std::move(r);
    trial_.resize(2 * n_ + l);
    return *this;
  }
  Problem& set_jacobian(Jacobian jacobian) {
    jacobian_ = std::move(jacobian);
    return *this;
  }

  int size() const override { return n_; }
  int inner_count() const override { return l_; }
  int quadrature_count() const override { return m_; }
  void calc_slope(double t, const double* y, double* slope) override {
    ++slopes;
    for (int i = 0; i < 2 * n_ + l_; ++i) saw_not_finite |= !std::isfinite(y[i]);
    calc_position_rate(y, y + n_, slope);
    f_(t, y, y + n_, slope + n_);
    if (l_ > 0) r_(t, y, y + n_, slope + 2 * n_);
    if (m_ > 0) g_(t, y, y + n_, slope + 2 * n_ + l_);
  }
  void calc_jacobian(double t, const double* y, const double* slope, Eigen::Ref<MatrixX<double>> dv_dx,
                     Eigen::Ref<MatrixX<double>> dv_dv) override {
    ++jacobians;
    if (jacobian_) return jacobian_(t, y, y + n_, dv_dx, dv_dv);
    std::copy_n(y, 2 * n_ + l_, trial_.data());
    for (int j = 0; j < 2 * n_; ++j) {
      trial_(j) = y[j] + 1e-7 * std::max(1e-2, std::abs(y[j]));
      f_(t, trial_.data(), trial_.data() + n_, a_.data());
      auto column = j < n_ ? dv_dx.col(j) : dv_dv.col(j - n_);
      column = (a_ - Eigen::Map<const State>(slope + n_, n_)) / (trial_(j) - y[j]);
      trial_(j) = y[j];
    }
    t_ = t;
  }
  void calc_inner_jacobian(InnerJacobian& out) override {
    State s_rate(l_), s_moved(l_);
    f_(t_, trial_.data(), trial_.data() + n_, a_.data());
    r_(t_, trial_.data(), trial_.data() + n_, s_rate.data());
    State a_moved(n_);
    for (int j = 0; j < 2 * n_ + l_; ++j) {
      const double old = trial_(j), step = 1e-7 * std::max(1e-2, std::abs(old));
      trial_(j) = old + step;
      r_(t_, trial_.data(), trial_.data() + n_, s_moved.data());
      f_(t_, trial_.data(), trial_.data() + n_, a_moved.data());
      auto column = j < n_ ? out.ds_dx.col(j) : j < 2 * n_ ? out.ds_dv.col(j - n_) : out.ds_ds.col(j - 2 * n_);
      column = (s_moved - s_rate) / step;
      if (j >= 2 * n_) out.dv_ds.col(j - 2 * n_) = (a_moved - a_) / step;
      trial_(j) = old;
    }
  }

  /// Moves the chart to y, where a step ended.
  virtual void move_chart(State& /*y*/, State& /*slope*/) {}

  /// What a run costs in slopes, a Jacobian being worth 2 n.
  long cost() const { return slopes + 2 * n_ * jacobians; }

  long slopes = 0, jacobians = 0;
  bool saw_not_finite = false;  ///< whether a slope was asked for at such a state

 protected:
  virtual void calc_position_rate(const double* /*x*/, const double* v, double* rate) { std::copy_n(v, n_, rate); }

 private:
  int n_, l_ = 0, m_ = 0;
  double t_ = 0;
  Function f_, r_, g_;
  Jacobian jacobian_;
  State trial_, a_;
};

struct Outcome {
  State y;
  int accepted = 0, rejected = 0;
  bool finished = false;
};

inline State calc_start_slope(Problem& problem, const State& y) {
  State slope(y.size());
  problem.calc_slope(0, y.data(), slope.data());
  return slope;
}

/// What is done after an accepted step from t to t + h.
using Observer = std::function<void(double t, double h, Integrator& integrator)>;

/// From t = 0 to `until` under error control: weights tolerance (1 + |y|).
inline Outcome run_adaptive(Problem& problem, Integrator& integrator, State y, double until, double tolerance, double h,
                            const Observer& observer = {}) {
  const int moving = 2 * problem.size() + problem.inner_count();
  State slope = calc_start_slope(problem, y), weights(moving);
  Outcome run;
  double t = 0;
  while (!run.finished && run.accepted < 100000 && run.rejected < 10000) {
    weights = tolerance * (1 + y.head(moving).array().abs());
    const bool last = t + h >= until * (1 - 1e-13);
    const double step = last ? until - t : h;
    const StepAttempt a =
        integrator.attempt(problem, t, step, y.data(), slope.data(), {weights.data(), weights.data() + moving});
    h = a.next_h;
    if (!a.accepted) {
      ++run.rejected;
      continue;
    }
    ++run.accepted;
    if (observer) observer(t, step, integrator);
    t += step;
    y = integrator.end_state(), slope = integrator.end_slope();
    problem.move_chart(y, slope);
    run.finished = last;
  }
  run.y = y;
  return run;
}

/// The same in equal steps, every one of which must be accepted; `weights` is the same for every entry.
inline Outcome run_fixed(Problem& problem, Integrator& integrator, State y, double until, int steps, double weight,
                         const Observer& observer = {}) {
  State slope = calc_start_slope(problem, y);
  const auto moving = static_cast<std::size_t>(2 * problem.size() + problem.inner_count());
  const std::vector<double> weights(moving, weight);
  Outcome run;
  const double h = until / steps;
  for (int i = 0; i < steps; ++i) {
    const StepAttempt a = integrator.attempt(problem, i * h, h, y.data(), slope.data(), weights);
    if (!a.accepted) return run;
    ++run.accepted;
    if (observer) observer(i * h, h, integrator);
    y = integrator.end_state(), slope = integrator.end_slope();
    problem.move_chart(y, slope);
  }
  run.y = y;
  run.finished = true;
  return run;
}

/// A planet of unit semi-axis and period 2π, from its perihelion.
inline Problem make_kepler() {
  return Problem(2, [](double, const double* x, const double*, double* a) {
    const double r = std::hypot(x[0], x[1]);
    a[0] = -x[0] / (r * r * r), a[1] = -x[1] / (r * r * r);
  });
}

/// (x, v) of the planet at t, from Kepler's equation M = E − e sin E.
inline State calc_kepler(double eccentricity, double t) {
  double E = t;
  for (int i = 0; i < 50; ++i) {
    E -= (E - eccentricity * std::sin(E) - t) / (1 - eccentricity * std::cos(E));
  }
  const double b = std::sqrt(1 - eccentricity * eccentricity), rate = 1 / (1 - eccentricity * std::cos(E));
  State y(4);
  y << std::cos(E) - eccentricity, b * std::sin(E), -std::sin(E) * rate, b * std::cos(E) * rate;
  return y;
}

/// A damped pendulum of frequency 3 pushed by a torque; w is what the damper takes and what the torque gives.
inline Problem make_pendulum() {
  Problem problem(1, [](double t, const double* x, const double* v, double* a) {
    a[0] = -9 * std::sin(x[0]) - 0.2 * v[0] + 2 * std::cos(1.3 * t);
  });
  problem.set_quadratures(2, [](double t, const double*, const double* v, double* g) {
    g[0] = 0.2 * v[0] * v[0], g[1] = 2 * std::cos(1.3 * t) * v[0];
  });
  return problem;
}
inline State pendulum_start() { return State::Unit(4, 0); }
inline double calc_pendulum_energy(const State& y) { return 0.5 * y(1) * y(1) - 9 * std::cos(y(0)); }

/// Unit masses in a row between two walls, joined by hardening springs with dampers, every other one of stiffness k and
/// critically damped, in a field −sin x; w is what the dampers take.
struct Chain {
  int n;
  double k;

  double stiffness(int link) const { return link % 2 == 1 ? k : 1; }
  double damping(int link) const { return link % 2 == 1 ? 2 * std::sqrt(k) : 0.1; }
  /// What link 0 … n stretches.
  double difference(const double* z, int link) const { return (link < n ? z[link] : 0) - (link > 0 ? z[link - 1] : 0); }

  Problem make_problem() const {
    Problem problem(n, [c = *this](double t, const double* x, const double* v, double* a) {
      for (int i = 0; i < c.n; ++i) a[i] = -std::sin(x[i]) + 0.3 * std::sin(t + i);
      for (int i = 0; i <= c.n; ++i) {
        const double d = c.difference(x, i);
        const double force = c.stiffness(i) * (d + d * d * d) + c.damping(i) * c.difference(v, i);
        if (i > 0) a[i - 1] += force;
        if (i < c.n) a[i] -= force;
      }
    });
    problem.set_quadratures(1, [c = *this](double, const double*, const double* v, double* g) {
      g[0] = 0;
      for (int i = 0; i <= c.n; ++i) g[0] += c.damping(i) * c.difference(v, i) * c.difference(v, i);
    });
    return problem;
  }
  State start() const {
    State y = State::Zero(2 * n + 1);
    for (int i = 0; i < n; ++i) y(i) = 0.5 * std::sin(0.7 * i + 0.3);
    return y;
  }
};

/// Van der Pol's oscillator in slow time, v̇ = μ² ((1 − x²) v − x).
inline Problem make_van_der_pol(double mu) {
  Problem problem(1, [mu](double, const double* x, const double* v, double* a) {
    a[0] = mu * mu * ((1 - x[0] * x[0]) * v[0] - x[0]);
  });
  problem.set_jacobian([mu](double, const double* x, const double* v, Eigen::Ref<MatrixX<double>> dv_dx,
                            Eigen::Ref<MatrixX<double>> dv_dv) {
    dv_dx(0, 0) = mu * mu * (-2 * x[0] * v[0] - 1);
    dv_dv(0, 0) = mu * mu * (1 - x[0] * x[0]);
  });
  return problem;
}

/// A rigid body about its centre of mass, in the chart R = exp(x) R₀ with v its angular velocity in the world: ẋ is
/// J⁻¹(x) v, not v. A spring of stiffness k and a damper d pull its axis b upright.
class SpinningBody : public Problem {
 public:
  SpinningBody(double k, double d)
      : Problem(3, [this, k, d](double, const double* x, const double* v, double* a) {
          calc_acceleration(k, d, x, v, a);
        }) {}

  SpinningBody(const SpinningBody&) = delete;  // the equations refer to it

  void move_chart(State& y, State& slope) override {
    R0 = calc_rotation(y.data());
    y.head(3).setZero();
    slope.head(3) = y.segment(3, 3);
  }
  Matrix3<double> calc_rotation(const double* x) const { return exp(Vector3<double>(x[0], x[1], x[2])) * R0; }
  /// Orientation and velocity in twelve numbers.
  State calc_place(const State& y) const {
    State place(12);
    const Matrix3<double> R = calc_rotation(y.data());
    place << R.col(0), R.col(1), R.col(2), y.segment(3, 3);
    return place;
  }

  Matrix3<double> R0 = Matrix3<double>::Identity();

 protected:
  void calc_position_rate(const double* x, const double* v, double* rate) override {
    const Vector3<double> p(x[0], x[1], x[2]), w(v[0], v[1], v[2]);
    // 1/θ² − (1 + cos θ)/(2 θ sin θ), by its series where that cancels.
    const double s = p.squaredNorm(), theta = std::sqrt(s);
    const double factor = s < 1e-2 ? 1.0 / 12 + s * (1.0 / 720 + s * (1.0 / 30240 + s / 1209600))
                                   : 1 / s - (1 + std::cos(theta)) / (2 * theta * std::sin(theta));
    Eigen::Map<Vector3<double>>{rate} = w - 0.5 * p.cross(w) + factor * p.cross(p.cross(w));
  }

 private:
  static Matrix3<double> exp(const Vector3<double>& x) {
    const double angle = x.norm();
    if (angle == 0) return Matrix3<double>::Identity();
    return Eigen::AngleAxisd(angle, x / angle).toRotationMatrix();
  }
  void calc_acceleration(double k, double d, const double* x, const double* v, double* a) const {
    const Matrix3<double> R = calc_rotation(x);
    const Vector3<double> inertia(1, 2, 2.6), w(v[0], v[1], v[2]), w_B = R.transpose() * w;
    const Vector3<double> torque = k * (R * Vector3<double>(0.6, 0, 0.8)).cross(Vector3<double>(0, 0, 1)) - d * w;
    const Vector3<double> rhs = R.transpose() * torque - w_B.cross(inertia.cwiseProduct(w_B));
    // The angular acceleration is the same rate in body and world axes.
    Eigen::Map<Vector3<double>>{a} = R * rhs.cwiseQuotient(inertia);
  }
};

}  // namespace thenar::test
