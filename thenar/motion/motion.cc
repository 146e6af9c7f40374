// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/motion.h"

#include <algorithm>
#include <cmath>

#include "thenar/base/rounding_noise.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/scenario/tolerances.h"
#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

/// Newton steps that bring a position back on curved rows: it starts within the tolerance of a step, so two suffice.
constexpr int kMostJointProjections = 4;
/// Positions (rad, m) this close have the same Jacobian for Newton's method.
constexpr double kSamePosition = 0.05;

bool is_rotation_in_space(const Link& link) { return link.kind == LinkKind::ball || link.kind == LinkKind::free; }

}  // namespace

/// J⁻¹(x) = J⁻ᵀ(−x).
void turn_into_chart_rate(const Model& model, const double* x, double* rate) {
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    if (!is_rotation_in_space(link)) continue;
    const double* p = x + link.v;
    double* r = rate + link.v;
    const Vec3<double> out =
        left_jacobian_inverse_transpose(Vec3<double>(-p[0], -p[1], -p[2]), Vec3<double>(r[0], r[1], r[2]));
    r[0] = out.x, r[1] = out.y, r[2] = out.z;
  }
}

bool Mode::holds(int row) const { return std::binary_search(held.begin(), held.end(), row); }

void Mode::hold(int row) {
  if (!holds(row)) held.insert(std::lower_bound(held.begin(), held.end(), row), row);
}

ConstrainedMotion::ConstrainedMotion(const Scenario& scenario, const VectorX<double>& start)
    : scenario_(&scenario),
      laws_(scenario.model, scenario.contacts.value_or(ContactRules{})),
      scales_(find_scales(scenario.model, scenario.initial)),
      forces_(scenario),
      rows_(make_joint_rows(scenario.model, start)),
      origin_(start),
      workspace_(scenario.model),
      response_(scenario.model, rows_.size()),
      derivatives_(scenario.model),
      contact_reactions_(scenario.model, scenario.contacts ? scenario.contacts->cone : FrictionCone{},
                         scenario.run.baumgarte, scales_.length / (scales_.time * scales_.time)),
      layers_(scenario.model) {
  const int nq = scenario.model.position_count(), nv = scenario.model.velocity_count();
  for (VectorX<double>* vector : {&q_, &q_next_}) vector->setZero(nq);
  for (VectorX<double>* vector : {&effort_, &vdot_, &increment_}) vector->setZero(nv);
  if (!scenario.controls.empty()) {
    for (MatrixX<double>* matrix : {&effort_dq_, &effort_dv_}) matrix->setZero(nv, nv);
  }
  mode_.slip.assign(rows_.size(), 0);
  set_mode(mode_);
}

void ConstrainedMotion::set_mode(const Mode& mode) {
  mode_is_new_ = mode_is_new_ || !(mode_ == mode);
  mode_ = mode;
  const auto k = static_cast<Eigen::Index>(mode.held.size());
  reactions_.setZero(k);
  factor_.setZero(k, k);
  row_products_.setZero(k, size());
  has_curved_rows_ = std::any_of(mode.held.begin(), mode.held.end(),
                                 [&](int i) { return !rows_[static_cast<std::size_t>(i)].is_constant(); });
}

void ConstrainedMotion::hold(MotionModes modes) {
  set_mode(modes.joints);
  mode_is_new_ = true;
  contact_reactions_.set_contacts(std::move(modes.contacts));
}

void ConstrainedMotion::set_layer_contacts(std::vector<internal::LayerContact> contacts) {
  mode_is_new_ = true;
  layers_.set_contacts(std::move(contacts));
  shears_ = layers_.collect_shears();
}

/// A state of other layers, before an instant that was given up, says nothing of the shears of these.
bool ConstrainedMotion::follow_layer_contacts(const State& state) {
  shears_ = state.inner.size() == layers_.shear_count() ? state.inner : layers_.collect_shears();
  return layers_.update(state.q.data(), state.v.data(), shears_.data());
}

void ConstrainedMotion::follow_contacts(const VectorX<double>& q, const VectorX<double>& v) {
  contact_reactions_.update(q.data(), v.data());
}

void ConstrainedMotion::set_origin(const VectorX<double>& q) {
  origin_ = q;
  for (HeldContact& contact : contact_reactions_.contacts()) contact.anchor();
  for (internal::LayerContact& contact : layers_.contacts()) contact.place().anchor();
}

