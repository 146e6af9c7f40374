// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Carries a state through smooth motion step by step: chooses the method and the length of steps, moves the chart
/// along (motion.h), and lets one look inside the last step. What happens at events is not its business.
///
///     stepper.start(state);
///     while (stepper.step(until)) { …stepper.interpolate(0.5)…; stepper.accept(1); }

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "thenar/integrate/integrator.h"
#include "thenar/integrate/method_choice.h"
#include "thenar/integrate/step_view.h"
#include "thenar/motion/motion.h"
#include "thenar/scenario/tolerances.h"

namespace thenar {

class Stepper final : public StepView {
 public:
  /// All must outlive it.
  Stepper(ConstrainedMotion& motion, const RunOptions& options, const Tolerances& tolerances);

  /// The motion goes on from here, after an event or at the start of a run, in the mode that `motion` is in.
  /// `is_stiff`: it is known to be stiff at first, as slip is that begins in space, whose direction settles the faster
  /// the slower it is.
  void start(const State& state, bool is_stiff = false);

  /// Makes one step of a length that suits the method, but not beyond t_limit. False when no step succeeds: the state
  /// cannot be carried on, see bad_state().
  bool step(double t_limit);
  /// Gives up the last step, which was not yet accepted, for one of at most this length. False when none succeeds.
  bool retry(double h);

  /// The last step, from t() to t() + h().
  double t() const { return state_.t; }
  double h() const override { return h_; }
  double t_end() const { return t_end_; }

  /// Of the scenario, s.
  double scale_of_time() const { return tolerances_.scales().time; }

  using Point = StepPoint;
  const Point& interpolate(double theta) override;
  const Point& interpolate_roughly(double theta) override;
  /// Reactions of the held rows there; those at the ends of the step are known, others cost an evaluation.
  const VectorX<double>& calc_reactions(double theta);

  /// Evaluates the motion there: forces of contacts, and where they are (ConstrainedMotion). Returns v̇, valid until the
  /// next call.
  const double* evaluate(double theta);
  /// The same at state(), after start() or after a step that was accepted whole.
  const double* evaluate_state();

  /// How far the last step, or its first part, ends from what holds: the energy that velocities lose when it is put
  /// back there, in parts of what is tolerated. Error control does not see where contacts turn within less than a step,
  /// as the lowest point of a disc does that all but lands flat.
  double calc_excess(double theta);

  /// Takes the last step, or its first part, as done; returns what forces did in it. After a part, start() must follow.
  EnergyFlow<double> accept(double theta);
  const State& state() const { return state_; }
  /// v̇ at the state.
  const double* acceleration() const { return slope_.data() + motion_.size(); }

  /// The state that a failed step led to.
  const Point& bad_state() const { return point_; }

  long long steps() const { return steps_; }
  long long implicit_steps() const { return implicit_steps_; }
  long long rejected() const { return rejected_; }
  bool is_implicit() const { return is_implicit_; }
  /// Whether the last step begins where the one before it ended, with nothing between.
  bool goes_on() const { return goes_on_; }
  /// Whether the method chooses its own steps.
  bool has_error_control() const { return integrator_->has_error_control(); }

  /// What its future depends on, the step that was made included. The motion must have been read before.
  template <class Archive>
  void archive(Archive& a);

 private:
  void use(bool implicit);
  bool attempt(double h);
  double longest_step(double t_limit) const;
  bool stays_at_rest() const;
  void update_weights();
  void resize();
  void set_point(const VectorX<double>& y);

  ConstrainedMotion& motion_;
  const Tolerances& tolerances_;
  double step_limit_;
  bool is_automatic_, is_implicit_;             ///< is_implicit_: the method in use
  std::unique_ptr<Integrator> own_, implicit_;  ///< the chosen method (automatic: the explicit one), the other
  Integrator* integrator_ = nullptr;
  MethodChoice choice_;
  State state_;
  VectorX<double> y_, slope_;  ///< at the start of the step, in its chart
  VectorX<double> y_inside_, slope_inside_;
  VectorX<double> start_reactions_, end_reactions_;
  std::vector<double> weights_;
  Point point_;
  double lost_ = 0;        ///< energy that it lost when it was put back, J
  Point end_;              ///< where the step, or its part, ends
  double end_theta_ = -1;  ///< that part, if known
  bool goes_on_ = false;
  double h_ = 0, t_end_ = 0, next_h_ = 0, stiffness_ = 0;
  long long evaluations_before_ = 0;
  long long evaluations_of_step_ = 0;  ///< without what was looked at in it
  long long steps_ = 0, implicit_steps_ = 0, rejected_ = 0;
};

}  // namespace thenar
