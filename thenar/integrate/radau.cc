// SPDX-License-Identifier: BSD-3-Clause
//
// Radau IIA of order 5 (HairerWanner1996, IV.8). With Zᵢ = Yᵢ − y the increments of the stages, W = T⁻¹ Z and
// Λ = T⁻¹ A⁻¹ T, simplified Newton iterations read
//
//     (1)  (Λ/h − J) ΔW = T⁻¹ ẏ(y + T W) − (Λ/h) W,
//
// one real and one complex system of size 2 n with matrices μ − J. The second-order form J ≈ [0 1; K C], K = ∂v̇/∂x,
// C = ∂v̇/∂v, brings them down to size n by eliminating the increment of v:
//
//     (2)  μ dx − dv = rx,   μ dv − K dx − C dv = rv,
//
//     (3)  (μ² − μ C − K) dx = rv + (μ − C) rx,   dv = μ dx − rx.
//
// Inner states s add rows μ ds − Gx dx − Gv dv − Gs ds = rs, and F ds, F = ∂v̇/∂s, to the row of v. With S = (μ − Gs)⁻¹,
//
//     (4)  ds = S (rs + Gx dx + Gv dv),
//
// they are gone again: (3) holds with K + F S Gx, C + F S Gv and rv + F S rs in place of K, C and rv.
//
// That ẋ is not quite v in a chart of rotations shows in the residual only. A Jacobian costs about 2 n slopes, an
// iteration 3: an old Jacobian serves until the iterations that its age has cost would have paid for a new one, or
// until the iteration fails with it.

#include <algorithm>
#include <cmath>
#include <complex>

#include "thenar/base/assert.h"
#include "thenar/base/numbers.h"
#include "thenar/integrate/integrator.h"
#include "thenar/integrate/radau_tableau_internal.h"
#include "thenar/integrate/weighted_norm_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

namespace radau = internal::radau;
using Complex = std::complex<double>;

constexpr int kStages = 3;

// Newton's iteration.
constexpr int kMaxIterations = 8;
constexpr double kNewtonTolerance = 0.003;    // what may be left of the increments, in weights
constexpr double kStalledTolerance = 1;       // the same when rounding in stiff forces lets them fall no further
constexpr double kRoundingFactor = 10;        // increments below this many roundings of the state cannot fall further
constexpr double kDivergence = 0.95;          // convergence rate taken for none
constexpr double kDivergenceFactor = 0.5;     // h_next / h after it
constexpr double kRateMemory = 0.8;           // exponent: what the last step's rate says about this one
constexpr double kQuadratureStaleness = 0.1;  // in weights: how far from the solution slopes of w may be taken

// Step control: h_next = h · safety · error^(−1/4), and Gustafsson's prediction (HairerWanner1996, IV.8).
constexpr double kRadauSafety = 0.9;
constexpr double kRadauShortest = 0.125, kRadauLongest = 8;
constexpr double kRadauSmallestPreviousError = 0.01;
constexpr double kKeepBelow = 1.2;             // growth less than this is not worth new factors
constexpr double kRadauNotFiniteFactor = 0.1;  // h_next / h where there is no slope

// Power iteration for the spectral radius; even, see update_spectral_radius().
constexpr int kPowerIterations = 4;

/// C r for a real C: a complex r is taken part by part, at half the price. `part` and `image` are scratch.
void multiply(const MatrixX<double>& C, const Eigen::Ref<const VectorX<double>>& r, VectorX<double>& out,
              VectorX<double>& /*part*/, VectorX<double>& /*image*/) {
  out.noalias() = C * r;
}
void multiply(const MatrixX<double>& C, const Eigen::Ref<const VectorX<Complex>>& r, VectorX<Complex>& out,
              VectorX<double>& part, VectorX<double>& image) {
  part = r.real();
  image.noalias() = C * part;
  out.real() = image;
  part = r.imag();
  image.noalias() = C * part;
  out.imag() = image;
}

/// J of (2) and (4).
struct MotionJacobian {
  MatrixX<double> dv_dx, dv_dv;  // K, C
  InnerJacobian inner;           // F, Gx, Gv, Gs

