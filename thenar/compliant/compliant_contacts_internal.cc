// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/compliant/compliant_contacts_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {
namespace {

/// Places nearer to each other than this part of the size of the scene are one.
constexpr double kSameLayerPlace = 1e-6;
/// Bodies that touch as rigid ones are this near, as a part of the size of the scene.
constexpr double kTouch = 1e-8;
/// How far beyond its features a layer may be that the finder does not list.
constexpr double kExit = 1e-9;

}  // namespace

CompliantContacts::CompliantContacts(const Scenario& scenario, ConstrainedMotion& motion, const Tolerances& tolerances)
    : scenario_(scenario),
      motion_(motion),
      tolerances_(tolerances),
      laws_(scenario.model, find_contact_rules(scenario)),
      finder_(scenario.model, scenario.shapes, find_contact_rules(scenario)),
      names_(scenario.model),
      workspace_(scenario.model),
      changes_(motion) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  size_ = finder_.calc_size(workspace_);
  margins_ = find_layer_margins(tolerances.scales(), size_);
  finder_.set_filter([this](BodyIndex a, BodyIndex b) { return is_compliant(a, b); });
  find_waiting();
}

/// Contacts that begin loaded wait for their forces, but for those that overlap: these are pressed by that.
void CompliantContacts::find_waiting() {
  const auto begins_loaded = [](const ContactLaw& law) {
    return law.model == ContactModel::compliant && law.starts_loaded;
  };
  if (!scenario_.contacts) return;
  waits_for_load_ = begins_loaded(scenario_.contacts->law) ||
                    std::any_of(scenario_.contacts->pairs.begin(), scenario_.contacts->pairs.end(),
                                [&](const PairRule& pair) { return begins_loaded(pair.law); });
  if (!waits_for_load_) return;
  waits_for_load_ = false;
  finder_.update(workspace_, 0);
  for (const FoundContact& found : finder_.contacts()) {
    if (found.gap < -kTouch * size_) overlapping_.emplace_back(found.body_A, found.body_B);
  }
  waits_for_load_ = true;
}

bool CompliantContacts::is_compliant(BodyIndex a, BodyIndex b) const {
  const ContactLaw& law = laws_.find_law(a, b);
  const bool overlaps = std::find(overlapping_.begin(), overlapping_.end(), std::pair(a, b)) != overlapping_.end() ||
                        std::find(overlapping_.begin(), overlapping_.end(), std::pair(b, a)) != overlapping_.end();
  const bool is_rigid_as_yet = waits_for_load_ && law.starts_loaded && !overlaps;
  return (law.model == ContactModel::compliant && !is_rigid_as_yet) || is_handed_over(a, b);
}

bool CompliantContacts::can_hand_over(BodyIndex a, BodyIndex b) const {
  return laws_.find_law(a, b).model == ContactModel::automatic && !is_handed_over(a, b);
}

bool CompliantContacts::is_handed_over(BodyIndex a, BodyIndex b) const {
  return std::any_of(handed_.begin(), handed_.end(), [&](const Handed& pair) { return pair.is_of(a, b); });
}

void CompliantContacts::hand_over(const std::vector<FoundContact>& contacts, std::vector<Force> forces, double t) {
  for (const FoundContact& contact : contacts) {
    if (can_hand_over(contact.body_A, contact.body_B)) handed_.push_back({contact.body_A, contact.body_B, t});
  }
  forces_ = std::move(forces);
}

void CompliantContacts::load(std::vector<Force> forces) {
  waits_for_load_ = false;
  forces_ = std::move(forces);
}

double CompliantContacts::take_back(const std::vector<Handed>& some) {
  double held = 0;
  std::vector<LayerContact> left;
  for (const LayerContact& contact : motion_.layer_contacts()) {
    if (std::any_of(some.begin(), some.end(), [&](const Handed& pair) { return pair.is_of(contact); })) {
      held += contact.calc_energy();
    } else {
      left.push_back(contact);
    }
  }
  std::erase_if(handed_, [&](const Handed& pair) {
    return std::any_of(some.begin(), some.end(), [&](const Handed& gone) { return gone.is_of(pair.a, pair.b); });
  });
  motion_.set_layer_contacts(std::move(left));
  return held;
}

