// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/compliant/model_switch_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "thenar/contact/no_instant_error.h"
#include "thenar/motion/state_energy.h"

namespace thenar::internal {
namespace {

/// Forces of answers that differ by less than this part of the largest are the same.
constexpr double kSameForce = 1e-6;
/// The shortest time that a layer is taken to settle in, as a part of the time scale.
constexpr double kShortestLayer = 1e-6;
/// Nodes of a search that asks about one group of contacts.
constexpr long long kMostSwitchNodes = 400;

Vec3<double> to_world(const Vec3<double>& N, const Vec3<double>& T, const Vec3<double>& U, double f_N, double f_T,
                      double f_U) {
  return N * f_N + T * f_T + U * f_U;
}

}  // namespace

void ModelSwitcher::note_forces() {
  forces_.clear();
  const ConstrainedMotion& motion = context_.motion();
  for (std::size_t i = 0; i < motion.contacts().size(); ++i) {
    const HeldContact& contact = motion.contacts()[i];
    forces_.push_back({contact.found(), contact.frame(), motion.contact_forces()[i]});
  }
}

// --- Which contacts --------------------------------------------------------------------------------------------------

/// The root link of a body's tree; 0 of what is fixed.
int ModelSwitcher::find_tree(BodyIndex body) const {
  const Model& model = context_.scenario().model;
  int link = model.body(body).link;
  while (link != 0 && model.links()[static_cast<std::size_t>(link)].parent != 0) {
    link = model.links()[static_cast<std::size_t>(link)].parent;
  }
  return link;
}

/// Trees that touch each other, or may by layers, are of one group; the number of a group is its least tree.
void ModelSwitcher::find_groups(const std::vector<FoundContact>& contacts) {
  groups_.resize(context_.scenario().model.links().size());
  std::iota(groups_.begin(), groups_.end(), 0);
  const auto unite = [&](BodyIndex a, BodyIndex b) {
    const int A = find_tree(a), B = find_tree(b);
    if (A == 0 || B == 0) return;
    const int one = groups_[static_cast<std::size_t>(A)], other = groups_[static_cast<std::size_t>(B)];
    std::replace(groups_.begin(), groups_.end(), std::max(one, other), std::min(one, other));
  };
  for (const FoundContact& contact : contacts) unite(contact.body_A, contact.body_B);
  for (const CompliantContacts::Handed& pair : layers_.handed()) unite(pair.a, pair.b);
}

/// Those of these contacts, each once, in ascending order.
std::vector<int> ModelSwitcher::list_groups(const std::vector<FoundContact>& contacts) const {
  std::vector<int> out;
  for (const FoundContact& place : contacts) out.push_back(find_group(place.body_A, place.body_B));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

int ModelSwitcher::find_group(BodyIndex a, BodyIndex b) const {
  const int A = find_tree(a), B = find_tree(b);
  return groups_[static_cast<std::size_t>(A != 0 ? A : B)];
}

/// Whether answers differ in what the contacts of a group do.
bool ModelSwitcher::differs(const Instant& instant, int group) const {
  double largest = 0;
  for (const InstantCell& cell : instant.cells) {
    for (const auto& force : cell.forces) largest = std::max(largest, std::abs(force[0]));
  }
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const FoundContact& place = instant.contacts[i].place;
    if (find_group(place.body_A, place.body_B) != group) continue;
    for (const InstantCell& cell : instant.cells) {
      if (cell.modes[i] != instant.cells.front().modes[i]) return true;
      for (std::size_t k = 0; k < 4; ++k) {
        if (std::abs(cell.forces[i][k] - instant.cells.front().forces[i][k]) > kSameForce * largest) return true;
      }
    }
  }
  return false;
}

/// Whether the contacts of a group, asked by themselves, are not proved to have one motion.
bool ModelSwitcher::is_bad_alone(int group, const State& state) {
  InstantOptions options;
  options.time = state.t;
  options.margins = false;
  options.search.most_nodes = kMostSwitchNodes;
  only_ = group;
  bool out = true;
  try {
    const Instant instant = internal::solve_instant(context_, state, options);
    out = instant.verdict != Verdict::unique_motion && instant.verdict != Verdict::unique;
  } catch (const NoInstantError&) {
  }
  only_ = -1;
  return out;
}

// --- Over ------------------------------------------------------------------------------------------------------------

std::optional<ModelSwitch> ModelSwitcher::hand_over(const Instant& instant, const State& state, const std::string& why,
                                                    const std::vector<FoundContact>& named) {
  std::vector<FoundContact> all;
  for (const InstantContact& contact : instant.contacts) all.push_back(contact.place);
  find_groups(all);
  const std::vector<int> groups = list_groups(all), candidates = named.empty() ? groups : list_groups(named);
  std::vector<int> chosen;
  if (groups.size() > 1) {
    for (const int group : candidates) {
      const bool is_bad = instant.verdict == Verdict::several ? differs(instant, group) : is_bad_alone(group, state);
      if (is_bad) chosen.push_back(group);
    }
  }
  // What is in doubt may be proved to have one motion by itself.
  if (chosen.empty() && !named.empty() && groups.size() > 1) return {};
  if (chosen.empty()) chosen = groups;
  std::erase_if(all, [&](const FoundContact& place) {
    return std::find(chosen.begin(), chosen.end(), find_group(place.body_A, place.body_B)) == chosen.end();
  });
  return hand_over_contacts(all, state.t, why);
}

std::optional<ModelSwitch> ModelSwitcher::hand_over_held(double t, const std::string& why) {
  std::vector<FoundContact> all;
  for (const HeldContact& contact : context_.motion().contacts()) all.push_back(contact.found());
  return hand_over_contacts(all, t, why);
}

std::optional<ModelSwitch> ModelSwitcher::hand_over_contacts(const std::vector<FoundContact>& contacts, double t,
                                                             const std::string& why) {
  std::vector<FoundContact> some;
  for (const FoundContact& place : contacts) {
    if (layers_.can_hand_over(place.body_A, place.body_B)) some.push_back(place);
  }
  if (some.empty()) return {};
  ModelSwitch out{.t = t, .to_compliant = true, .contacts = {}, .why = why};
  const Model& model = context_.scenario().model;
  for (const FoundContact& place : some) {
    out.contacts.push_back(fmt::format("{}/{}", model.body(place.body_A).name, model.body(place.body_B).name));
  }
  out.contacts.erase(std::unique(out.contacts.begin(), out.contacts.end()), out.contacts.end());
  layers_.hand_over(some, forces_, t);
  return out;
}

// --- Back ------------------------------------------------------------------------------------------------------------

namespace {

/// Dampers carry little of the forces of these layers.
bool is_relaxed(const std::vector<LayerContact>& layers) {
  double largest = 0, carried = 0;
  for (const LayerContact& contact : layers) {
    const double spring = contact.depth() > 0 ? contact.layer().calc_normal(contact.depth(), 0).f : 0;
    largest = std::max(largest, contact.answer().f_N);
    carried = std::max(carried, std::abs(contact.answer().f_N - spring));
  }
  return carried <= ModelSwitcher::kRelaxed * largest;
}

}  // namespace

/// The largest difference between the forces of an answer and those of layers, as a part of the largest force.
double ModelSwitcher::compare(const Instant& instant, const std::vector<LayerContact>& layers) const {
  double largest = 0, difference = 0;
  for (const LayerContact& layer : layers) {
    const Vector4<double> f = layer.force();
    const ContactFrame<double>& frame = layer.place().frame();
    const Vec3<double> soft = to_world(frame.N, frame.T, frame.U, f(0), f(1), f(2));
    Vec3<double> rigid = Vec3<double>::zero();
    for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
      const FoundContact& place = instant.contacts[i].place;
      if (!is_same(place, layer.place().found())) continue;
      const auto& force = instant.cells.front().forces[i];
      rigid = to_world(place.N, place.T, place.U, force[0], force[1], force[2]);
    }
    largest = std::max({largest, norm(soft), norm(rigid)});
    difference = std::max(difference, norm(soft - rigid));
  }
  return largest > 0 ? difference / largest : 0;
}

