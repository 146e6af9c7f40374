// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/compliant_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace thenar {
namespace {

/// Radii of the ellipsoid |f_t| ≤ f_N, per unit of normal force: μ, μ, μ_τ (m).
Vector3<double> find_radii(const ContactLaw& contact) {
  if (contact.fingertip == Fingertip::frictionless) return Vector3<double>::Zero();
  const double torsion = contact.fingertip == Fingertip::soft ? contact.torsion : 0;
  return {contact.friction, contact.friction, torsion};
}

/// Stiffness or damping along T, U and about N, of those along the surface.
Vector3<double> spread(double along, const Vector3<double>& radii) {
  const double arm = radii(0) > 0 ? radii(2) / radii(0) : 0;
  return {along, along, along * arm * arm};
}

/// f_N, and what it is made of, in `out`. What would pull is 0, unless the layer is kept pressed.
void press(const LayerLaw& layer, double depth, double rate, std::optional<LayerPhase> kept, LayerAnswer& out) {
  const bool is_pressed = kept && *kept != LayerPhase::apart;
  const LayerForce normal = depth > 0 || is_pressed ? layer.calc_normal(depth, rate) : LayerForce{};
  out.pressure = normal.f;
  if (kept ? !is_pressed : !(normal.f > 0)) return;
  out.f_N = normal.f;
  out.fN_by_depth = normal.by_depth;
  out.fN_by_rate = normal.by_rate;
}

LayerPhase find_phase(const LayerAnswer& answer) {
  if (!(answer.f_N > 0)) return LayerPhase::apart;
  return answer.excess > 0 ? LayerPhase::slips : LayerPhase::sticks;
}

}  // namespace

LayerConstants LayerConstants::from_scale(double epsilon, double mass, double time) {
  const double stiffness = mass / (epsilon * time * time), damping = mass / (std::sqrt(epsilon) * time);
  return {stiffness, damping, stiffness, damping};
}

std::optional<std::string> LayerConstants::find_fault() const {
  const auto is_positive = [](double x) { return x > 0 && std::isfinite(x); };
  if (!is_positive(stiffness)) return fmt::format("the stiffness must be greater than 0, found {} N/m", stiffness);
  if (!(damping >= 0) || !std::isfinite(damping)) {
    return fmt::format("the damping must be at least 0, found {} N s/m", damping);
  }
  if (!(shear_stiffness >= 0) || !std::isfinite(shear_stiffness)) {
    return fmt::format("the stiffness along the surface must be at least 0, found {} N/m", shear_stiffness);
  }
  if (!is_positive(shear_damping)) {
    return fmt::format("the damping along the surface must be greater than 0, found {} N s/m", shear_damping);
  }
  return {};
}

const char* to_string(ContactModel model) {
  switch (model) {
    case ContactModel::automatic:
      return "automatic";
    case ContactModel::rigid:
      return "rigid";
    case ContactModel::compliant:
      break;
  }
  return "compliant";
}

std::optional<std::string> LayerChoice::find_fault() const {
  const auto is_positive = [](double x) { return x > 0 && std::isfinite(x); };
  if (kind == Kind::custom) {
    return custom ? std::nullopt : std::optional<std::string>("a layer of one's own needs a law");
  }
  if (kind == Kind::scaled) {
    if (!is_positive(scale)) return fmt::format("the scale of a layer must be greater than 0, found {}", scale);
    if (!is_positive(mass.value_or(1))) return fmt::format("the mass must be greater than 0, found {} kg", *mass);
    if (!is_positive(time.value_or(1))) return fmt::format("the time must be greater than 0, found {} s", *time);
    return {};
  }
  if (kind == Kind::hunt_crossley && !(exponent >= 1 && std::isfinite(exponent))) {
    return fmt::format("the exponent of a layer must be at least 1, found {}", exponent);
  }
  if (kind == Kind::hunt_crossley && !(dissipation >= 0 && std::isfinite(dissipation))) {
    return fmt::format("the dissipation of a layer must be at least 0, found {} s/m", dissipation);
  }
  return constants.find_fault();
}

std::shared_ptr<const LayerLaw> make_layer(const LayerChoice& choice, double mass, double time) {
  switch (choice.kind) {
    case LayerChoice::Kind::custom:
      return choice.custom;
    case LayerChoice::Kind::hunt_crossley:
      return std::make_shared<HuntCrossley>(choice.constants, choice.exponent, choice.dissipation);
    case LayerChoice::Kind::kelvin_voigt:
      return std::make_shared<KelvinVoigt>(choice.constants);
    case LayerChoice::Kind::scaled:
      break;
  }
  return std::make_shared<KelvinVoigt>(
      LayerConstants::from_scale(choice.scale, choice.mass.value_or(mass), choice.time.value_or(time)));
}

LayerForce KelvinVoigt::calc_normal(double depth, double rate) const {
  return {constants_.stiffness * depth + constants_.damping * rate, constants_.stiffness, constants_.damping};
}