  int inner_count() const { return static_cast<int>(inner.ds_ds.rows()); }
};

/// (μ − J) z = r with one μ.
template <class Scalar>
class ShiftedSystem {
 public:
  void resize(int n, int l) {
    lu_ = Eigen::PartialPivLU<MatrixX<Scalar>>(n);
    inner_lu_ = Eigen::PartialPivLU<MatrixX<Scalar>>(l);
    matrix_.setZero(n, n);
    shifted_.setZero(l, l), G_.setZero(l, 2 * n), SG_.setZero(l, 2 * n), F_.setZero(n, l);
    for (VectorX<Scalar>* v : {&rhs_, &product_}) v->setZero(n);
    inner_.setZero(l);
    for (VectorX<double>* v : {&part_, &image_}) v->setZero(n);
  }

  void factor(Scalar mu, const MotionJacobian& J) {
    mu_ = mu;
    matrix_ = -mu * J.dv_dv - J.dv_dx;
    matrix_.diagonal().array() += mu * mu;
    if (J.inner_count() > 0) eliminate_inner(J.inner);
    lu_.compute(matrix_);
  }

  /// r = (rx, rv, rs) ← (μ − J)⁻¹ r.
  void solve(const MotionJacobian& J, Eigen::Ref<VectorX<Scalar>> r) {
    const Eigen::Index n = matrix_.rows(), l = F_.cols();
    auto rx = r.head(n), rv = r.segment(n, n), rs = r.segment(2 * n, l);
    multiply(J.dv_dv, rx, product_, part_, image_);
    rhs_ = rv + mu_ * rx - product_;  // (3)
    if (l > 0) {
      inner_ = inner_lu_.solve(rs);
      rs = inner_;
      inner_.noalias() -= SG_.rightCols(n) * rx;
      rhs_.noalias() += F_ * inner_;
    }
    product_ = lu_.solve(rhs_);
    rv = mu_ * product_ - rx;
    rx = product_;
    if (l > 0) rs.noalias() += SG_ * r.head(2 * n);  // (4)
  }

 private:
  /// matrix_ ← matrix_ − F S (Gx + μ Gv).
  void eliminate_inner(const InnerJacobian& J) {
    const Eigen::Index n = matrix_.rows();
    shifted_ = -J.ds_ds.template cast<Scalar>();
    shifted_.diagonal().array() += mu_;
    inner_lu_.compute(shifted_);
    F_ = J.dv_ds.template cast<Scalar>();
    G_.leftCols(n) = J.ds_dx.template cast<Scalar>();
    G_.rightCols(n) = J.ds_dv.template cast<Scalar>();
    SG_ = inner_lu_.solve(G_);
    matrix_.noalias() -= F_ * SG_.leftCols(n);
    matrix_.noalias() -= mu_ * F_ * SG_.rightCols(n);
  }

  Scalar mu_{};
  MatrixX<Scalar> matrix_;                // μ² − μ C − K, with inner states eliminated
  MatrixX<Scalar> shifted_, G_, SG_, F_;  // μ − Gs, [Gx Gv], S [Gx Gv], F
  Eigen::PartialPivLU<MatrixX<Scalar>> lu_, inner_lu_;
  VectorX<Scalar> rhs_, product_, inner_;
  VectorX<double> part_, image_;
};

/// (μ − J) z = r for the two μ of a step.
class StepMatrices {
 public:
  StepMatrices(int n, int l) { resize(n, l); }

  void resize(int n, int l) {
    J_.dv_dx.setZero(n, n), J_.dv_dv.setZero(n, n);
    J_.inner.dv_ds.setZero(n, l), J_.inner.ds_dx.setZero(l, n), J_.inner.ds_dv.setZero(l, n),
        J_.inner.ds_ds.setZero(l, l);
    real_.resize(n, l);
    complex_.resize(n, l);
    pair_.setZero(2 * n + l);
    power_.resize(2 * n + l), power_image_.setZero(2 * n + l);
    forget();
  }

  void forget() {
    h_ = 0;
    restart_power_iteration();
  }

