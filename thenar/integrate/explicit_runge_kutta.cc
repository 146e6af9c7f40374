// SPDX-License-Identifier: BSD-3-Clause
//
// Explicit Runge–Kutta methods, driven by a tableau, with fixed or with adapted steps.

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/base/assert.h"
#include "thenar/integrate/explicit_tableau_internal.h"
#include "thenar/integrate/integrator.h"
#include "thenar/integrate/weighted_norm_internal.h"

namespace thenar {
namespace {

using internal::ExplicitTableau;

// Step control (HairerNorsettWanner1993, II.4): h_next = h · safety · error^(−α) · previous_error^β. The error estimate
// falls with h⁸.
constexpr double kExplicitSafety = 0.85;
constexpr double kBeta = 0.02;
constexpr double kAlpha = 1.0 / 8 - 0.2 * kBeta;
constexpr double kExplicitShortest = 0.125, kExplicitLongest = 6;  // limits of h_next / h
constexpr double kExplicitSmallestPreviousError = 1e-4;            // a lucky step must not hold back the next one
constexpr double kExplicitNotFiniteFactor = 0.1;                   // h_next / h where there is no slope
/// The stability region reaches to about −6 on the real axis (method_choice.cc). A step of twice that length multiplies
/// fast modes by thousands: it passes where they are rounding, as their error is looked at where it ends.
constexpr double kExplicitStabilityEdge = 6, kFarBeyondStability = 12;
/// So it is looked at between the ends, too, in these places; where it is larger than this part of the weights the step
/// is made again, shorter, and the next step grows no faster than this error allows.
constexpr std::array kDensePlaces{0.25, 0.6};
constexpr double kMostDenseError = 1;

class ExplicitRungeKutta final : public Integrator {
 public:
  ExplicitRungeKutta(const MotionEquations& equations, const ExplicitTableau& tableau, bool adaptive)
      : tableau_(tableau), adaptive_(adaptive), n_(equations.size()) {
    resize(equations);
  }

  StepAttempt attempt(MotionEquations& equations, double t, double h, const double* y, const double* slope,
                      std::span<const double> weights) override;
  const VectorX<double>& end_state() const override { return end_; }
  const VectorX<double>& end_slope() const override { return end_slope_; }
  void interpolate(double theta, double* y) override;
  void reset() override { previous_error_ = 1, after_rejection_ = false; }
  bool has_error_control() const override { return adaptive_; }
  void save(StateWriter& writer) override { archive(writer); }
  void load(StateReader& reader, MotionEquations& equations) override {
    equations_ = &equations;
    archive(reader);
  }
  template <class Archive>
  void archive(Archive& a);

 private:
  using Coefficients = std::span<const double>;

  void resize(const MotionEquations& equations);
  void enter_stage(int i);
  bool evaluate_stage(int i);
  bool run_stages();
  void add_up(Coefficients coefficients);
  double calc_norm(Coefficients coefficients, std::span<const double> weights);
  double calc_error(std::span<const double> weights);
  double calc_stiffness() const;
  double choose_factor(double error);
  StepAttempt reject(double factor, double error);
  void prepare_dense_output(const VectorX<double>& end);
  double calc_dense_error(double theta, double stiffness, std::span<const double> weights);
  double calc_largest_dense_error(double stiffness, std::span<const double> weights);
  static double calc_dense_factor(double dense_error);

  const ExplicitTableau& tableau_;
  bool adaptive_;
  int n_, inner_ = 0;

  // The step last tried; the end only changes when it is accepted, so that a step may start at end_state() itself.
  MotionEquations* equations_ = nullptr;
  double t_ = 0, h_ = 0;
  VectorX<double> start_, end_, end_slope_;
  MatrixX<double> slopes_;  // column i: kᵢ
  MatrixX<double> dense_;   // column i: Fᵢ
  bool dense_is_ready_ = false;

  // What step control remembers.
  double previous_error_ = 1;
  bool after_rejection_ = false;

