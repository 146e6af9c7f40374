// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/contact_sampler.h"

#include <algorithm>
#include <cmath>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar {
namespace {

/// Motions slower than this part of the speed that belongs to the size of a scenario are none.
constexpr double kSlow = 1e-11;
/// Slip slower than this part of what the spin of a soft fingertip is worth is none.
constexpr double kOnlySpins = 1e-4;

}  // namespace

Contact describe_place(const HeldContact& contact) {
  const FoundContact& found = contact.found();
  Contact out{.id = {found.shape_A, found.shape_B, found.id},
              .name = contact.name(),
              .body_A = found.body_A,
              .body_B = found.body_B,
              .gap = contact.gap()};
  const GapFunction<double>& place = contact.kinematics();
  out.u_A = {place.point_A().u(0), place.point_A().u(1)};
  out.u_B = {place.point_B().u(0), place.point_B().u(1)};
  out.psi = calc_psi(place.place());
  out.point_A = place.place().A.p;
  out.N = contact.frame().N;
  out.T = contact.frame().T;
  return out;
}

void list_free_pairs(const Model& model, const ContactFinder& nearby,
                     const std::function<bool(BodyIndex, BodyIndex)>& is_near_only, std::vector<Contact>& out) {
  const FoundContact* nearest = nullptr;
  const auto add = [&] {
    if (nearest == nullptr || !is_near_only(nearest->body_A, nearest->body_B)) return;
    out.push_back({.id = {nearest->shape_A, nearest->shape_B, nearest->id},
                   .name = model.body(nearest->body_A).name + "/" + model.body(nearest->body_B).name,
                   .body_A = nearest->body_A,
                   .body_B = nearest->body_B,
                   .gap = nearest->gap,
                   .point_A = nearest->p_A,
                   .N = nearest->N});
  };
  for (const FoundContact& found : nearby.contacts()) {
    const bool is_other = nearest == nullptr || nearest->body_A != found.body_A || nearest->body_B != found.body_B;
    if (is_other) add();
    if (is_other || found.gap < nearest->gap) nearest = &found;
  }
  add();
}

ContactSampler::ContactSampler(const Scenario& scenario, ConstrainedMotion& motion, ContactWatch& watch,
                               const Tolerances& tolerances)
    : scenario_(scenario),
      motion_(motion),
      watch_(watch),
      tolerances_(tolerances),
      workspace_(scenario.model),
      nearby_(scenario.model, scenario.shapes, internal::find_contact_rules(scenario)) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  const double size = nearby_.calc_size(workspace_);
  margin_ = scenario.contacts->margin.value_or(ContactTolerances(size).default_margin());
}

void ContactSampler::fill(const State& state, std::vector<Contact>& out) {
  out.clear();
  const std::vector<Vector4<double>>& forces = watch_.calc_forces();
  const bool is_redundant = motion_.has_redundant_contacts();
  std::vector<double> shares;
  if (is_redundant) {
    for (std::size_t i = 0; i < motion_.contacts().size(); ++i) out.push_back(read_contact(i, forces[i]));
    share_margins(out);
    for (const Contact& contact : out) shares.push_back(contact.margin);
    out.clear();
  }
  motion_.follow_contacts(state.q, state.v);
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    out.push_back(read_contact(i, forces[i]));
    if (is_redundant) out.back().margin = shares[i];
  }
  if (!motion_.layer_contacts().empty()) motion_.follow_layer_contacts(state);
  for (const internal::LayerContact& contact : motion_.layer_contacts()) out.push_back(read_layer(contact));
  add_free_pairs(state, out);
}

/// The points of a patch have one margin: that of the forces that need least friction of all of them together.
void ContactSampler::share_margins(std::vector<Contact>& out) {
  const std::vector<HeldContact>& contacts = motion_.contacts();
  std::vector<char> is_done(contacts.size(), 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (is_done[i] || contacts[i].hold() != ContactHold::rolling) continue;
    std::vector<std::size_t> patch;
    double margin = 1;
    for (std::size_t k = i; k < contacts.size(); ++k) {
      const FoundContact &a = contacts[i].found(), &b = contacts[k].found();
      const bool belongs =
          a.shape_A == b.shape_A && a.shape_B == b.shape_B && contacts[k].hold() == ContactHold::rolling;
      if (!belongs) continue;
      patch.push_back(k);
      is_done[k] = 1;
      margin = std::min(margin, out[k].force_on_A.normal > 0 ? out[k].margin : 1);
    }
    if (patch.size() > 1) margin = 1 - watch_.calc_least_share(patch, 1 - margin);
    for (const std::size_t k : patch) out[k].margin = margin;
  }
}

/// Where it is, what acts there, and how it slips.
Contact ContactSampler::read_place(const HeldContact& contact, const Vector4<double>& force) const {
  Contact out = describe_place(contact);
  out.force_on_A = {force(0), force(1), force(2), force(3)};
  out.slip = {contact.velocity()(1), contact.velocity()(2)};
  return out;
}