double ModelSwitcher::next_check() const {
  double out = std::numeric_limits<double>::infinity();
  for (const CompliantContacts::Handed& pair : layers_.handed()) out = std::min(out, pair.next_check);
  return out;
}

/// All that touch now, rigid or not.
std::vector<FoundContact> ModelSwitcher::list_contacts() const {
  std::vector<FoundContact> out;
  for (const HeldContact& contact : context_.motion().contacts()) out.push_back(contact.found());
  for (const LayerContact& contact : context_.motion().layer_contacts()) out.push_back(contact.place().found());
  return out;
}

std::optional<ModelSwitch> ModelSwitcher::try_back(State& state, const InstantOptions& options) {
  has_tried_ = false;
  if (state.t < next_check() || !context_.motion().follow_layer_contacts(state)) return {};
  find_groups(list_contacts());
  std::vector<int> groups;
  for (const CompliantContacts::Handed& pair : layers_.handed()) {
    if (pair.next_check <= state.t) groups.push_back(find_group(pair.a, pair.b));
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (const int group : groups) {
    if (auto back = try_group(group, state, options)) return back;  // others are asked when this has settled
  }
  return {};
}

/// Sets when these pairs are asked next: all of a group at once, each after it has had time to settle.
bool ModelSwitcher::is_due(const std::vector<CompliantContacts::Handed>& pairs, double t) {
  const bool is_first = std::any_of(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.is_new; });
  // Where no layer is left, nothing has to settle.
  double layer_time = kShortestLayer * context_.tolerances().scales().time;
  for (const LayerContact& layer : context_.motion().layer_contacts()) {
    const bool is_of_these =
        std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.is_of(layer); });
    if (is_of_these) layer_time = std::max(layer_time, layers_.calc_layer_time(layer));
  }
  for (CompliantContacts::Handed& pair : layers_.handed()) {
    const bool is_of_these =
        std::any_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.is_of(pair.a, pair.b); });
    if (!is_of_these) continue;
    pair.next_check = t + (is_first ? kDwell : kCheck) * layer_time;
    pair.is_new = false;
  }
  return !is_first;
}