void ConstrainedMotion::return_to_origin() {
  for (HeldContact& contact : contact_reactions_.contacts()) contact.return_to_anchor();
  for (internal::LayerContact& contact : layers_.contacts()) contact.place().return_to_anchor();
}

void ConstrainedMotion::calc_position(const double* x, double* q) const {
  integrate_position(model(), origin_.data(), x, q);
}

double ConstrainedMotion::largest_rotation(const double* x) const {
  double largest = 0;
  for (const Link& link : model().links()) {
    if (is_rotation_in_space(link)) largest = std::max(largest, std::hypot(x[link.v], x[link.v + 1], x[link.v + 2]));
  }
  return largest;
}

PowerFlow<double> ConstrainedMotion::calc_free_efforts(double t, const double* q, const double* v,
                                                       std::span<const int> slip) {
  PowerFlow<double> power = forces_.evaluate(std::min(t, latest_time_), q, v, workspace_, effort_.data(), wrenches_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (slip[i] == 0) continue;
    const double friction = slip[i] * rows_[i].friction_limit();
    effort_(rows_[i].dof()) -= friction;
    power.dissipated += friction * v[rows_[i].dof()];
  }
  if (!layers_.empty()) add_layers(q, v, power);
  return power;
}

void ConstrainedMotion::calc_free_acceleration(double t, const double* q, const double* v, std::span<const int> slip,
                                               double* vdot) {
  calc_free_efforts(t, q, v, slip);
  forward_dynamics(model(), q, v, effort_.data(), wrenches_, workspace_, vdot);
  ++evaluations_;
}

PowerFlow<double> ConstrainedMotion::calc_acceleration(double t, const double* q, const double* v, double* vdot) {
  PowerFlow<double> power = calc_free_efforts(t, q, v, mode_.slip);
  if (contacts().empty()) {
    forward_dynamics(model(), q, v, effort_.data(), wrenches_, workspace_, vdot);
    ++evaluations_;
    if (!mode_.held.empty()) add_reactions(q, v, vdot);
    return power;
  }
  contact_reactions_.begin(q, v, effort_.data(), wrenches_, vdot);
  ++evaluations_;
  add_contact_reactions(q, v, vdot, power);
  return power;
}