void CompliantContacts::begin() {
  has_started_ = has_begun_;
  has_begun_ = true;
  changes_.begin();
}

LayerContact CompliantContacts::make_contact(const FoundContact& found) const {
  const ContactLaw& law = laws_.find_law(found.body_A, found.body_B);
  HeldContact place(scenario_.model, workspace_, finder_, found, law, ContactHold::smooth, 0);
  const Scales& scales = tolerances_.scales();
  return {std::move(place), make_layer(law.layer, scales.mass, scales.time)};
}

/// Whether bodies that have no layer between them come to touch.
bool CompliantContacts::meets(const LayerContact& contact) const {
  const bool takes_over = std::any_of(forces_.begin(), forces_.end(), [&](const Force& force) {
    return is_same(force.place, contact.place().found()) && force.force(0) > 0;
  });
  if (takes_over) return true;
  return !contact.place().is_immovable() && contact.place().gap() <= margins_.depth &&
         contact.place().velocity()(0) <= tolerances_.slip_error();
}

/// Layers that take over begin with the force that there was. Others begin without depth, and so without energy, also
/// where a point comes to be listed only after it has been pressed in. What overlaps at the start of a run is pressed.
LayerContact CompliantContacts::begin_layer(LayerContact contact) {
  const HeldContact& place = contact.place();
  const auto known = std::find_if(forces_.begin(), forces_.end(),
                                  [&](const Force& force) { return is_same(force.place, place.found()); });
  Vector4<double> force = Vector4<double>::Zero();
  if (known != forces_.end()) {
    const Vec3<double> friction = known->frame.T * known->force(1) + known->frame.U * known->force(2);
    const Vec3<double> in_frame = express_in(place.frame(), friction);
    force << known->force(0), in_frame.y, in_frame.z, known->force(3);
  }
  if (force(0) > 0) {
    const LayerLaw& law = contact.layer();
    LayerContact out(place, contact.shared_layer(), law.calc_depth(force(0), 0) + place.gap());
    out.shear = calc_shear(law, place.law(), force.tail<3>(), Vector3<double>::Zero());
    if (has_started_) energy_put_in_ += out.calc_energy();
    return out;
  }
  const bool is_declared = !has_started_ && !is_handed_over(place.found().body_A, place.found().body_B);
  if (is_declared || place.gap() >= -margins_.depth) return contact;
  return {contact.place(), contact.shared_layer(), contact.place().gap()};
}

/// The layer goes on at another place of the same two shapes.
LayerContact CompliantContacts::inherit(const LayerContact& old, const FoundContact& found) const {
  LayerContact fresh = make_contact(found);
  LayerContact out(fresh.place(), old.shared_layer(), old.offset());
  const ContactFrame<double>& from = old.place().frame();
  const Vec3<double> shear = from.T * old.shear(0) + from.U * old.shear(1);
  const Vec3<double> in_frame = express_in(out.place().frame(), shear);
  out.shear = {in_frame.y, in_frame.z, old.shear(2)};
  out.phase = old.phase;
  out.is_new = false;
  return out;
}

/// Of the layers between the same shapes that nobody goes on with, the nearest; −1 if there is none. One that holds on
/// where it is, is found under another name only if it is here.
int CompliantContacts::find_parent(const std::vector<LayerContact>& old, const std::vector<char>& is_used,
                                   const FoundContact& found) const {
  int out = -1;
  double least = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const HeldContact& place = old[i].place();
    const bool fits = !is_used[i] && place.found().shape_A == found.shape_A && place.found().shape_B == found.shape_B;
    if (!fits) continue;
    const double distance = norm(place.kinematics().place().A.p - found.p_A);
    if (distance > kSameLayerPlace * size_ && still_holds(old[i])) continue;
    if (out >= 0 && distance >= least) continue;
    out = static_cast<int>(i);
    least = distance;
  }
  return out;
}