  /// Jacobian at y; false when it is not finite.
  bool update_jacobian(MotionEquations& equations, double t, const double* y, const double* slope) {
    h_ = 0;
    equations.calc_jacobian(t, y, slope, J_.dv_dx, J_.dv_dv);
    if (J_.inner_count() > 0) equations.calc_inner_jacobian(J_.inner);
    for (const MatrixX<double>* part :
         {&J_.dv_dx, &J_.dv_dv, &J_.inner.dv_ds, &J_.inner.ds_dx, &J_.inner.ds_dv, &J_.inner.ds_ds}) {
      if (!part->allFinite()) return false;
    }
    update_spectral_radius();  // only turns the vector towards the mode sought
    return true;
  }

  /// Factors for steps of length h, unless they are there.
  void factor(double h) {
    if (h == h_) return;
    real_.factor(radau::kGamma / h, J_);
    complex_.factor(Complex(radau::kAlpha / h, radau::kBeta / h), J_);
    h_ = h;
  }
  /// r ← (γ/h − J)⁻¹ r.
  void solve_real(Eigen::Ref<VectorX<double>> r) { real_.solve(J_, r); }
  /// r + i s ← ((α + i β)/h − J)⁻¹ (r + i s).
  void solve_complex(Eigen::Ref<VectorX<double>> r, Eigen::Ref<VectorX<double>> s) {
    pair_.real() = r;
    pair_.imag() = s;
    complex_.solve(J_, pair_);
    r = pair_.real();
    s = pair_.imag();
  }

  void update_spectral_radius();
  double spectral_radius() const { return radius_; }

  /// Factors are made again when they are needed.
  template <class Archive>
  void archive(Archive& a) {
    a(J_.dv_dx, J_.dv_dv, J_.inner.dv_ds, J_.inner.ds_dx, J_.inner.ds_dv, J_.inner.ds_ds, power_, radius_);
    if constexpr (Archive::kReads) h_ = 0;
  }

 private:
  void restart_power_iteration() {
    radius_ = 0;
    // Some vector without symmetry, so that it is not orthogonal to the mode sought.
    for (Eigen::Index i = 0; i < power_.size(); ++i) power_(i) = std::sin(1.0 + static_cast<double>(i));
  }

  MotionJacobian J_;
  double h_ = 0;  // of the factors; 0 without
  ShiftedSystem<double> real_;
  ShiftedSystem<Complex> complex_;
  VectorX<Complex> pair_;
  VectorX<double> power_, power_image_;
  double radius_ = 0;
};

/// Mean growth over an even number of multiplications with J: for an undamped oscillation exact in any norm, since then
/// J² is a multiple of the identity, whereas a single product swings between 1 and ρ². With damping the swing remains;
/// it is small in a norm that weighs x by the last ρ against v, as energy does.
void StepMatrices::update_spectral_radius() {
  const Eigen::Index n = J_.dv_dx.rows(), l = J_.inner_count();
  const double scale = radius_ > 0 ? radius_ : 1;
  const auto norm = [n, l, scale](const VectorX<double>& z) {
    return std::hypot(scale * z.head(n).stableNorm(), z.segment(n, n).stableNorm(), scale * z.tail(l).stableNorm());
  };
  double log_growth = 0;
  for (int i = 0; i < kPowerIterations; ++i) {
    power_image_.head(n) = power_.segment(n, n);
    power_image_.segment(n, n).noalias() = J_.dv_dx * power_.head(n);
    power_image_.segment(n, n).noalias() += J_.dv_dv * power_.segment(n, n);
    if (l > 0) {
      power_image_.segment(n, n).noalias() += J_.inner.dv_ds * power_.tail(l);
      power_image_.tail(l).noalias() = J_.inner.ds_dx * power_.head(n);
      power_image_.tail(l).noalias() += J_.inner.ds_dv * power_.segment(n, n);
      power_image_.tail(l).noalias() += J_.inner.ds_ds * power_.tail(l);
    }
    const double growth = norm(power_image_) / norm(power_);
    if (!(growth > 0) || !std::isfinite(growth)) return restart_power_iteration();  // J may be nilpotent
    log_growth += std::log(growth);
    power_ = power_image_ / power_image_.stableNorm();
  }
  radius_ = std::exp(log_growth / kPowerIterations);
}

