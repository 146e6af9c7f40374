// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Settles an instant of a run with contacts: from the state in which smooth motion has ended to the one in which it
/// goes on.
///
///     settle   put in touch ► impacts ► instant: modes, forces, verdict ► the motion that follows (ConstrainedMotion)
///
/// Joint stops, locks, couplings and dry friction take part in impacts and instants beside the contacts. Which contacts
/// roll, slide or open is the answer of the instant (contact_instant.h), never a threshold: events only say when the
/// instant is solved. This gives Chan's map of transitions (Chan 5.6); docs/motion.md has it.
///
/// | class | its part |
/// |---|---|
/// | TouchKeeper | projects positions and velocities onto what holds |
/// | ImpactRounds, BounceCapture | impacts, and when bouncing ends |
/// | choose_answer | which of several answers the run goes on with |
/// | ModelHandOver | contacts that go over to the compliant model and come back |
/// | ModeSetter, TippingRims | the motion that the answer leads to |
///
/// **Chatter** that no series of bounces describes, and instants whose search does not end, are passed by a bridge: one
/// short step without restitution (contact_bridge_internal.h), reported as `zeno` with its length.

#include <optional>
#include <string>
#include <vector>

#include "thenar/compliant/layer_watch_internal.h"
#include "thenar/engine/answer_choice_internal.h"
#include "thenar/engine/bounce_capture_internal.h"
#include "thenar/engine/contact_bridge_internal.h"
#include "thenar/engine/contact_changes_internal.h"
#include "thenar/engine/impact_rounds_internal.h"
#include "thenar/engine/mode_setter_internal.h"
#include "thenar/engine/model_hand_over_internal.h"
#include "thenar/engine/tipping_rims_internal.h"
#include "thenar/engine/touch_keeper_internal.h"
#include "thenar/instant/rim_points_internal.h"
#include "thenar/motion/state_energy.h"
#include "thenar/trace/run_report.h"

namespace thenar::internal {

class InstantSettler {
 public:
  /// All must outlive it.
  InstantSettler(const Scenario& scenario, ConstrainedMotion& motion, JointRest& joints, Stepper& stepper,
                 const Tolerances& tolerances);
  InstantSettler(const InstantSettler&) = delete;
  InstantSettler& operator=(const InstantSettler&) = delete;

  /// The state becomes that in which smooth motion goes on, and motion and stepper are set up for it. `at`: the contact
  /// that ended the motion before, if it was one; `trigger`: the reaction of a joint that did. `patience` counts how
  /// often the run has been at this instant: after some times contacts that leave their bounds are let go whatever the
  /// instant says, and nothing rebounds. False when the run cannot go on: fault() says why.
  bool settle(State& state, const std::optional<ContactCrossing>& at, Trigger trigger, int patience);
  const std::string& fault() const { return fault_; }
  AdvanceEnd fault_cause() const { return fault_cause_; }
  /// Whether the fault is a search that did not end, which says nothing about the motion: a bridge may lead past it.
  bool is_stuck() const { return is_stuck_; }

  // What settle() has found.
  const std::vector<StrikeReport>& strikes() const { return impacts_.strikes(); }
  const std::vector<BounceEnd>& bounce_ends() const { return bounces_.ends(); }
  double energy_lost() const { return energy_lost_; }  ///< J, in impacts, and of layers that are left; not in switches
  Verdict verdict() const { return instant_ ? instant_->verdict : Verdict::unique; }
  bool is_determinate() const { return instant_ && instant_->determinate; }
  /// What touches, slips, sticks, breaks or goes over to other features since the last settle.
  const std::vector<Event>& changes() const { return changes_; }

  /// Between two settles, contacts may change their model.
  ModelHandOver& hand_over() { return hand_over_; }
  const ModelHandOver& hand_over() const { return hand_over_; }
  bool try_back(State& state) { return hand_over_.try_back(state, make_instant_options(state.t)); }

  /// A short step over what cannot be followed event by event (contact_bridge_internal.h); settle() comes next. Empty
  /// if there is none.
  std::optional<BridgedStep> bridge(State& state, double h) { return internal::bridge(parts_.context, state, h); }

  /// To be called when the stepper has made a step (ContactWatch).
  void note_end() { watch_.note_end(parts_.stepper); }
  /// The first crossing of contacts in the last step. The margin of forces grows with `patience`.
  ContactWatch::Finding find_crossing(Stepper& stepper, int patience);
  /// Whether the slip that crosses 0 there is at rest, or has only turned by a right angle since the step began.
  bool is_at_rest(const ContactCrossing& at);

  /// A question about the state keeps the frames and the layers that contacts have now.
  void prepare_question(const State& state, AssemblyContext& context) const;

  /// For samples: forces that the cones admit (ContactSampler).
  ContactWatch& watch() { return watch_; }

  template <class Archive>
  void archive(Archive& a);

 private:
  void begin(const std::optional<ContactCrossing>& at, int patience);
  bool settle_models(State& state, Trigger trigger, int patience, double& energy);
  bool settle_rigid(State& state, Trigger trigger, int patience);
  void load_layers(const State& state);
  bool solve(State& state);
  void fail(std::string fault, AdvanceEnd cause, bool is_stuck);
  void forget_fault();
  double calc_layer_energy(const State& state);
  void describe_changes(double t, const std::optional<ContactCrossing>& at);
  InstantOptions make_instant_options(double t) const;
  InstantCell& cell() { return instant_->cells[cell_]; }

  SettleParts parts_;
  ContactWatch watch_;
  CompliantContacts layers_;
  ModelHandOver hand_over_;
  ContactChanges contact_changes_;
  LayerWatch layer_watch_;
  TouchKeeper touch_;
  BounceCapture bounces_;
  ImpactRounds impacts_;
  ModeSetter modes_;
  TippingRims rims_;
  std::vector<PressedPoint> pressed_;
  std::optional<Instant> instant_;
  std::size_t cell_ = 0;
  bool has_started_ = false;
  bool has_asked_ = false;  ///< the instant is that of this settle
  std::string fault_;
  AdvanceEnd fault_cause_ = AdvanceEnd::failed;
  bool is_stuck_ = false;
  std::vector<Event> changes_;
  double energy_lost_ = 0;
};

}  // namespace thenar::internal
