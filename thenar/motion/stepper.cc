// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/motion/step_chart.h"
#include "thenar/motion/symplectic.h"

namespace thenar {
namespace {

/// Rotations in space stay well inside their chart, which ends at a full turn.
constexpr double kLargestRotation = 2.5;
/// The first step, as a part of the time scale: too short costs a few steps, too long a few rejections.
constexpr double kFirstStep = 1e-3;
/// After an event the motion is as smooth as before, but the first step has no history to lean on.
constexpr double kStepAfterEvent = 0.5;
/// The longest step while rows hold, as a part of the time scale: where nothing moves, error control does not see how
/// reactions change.
constexpr double kLongestStepWhileHeld = 2;
/// A step this short (relative to t, or to the time scale) makes no progress.
constexpr double kShortestStep = 1e-15;

std::unique_ptr<Integrator> make_integrator(IntegratorKind kind, ConstrainedMotion& motion) {
  switch (kind) {
    case IntegratorKind::automatic:
    case IntegratorKind::explicit_pair:
      return make_explicit_integrator(motion);
    case IntegratorKind::implicit_radau:
      return make_implicit_integrator(motion);
    case IntegratorKind::rk4:
      return make_rk4_integrator(motion);
    case IntegratorKind::rk8:
      return make_rk8_integrator(motion);
    case IntegratorKind::symplectic:
      return make_symplectic_integrator(motion);
  }
  return nullptr;
}

}  // namespace

Stepper::Stepper(ConstrainedMotion& motion, const RunOptions& options, const Tolerances& tolerances)
    : motion_(motion),
      tolerances_(tolerances),
      step_limit_(options.step.value_or(thenar::has_error_control(options.integrator)
                                            ? std::numeric_limits<double>::infinity()
                                            : RunOptions::kDefaultFixedStep)),
      is_automatic_(options.integrator == IntegratorKind::automatic),
      is_implicit_(options.integrator == IntegratorKind::implicit_radau),
      own_(make_integrator(options.integrator, motion)),
      integrator_(own_.get()) {
  if (is_automatic_) implicit_ = make_implicit_integrator(motion);
  resize();
  point_.q.setZero(motion.model().position_count());
  point_.v.setZero(motion.size());
  next_h_ = own_->has_error_control() ? kFirstStep * tolerances.scales().time : step_limit_;
}

/// For as many inner states as the motion has.
void Stepper::resize() {
  const int count = 2 * motion_.size() + motion_.inner_count();
  for (VectorX<double>* vector : {&y_, &slope_, &y_inside_, &slope_inside_}) {
    vector->setZero(count + motion_.quadrature_count());
  }
  weights_.assign(static_cast<std::size_t>(count), 1.0);
  point_.inner.setZero(motion_.inner_count());
}

void Stepper::start(const State& state, bool is_stiff) {
  if (is_stiff && is_automatic_ && !is_implicit_) {
    choice_.begin_stiff();
    use(true);
  }
  state_ = state;
  if (point_.inner.size() != motion_.inner_count()) resize();
  goes_on_ = false;
  motion_.set_origin(state_.q);
  y_.setZero();
  y_.segment(motion_.size(), motion_.size()) = state_.v;
  y_.segment(2 * motion_.size(), motion_.inner_count()) = state_.inner;
  motion_.calc_slope(state_.t, y_.data(), slope_.data());
  start_reactions_ = motion_.reactions();
  integrator_->reset();
  if (steps_ > 0) next_h_ *= kStepAfterEvent;
}

void Stepper::use(bool implicit) {
  is_implicit_ = implicit;
  integrator_ = implicit ? implicit_.get() : own_.get();
  integrator_->reset();
}

void Stepper::update_weights() {
  const int n = motion_.size();
  for (int i = 0; i < n; ++i) {
    weights_[static_cast<std::size_t>(i)] = tolerances_.position_weight(i);
    weights_[static_cast<std::size_t>(n + i)] = tolerances_.velocity_weight(i, state_.v(i));
  }
  auto weight = weights_.begin() + 2 * n;
  for (const internal::LayerContact& contact : motion_.layer_contacts()) {
    for (int k = 0; k < contact.shear_count(); ++k) *weight++ = tolerances_.shear_weight(contact.shear_row(k) == 3);
  }
}

/// Nothing moves, and nothing will until something else happens.
bool Stepper::stays_at_rest() const {
  if (!motion_.is_steady()) return false;
  const double time = tolerances_.scales().time;
  for (int i = 0; i < motion_.size(); ++i) {
    const double rounding = tolerances_.speed_rounding(i);
    if (!(std::abs(state_.v(i)) <= rounding && std::abs(acceleration()[i]) * time <= rounding)) return false;
  }
  return true;
}

/// The length to try: what the method proposes, but hitting the limit without a sliver before it.
double Stepper::longest_step(double t_limit) const {
  const double left = t_limit - state_.t;
  if (!integrator_->has_error_control()) return left;
  double h = std::min(next_h_, step_limit_);
  const bool holds = !motion_.mode().held.empty() || !motion_.contacts().empty() || !motion_.layer_contacts().empty();
  if (holds && !stays_at_rest()) h = std::min(h, kLongestStepWhileHeld * tolerances_.scales().time);
  if (h >= 0.99 * left) return left;
  return h > 0.5 * left ? 0.5 * left : h;
}

bool Stepper::step(double t_limit) {
  motion_.set_latest_time(t_limit);
  end_theta_ = -1;
  evaluations_before_ = motion_.evaluations();
  update_weights();
  t_end_ = t_limit;
  double h = longest_step(t_limit);
  while (!attempt(h)) {
    if (!integrator_->has_error_control()) return false;
    h = std::min(next_h_, 0.9 * h);
    const double shortest = kShortestStep * std::max(std::abs(state_.t), tolerances_.scales().time);
    if (!(h > shortest)) return false;
  }
  if (h_ != t_limit - state_.t) t_end_ = state_.t + h_;
  evaluations_of_step_ = motion_.evaluations() - evaluations_before_;
  return true;
}

bool Stepper::retry(double h) {
  const double shortest = kShortestStep * std::max(std::abs(state_.t), tolerances_.scales().time);
  if (!(h > shortest)) return false;
  motion_.return_to_origin();
  next_h_ = h;
  return step(state_.t + h);
}

bool Stepper::attempt(double h) {
  const StepAttempt attempt = integrator_->attempt(motion_, state_.t, h, y_.data(), slope_.data(), weights_);
  h_ = h;
  stiffness_ = attempt.stiffness;
  next_h_ = attempt.next_h;
  if (attempt.accepted) end_reactions_ = motion_.reactions();
  if (attempt.accepted && calc_largest_rotation(motion_.model(), integrator_->end_state().data()) < kLargestRotation)
    return true;
  ++rejected_;
  motion_.return_to_origin();
  if (attempt.accepted) next_h_ = 0.5 * h;
  return false;
}

void Stepper::set_point(const VectorX<double>& y) {
  const int n = motion_.size();
  motion_.calc_position(y.data(), point_.q.data());
  point_.v = y.segment(n, n);
  const int inner = motion_.inner_count();
  point_.inner = y.segment(2 * n, inner);
  lost_ = motion_.project(point_.q, point_.v);
  point_.work = y(2 * n + inner);
  point_.dissipated = y(2 * n + inner + 1);
}

const Stepper::Point& Stepper::interpolate(double theta) {
  if (theta == 1) {
    set_point(integrator_->end_state());
  } else {
    integrator_->interpolate(theta, y_inside_.data());
    set_point(y_inside_);
  }
  return point_;
}

const Stepper::Point& Stepper::interpolate_roughly(double theta) {
  const int n = motion_.size();
  if (theta == 1) {
    y_inside_ = integrator_->end_state();
  } else {
    integrator_->interpolate(theta, y_inside_.data());
  }
  motion_.calc_position(y_inside_.data(), point_.q.data());
  point_.v = y_inside_.segment(n, n);
  return point_;
}

const VectorX<double>& Stepper::calc_reactions(double theta) {
  if (theta == 0) return start_reactions_;
  if (theta == 1) return end_reactions_;
  integrator_->interpolate(theta, y_inside_.data());
  motion_.calc_slope(state_.t + theta * h_, y_inside_.data(), slope_inside_.data());
  return motion_.reactions();
}

const double* Stepper::evaluate(double theta) {
  if (theta == 1) {
    y_inside_ = integrator_->end_state();
  } else {
    integrator_->interpolate(theta, y_inside_.data());
  }
  motion_.calc_slope(state_.t + theta * h_, y_inside_.data(), slope_inside_.data());
  return slope_inside_.data() + motion_.size();
}

const double* Stepper::evaluate_state() {
  motion_.calc_slope(state_.t, y_.data(), slope_inside_.data());
  return slope_inside_.data() + motion_.size();
}

double Stepper::calc_excess(double theta) {
  end_ = interpolate(theta);
  end_theta_ = theta;
  return lost_ / (tolerances_.tolerance() * tolerances_.scales().effort());
}

EnergyFlow<double> Stepper::accept(double theta) {
  const int n = motion_.size();
  const Point& point = theta == end_theta_ ? end_ : interpolate(theta);
  const EnergyFlow<double> flow{point.work, point.dissipated};
  const bool is_whole = theta == 1;
  ++steps_;
  implicit_steps_ += is_implicit_ ? 1 : 0;
  state_.t = is_whole ? t_end_ : state_.t + theta * h_;
  state_.q = point.q;
  state_.v = point.v;
  state_.inner = point.inner;
  goes_on_ = is_whole;
  if (is_whole) {
    // Contacts are anchored there, wherever one has looked since it was known.
    if (theta == end_theta_ && !motion_.contacts().empty()) motion_.follow_contacts(state_.q, state_.v);
    // The same slope seen from the new chart, where x = 0.
    motion_.set_origin(state_.q);
    y_.setZero();
    y_.segment(n, n) = state_.v;
    y_.segment(2 * n, state_.inner.size()) = state_.inner;
    slope_.head(n) = state_.v;
    slope_.tail(slope_.size() - n) = integrator_->end_slope().tail(slope_.size() - n);
    start_reactions_ = end_reactions_;
  }
  const auto cost = static_cast<double>(evaluations_of_step_);
  const auto looked_at = static_cast<double>(motion_.evaluations() - evaluations_before_ - evaluations_of_step_);
  if (is_automatic_ && choice_.note_step(h_, stiffness_, cost, looked_at)) use(choice_.is_implicit());
  return flow;
}

template <class Archive>
void Stepper::archive(Archive& a) {
  if constexpr (Archive::kReads) resize();
  a(is_implicit_, choice_, state_, y_, slope_, start_reactions_, end_reactions_, end_, end_theta_, goes_on_, h_, t_end_,
    next_h_, stiffness_, evaluations_before_, evaluations_of_step_, steps_, implicit_steps_, rejected_);
  if constexpr (Archive::kReads) {
    integrator_ = is_automatic_ && is_implicit_ ? implicit_.get() : own_.get();
    integrator_->load(a, motion_);
  } else {
    integrator_->save(a);
  }
}
THENAR_INSTANTIATE_ARCHIVE(Stepper);

}  // namespace thenar