class Radau final : public Integrator {
 public:
  explicit Radau(const MotionEquations& equations);

  StepAttempt attempt(MotionEquations& equations, double t, double h, const double* y, const double* slope,
                      std::span<const double> weights) override;
  const VectorX<double>& end_state() const override { return end_; }
  const VectorX<double>& end_slope() const override { return end_slope_; }
  void interpolate(double theta, double* y) override;
  void reset() override;
  void restart() override;
  bool has_error_control() const override { return true; }
  void save(StateWriter& writer) override { archive(writer); }
  void load(StateReader& reader, MotionEquations& equations) override {
    equations_ = &equations;
    archive(reader);
  }
  template <class Archive>
  void archive(Archive& a);

 private:
  enum class Newton { converged, slow, not_finite };

  void resize(int inner);
  bool update_jacobian();
  Newton solve_stages(std::span<const double> weights);
  void predict_stages();
  bool evaluate_stage(int i);
  bool evaluate_stages();
  double iterate(std::span<const double> weights);
  void update_increments();
  bool is_slow(double rate, double change, double tolerance);
  double calc_error(std::span<const double> weights);
  double filter_error(const double* slope, std::span<const double> weights);
  bool finish_step();
  double choose_factor(double error) const;
  void count_iterations();
  /// Whether iterations beyond those of a new Jacobian have cost as much as one, 2 n slopes.
  bool jacobian_is_due() const { return !jacobian_is_new_ && extra_slopes_ >= 2 * n_; }
  StepAttempt reject(double factor, double error);

  int n_, inner_ = 0, moving_ = 0, quadratures_;  // entries of v, of s, of (x, v, s), of w
  StepMatrices matrices_;

  // The step last tried; the end only changes when it is accepted, so that a step may start at end_state() itself.
  MotionEquations* equations_ = nullptr;
  double t_ = 0, h_ = 0;
  VectorX<double> start_, start_slope_, end_, end_slope_, trial_slope_;
  MatrixX<double> increments_;   // column i: Zᵢ
  MatrixX<double> slopes_;       // column i: slope at stage i when last evaluated
  MatrixX<double> transformed_;  // W, of (x, v, s)
  MatrixX<double> change_;       // right side of (1), then ΔW
  VectorX<double> stage_, error_;

  // Newton's iteration: how the last one went.
  int iterations_ = 0;
  double last_change_ = 0;  // in weights
  double contraction_ = 1;  // θ / (1 − θ), to bound what is left after an increment
  double slow_factor_ = 1;  // h_next / h with which it should do better

  // The Jacobian's age.
  bool has_jacobian_ = false, jacobian_is_new_ = false;
  int usual_iterations_ = 0;  // that the step took for which it was new
  double extra_slopes_ = 0;   // spent since on iterations beyond these

  // What is known from the last accepted step.
  bool is_first_ = true, after_rejection_ = false;
  double previous_h_ = 0, previous_error_ = 1;
  MatrixX<double> previous_;  // (n + l) × 3, increments of v and s
};

Radau::Radau(const MotionEquations& equations)
    : n_(equations.size()), quadratures_(equations.quadrature_count()), matrices_(n_, 0) {
  resize(equations.inner_count());
}

void Radau::resize(int inner) {
  inner_ = inner;
  moving_ = 2 * n_ + inner_;
  const int size = moving_ + quadratures_;
  matrices_.resize(n_, inner_);
  for (VectorX<double>* v : {&start_, &start_slope_, &end_, &end_slope_, &trial_slope_, &stage_}) v->setZero(size);
  for (MatrixX<double>* m : {&increments_, &slopes_}) m->setZero(size, kStages);
  for (MatrixX<double>* m : {&transformed_, &change_}) m->setZero(moving_, kStages);
  error_.setZero(moving_);
  previous_.setZero(n_ + inner_, kStages);
  reset();
}