/// Where a layer is lost its effort is no number, and the step is not taken.
void ConstrainedMotion::add_layers(const double* q, const double* v, PowerFlow<double>& power) {
  if (!layers_.update(q, v, shears_.data())) {
    effort_.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  layers_.add_efforts(effort_.data());
  power.dissipated += layers_.calc_dissipated();
}

void ConstrainedMotion::calc_slope(double t, const double* y, double* slope) {
  const int nv = size(), inner = inner_count();
  const double* v = y + nv;
  calc_position(y, q_.data());
  std::copy_n(v + nv, inner, shears_.data());
  const PowerFlow<double> power = calc_acceleration(t, q_.data(), v, slope + nv);
  std::copy_n(v, nv, slope);
  turn_into_chart_rate(model(), y, slope);
  if (inner > 0) layers_.write_rates(slope + 2 * nv);
  slope[2 * nv + inner] = power.work;
  slope[2 * nv + inner + 1] = power.dissipated;
}

/// b ← −A⁻¹ b.
void ConstrainedMotion::solve_reactions(VectorX<double>& b) {
  factor_ = response_.A();
  Eigen::LLT<Eigen::Ref<MatrixX<double>>> cholesky(factor_);
  b = -b;
  cholesky.solveInPlace(b);
  add_noise(b.data(), b.size());
}

void ConstrainedMotion::add_reactions(const double* q, const double* v, double* vdot) {
  for (const int i : mode_.held) rows_[static_cast<std::size_t>(i)].update(q, v);
  response_.update(model(), q, rows_, mode_.held);
  for (std::size_t k = 0; k < mode_.held.size(); ++k) {
    const JointRow& row = rows_[static_cast<std::size_t>(mode_.held[k])];
    reactions_(static_cast<Eigen::Index>(k)) = row.multiply(vdot) + row.bias();
  }
  solve_reactions(reactions_);
  Eigen::Map<VectorX<double>>(vdot, size()).noalias() += response_.X() * reactions_;
  for (std::size_t k = 0; k < mode_.held.size(); ++k) {
    const JointRow& row = rows_[static_cast<std::size_t>(mode_.held[k])];
    row.add_transposed(reactions_(static_cast<Eigen::Index>(k)), effort_.data());
  }
  stop_constant_rows(vdot);
}

/// The same together with contacts that hold. Where one of them is lost the slope is no number, and the step is not
/// taken.
void ConstrainedMotion::add_contact_reactions(const double* q, const double* v, double* vdot,
                                              PowerFlow<double>& power) {
  for (const int i : mode_.held) rows_[static_cast<std::size_t>(i)].update(q, v);
  if (!contact_reactions_.follow()) {
    std::fill_n(vdot, size(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  power.dissipated += contact_reactions_.add_reactions(rows_, mode_.held, vdot);
  reactions_ = contact_reactions_.joint_reactions();
  stop_constant_rows(vdot);
}

/// Sets accelerations of constant rows to 0 exactly, so that a joint at rest on a stop stays there to the last bit.
void ConstrainedMotion::stop_constant_rows(double* vdot) const {
  for (const int i : mode_.held) {
    const JointRow& row = rows_[static_cast<std::size_t>(i)];
    if (row.is_constant()) vdot[row.dof()] = 0;
  }
}

bool ConstrainedMotion::has_fading_stiffness() const {
  return std::any_of(contacts().begin(), contacts().end(), [](const HeldContact& contact) {
    return contact.hold() == ContactHold::sliding && contact.tangent_count() > 1;
  });
}

/// Derivatives of the free motion serve in every mode and for every slip. After an event they are kept if the position
/// has hardly changed since; a second request in the same mode says that they did not serve well.
bool ConstrainedMotion::can_keep_derivatives() const {
  return has_derivatives_ && (mode_is_new_ || has_fading_stiffness()) &&
         (q_ - q_derived_).cwiseAbs().maxCoeff() < kSamePosition;
}

/// ∂v̇ ← ∂v̇ + M⁻¹ ∂τ at q_, for the efforts of controllers. Where there are contacts M is that of the evaluation there.
void ConstrainedMotion::add_feedback(double t, const double* v, Eigen::Ref<MatrixX<double>> dv_dx,
                                     Eigen::Ref<MatrixX<double>> dv_dv) {
  actuation().calc_derivatives(std::min(t, latest_time_), q_.data(), v, effort_dq_, effort_dv_);
  Workspace<double>& workspace = contacts().empty() ? workspace_ : contact_reactions_.workspace();
  if (contacts().empty()) {
    update_positions(model(), q_.data(), workspace);
    factorize_articulated(model(), workspace);
  }
  const auto add_column = [&](const MatrixX<double>& effort, Eigen::Ref<MatrixX<double>> change, int j) {
    if ((effort.col(j).array() == 0).all()) return;  // no controller looks at it
    solve_articulated(model(), effort.col(j).data(), workspace, increment_.data());
    change.col(j) += increment_;
  };
  for (int j = 0; j < size(); ++j) {
    add_column(effort_dq_, dv_dx, j);
    add_column(effort_dv_, dv_dv, j);
  }
}

void ConstrainedMotion::calc_jacobian(double t, const double* y, const double*, Eigen::Ref<MatrixX<double>> dv_dx,
                                      Eigen::Ref<MatrixX<double>> dv_dv) {
  const int nv = size();
  const double* v = y + nv;
  // Efforts without springs and dampers, which the derivatives add by themselves.
  calc_position(y, q_.data());
  std::copy_n(v + nv, inner_count(), shears_.data());
  calc_acceleration(t, q_.data(), v, vdot_.data());
  increment_.setZero();
  add_passive_forces(model(), q_.data(), v, increment_.data());
  increment_ = effort_ - increment_;
  if (!can_keep_derivatives()) {
    derivatives_.forward_in_state(model(), q_.data(), v, increment_.data(), wrenches_);
    evaluations_ += 2 * nv;
    q_derived_ = q_;
    has_derivatives_ = true;
  }
  mode_is_new_ = false;
  dv_dx = derivatives_.result().dq;
  dv_dv = derivatives_.result().dv;
  if (actuation().has_feedback()) add_feedback(t, v, dv_dx, dv_dv);
  if (!layers_.empty()) layers_.add_derivatives(dv_dx, dv_dv, inner_jacobian_);
  if (!contacts().empty()) contact_reactions_.add_friction_slopes(dv_dv);
  constrain(dv_dx);
  constrain(dv_dv);
  if (inner_count() > 0) constrain(inner_jacobian_.dv_ds);
}

/// J ∂v̇ = 0 on held rows: ∂v̇ ← ∂v̇ − X A⁻¹ J ∂v̇. Left out: how J turns on curved rows.
void ConstrainedMotion::constrain(Eigen::Ref<MatrixX<double>> derivatives) {
  if (!contacts().empty()) return contact_reactions_.constrain(derivatives);
  if (mode_.held.empty()) return;
  Eigen::LLT<Eigen::Ref<MatrixX<double>>> cholesky(factor_ = response_.A());
  const Eigen::Index count = derivatives.cols();
  if (row_products_.cols() < count) row_products_.resize(Eigen::NoChange, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    for (std::size_t k = 0; k < mode_.held.size(); ++k) {
      row_products_(static_cast<Eigen::Index>(k), j) =
          rows_[static_cast<std::size_t>(mode_.held[k])].multiply(derivatives.col(j).data());
    }
  }
  auto products = row_products_.leftCols(count);
  cholesky.solveInPlace(products);
  derivatives.noalias() -= response_.X() * products;
}

double ConstrainedMotion::project(VectorX<double>& q, VectorX<double>& v) {
  if (!contacts().empty()) {
    double lost = 0;
    if (scenario_->run.baumgarte) {
      contact_reactions_.update(q.data(), v.data());
    } else {
      lost = contact_reactions_.project(rows_, mode_.held, q, v);
      internal::put_on_constant_rows(rows_, mode_.held, q, v);
    }
    return lost;
  }
  if (has_curved_rows_) project_curved(q, v);
  internal::put_on_constant_rows(rows_, mode_.held, q, v);
  return 0;
}

void ConstrainedMotion::project_curved(VectorX<double>& q, VectorX<double>& v) {
  for (int pass = 0; pass < kMostJointProjections; ++pass) {
    double excess = 0;
    for (std::size_t k = 0; k < mode_.held.size(); ++k) {
      JointRow& row = rows_[static_cast<std::size_t>(mode_.held[k])];
      row.update(q.data(), v.data());
      const double value = row.calc_value(q.data());
      reactions_(static_cast<Eigen::Index>(k)) = value;
      if (row.has_value()) {
        const double rounding = std::numeric_limits<double>::epsilon() * std::abs(q(row.coordinate()));
        excess = std::max(excess, std::abs(value) - rounding);
      }
    }
    response_.update(model(), q.data(), rows_, mode_.held);
    if (!(excess > 0)) break;
    solve_reactions(reactions_);
    increment_.noalias() = response_.X() * reactions_;
    integrate_position(model(), q.data(), increment_.data(), q_next_.data());
    q.swap(q_next_);
  }
  for (std::size_t k = 0; k < mode_.held.size(); ++k) {
    JointRow& row = rows_[static_cast<std::size_t>(mode_.held[k])];
    row.update(q.data(), v.data());
    reactions_(static_cast<Eigen::Index>(k)) = row.multiply(v.data());
  }
  solve_reactions(reactions_);
  v.noalias() += response_.X() * reactions_;
}

void ConstrainedMotion::remember(std::optional<Memory>& out) const {
  if (!out) out = Memory{{}, layers_, {}, {}, {}, 0};
  if (!contacts().empty()) contact_reactions_.remember(out->contacts);
  if (!layers_.empty()) out->layers = layers_;
  out->effort = effort_;
  out->reactions = reactions_;
  out->shears = shears_;
  out->evaluations = evaluations_;
}

void ConstrainedMotion::recall(const Memory& memory) {
  if (!contacts().empty()) contact_reactions_.recall(memory.contacts);
  if (!layers_.empty()) layers_ = memory.layers;
  effort_ = memory.effort;
  reactions_ = memory.reactions;
  shears_ = memory.shears;
  evaluations_ = memory.evaluations;
}

template <class Archive>
void ConstrainedMotion::archive(Archive& a) {
  ExternalLoads loads = actuation().loads();
  Mode mode = mode_;
  a(loads, mode.held, mode.slip);
  if constexpr (Archive::kReads) {
    const bool fits = mode.slip.size() == rows_.size() && std::all_of(mode.held.begin(), mode.held.end(), [&](int i) {
                        return i >= 0 && static_cast<std::size_t>(i) < rows_.size();
                      });
    if (!fits) throw StateError("it holds a mode of other joints");
    set_loads(loads);
    set_mode(mode);
  }
  a(actuation(), origin_);
  contact_reactions_.archive(a, laws_, rows_);
  layers_.archive(a, laws_, scales_);
  a(effort_, reactions_, shears_, q_derived_, has_derivatives_, mode_is_new_, latest_time_, evaluations_);
  if (has_derivatives_) a(derivatives_);
}
THENAR_INSTANTIATE_ARCHIVE(ConstrainedMotion);

}  // namespace thenar
