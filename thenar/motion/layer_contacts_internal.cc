// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/layer_contacts_internal.h"

#include <algorithm>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar::internal {

// --- One contact -----------------------------------------------------------------------------------------------------

LayerContact::LayerContact(HeldContact place, std::shared_ptr<const LayerLaw> layer, double offset)
    : place_(std::move(place)), layer_(std::move(layer)), offset_(offset) {
  const ContactLaw& law = place_.law();
  const bool has_friction = law.fingertip != Fingertip::frictionless && law.friction > 0;
  shear_count_ = has_friction ? place_.tangent_count() : 0;
}

Vector3<double> LayerContact::mask(const Vector3<double>& v) const {
  Vector3<double> out = Vector3<double>::Zero();
  for (int k = 0; k < shear_count_; ++k) out(shear_row(k) - 1) = v(shear_row(k) - 1);
  return out;
}

void LayerContact::evaluate(double spin) {
  spin_ = spin;
  answer_ = calc_layer(*layer_, place_.law(), depth(), -place_.velocity()(0), mask(shear), mask(slip()), phase);
}

/// A layer that could pull lets go where it would have to; one that cannot, where its bodies have left it.
double LayerContact::calc_hold(double force_margin, double depth_margin) const {
  const double pull = answer_.pressure + force_margin;
  if (depth() >= -depth_margin) return pull;
  return answer_.pressure > force_margin ? pull : std::min(pull, depth() + depth_margin);
}

void LayerContact::choose_phase(double force_margin, double depth_margin) {
  const LayerPhase before = phase;
  phase = before == LayerPhase::slips ? before : LayerPhase::sticks;
  evaluate(spin_);
  const bool was_apart = !is_new && before == LayerPhase::apart;
  const bool presses =
      was_apart ? depth() > 0 && answer_.pressure > force_margin : calc_hold(force_margin, depth_margin) >= 0;
  const bool knows = !is_new && before != LayerPhase::apart;
  const double slack = knows ? before == LayerPhase::sticks ? force_margin : -force_margin : 0;
  phase = !presses ? LayerPhase::apart : answer_.excess > slack ? LayerPhase::slips : LayerPhase::sticks;
  is_new = false;
  evaluate(spin_);
}

/// The layer turns with the bodies about N, the frame does not.
Vector3<double> LayerContact::calc_shear_rate() const {
  Vector3<double> out = answer_.shear_rate;
  if (shear_count_ > 1 && shear_row(0) == 1 && shear_row(1) == 2) {
    out(0) -= spin_ * shear(1);
    out(1) += spin_ * shear(0);
  }
  return out;
}

double LayerContact::calc_energy() const {
  return layer_->calc_energy(depth()) + calc_shear_energy(*layer_, place_.law(), mask(shear));
}

/// Along N: what is pressed in less what the spring takes, whose force is that of a standstill. Smooth beyond where the
/// bodies leave the layer, up to where a step may reach.
double LayerContact::calc_dissipated() const {
  const double rate = -place_.velocity()(0), spring = layer_->calc_normal(depth(), 0).f;
  return (answer_.f_N - spring) * rate + answer_.dissipated;
}

// --- All of them -----------------------------------------------------------------------------------------------------

LayerContacts::LayerContacts(const Model& model) : model_(&model), workspace_(model) {
  response_.setZero(model.velocity_count(), 4);
  column_.setZero(model.velocity_count());
}

void LayerContacts::set_contacts(std::vector<LayerContact> next) {
  contacts_ = std::move(next);
  shear_count_ = 0;
  for (const LayerContact& contact : contacts_) shear_count_ += contact.shear_count();
}

VectorX<double> LayerContacts::collect_shears() const {
  VectorX<double> out(shear_count_);
  Eigen::Index i = 0;
  for (const LayerContact& contact : contacts_) {
    for (int k = 0; k < contact.shear_count(); ++k) out(i++) = contact.shear(contact.shear_row(k) - 1);
  }
  return out;
}

double LayerContacts::calc_spin(const HeldContact& place) const {
  const auto turn = [&](BodyIndex body) {
    return calc_point_velocity(*model_, workspace_, body, Vec3<double>::zero()).angular;
  };
  const FoundContact& found = place.found();
  return 0.5 * dot(place.frame().N, turn(found.body_A) + turn(found.body_B));
}

bool LayerContacts::update(const double* q, const double* v, const double* shears) {
  update_positions(*model_, q, workspace_);
  update_velocities(*model_, v, workspace_);
  for (LayerContact& contact : contacts_) {
    if (!contact.place().update(workspace_)) return false;
    for (int k = 0; k < contact.shear_count(); ++k) contact.shear(contact.shear_row(k) - 1) = *shears++;
    contact.evaluate(calc_spin(contact.place()));
  }
  return true;
}