void Radau::restart() {
  is_first_ = true;
  after_rejection_ = false;
  jacobian_is_new_ = false;
  contraction_ = 1;
}

void Radau::reset() {
  restart();
  has_jacobian_ = false;
  matrices_.forget();
}

bool Radau::update_jacobian() {
  has_jacobian_ = matrices_.update_jacobian(*equations_, t_, start_.data(), start_slope_.data());
  jacobian_is_new_ = true;
  extra_slopes_ = 0;
  return has_jacobian_;
}

/// Zᵢ to begin with. v and s follow the last step's collocation polynomial; x follows v through its own stage equation
/// with ẋ = v, which needs no knowledge of the chart the last step was in.
void Radau::predict_stages() {
  auto dx = increments_.topRows(n_), dv = increments_.middleRows(n_, n_ + inner_);
  increments_.setZero();
  if (!is_first_) {
    for (int i = 0; i < kStages; ++i) {
      radau::Row weights = radau::calc_collocation_weights(1 + radau::kNodes[i] * h_ / previous_h_);
      weights[2] -= 1;  // increments from the last step's end
      for (int j = 0; j < kStages; ++j) dv.col(i) += weights[j] * previous_.col(j);
    }
  }
  for (int i = 0; i < kStages; ++i) {
    dx.col(i) = radau::kNodes[i] * h_ * start_slope_.head(n_);
    for (int j = 0; j < kStages; ++j) dx.col(i) += radau::kA[i][j] * h_ * dv.col(j).head(n_);
  }
  for (int i = 0; i < kStages; ++i) {
    transformed_.col(i).setZero();
    for (int j = 0; j < kStages; ++j) transformed_.col(i) += radau::kInverseT[i][j] * increments_.col(j).head(moving_);
  }
}

bool Radau::evaluate_stage(int i) {
  stage_ = start_ + increments_.col(i);
  equations_->calc_slope(t_ + radau::kNodes[i] * h_, stage_.data(), slopes_.col(i).data());
  return slopes_.col(i).allFinite();
}

bool Radau::evaluate_stages() { return evaluate_stage(0) && evaluate_stage(1) && evaluate_stage(2); }

/// One iteration (1) from the slopes at hand; returns the norm of ΔW.
double Radau::iterate(std::span<const double> weights) {
  for (int i = 0; i < kStages; ++i) {
    change_.col(i) = radau::kInverseT[i][0] * slopes_.col(0).head(moving_);
    for (int j = 1; j < kStages; ++j) change_.col(i) += radau::kInverseT[i][j] * slopes_.col(j).head(moving_);
  }
  const double gamma = radau::kGamma / h_, alpha = radau::kAlpha / h_, beta = radau::kBeta / h_;
  change_.col(0) -= gamma * transformed_.col(0);
  change_.col(1) -= alpha * transformed_.col(1) - beta * transformed_.col(2);
  change_.col(2) -= beta * transformed_.col(1) + alpha * transformed_.col(2);
  matrices_.solve_real(change_.col(0));
  matrices_.solve_complex(change_.col(1), change_.col(2));
  double norm = 0;
  for (int i = 0; i < kStages; ++i) {
    norm = std::max(norm, internal::calc_weighted_norm(change_.col(i).data(), weights));
  }
  return norm;
}

/// Z ← T W.
void Radau::update_increments() {
  for (int i = 0; i < kStages; ++i) {
    auto z = increments_.col(i).head(moving_);
    z = radau::kT[i][0] * transformed_.col(0);
    for (int j = 1; j < kStages; ++j) z += radau::kT[i][j] * transformed_.col(j);
  }
}

/// HairerWanner1996, IV.8, on when to stop: with the rate θ of convergence, what is left after ΔW is at most
/// θ/(1 − θ) ‖ΔW‖. Sets that factor; true when the iterations left would not be enough at this rate.
bool Radau::is_slow(double rate, double change, double tolerance) {
  slow_factor_ = kDivergenceFactor;
  contraction_ = rate < kDivergence ? rate / (1 - rate) : 1;
  if (rate >= kDivergence) return true;
  const int left = kMaxIterations - iterations_;
  const double excess = contraction_ * change * std::pow(rate, left) / tolerance;
  slow_factor_ = 0.8 * std::pow(std::clamp(excess, 1.0, 20.0), -1.0 / (4 + left));  // as RADAU5 does
  return excess > 1;
}