/// The rigid model is asked about these contacts, and about the state with pressed bodies put on each other.
std::optional<ModelSwitch> ModelSwitcher::try_group(int group, State& state, const InstantOptions& options) {
  ConstrainedMotion& motion = context_.motion();
  std::vector<CompliantContacts::Handed> pairs;
  for (const CompliantContacts::Handed& pair : layers_.handed()) {
    if (find_group(pair.a, pair.b) == group) pairs.push_back(pair);
  }
  if (!is_due(pairs, state.t)) return {};
  std::vector<LayerContact> gone;
  for (const LayerContact& layer : motion.layer_contacts()) {
    if (std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.is_of(layer); }))
      gone.push_back(layer);
  }
  if (!is_relaxed(gone)) return {};
  has_tried_ = true;
  const std::vector<LayerContact> layers = motion.layer_contacts();
  const std::vector<CompliantContacts::Handed> handed = layers_.handed();
  State trial = state;
  std::vector<HeldContact> held = motion.contacts();
  for (const LayerContact& layer : gone) {
    if (layer.phase == LayerPhase::apart) continue;
    held.push_back(layer.place());
    held.back().set_hold(layer.phase == LayerPhase::sticks ? ContactHold::rolling : ContactHold::smooth);
  }
  const double held_energy = layers_.take_back(pairs);
  trial.inner = motion.collect_shears();
  if (!held.empty()) context_.projection().project(motion.rows(), motion.mode().held, held, trial.q, trial.v);
  std::optional<Instant> instant;
  only_ = group;
  try {
    instant = internal::solve_instant(context_, trial, options);
  } catch (const NoInstantError&) {
  }
  only_ = -1;
  const bool is_good = instant && (instant->verdict == Verdict::unique_motion ||
                                   (instant->verdict == Verdict::unique && instant->determinate));
  const double disagreement = is_good ? compare(*instant, gone) : 1;
  if (!is_good || disagreement > kAgrees) {
    layers_.handed() = handed;
    motion.set_layer_contacts(layers);
    return {};
  }
  motion.hold({motion.mode(), std::move(held)});
  const Model& model = context_.scenario().model;
  ModelSwitch out{.t = state.t, .to_compliant = false, .contacts = {}, .why = {}, .disagreement = disagreement};
  // Layers that stay are between other bodies, which were not moved.
  out.energy = calc_energy(model, trial) - calc_energy(model, state) - held_energy;
  for (const CompliantContacts::Handed& pair : pairs) {
    out.contacts.push_back(fmt::format("{}/{}", model.body(pair.a).name, model.body(pair.b).name));
  }
  out.why =
      fmt::format("the rigid model is determinate again, its forces differ by {:.2g} of the largest", disagreement);
  state = trial;
  return out;
}

}  // namespace thenar::internal
