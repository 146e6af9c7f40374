// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One interface for all methods that carry a motion through time:
///
///     ẋ = v + (terms small in x),   v̇ = f(t, x, v, s),   ṡ = r(t, x, v, s),   ẇ = g(t, x, v, s)
///
/// x are the coordinates of a chart around the start of the step (x = 0 there; see motion.h), v the velocities, s inner
/// states of first order (deflections of compliant contacts; none in most motions) and w quadratures that nothing
/// depends on (work, dissipation). A state y and its slope stack (x, v, s, w), 2 n + l + m numbers.
///
///     StepAttempt a = integrator.attempt(equations, t, h, y, slope, weights);
///     if (a.accepted) …integrator.end_state(), end_slope(), interpolate(0.3, y_between)…
///     h = a.next_h;
///
/// No heap use after construction, but for a step with another number of inner states than the last one. A state that
/// is not finite is a step that is not accepted.

#include <memory>
#include <span>

#include "thenar/spatial/linear.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

/// How inner states and the rest depend on each other.
struct InnerJacobian {
  MatrixX<double> dv_ds;  ///< ∂v̇/∂s, n × l
  MatrixX<double> ds_dx;  ///< ∂ṡ/∂x, l × n
  MatrixX<double> ds_dv;  ///< ∂ṡ/∂v, l × n
  MatrixX<double> ds_ds;  ///< ∂ṡ/∂s, l × l
};

/// What an integrator may ask of the motion.
class MotionEquations {
 public:
  virtual ~MotionEquations() = default;

  /// n, the number of entries of x and of v.
  virtual int size() const = 0;
  /// l, the number of entries of s. It may change where Integrator::reset() is called.
  virtual int inner_count() const { return 0; }
  /// m, the number of entries of w.
  virtual int quadrature_count() const = 0;

  /// Writes the slope of y (2 n + l + m numbers each).
  virtual void calc_slope(double t, const double* y, double* slope) = 0;

  /// Writes ∂v̇/∂x and ∂v̇/∂v (n × n each) at x = 0, that is at the start of a step. `slope` is the slope of y. They may
  /// be approximate where that only costs iterations.
  virtual void calc_jacobian(double t, const double* y, const double* slope, Eigen::Ref<MatrixX<double>> dv_dx,
                             Eigen::Ref<MatrixX<double>> dv_dv) = 0;

  /// Writes the derivatives of and by inner states, at the state of the last calc_jacobian(); sizes are right already.
  virtual void calc_inner_jacobian(InnerJacobian& /*out*/) {}

  /// Whether the motion may become much less stiff from one step to the next. Then derivatives of an earlier step would
  /// let iterations creep, and seem to have converged.
  virtual bool has_fading_stiffness() const { return false; }
  /// How many times less stiff it is at the state of the last calc_slope() than at that of the last calc_jacobian(); 1
  /// or more. Iterations take that much shorter steps than they should there.
  virtual double calc_fading() const { return 1; }
};

struct StepAttempt {
  bool accepted = false;
  double error = 0;   ///< largest local error of an entry of (x, v, s) over its weight; accepted if ≤ 1; 0 if unknown
  double next_h = 0;  ///< s, proposal for the next step, or for the next try when this one was not accepted
  double stiffness = 0;  ///< h times the estimated spectral radius of ∂ẏ/∂y; 0 if unknown
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Tries one step of length h > 0 (s) from y with that slope. `weights` (2 n + l) is the tolerated local error of
  /// each entry of (x, v, s); methods of fixed step do not look at it. The last evaluation of an accepted attempt is
  /// that of end_slope(). One that is not accepted leaves end_state() and end_slope() as they were, so that y and slope
  /// may be those.
  virtual StepAttempt attempt(MotionEquations& equations, double t, double h, const double* y, const double* slope,
                              std::span<const double> weights) = 0;

  /// After an accepted attempt: the state at its end and the slope there, evaluated (not a stage value).
  virtual const VectorX<double>& end_state() const = 0;
  virtual const VectorX<double>& end_slope() const = 0;

  /// After an accepted attempt: the state at t + theta h, 0 ≤ theta ≤ 1, equal to y and end_state() at the ends. The
  /// first call after an attempt may evaluate the equations, which must still be in the mode of the step.
  virtual void interpolate(double theta, double* y) = 0;

  /// Forgets what was learnt from earlier steps: call it when the motion has jumped or its mode has changed.
  virtual void reset() = 0;

  /// As reset(), for a jump that leaves the equations alone, such as an impact: derivatives from before it still serve.
  virtual void restart() { reset(); }

  virtual bool has_error_control() const = 0;

  /// What its future depends on, the dense output of the last step included, as bytes and back.
  virtual void save(StateWriter& writer) = 0;
  virtual void load(StateReader& reader, MotionEquations& equations) = 0;
};

/// Dormand–Prince 8(5,3) with dense output of order 7 (HairerNorsettWanner1993, II.10): the default.
/// 12 slopes per step, 11 when it is not accepted, 3 more for the first state between. Where `stiffness` stays near 6,
/// stability and not accuracy limits the steps.
std::unique_ptr<Integrator> make_explicit_integrator(const MotionEquations& equations);
/// Radau IIA of order 5, L-stable, with its collocation polynomial as dense output (HairerWanner1996, IV.8). Works on
/// n × n matrices, half the size of the first-order system. About 6 to 9 slopes per step, and few Jacobians: one serves
/// many steps.
std::unique_ptr<Integrator> make_implicit_integrator(const MotionEquations& equations);
/// The classical method of order 4, fixed steps, cubic Hermite dense output.
std::unique_ptr<Integrator> make_rk4_integrator(const MotionEquations& equations);
/// The order-8 formula of make_explicit_integrator with fixed steps: for swings, where it beats many small steps of a
/// lower order.
std::unique_ptr<Integrator> make_rk8_integrator(const MotionEquations& equations);

}  // namespace thenar