Radau::Newton Radau::solve_stages(std::span<const double> weights) {
  const double rounding = kRoundingFactor * kEpsilon * internal::calc_weighted_norm(start_.data(), weights);
  const double tolerance = std::max(kNewtonTolerance, rounding);
  matrices_.factor(h_);
  predict_stages();
  contraction_ = std::pow(std::max(contraction_, kEpsilon), kRateMemory);
  double previous_ratio = 0;
  for (iterations_ = 1; iterations_ <= kMaxIterations; ++iterations_) {
    if (!evaluate_stages()) return Newton::not_finite;
    const double fading = equations_->calc_fading();
    const double change = iterate(weights);
    if (!std::isfinite(change)) return Newton::not_finite;
    bool slow = false;
    if (iterations_ > 1) {
      const double ratio = change / last_change_;
      slow = is_slow(iterations_ == 2 ? ratio : std::sqrt(ratio * previous_ratio), change, tolerance);
      previous_ratio = ratio;
    }
    last_change_ = change;
    transformed_ += change_;
    update_increments();
    // What is left where the motion has become less stiff since the Jacobian was made: ΔW is too short by that.
    const double left = std::max(contraction_, fading - 1) * change;
    if (left <= tolerance || change <= rounding || (slow && left <= kStalledTolerance)) return Newton::converged;
    if (slow) return Newton::slow;
  }
  return Newton::slow;
}

/// error_ ← (γ/h − J)⁻¹ (slope + Σᵢ Eᵢ Zᵢ / h), and its norm.
double Radau::filter_error(const double* slope, std::span<const double> weights) {
  error_ = Eigen::Map<const VectorX<double>>(slope, moving_);
  for (int i = 0; i < kStages; ++i) error_ += radau::kError[i] / h_ * increments_.col(i).head(moving_);
  matrices_.solve_real(error_);
  return internal::calc_weighted_norm(error_.data(), weights);
}

/// HairerWanner1996 (8.19), and (8.20) where a step seems too long for reasons that a second filtering may remove.
double Radau::calc_error(std::span<const double> weights) {
  const double error = filter_error(start_slope_.data(), weights);
  if (!(error >= 1) || !std::isfinite(error) || !(is_first_ || after_rejection_)) return error;
  stage_ = start_;
  stage_.head(moving_) += error_;
  equations_->calc_slope(t_, stage_.data(), trial_slope_.data());
  return trial_slope_.allFinite() ? filter_error(trial_slope_.data(), weights) : error;
}

/// The slope at the end, which is the last stage, and the quadratures; false when one is not finite.
bool Radau::finish_step() {
  if (quadratures_ > 0 && last_change_ > kQuadratureStaleness && !(evaluate_stage(0) && evaluate_stage(1)))
    return false;
  if (!evaluate_stage(2)) return false;
  for (int i = 0; i < kStages; ++i) {
    auto dw = increments_.col(i).tail(quadratures_);
    for (int j = 0; j < kStages; ++j) dw += radau::kA[i][j] * h_ * slopes_.col(j).tail(quadratures_);
  }
  return increments_.allFinite();
}

/// h_next / h after an accepted step. Gustafsson's prediction follows the trend of the errors; fewer iterations than
/// allowed raise the safety factor.
double Radau::choose_factor(double error) const {
  if (error == 0) return kRadauLongest;
  const double safety = kRadauSafety * (2.0 * kMaxIterations + 1) / (2.0 * kMaxIterations + iterations_);
  double factor = safety * std::pow(error, -0.25);
  if (!is_first_)
    factor = std::min(factor, safety * h_ / previous_h_ * std::pow(previous_error_ / (error * error), 0.25));
  factor = std::clamp(factor, kRadauShortest, after_rejection_ ? 1.0 : kRadauLongest);
  return factor >= 1 && factor <= kKeepBelow && !jacobian_is_due() ? 1 : factor;
}

