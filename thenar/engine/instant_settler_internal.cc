// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/instant_settler_internal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/contact/no_instant_error.h"

namespace thenar::internal {
namespace {

/// Nodes that the search for other answers may take at an instant, some milliseconds; with smooth cones; and where an
/// answer or the end of the run depends on it.
constexpr long long kMostNodes = 400;
constexpr long long kSmoothNodes = 40;
constexpr long long kLastNodes = 4000;
/// Times at one instant after which nothing rebounds.
constexpr int kPlasticPatience = 20;

}  // namespace

InstantSettler::InstantSettler(const Scenario& scenario, ConstrainedMotion& motion, JointRest& joints, Stepper& stepper,
                               const Tolerances& tolerances)
    : parts_(scenario, motion, joints, stepper, tolerances),
      watch_(scenario, motion),
      layers_(scenario, motion, tolerances),
      hand_over_(parts_, layers_),
      contact_changes_(scenario, motion, parts_.context.finder()),
      layer_watch_(motion, layers_.margins(), parts_.size),
      touch_(parts_),
      bounces_(parts_),
      impacts_(parts_, touch_, bounces_),
      modes_(parts_, layers_),
      rims_(parts_, modes_) {
  parts_.context.finder().set_filter(
      [this](BodyIndex a, BodyIndex b) { return !layers_.is_compliant(a, b) && hand_over_.takes_part(a, b); });
}

// --- One instant -----------------------------------------------------------------------------------------------------

bool InstantSettler::settle(State& state, const std::optional<ContactCrossing>& at, Trigger trigger, int patience) {
  const Model& model = parts_.scenario.model;
  begin(at, patience);
  // Contacts that go on keep their axes T and U, and the direction of their friction.
  parts_.look_at(state);
  parts_.context.keep_frames(parts_.workspace);
  double energy = calc_energy(model, state) + calc_layer_energy(state);
  try {
    if (at && at->kind == ContactCrossingKind::stick) touch_.bring_to_rest(state, *at);
    if (layers_.waits_for_load()) load_layers(state);
    if (!settle_models(state, trigger, patience, energy)) return false;
  } catch (const NoInstantError& error) {
    fail(error.what(), AdvanceEnd::failed, true);
    return false;
  }
  // A run starts with the energy that its layers hold at the start.
  energy_lost_ = energy - calc_energy(model, state) - (has_started_ ? calc_layer_energy(state) : 0);
  if (has_started_) describe_changes(state.t, at);
  hand_over_.determinacy().begin(instant_->verdict);
  has_started_ = true;
  parts_.context.obeys_declared = false;
  parts_.context.touch = calc_touch(parts_.scenario.run.tolerance, parts_.size);
  parts_.context.overlap = ContactTolerances(parts_.size).touch();
  return true;
}

void InstantSettler::begin(const std::optional<ContactCrossing>& at, int patience) {
  forget_fault();
  impacts_.begin();
  bounces_.begin();
  changes_.clear();
  energy_lost_ = 0;
  has_asked_ = false;
  contact_changes_.begin();
  layers_.begin();
  pressed_ = list_pressed_points(parts_.motion);
  hand_over_.begin();
  modes_.begin(at, patience);
}

/// As often as contacts go over to the compliant model, the instant is solved again for the rest.
bool InstantSettler::settle_models(State& state, Trigger trigger, int patience, double& energy) {
  for (;;) {
    layers_.settle(state);
    energy += hand_over_.take_energy_put_in();
    const bool is_settled = settle_rigid(state, trigger, patience);
    if (!has_asked_ || !hand_over_.hand_over(*instant_, state, is_settled)) return is_settled;
    forget_fault();
    has_asked_ = false;
  }
}

/// Impacts, and then the modes of rigid contacts. False when the rigid model does not determine how the motion goes on.
bool InstantSettler::settle_rigid(State& state, Trigger trigger, int patience) {
  parts_.joints.find_touching(state.q, state.v);
  if (!touch_.put_in_touch(state, contact_changes_)) {
    fault_ = touch_.fault();
    return false;
  }
  ask_for_pressed(parts_.context, parts_.workspace, pressed_);
  for (std::size_t pass = 0;; ++pass) {
    if (!impacts_.resolve(state, patience > kPlasticPatience)) {
      fault_ = impacts_.fault();
      is_stuck_ = is_stuck_ || impacts_.is_stuck();
      return false;
    }
    // Several motions may differ in nothing but slips that end at once; after these are stopped, there is one.
    const bool goes_on = solve(state);
    has_asked_ = true;
    if (!goes_on && (strikes().empty() || instant_->verdict != Verdict::several)) return false;
    rims_.find(state, *instant_, cell());
    modes_.set(state, *instant_, cell(), trigger);
    parts_.stepper.start(state, modes_.begins_to_slip(*instant_, cell()));
    rims_.settle(state, *instant_, cell(), trigger);
    const bool may_capture = !strikes().empty() && pass <= instant_->contacts.size() + 1;
    if (!(may_capture && bounces_.capture(state, *instant_))) return goes_on;
  }
}

/// Layers that begin loaded get the forces with which rigid contacts would begin, if these have an answer.
void InstantSettler::load_layers(const State& state) {
  State rigid = state;
  std::vector<CompliantContacts::Force> forces;
  try {
    layers_.settle(rigid);
    if (settle_rigid(rigid, {}, 0) && strikes().empty()) {
      const std::vector<Vector4<double>>& known = watch_.calc_forces();
      for (std::size_t i = 0; i < known.size(); ++i) {
        const HeldContact& contact = parts_.motion.contacts()[i];
        forces.push_back({contact.found(), contact.frame(), known[i]});
      }
    }
  } catch (const NoInstantError&) {
    forces.clear();
  }
  layers_.load(std::move(forces));
  // The run begins from here, as if nothing had been asked.
  parts_.motion.set_layer_contacts({});
  parts_.motion.release();
  forget_fault();
  has_asked_ = false;
  impacts_.begin();
  bounces_.begin();
}

InstantOptions InstantSettler::make_instant_options(double t) const {
  InstantOptions options;
  options.time = t;
  options.margins = false;
  const std::optional<ContactRules>& contacts = parts_.scenario.contacts;
  const bool is_smooth = contacts && contacts->cone.kind == FrictionCone::Kind::circular;
  options.search.most_nodes = is_smooth ? kSmoothNodes : kMostNodes;
  options.search.is_brief = true;
  return options;
}

/// Solves the instant and chooses the answer that the run goes on with.
bool InstantSettler::solve(State& state) {
  InstantOptions options = make_instant_options(state.t);
  instant_ = solve_instant(parts_.context, state, options);
  if (instant_->cells.empty() && instant_->verdict == Verdict::undecided) {
    options.search.most_nodes = kLastNodes;
    instant_ = solve_instant(parts_.context, state, options);
  }
  AnswerChoice choice = choose_answer(parts_.scenario, *instant_, state, hand_over_.jam());
  cell_ = choice.cell;
  if (choice.goes_on) return true;
  if (instant_->verdict == Verdict::none) {
    std::string contradiction = parts_.joints.explain_contradiction(state.t, state.q, state.v);
    if (!contradiction.empty()) choice.fault = std::move(contradiction);
  }
  fail(std::move(choice.fault), choice.cause, choice.is_stuck);
  return false;
}

void InstantSettler::fail(std::string fault, AdvanceEnd cause, bool is_stuck) {
  fault_ = std::move(fault);
  fault_cause_ = cause;
  is_stuck_ = is_stuck;
}

void InstantSettler::forget_fault() { fail({}, AdvanceEnd::failed, false); }

/// Of compliant contacts at the state, J.
double InstantSettler::calc_layer_energy(const State& state) {
  if (parts_.motion.layer_contacts().empty() || !parts_.motion.follow_layer_contacts(state)) return 0;
  return parts_.motion.calc_layer_energy();
}

/// The events of this instant. Of contacts that change their model, only that is an event.
void InstantSettler::describe_changes(double t, const std::optional<ContactCrossing>& at) {
  changes_ = contact_changes_.list(t, {*instant_, cell(), strikes()}, at);
  const std::vector<Event> layers = layers_.list_changes(t);
  changes_.insert(changes_.end(), layers.begin(), layers.end());
  const auto is_of_switch = [&](const Event& event) {
    constexpr std::array kKinds{EventKind::touch, EventKind::break_away, EventKind::slip, EventKind::stick};
    if (std::find(kKinds.begin(), kKinds.end(), event.kind) == kKinds.end()) return false;
    return std::any_of(hand_over_.switches().begin(), hand_over_.switches().end(), [&](const ModelSwitch& s) {
      return std::any_of(s.contacts.begin(), s.contacts.end(), [&](const std::string& name) {
        return pair_of_contact(event.where()) == pair_of_contact(name);
      });
    });
  };
  std::erase_if(changes_, is_of_switch);
}

void InstantSettler::prepare_question(const State& state, AssemblyContext& context) const {
  context.lasting_frames = parts_.context.lasting_frames;
  for (const HeldContact& contact : parts_.motion.contacts()) {
    const FoundContact& found = contact.found();
    const auto is_of = [&](const auto& lasting) {
      return lasting.shape_A == found.shape_A && lasting.shape_B == found.shape_B && lasting.id == found.id;
    };
    std::erase_if(context.lasting_frames, is_of);
    context.lasting_frames.push_back({found.shape_A, found.shape_B, found.id, contact.frame()});
    if (contact.hold() == ContactHold::sliding) context.lasting_frames.back().slip = contact.calc_opposed_slip();
  }
  context.obeys_declared = !has_started_;
  context.finder().set_filter([this](BodyIndex a, BodyIndex b) { return !layers_.is_compliant(a, b); });
  if (parts_.motion.layer_contacts().empty()) return;
  context.motion().set_layer_contacts(parts_.motion.layer_contacts());
  context.motion().follow_layer_contacts(state);
}

// --- Crossings -------------------------------------------------------------------------------------------------------

ContactWatch::Finding InstantSettler::find_crossing(Stepper& stepper, int patience) {
  const double margin = ContactWatch::kForceMargin * std::pow(10.0, std::min(patience / 4, 4));
  ContactWatch::Finding out = watch_.find(stepper, margin);
  if (out.retry) return out;
  if (parts_.scenario.run.on_indeterminate == OnIndeterminate::stop) {
    hand_over_.determinacy().find(stepper, make_instant_options(stepper.t()), out.crossing);
  }
  layer_watch_.find(stepper, out.crossing);
  return out;
}

bool InstantSettler::is_at_rest(const ContactCrossing& at) {
  const HeldContact& contact = parts_.motion.contacts()[static_cast<std::size_t>(at.held)];
  parts_.stepper.evaluate(at.theta);
  return touch_.rests(contact, parts_.stepper.interpolate(at.theta).v);
}

/// Between two settles.
template <class Archive>
void InstantSettler::archive(Archive& a) {
  a(watch_, parts_.context, layers_, hand_over_, parts_.names, has_started_, bounces_);
}
THENAR_INSTANTIATE_ARCHIVE(InstantSettler);

}  // namespace thenar::internal
