// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/symplectic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

/// The iteration contracts by about h |v| each time; more than this many mean that the step is far too long.
constexpr int kMostIterations = 60;
/// Below this relative change only rounding is left.
constexpr double kConverged = 4e-16;
constexpr double kNearlyConverged = 1e-9;
/// Motions (rad, m) in a step below which the change is not taken relative to the motion: a joint at rest has none.
constexpr double kSmallSymplecticMove = 1e-3;

/// Calls visit(first degree of freedom) for every rotation in space.
template <class Visit>
void visit_rotations(const Model& model, const Visit& visit) {
  for (const Link& link : model.links()) {
    if (link.kind == LinkKind::ball || link.kind == LinkKind::free) visit(link.v);
  }
}

template <class T>
Vec3<T> three(const T* x) {
  return {x[0], x[1], x[2]};
}

template <class T>
void put(const Vec3<T>& from, T* to) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

class SymplecticMidpoint final : public Integrator {
 public:
  explicit SymplecticMidpoint(ConstrainedMotion& motion)
      : motion_(motion),
        n_(motion.size()),
        workspace_(motion.model()),
        force_workspace_(motion.model()),
        dual_workspace_(motion.model()),
        mass_(motion.model()) {
    const int size = 2 * n_ + motion.quadrature_count();
    for (VectorX<double>* v : {&start_, &start_slope_, &end_, &end_slope_, &middle_, &middle_slope_}) v->setZero(size);
    for (VectorX<double>* v : {&xi_, &p_start_, &mu_, &mu_along_, &force_, &half_, &correction_}) v->setZero(n_);
    q_.setZero(motion.model().position_count());
    q_dual_.resize(static_cast<std::size_t>(motion.model().position_count()));
    q_base_.resize(q_dual_.size());
    for (auto* v : {&x_dual_, &xi_dual_, &mu_dual_}) v->resize(static_cast<std::size_t>(n_));
  }

  StepAttempt attempt(MotionEquations& equations, double t, double h, const double* y, const double* slope,
                      std::span<const double> weights) override;
  const VectorX<double>& end_state() const override { return end_; }
  const VectorX<double>& end_slope() const override { return end_slope_; }
  void interpolate(double theta, double* y) override;
  void reset() override {}
  bool has_error_control() const override { return false; }
  void save(StateWriter& writer) override { archive(writer); }
  void load(StateReader& reader, MotionEquations&) override { archive(reader); }
  template <class Archive>
  void archive(Archive& a) {
    a(h_, start_, start_slope_, end_, end_slope_);
  }

 private:
  void calc_start_momentum();
  void calc_momentum();
  void calc_force(double t);
  void carry(double way, const VectorX<double>& at_middle, VectorX<double>& out) const;
  bool find_mean_velocity(double t, double h);
  void finish(double t, double h);

  ConstrainedMotion& motion_;
  int n_;
  double h_ = 0;
  Workspace<double> workspace_;  ///< holds the factorization of M
  Workspace<double> force_workspace_;
  Workspace<Dual4> dual_workspace_;
  MassMatrix<Dual4> mass_;
  VectorX<double> start_, start_slope_, end_, end_slope_, middle_, middle_slope_;
  VectorX<double> xi_;                       ///< ξ
  VectorX<double> p_start_, mu_, mu_along_;  ///< p₀, μ and d/ds M(qₘ ⊕ s ξ) ξ
  VectorX<double> force_, half_, correction_;
  VectorX<double> q_;
  std::vector<Dual4> q_base_, q_dual_, x_dual_, xi_dual_, mu_dual_;
};

/// p₀ = M v, and the factorization of M at the start, which drives the iteration.
void SymplecticMidpoint::calc_start_momentum() {
  xi_ = start_.segment(n_, n_);
  q_ = motion_.origin();
  calc_momentum();
  p_start_ = mu_;
  update_positions(motion_.model(), q_.data(), workspace_);
  factorize_articulated(motion_.model(), workspace_);
}

/// μ and its derivative along the motion, at q_.
void SymplecticMidpoint::calc_momentum() {
  const Model& model = motion_.model();
  for (int i = 0; i < n_; ++i) {
    x_dual_[i] = Dual4(0.0);
    x_dual_[i].seed(0, xi_(i));
    xi_dual_[i] = Dual4(xi_(i));
  }
  for (int i = 0; i < model.position_count(); ++i) q_base_[i] = Dual4(q_(i));
  integrate_position(model, q_base_.data(), x_dual_.data(), q_dual_.data());
  update_positions(model, q_dual_.data(), dual_workspace_);
  mass_.update(model, dual_workspace_);
  mass_.multiply(xi_dual_.data(), mu_dual_.data());
  for (int i = 0; i < n_; ++i) {
    mu_(i) = mu_dual_[i].value();
    mu_along_(i) = mu_dual_[i].gradient()[0];
  }
}

