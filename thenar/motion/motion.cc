// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/motion.h"

#include <algorithm>

#include "thenar/dynamics/kinematics.h"
#include "thenar/motion/step_chart.h"
#include "thenar/scenario/tolerances.h"

namespace thenar {

ConstrainedMotion::ConstrainedMotion(const Scenario& scenario, const VectorX<double>& start)
    : scenario_(&scenario),
      laws_(scenario.model, scenario.contacts.value_or(ContactRules{})),
      scales_(find_scales(scenario.model, scenario.initial)),
      forces_(scenario),
      rows_(make_joint_rows(scenario.model, start)),
      origin_(start),
      workspace_(scenario.model),
      derivatives_(scenario.model, !scenario.controls.empty()),
      joint_reactions_(scenario.model, rows_.size()),
      contact_reactions_(scenario.model, scenario.contacts ? scenario.contacts->cone : FrictionCone{},
                         scenario.run.baumgarte, scales_.length / (scales_.time * scales_.time)),
      layers_(scenario.model) {
  q_.setZero(scenario.model.position_count());
  for (VectorX<double>* vector : {&effort_, &vdot_}) vector->setZero(scenario.model.velocity_count());
  mode_.slip.assign(rows_.size(), 0);
  set_mode(mode_);
}

void ConstrainedMotion::set_mode(const Mode& mode) {
  mode_ = mode;
  reactions_.setZero(static_cast<Eigen::Index>(mode.held.size()));
  joint_reactions_.prepare(rows_, mode.held);
}

void ConstrainedMotion::hold(MotionModes modes) {
  set_mode(modes.joints);
  derivatives_.begin_mode();
  contact_reactions_.set_contacts(std::move(modes.contacts));
}

void ConstrainedMotion::set_layer_contacts(std::vector<internal::LayerContact> contacts) {
  derivatives_.begin_mode();
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

void ConstrainedMotion::add_reactions(const double* q, const double* v, double* vdot) {
  for (const int i : mode_.held) rows_[static_cast<std::size_t>(i)].update(q, v);
  joint_reactions_.add_reactions(rows_, mode_.held, q, vdot, effort_.data(), reactions_);
  internal::stop_constant_rows(rows_, mode_.held, vdot);
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
  internal::stop_constant_rows(rows_, mode_.held, vdot);
}

bool ConstrainedMotion::has_fading_stiffness() const {
  return std::any_of(contacts().begin(), contacts().end(), [](const HeldContact& contact) {
    return contact.hold() == ContactHold::sliding && contact.tangent_count() > 1;
  });
}

/// The workspace that has the factors of M at q_. Where there are contacts M is that of the evaluation there.
Workspace<double>& ConstrainedMotion::factorize_mass() {
  if (!contacts().empty()) return contact_reactions_.workspace();
  update_positions(model(), q_.data(), workspace_);
  factorize_articulated(model(), workspace_);
  return workspace_;
}

void ConstrainedMotion::calc_jacobian(double t, const double* y, const double*, Eigen::Ref<MatrixX<double>> dv_dx,
                                      Eigen::Ref<MatrixX<double>> dv_dv) {
  const double* v = y + size();
  calc_position(y, q_.data());
  std::copy_n(v + size(), inner_count(), shears_.data());
  calc_acceleration(t, q_.data(), v, vdot_.data());
  if (derivatives_.update(q_, v, effort_, wrenches_, has_fading_stiffness())) evaluations_ += 2 * size();
  dv_dx = derivatives_.dv_dx();
  dv_dv = derivatives_.dv_dv();
  if (actuation().has_feedback()) {
    derivatives_.add_feedback(actuation(), std::min(t, latest_time_), q_.data(), v, factorize_mass(), dv_dx, dv_dv);
  }
  if (!layers_.empty()) layers_.add_derivatives(dv_dx, dv_dv, inner_jacobian_);
  if (!contacts().empty()) contact_reactions_.add_friction_slopes(dv_dv);
  constrain(dv_dx);
  constrain(dv_dv);
  if (inner_count() > 0) constrain(inner_jacobian_.dv_ds);
}

void ConstrainedMotion::constrain(Eigen::Ref<MatrixX<double>> derivatives) {
  if (!contacts().empty()) return contact_reactions_.constrain(derivatives);
  joint_reactions_.constrain(rows_, mode_.held, derivatives);
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
  joint_reactions_.project(rows_, mode_.held, q, v, reactions_);
  return 0;
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
  a(effort_, reactions_, shears_);
  derivatives_.archive_place(a);
  a(latest_time_, evaluations_);
  derivatives_.archive_numbers(a);
}
THENAR_INSTANTIATE_ARCHIVE(ConstrainedMotion);

}  // namespace thenar
