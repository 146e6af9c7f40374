// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Which contacts of a run are compliant, and what becomes of their layers at an instant: layers come where bodies
/// meet, and go where they have parted; what travels on to other features of its bodies takes its shear along.
///
/// Contacts with `law: automatic` are rigid until they are handed over (hand_over), and compliant until they are taken
/// back (take_back). A layer that takes over begins with the force that the rigid contact had, without moving its
/// bodies: it is pressed by an offset, and sheared as if it did not creep (SYK 4.1, δ̇_T = 0); from nothing where there
/// was none.
///
/// Phases (LayerPhase) change where a value passes 0 by more than `force_margin`, so that rounding does not let them
/// chatter: that margin is far below the tolerance of a run, and forces do not jump there.

#include <string>
#include <utility>
#include <vector>

#include "thenar/compliant/layer_changes_internal.h"
#include "thenar/compliant/layer_sizes_internal.h"
#include "thenar/contact/contact_finder.h"
#include "thenar/instant/contact_names.h"
#include "thenar/motion/motion.h"
#include "thenar/scenario/tolerances.h"
#include "thenar/trace/event.h"

namespace thenar::internal {

class CompliantContacts {
 public:
  /// All must outlive it.
  CompliantContacts(const Scenario& scenario, ConstrainedMotion& motion, const Tolerances& tolerances);

  /// Whether contacts of two bodies are compliant now.
  bool is_compliant(BodyIndex a, BodyIndex b) const;
  /// Whether they may become so.
  bool can_hand_over(BodyIndex a, BodyIndex b) const;

  /// The force of a rigid contact, on A along N, T, U of that frame and about N.
  struct Force {
    FoundContact place;
    ContactFrame<double> frame;
    Vector4<double> force = Vector4<double>::Zero();
  };
  /// The bodies of these contacts are compliant from the next settle() on, which begins with these forces.
  void hand_over(const std::vector<FoundContact>& contacts, std::vector<Force> forces, double t);
  /// Whether there are contacts that begin loaded (ContactLaw::starts_loaded), and are rigid until load() says with
  /// which forces.
  bool waits_for_load() const { return waits_for_load_; }
  void load(std::vector<Force> forces);
  /// Two bodies whose contacts were handed over.
  struct Handed {
    BodyIndex a, b;
    double next_check;   ///< s, when to ask whether they may come back
    bool is_new = true;  ///< nobody has asked as yet

    bool is_of(BodyIndex x, BodyIndex y) const { return (a == x && b == y) || (a == y && b == x); }
    bool is_of(const LayerContact& layer) const {
      return is_of(layer.place().found().body_A, layer.place().found().body_B);
    }
  };
  std::vector<Handed>& handed() { return handed_; }
  const std::vector<Handed>& handed() const { return handed_; }
  /// These are rigid again; their layers are gone. Returns what they held, J.
  double take_back(const std::vector<Handed>& some);
  bool is_handed_over(BodyIndex a, BodyIndex b) const;
  /// How long a layer takes to settle, s.
  double calc_layer_time(const LayerContact& contact) const {
    return internal::calc_layer_time(contact, tolerances_.scales());
  }

  /// Of the layer that a rigid contact with this normal force (N) would have.
  LayerSlopes calc_slopes(const HeldContact& contact, double f_N) const {
    return calc_layer_slopes(contact.law(), f_N, tolerances_.scales());
  }

  /// An instant begins: layers are as the motion has them now.
  void begin();
  /// The layers that there are at the state, which gets their shears, in the motion.
  void settle(State& state);
  /// Which of them press, stick and slip, at velocities that may have jumped.
  void choose_phases(const State& state);
  /// What layers hold that have taken over from rigid contacts with a force, since this was last asked, J.
  double take_energy_put_in() { return std::exchange(energy_put_in_, 0); }
  /// What has changed since begin().
  std::vector<Event> list_changes(double t) const { return changes_.list(t); }

  template <class Archive>
  void archive(Archive& a);

  const LayerMargins& margins() const { return margins_; }

 private:
  LayerContact make_contact(const FoundContact& found) const;
  bool meets(const LayerContact& contact) const;
  LayerContact begin_layer(LayerContact contact);
  LayerContact inherit(const LayerContact& old, const FoundContact& found) const;
  int find_parent(const std::vector<LayerContact>& old, const std::vector<char>& is_used,
                  const FoundContact& found) const;
  bool still_holds(const LayerContact& contact) const;
  void find_waiting();

  const Scenario& scenario_;
  ConstrainedMotion& motion_;
  const Tolerances& tolerances_;
  LawTable laws_;
  ContactFinder finder_;
  ContactNames names_;
  Workspace<double> workspace_;
  double size_ = 0;
  LayerMargins margins_;
  std::vector<Handed> handed_;
  std::vector<Force> forces_;  ///< with which layers begin
  LayerChanges changes_;
  bool waits_for_load_ = false;
  std::vector<std::pair<BodyIndex, BodyIndex>> overlapping_;  ///< at the start of the run
  bool has_begun_ = false, has_started_ = false;              ///< an instant, the one after the first
  double energy_put_in_ = 0;
};

}  // namespace thenar::internal