  VectorX<double> stage_, last_stage_, sum_, sum_rate_;
};

void ExplicitRungeKutta::resize(const MotionEquations& equations) {
  inner_ = equations.inner_count();
  const int size = 2 * n_ + inner_ + equations.quadrature_count();
  for (VectorX<double>* v : {&start_, &end_, &end_slope_, &stage_, &last_stage_, &sum_, &sum_rate_}) {
    v->setZero(size);
  }
  slopes_.setZero(size, tableau_.all_stages());
  dense_.setZero(size, 3 + tableau_.dense_rows());
}

/// sum_ ← Σⱼ coefficientⱼ kⱼ.
void ExplicitRungeKutta::add_up(Coefficients coefficients) {
  const auto count = static_cast<Eigen::Index>(coefficients.size());
  sum_.noalias() = slopes_.leftCols(count) * Eigen::Map<const VectorX<double>>(coefficients.data(), count);
}

/// stage_ ← Yᵢ.
void ExplicitRungeKutta::enter_stage(int i) {
  add_up(tableau_.row(i));
  stage_ = start_ + h_ * sum_;
}

/// kᵢ at stage_; false when it is not finite.
bool ExplicitRungeKutta::evaluate_stage(int i) {
  equations_->calc_slope(t_ + tableau_.nodes[static_cast<std::size_t>(i)] * h_, stage_.data(), slopes_.col(i).data());
  return slopes_.col(i).allFinite();
}

/// Stages 1 … s − 1, then stage_ ← end of the step. False as soon as a slope is not finite: a state made of it would
/// only ask the equations for nonsense.
bool ExplicitRungeKutta::run_stages() {
  for (int i = 1; i < tableau_.stages; ++i) {
    enter_stage(i);
    if (!evaluate_stage(i)) return false;
  }
  last_stage_ = stage_;
  enter_stage(tableau_.stages);
  return stage_.allFinite();
}

/// Norm of Σⱼ coefficientⱼ kⱼ over the entries of (x, v, s).
double ExplicitRungeKutta::calc_norm(Coefficients coefficients, std::span<const double> weights) {
  add_up(coefficients);
  return internal::calc_weighted_norm(sum_.data(), weights);
}

/// HairerNorsettWanner1993, II.10: the estimate of order 5, made smaller by its ratio to that of order 3, so
/// that it falls with h⁸; there with Euclidean norms.
double ExplicitRungeKutta::calc_error(std::span<const double> weights) {
  const double error5 = calc_norm(tableau_.error5, weights);
  const double error3 = calc_norm(tableau_.error3, weights);
  const double denominator = std::hypot(error5, 0.1 * error3);
  return denominator == 0 ? 0 : h_ * error5 * (error5 / denominator);
}

/// The last stage and the end lie at the same time. Where a fast mode is present, it dominates their difference d,
/// which is then nearly one of its eigenvectors: |d v̇| = ρ² |dx| (as |dẏ| = ρ |dy| in HairerWanner1996, IV.2, but
/// without a norm that adds positions to velocities); of inner states |dṡ| = ρ |ds|.
double ExplicitRungeKutta::calc_stiffness() const {
  const int s = tableau_.stages;
  const auto calc_ratio = [&](int first, int first_slope, int count) {
    const double d = (stage_ - last_stage_).segment(first, count).norm();
    const double change = (slopes_.col(s) - slopes_.col(s - 1)).segment(first_slope, count).norm();
    return d > 0 && std::isfinite(change / d) ? change / d : 0;
  };
  return h_ * std::max(std::sqrt(calc_ratio(0, n_, n_)), calc_ratio(2 * n_, 2 * n_, inner_));
}

double ExplicitRungeKutta::choose_factor(double error) {
  double factor =
      error == 0 ? kExplicitLongest : kExplicitSafety * std::pow(error, -kAlpha) * std::pow(previous_error_, kBeta);
  factor = std::clamp(factor, kExplicitShortest, after_rejection_ ? 1.0 : kExplicitLongest);
  previous_error_ = std::max(error, kExplicitSmallestPreviousError);
  return factor;
}

StepAttempt ExplicitRungeKutta::reject(double factor, double error) {
  after_rejection_ = true;
  return {.accepted = false, .error = error, .next_h = adaptive_ ? factor * h_ : h_};
}

StepAttempt ExplicitRungeKutta::attempt(MotionEquations& equations, double t, double h, const double* y,
                                        const double* slope, std::span<const double> weights) {
  if (equations.inner_count() != inner_) resize(equations);
  THENAR_ASSERT(h > 0 && (!adaptive_ || weights.size() == static_cast<std::size_t>(2 * n_ + inner_)));
  equations_ = &equations, t_ = t, h_ = h;
  dense_is_ready_ = false;
  std::copy_n(y, start_.size(), start_.data());
  std::copy_n(slope, start_.size(), slopes_.col(0).data());

  if (!slopes_.col(0).allFinite() || !run_stages()) return reject(kExplicitNotFiniteFactor, 0);
  const double error = adaptive_ ? calc_error(weights) : 0;
  if (!std::isfinite(error)) return reject(kExplicitNotFiniteFactor, 0);
  if (error > 1) return reject(std::max(kExplicitShortest, kExplicitSafety * std::pow(error, -1.0 / 8)), error);
  if (!evaluate_stage(tableau_.stages)) return reject(kExplicitNotFiniteFactor, 0);

  const double stiffness = calc_stiffness();
  double dense_factor = kExplicitLongest;
  if (adaptive_ && (stiffness > kFarBeyondStability || equations.has_fading_stiffness())) {
    const double dense_error = calc_largest_dense_error(std::max(stiffness, kExplicitStabilityEdge), weights);
    dense_factor = calc_dense_factor(dense_error);
    if (!(dense_error <= kMostDenseError)) return reject(dense_factor, error);
  }
  end_ = stage_;
  end_slope_ = slopes_.col(tableau_.stages);
  const double factor = adaptive_ ? std::min(choose_factor(error), dense_factor) : 1;
  after_rejection_ = false;
  return {.accepted = true, .error = error, .next_h = factor * h, .stiffness = stiffness};
}

/// Evaluates the further stages and the coefficients Fᵢ.
void ExplicitRungeKutta::prepare_dense_output(const VectorX<double>& end) {
  for (int i = tableau_.stages + 1; i < tableau_.all_stages(); ++i) {
    enter_stage(i);
    evaluate_stage(i);
  }
  dense_.col(0) = end - start_;
  dense_.col(1) = h_ * slopes_.col(0) - dense_.col(0);
  dense_.col(2) = 2 * dense_.col(0) - h_ * (slopes_.col(0) + slopes_.col(tableau_.stages));
  for (int r = 0; r < tableau_.dense_rows(); ++r) {
    add_up(tableau_.dense_row(r));
    dense_.col(3 + r) = h_ * sum_;
  }
  dense_is_ready_ = true;
}

/// The error of a fast mode between the ends, over its weight, by the defect of the dense output: f(y) − ẏ = λ e, where
/// `stiffness` is h |λ| or less. Uses stage_ and sum_.
double ExplicitRungeKutta::calc_dense_error(double theta, double stiffness, std::span<const double> weights) {
  sum_.setZero();
  sum_rate_.setZero();
  for (Eigen::Index i = dense_.cols() - 1; i >= 0; --i) {
    const bool is_even = i % 2 == 0;
    sum_ += dense_.col(i);
    sum_rate_ = (is_even ? theta : 1 - theta) * sum_rate_ + (is_even ? 1 : -1) * sum_;
    sum_ *= is_even ? theta : 1 - theta;
  }
  stage_ = start_ + sum_;
  equations_->calc_slope(t_ + theta * h_, stage_.data(), sum_.data());
  sum_ = (h_ * sum_ - sum_rate_) / stiffness;
  return internal::calc_weighted_norm(sum_.data(), weights);
}

/// The dense output has order 7, so its error falls with h⁸ or, where a fast mode grows, faster. The next step may be
/// so much longer only, or it would fail as this one did or nearly did.
double ExplicitRungeKutta::calc_dense_factor(double dense_error) {
  if (!std::isfinite(dense_error)) return kExplicitShortest;
  return std::clamp(kExplicitSafety * std::pow(dense_error / kMostDenseError, -1.0 / 8), kExplicitShortest,
                    kExplicitLongest);
}

/// The largest over some places. The end of the step, which is stage_ before and after, is evaluated last.
double ExplicitRungeKutta::calc_largest_dense_error(double stiffness, std::span<const double> weights) {
  last_stage_ = stage_;
  prepare_dense_output(last_stage_);
  double out = 0;
  for (const double theta : kDensePlaces) out = std::max(out, calc_dense_error(theta, stiffness, weights));
  stage_ = last_stage_;
  evaluate_stage(tableau_.stages);
  return out;
}

void ExplicitRungeKutta::interpolate(double theta, double* y) {
  THENAR_ASSERT(!after_rejection_ && theta >= 0 && theta <= 1);
  Eigen::Map<VectorX<double>> out(y, start_.size());
  // The formula meets the ends only up to rounding.
  if (theta <= 0 || theta >= 1) {
    out = theta <= 0 ? start_ : end_;
    return;
  }
  if (!dense_is_ready_) prepare_dense_output(end_);
  sum_.setZero();
  for (Eigen::Index i = dense_.cols() - 1; i >= 0; --i)
    sum_ = (i % 2 == 0 ? theta : 1 - theta) * (sum_ + dense_.col(i));
  out = start_ + sum_;
}

template <class Archive>
void ExplicitRungeKutta::archive(Archive& a) {
  a(inner_, t_, h_, start_, end_, end_slope_, slopes_, dense_is_ready_);
  if (dense_is_ready_) a(dense_);
  a(previous_error_, after_rejection_);
  if constexpr (Archive::kReads) {
    const Eigen::Index size = start_.size();
    if (slopes_.rows() != size || slopes_.cols() != tableau_.all_stages()) {
      throw StateError("it holds a step of another method");
    }
    for (VectorX<double>* v : {&stage_, &last_stage_, &sum_, &sum_rate_}) v->setZero(size);
    if (!dense_is_ready_) dense_.setZero(size, 3 + tableau_.dense_rows());
  }
}

}  // namespace

std::unique_ptr<Integrator> make_explicit_integrator(const MotionEquations& equations) {
  return std::make_unique<ExplicitRungeKutta>(equations, internal::kDormandPrinceTableau, true);
}

std::unique_ptr<Integrator> make_rk4_integrator(const MotionEquations& equations) {
  return std::make_unique<ExplicitRungeKutta>(equations, internal::kClassicalTableau, false);
}

std::unique_ptr<Integrator> make_rk8_integrator(const MotionEquations& equations) {
  return std::make_unique<ExplicitRungeKutta>(equations, internal::kDormandPrinceTableau, false);
}

}  // namespace thenar