double KelvinVoigt::calc_depth(double force, double rate) const {
  return std::max(0.0, (force - constants_.damping * rate) / constants_.stiffness);
}

double KelvinVoigt::calc_energy(double depth) const {
  return depth > 0 ? 0.5 * constants_.stiffness * depth * depth : 0;
}

double HuntCrossley::calc_energy(double depth) const {
  return depth > 0 ? constants_.stiffness * std::pow(depth, exponent_ + 1) / (exponent_ + 1) : 0;
}

LayerForce HuntCrossley::calc_normal(double depth, double rate) const {
  if (!(depth > 0)) return {};
  const double spring = constants_.stiffness * std::pow(depth, exponent_), factor = 1 + dissipation_ * rate;
  return {spring * factor, exponent_ * spring / depth * factor, spring * dissipation_};
}

double HuntCrossley::calc_depth(double force, double rate) const {
  const double factor = 1 + dissipation_ * rate;
  if (!(factor > 0) || !(force > 0)) return 0;
  return std::pow(force / (constants_.stiffness * factor), 1 / exponent_);
}

LayerAnswer calc_layer(const LayerLaw& layer, const ContactLaw& contact, double depth, double depth_rate,
                       const Vector3<double>& shear, const Vector3<double>& slip, std::optional<LayerPhase> kept) {
  LayerAnswer out;
  for (Vector3<double>* v : {&out.f_t, &out.shear_rate, &out.ft_by_fN, &out.rate_by_fN}) v->setZero();
  for (Matrix3<double>* m : {&out.ft_by_shear, &out.ft_by_slip, &out.rate_by_shear, &out.rate_by_slip}) m->setZero();
  press(layer, depth, depth_rate, kept, out);
  const Vector3<double> radii = find_radii(contact);
  const Vector3<double> k = spread(layer.shear_stiffness(), radii), c = spread(layer.shear_damping(), radii);
  const Vector3<double> w = k.cwiseProduct(shear) + c.cwiseProduct(slip);
  // |w| by the ellipsoid, and its gradient; directions without friction have no force.
  Vector3<double> gradient = Vector3<double>::Zero();
  double size = 0;
  for (int i = 0; i < 3; ++i) {
    if (!(radii(i) > 0)) continue;
    gradient(i) = w(i) / (radii(i) * radii(i));
    size += w(i) * gradient(i);
  }
  size = std::sqrt(size);
  if (size > 0) gradient /= size;
  out.excess = size - out.f_N;
  out.phase = kept.value_or(find_phase(out));

  // f_t = −share w with share = min(1, f_N/|w|); what it is along a direction that the layer does not have is 0.
  const bool slips = size > 0 && out.phase == LayerPhase::slips;
  const double share = slips ? out.f_N / size : out.phase == LayerPhase::sticks ? 1 : 0;
  Matrix3<double> by_w = -share * Matrix3<double>::Identity();  // of f_t
  if (slips) {
    by_w += share / size * w * gradient.transpose();
    out.ft_by_fN = -w / size;
  }
  for (int i = 0; i < 3; ++i) {
    if (!(radii(i) > 0)) continue;
    out.f_t(i) = -share * w(i);
    out.shear_rate(i) = -(out.f_t(i) + k(i) * shear(i)) / c(i);
    out.ft_by_shear.row(i) = by_w.row(i).cwiseProduct(k.transpose());
    out.ft_by_slip.row(i) = by_w.row(i).cwiseProduct(c.transpose());
    out.rate_by_shear.row(i) = -out.ft_by_shear.row(i) / c(i);
    out.rate_by_shear(i, i) -= k(i) / c(i);
    out.rate_by_slip.row(i) = -out.ft_by_slip.row(i) / c(i);
    out.rate_by_fN(i) = -out.ft_by_fN(i) / c(i);
    out.dissipated += -out.f_t(i) * slip(i) - k(i) * shear(i) * out.shear_rate(i);
  }
  return out;
}

Vector3<double> calc_shear(const LayerLaw& layer, const ContactLaw& contact, const Vector3<double>& f_t,
                           const Vector3<double>& shear_rate) {
  const Vector3<double> radii = find_radii(contact);
  const Vector3<double> k = spread(layer.shear_stiffness(), radii), c = spread(layer.shear_damping(), radii);
  Vector3<double> out = Vector3<double>::Zero();
  for (int i = 0; i < 3; ++i) {
    if (radii(i) > 0 && k(i) > 0) out(i) = -(f_t(i) + c(i) * shear_rate(i)) / k(i);
  }
  return out;
}

const char* to_string(LayerPhase phase) {
  switch (phase) {
    case LayerPhase::apart:
      return "apart";
    case LayerPhase::sticks:
      return "sticks";
    case LayerPhase::slips:
      break;
  }
  return "slips";
}

double calc_shear_energy(const LayerLaw& layer, const ContactLaw& contact, const Vector3<double>& shear) {
  return 0.5 * shear.cwiseProduct(spread(layer.shear_stiffness(), find_radii(contact))).dot(shear);
}

}  // namespace thenar