Contact ContactSampler::read_contact(std::size_t i, const Vector4<double>& force) const {
  const HeldContact& contact = motion_.contacts()[i];
  Contact out = read_place(contact, force);
  const bool slides = contact.hold() == ContactHold::sliding;
  out.friction = slides ? contact.law().friction : contact.law().static_friction;
  out.mode = find_motion(contact);
  if (out.mode == ContactMode::slide || out.mode == ContactMode::spin) {
    out.margin = contact.hold() == ContactHold::smooth ? 0 : -1;
  } else if (contact.hold() == ContactHold::rolling) {
    out.margin = calc_margin(contact, force);
  }
  return out;
}

/// Through a compliant layer: what sticks to its layer is held, however the layer is sheared.
Contact ContactSampler::read_layer(const internal::LayerContact& contact) const {
  Contact out = read_place(contact.place(), contact.force());
  if (contact.phase == LayerPhase::apart) return out;
  const ContactLaw& law = contact.place().law();
  const bool has_friction = contact.shear_count() > 0;
  out.friction = has_friction ? law.friction : 0;
  out.mode = turns(contact.place()) ? ContactMode::roll : ContactMode::stick;
  if (contact.phase == LayerPhase::slips) {
    out.mode = ContactMode::slide;
    out.margin = has_friction ? -1 : 0;
  } else if (has_friction) {
    const LayerAnswer& answer = contact.answer();
    out.margin = answer.f_N > 0 ? std::clamp(-answer.excess / answer.f_N, 0.0, 1.0) : 0;
  }
  return out;
}

/// 1 − the share of its cone that friction takes.
double ContactSampler::calc_margin(const HeldContact& contact, const Vector4<double>& force) const {
  const double mu = contact.law().static_friction;
  const FrictionCone& cone = scenario_.contacts->cone;
  double friction = calc_cone_size(cone, force(1), force(2)) / mu;
  if (contact.law().fingertip == Fingertip::soft && contact.law().torsion > 0) {
    const double torsion = std::abs(force(3)) / contact.law().torsion;
    friction = cone.kind == FrictionCone::Kind::circular ? std::hypot(friction, torsion) : std::max(friction, torsion);
  }
  return force(0) > 0 ? std::clamp(1 - friction / force(0), 0.0, 1.0) : 0;
}

ContactMode ContactSampler::find_motion(const HeldContact& contact) const {
  const auto& velocity = contact.velocity();
  const double slow = kSlow * tolerances_.scales().length / tolerances_.scales().time;
  const ContactLaw& law = contact.law();
  const bool can_spin = law.fingertip == Fingertip::soft && law.friction > 0;
  const double spin = can_spin ? std::abs(velocity(3)) * law.torsion / law.friction : 0;
  const bool slips = std::hypot(velocity(1), velocity(2)) > std::max(slow, kOnlySpins * spin);
  if (contact.hold() == ContactHold::sliding) {
    // What has just begun moves in the direction in which it begins.
    const std::array<double, 3>& begins = contact.slip_direction();
    const bool is_beginning = !slips && spin <= slow;
    const bool only_spins = is_beginning ? std::hypot(begins[0], begins[1]) <= kOnlySpins : !slips;
    return law.fingertip == Fingertip::soft && only_spins ? ContactMode::spin : ContactMode::slide;
  }
  if (contact.hold() == ContactHold::smooth && slips) return ContactMode::slide;
  return turns(contact) ? ContactMode::roll : ContactMode::stick;
}

bool ContactSampler::turns(const HeldContact& contact) const {
  const Scales& scales = tolerances_.scales();
  return std::hypot(contact.velocity()(4), contact.velocity()(5)) > kSlow / scales.time;
}

bool ContactSampler::is_in_touch(BodyIndex body_A, BodyIndex body_B) const {
  const auto is_here = [&](const HeldContact& contact) {
    return contact.found().body_A == body_A && contact.found().body_B == body_B;
  };
  const auto& layers = motion_.layer_contacts();
  return std::any_of(motion_.contacts().begin(), motion_.contacts().end(), is_here) ||
         std::any_of(layers.begin(), layers.end(),
                     [&](const internal::LayerContact& contact) { return is_here(contact.place()); });
}

/// A row asks twice.
void ContactSampler::look_around(const State& state) {
  if (seen_.size() == state.q.size() && seen_ == state.q) return;
  seen_ = state.q;
  update_positions(scenario_.model, state.q.data(), workspace_);
  nearby_.update(workspace_, margin_);
}

void ContactSampler::add_free_pairs(const State& state, std::vector<Contact>& out) {
  look_around(state);
  const auto is_near_only = [&](BodyIndex A, BodyIndex B) { return !is_in_touch(A, B); };
  list_free_pairs(scenario_.model, nearby_, is_near_only, out);
}

double ContactSampler::calc_penetration(const State& state) {
  look_around(state);
  double out = 0;
  const auto& layers = motion_.layer_contacts();
  for (const FoundContact& found : nearby_.contacts()) {
    const bool is_layer = std::any_of(layers.begin(), layers.end(), [&](const internal::LayerContact& contact) {
      return contact.place().found().body_A == found.body_A && contact.place().found().body_B == found.body_B;
    });
    if (!is_layer) out = std::max(out, -found.gap);
  }
  return out;
}

}  // namespace thenar