void LayerContacts::add_efforts(double* effort) const {
  Eigen::Map<VectorX<double>> out(effort, model_->velocity_count());
  for (const LayerContact& contact : contacts_) {
    out.noalias() += contact.place().J().topRows<4>().transpose() * contact.force();
  }
}

void LayerContacts::write_rates(double* rates) const {
  for (const LayerContact& contact : contacts_) {
    const Vector3<double> rate = contact.calc_shear_rate();
    for (int k = 0; k < contact.shear_count(); ++k) *rates++ = rate(contact.shear_row(k) - 1);
  }
}

double LayerContacts::calc_energy() const {
  double out = 0;
  for (const LayerContact& contact : contacts_) out += contact.calc_energy();
  return out;
}

double LayerContacts::calc_dissipated() const {
  double out = 0;
  for (const LayerContact& contact : contacts_) out += contact.calc_dissipated();
  return out;
}

void LayerContacts::add_derivatives(Eigen::Ref<MatrixX<double>> dv_dx, Eigen::Ref<MatrixX<double>> dv_dv,
                                    InnerJacobian& inner) {
  const int nv = model_->velocity_count();
  inner.dv_ds.setZero(nv, shear_count_);
  inner.ds_dx.setZero(shear_count_, nv);
  inner.ds_dv.setZero(shear_count_, nv);
  inner.ds_ds.setZero(shear_count_, shear_count_);
  factorize_articulated(*model_, workspace_);
  Eigen::Index first = 0;
  for (const LayerContact& contact : contacts_) {
    const LayerAnswer& a = contact.answer();
    const auto& J = contact.place().J();
    for (int k = 0; k < 4; ++k) {
      column_ = J.row(k);
      solve_articulated(*model_, column_.data(), workspace_, response_.col(k).data());
    }
    // f along N, T, U and about N, by the normal force and by the slip.
    Vector4<double> by_fN;
    by_fN << 1, a.ft_by_fN;
    Eigen::Matrix<double, 4, 3> by_slip = Eigen::Matrix<double, 4, 3>::Zero(), by_shear = by_slip;
    by_slip.bottomRows<3>() = a.ft_by_slip;
    by_shear.bottomRows<3>() = a.ft_by_shear;
    const VectorX<double> pushed = response_ * by_fN;
    dv_dx.noalias() -= a.fN_by_depth * pushed * J.row(0);
    dv_dv.noalias() -= a.fN_by_rate * pushed * J.row(0);
    const auto slip_rows = J.middleRows<3>(1);
    dv_dv.noalias() += (response_ * by_slip) * slip_rows;
    for (int k = 0; k < contact.shear_count(); ++k) {
      const int i = contact.shear_row(k) - 1;
      const Eigen::Index row = first + k;
      inner.dv_ds.col(row).noalias() = response_ * by_shear.col(i);
      inner.ds_dx.row(row).noalias() = -a.rate_by_fN(i) * a.fN_by_depth * J.row(0);
      inner.ds_dv.row(row).noalias() = a.rate_by_slip.row(i) * slip_rows;
      inner.ds_dv.row(row) -= a.rate_by_fN(i) * a.fN_by_rate * J.row(0);
      for (int m = 0; m < contact.shear_count(); ++m) {
        inner.ds_ds(row, first + m) = a.rate_by_shear(i, contact.shear_row(m) - 1);
      }
    }
    first += contact.shear_count();
  }
}

template <class Archive>
void LayerContact::archive(Archive& a) {
  a(offset_, shear_count_, spin_, phase, is_new, shear, answer_);
}
THENAR_INSTANTIATE_ARCHIVE(LayerContact);

template <class Archive>
void LayerContacts::archive(Archive& a, const LawTable& laws, const Scales& scales) {
  const std::size_t count = a.size(contacts_.size());
  if constexpr (Archive::kReads) {
    contacts_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      HeldContact place(*model_, laws, a);
      const LayerChoice& layer = laws.find_law(place.found().body_A, place.found().body_B).layer;
      contacts_.emplace_back(std::move(place), make_layer(layer, scales.mass, scales.time));
      contacts_.back().archive(a);
    }
  } else {
    for (LayerContact& contact : contacts_) {
      contact.place().archive(a);
      contact.archive(a);
    }
  }
  a(shear_count_);
}
template void LayerContacts::archive<StateWriter>(StateWriter&, const LawTable&, const Scales&);
template void LayerContacts::archive<StateReader>(StateReader&, const LawTable&, const Scales&);

}  // namespace thenar::internal