/// Whether a layer that the finder does not list goes on all the same: its bodies are not parted, nor beyond its
/// features.
bool CompliantContacts::still_holds(const LayerContact& contact) const {
  return contact.phase != LayerPhase::apart && contact.depth() > 0 &&
         contact.place().calc_exit(workspace_, size_) <= kExit;
}

void CompliantContacts::settle(State& state) {
  update_positions(scenario_.model, state.q.data(), workspace_);
  update_velocities(scenario_.model, state.v.data(), workspace_);
  motion_.follow_layer_contacts(state);
  const std::vector<LayerContact> old = motion_.layer_contacts();
  std::vector<char> is_used(old.size(), 0);
  finder_.update(workspace_, forces_.empty() ? margins_.depth : kTouch * size_);
  std::vector<LayerContact> next;
  std::vector<const FoundContact*> others;
  for (const FoundContact& found : finder_.contacts()) {
    const auto same = std::find_if(
        old.begin(), old.end(), [&](const LayerContact& contact) { return is_same(contact.place().found(), found); });
    if (same == old.end()) {
      others.push_back(&found);
      continue;
    }
    is_used[static_cast<std::size_t>(same - old.begin())] = 1;
    next.push_back(*same);
  }
  for (const FoundContact* found : others) {
    const int parent = find_parent(old, is_used, *found);
    if (parent < 0) {
      LayerContact contact = make_contact(*found);
      if (meets(contact)) next.push_back(begin_layer(std::move(contact)));
      continue;
    }
    const LayerContact& from = old[static_cast<std::size_t>(parent)];
    is_used[static_cast<std::size_t>(parent)] = 1;
    changes_.note_move(from.place().found(), *found);
    next.push_back(inherit(from, *found));
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (is_used[i] || !still_holds(old[i])) continue;
    is_used[i] = 1;
    next.push_back(old[i]);
  }
  std::vector<FoundContact> places;
  for (const LayerContact& contact : next) places.push_back(contact.place().found());
  const std::vector<std::string> names = names_.update(places);
  for (std::size_t i = 0; i < next.size(); ++i) next[i].place().set_name(names[i]);
  motion_.set_layer_contacts(next);
  state.inner = motion_.collect_shears();
  choose_phases(state);
  // What has parted and does not press any more has no layer between it.
  const auto is_over = [](const LayerContact& contact) {
    return contact.phase == LayerPhase::apart && !(contact.depth() > 0);
  };
  forces_.clear();
  next = motion_.layer_contacts();
  if (std::erase_if(next, is_over) == 0) return;
  motion_.set_layer_contacts(std::move(next));
  state.inner = motion_.collect_shears();
}

void CompliantContacts::choose_phases(const State& state) {
  if (motion_.layer_contacts().empty()) return;
  motion_.follow_layer_contacts(state);
  // What was found beyond a margin is beyond half of it, whatever rounding has done since.
  for (LayerContact& contact : motion_.layer_contacts()) contact.choose_phase(margins_.force / 2, margins_.depth / 2);
  motion_.follow_layer_contacts(state);
}

template <class Archive>
void CompliantContacts::archive(Archive& a) {
  handed_.resize(a.size(handed_.size(), sizeof(double)));
  for (Handed& handed : handed_) a(handed.a, handed.b, handed.next_check, handed.is_new);
  forces_.resize(a.size(forces_.size(), sizeof(double)));
  for (Force& force : forces_) a(force.place, force.frame, force.force);
  a(finder_, names_, waits_for_load_, overlapping_, has_begun_, has_started_, energy_put_in_);
}
THENAR_INSTANTIATE_ARCHIVE(CompliantContacts);

}  // namespace thenar::internal