StepAttempt Radau::reject(double factor, double error) {
  after_rejection_ = true;
  return {.accepted = false, .error = error, .next_h = factor * h_, .stiffness = h_ * matrices_.spectral_radius()};
}

StepAttempt Radau::attempt(MotionEquations& equations, double t, double h, const double* y, const double* slope,
                           std::span<const double> weights) {
  if (equations.inner_count() != inner_) resize(equations.inner_count());
  THENAR_ASSERT(h > 0 && weights.size() == static_cast<std::size_t>(moving_));
  equations_ = &equations, t_ = t, h_ = h;
  std::copy_n(y, start_.size(), start_.data());
  std::copy_n(slope, start_.size(), start_slope_.data());
  if (!start_slope_.allFinite()) return reject(kRadauNotFiniteFactor, 0);

  const bool is_outdated = jacobian_is_due() || (!jacobian_is_new_ && equations.has_fading_stiffness());
  if ((!has_jacobian_ || is_outdated) && !update_jacobian()) return reject(kRadauNotFiniteFactor, 0);
  matrices_.update_spectral_radius();
  Newton outcome = solve_stages(weights);
  if (outcome == Newton::slow && !jacobian_is_new_) {
    if (!update_jacobian()) return reject(kRadauNotFiniteFactor, 0);
    outcome = solve_stages(weights);
  }
  if (outcome != Newton::converged) return reject(outcome == Newton::slow ? slow_factor_ : kRadauNotFiniteFactor, 0);

  const double error = calc_error(weights);
  if (!std::isfinite(error)) return reject(kRadauNotFiniteFactor, 0);
  if (error > 1) return reject(std::max(kRadauShortest, kRadauSafety * std::pow(error, -0.25)), error);
  if (!finish_step()) return reject(kRadauNotFiniteFactor, 0);

  end_ = start_ + increments_.col(2);
  end_slope_ = slopes_.col(2);
  count_iterations();
  const double factor = choose_factor(error);
  previous_h_ = h;
  previous_error_ = std::max(error, kRadauSmallestPreviousError);
  previous_ = increments_.middleRows(n_, n_ + inner_);
  is_first_ = after_rejection_ = false;
  return {.accepted = true, .error = error, .next_h = factor * h, .stiffness = h * matrices_.spectral_radius()};
}

/// After an accepted step: what the age of the Jacobian has cost.
void Radau::count_iterations() {
  if (jacobian_is_new_) usual_iterations_ = iterations_;
  extra_slopes_ += kStages * std::max(0, iterations_ - usual_iterations_);
  jacobian_is_new_ = false;
}

void Radau::interpolate(double theta, double* y) {
  THENAR_ASSERT(!after_rejection_ && theta >= 0 && theta <= 1);
  Eigen::Map<VectorX<double>> out(y, start_.size());
  // The formula meets the ends only up to rounding.
  if (theta <= 0 || theta >= 1) {
    out = theta <= 0 ? start_ : end_;
    return;
  }
  const radau::Row weights = radau::calc_collocation_weights(theta);
  out = start_ + weights[0] * increments_.col(0) + weights[1] * increments_.col(1) + weights[2] * increments_.col(2);
}

template <class Archive>
void Radau::archive(Archive& a) {
  int inner = inner_;
  a(inner);
  if constexpr (Archive::kReads) {
    if (inner < 0) throw StateError("it holds a step of another method");
    if (inner != inner_) resize(inner);
  }
  a(matrices_, t_, h_, start_, start_slope_, end_, end_slope_, increments_);
  a(iterations_, last_change_, contraction_, slow_factor_);
  a(has_jacobian_, jacobian_is_new_, usual_iterations_, extra_slopes_);
  a(is_first_, after_rejection_, previous_h_, previous_error_, previous_);
}

}  // namespace

std::unique_ptr<Integrator> make_implicit_integrator(const MotionEquations& equations) {
  return std::make_unique<Radau>(equations);
}

}  // namespace thenar