/// G of (1) at middle_ and q_, after calc_momentum there.
void SymplecticMidpoint::calc_force(double t) {
  const Model& model = motion_.model();
  motion_.calc_slope(t, middle_.data(), middle_slope_.data());
  inverse_dynamics<double>(model, q_.data(), xi_.data(), nullptr, motion_.wrenches(), force_workspace_, force_.data());
  force_ = mu_along_ + motion_.effort() - force_;
  visit_rotations(model, [&](int k) {
    const Vec3<double> turned = cross(three(xi_.data() + k), three(mu_.data() + k));
    put(three(force_.data() + k) - turned, force_.data() + k);
  });
}

/// out = J⁻ᵀ(w ξ) (μ + w/2 Jᵀ(w ξ/2) G): the momentum at the end of the step (w = h) or at its start (w = −h).
void SymplecticMidpoint::carry(double way, const VectorX<double>& at_middle, VectorX<double>& out) const {
  const Model& model = motion_.model();
  out = at_middle + 0.5 * way * force_;
  visit_rotations(model, [&](int k) {
    const Vec3<double> phi = three(xi_.data() + k) * way;
    const Vec3<double> push = left_jacobian(phi * -0.5, three(force_.data() + k)) * (0.5 * way);
    put(left_jacobian_inverse_transpose(phi, three(at_middle.data() + k) + push), out.data() + k);
  });
}

/// Solves (2) for ξ.
bool SymplecticMidpoint::find_mean_velocity(double t, double h) {
  double last_change = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostIterations; ++i) {
    middle_.head(n_) = 0.5 * h * xi_;
    middle_.segment(n_, n_) = xi_;
    motion_.calc_position(middle_.data(), q_.data());
    calc_momentum();
    calc_force(t + 0.5 * h);
    carry(-h, mu_, half_);
    half_ = p_start_ - half_;
    solve_articulated(motion_.model(), half_.data(), workspace_, correction_.data());
    xi_ += correction_;
    const double change =
        correction_.cwiseAbs().maxCoeff() / std::max(xi_.cwiseAbs().maxCoeff(), kSmallSymplecticMove / h);
    if (!std::isfinite(change)) return false;
    // Done, or down to rounding and no longer falling.
    if (change <= kConverged || (change < kNearlyConverged && change >= last_change)) return true;
    last_change = change;
  }
  return false;
}

/// (3), the quadratures and the slope at the end.
void SymplecticMidpoint::finish(double t, double h) {
  const Model& model = motion_.model();
  carry(h, mu_, half_);
  end_.head(n_) = h * xi_;
  motion_.calc_position(end_.data(), q_.data());
  update_positions(model, q_.data(), workspace_);
  factorize_articulated(model, workspace_);
  solve_articulated(model, half_.data(), workspace_, end_.data() + n_);
  const Eigen::Index quadratures = end_.size() - 2 * n_;
  end_.tail(quadratures) = start_.tail(quadratures) + h * middle_slope_.tail(quadratures);
  motion_.calc_slope(t + h, end_.data(), end_slope_.data());
}

StepAttempt SymplecticMidpoint::attempt(MotionEquations&, double t, double h, const double* y, const double* slope,
                                        std::span<const double>) {
  h_ = h;
  std::copy_n(y, start_.size(), start_.data());
  std::copy_n(slope, start_.size(), start_slope_.data());
  calc_start_momentum();
  // Where the explicit midpoint rule would be: half the iterations of starting at v.
  xi_ = start_.segment(n_, n_) + 0.5 * h * start_slope_.segment(n_, n_);
  if (!find_mean_velocity(t, h)) return {.accepted = false, .next_h = h};
  finish(t, h);
  return {.accepted = end_.allFinite() && end_slope_.allFinite(), .next_h = h};
}

/// Hermite's cubic: values and slopes at both ends.
void SymplecticMidpoint::interpolate(double theta, double* y) {
  const double r = 1 - theta;
  const double a = r * r * (1 + 2 * theta), b = theta * theta * (1 + 2 * r);
  const double c = h_ * theta * r * r, d = -h_ * theta * theta * r;
  Eigen::Map<VectorX<double>>(y, start_.size()) = a * start_ + b * end_ + c * start_slope_ + d * end_slope_;
}

}  // namespace

std::unique_ptr<Integrator> make_symplectic_integrator(ConstrainedMotion& motion) {
  return std::make_unique<SymplecticMidpoint>(motion);
}

}  // namespace thenar
