// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a run with contacts does between two stretches of smooth motion, and what it tells of them.
///
///     settle   put in touch ► impacts ► instant: modes, forces, verdict ► the motion that follows (ConstrainedMotion)
///
/// Joint stops, locks, couplings and dry friction take part in impacts and instants beside the contacts. Which contacts
/// roll, slide or part is the answer of the instant (contact_instant.h), never a threshold: events only say when it is
/// asked. Chan's map of transitions (Chan 5.6) is what comes of that; docs/motion.md has it.
///
/// **Rest after impacts.** Impulses leave of a contact that comes to rest, or sticks, a speed of the size of their
/// error; it is projected away, with the smallest change of the kinetic energy's metric, before the instant is asked.
///
/// **Bounces** that rise less than Tolerances::smallest_bounce are captured: the contact rests from then on, and the
/// event `zeno` is told at the time at which the remaining ones, a geometric series, would have ended.
///
/// **Models.** Where rigid bodies do not tell what happens, contacts go over to the compliant model, and come back
/// (model_switch_internal.h).
///
/// **Chatter** that is no such series, and instants whose search does not end, are passed by a bridge: one short step
/// for all of it, without restitution (contact_bridge_internal.h), told as `zeno` with its length.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thenar/compliant/compliant_contacts_internal.h"
#include "thenar/compliant/determinacy_watch_internal.h"
#include "thenar/compliant/model_switch_internal.h"
#include "thenar/compliant/soft_watch_internal.h"
#include "thenar/engine/contact_bridge_internal.h"
#include "thenar/engine/contact_teller_internal.h"
#include "thenar/engine/event_teller.h"
#include "thenar/events/contact_watch.h"
#include "thenar/instant/contact_impact.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/contact_names.h"
#include "thenar/instant/flat_rim_internal.h"
#include "thenar/instant/instant.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/motion/state_energy.h"
#include "thenar/trace/advance_end.h"
#include "thenar/trace/run_report.h"

namespace thenar {

/// A contact that has bounced for the last time and rests when the series of bounces would have ended.
struct BounceEnd {
  double t = 0;
  std::string where;
  long long strikes = 0;
};

class ContactEngine {
 public:
  /// All must outlive it.
  ContactEngine(const Scenario& scenario, ConstrainedMotion& motion, InstantSolver& joints, Stepper& stepper,
                const Tolerances& tolerances);

  /// The state in which smooth motion has ended becomes that in which it goes on, and `motion` and `stepper` are set up
  /// for it. `at` is what ended it, if it was a contact, `trigger` if it was a reaction of a joint. False when it
  /// cannot go on: fault() says why. `patience` counts how often the run has been at this instant: after some times
  /// contacts that leave their bounds are let go whatever the instant says, and nothing rebounds.
  bool settle(State& state, const std::optional<ContactCrossing>& at, Trigger trigger, int patience);
  const std::string& fault() const { return fault_; }
  AdvanceEnd fault_cause() const { return fault_cause_; }
  /// Whether that is no verdict on the motion but a search that did not end, so that a bridge may lead past it.
  bool is_stuck() const { return is_stuck_; }

  /// Names a contact that slides and whose force has grown beyond measure at the last evaluation: where it jams, the
  /// force that friction adds to has no end. Empty if there is none.
  std::string explain_jam() const;

  /// Contacts that jam go over to the compliant model in the next settle(), if they may: `why` says what jams. False if
  /// none may.
  bool hand_over_jam(const State& state, const std::string& why);
  /// When try_back() is to be asked next, s.
  double next_check() const { return switcher_.next_check(); }
  /// Whether contacts come back to the rigid model here: the state is then that with the bodies put on each other, and
  /// settle() must follow.
  bool try_back(State& state);

  /// A short step over what cannot be followed event by event (contact_bridge_internal.h); settle() comes next. Empty
  /// if there is none.
  std::optional<internal::BridgedStep> bridge(State& state, double h);

  /// To be called when the stepper has made a step (ContactWatch).
  void note_end() { watch_.note_end(stepper_); }
  /// The first crossing of contacts in the last step. `patience` counts how often the run has been at this instant: the
  /// margin of forces grows with it.
  ContactWatch::Finding find_crossing(Stepper& stepper, int patience);

  /// A question about the state, with the frames and the layers that contacts have now.
  void prepare_question(const State& state, internal::AssemblyContext& context) const;

  // Answers to settle.
  const std::vector<ContactStrike>& strikes() const { return strikes_; }
  const std::vector<BounceEnd>& bounce_ends() const { return bounce_ends_; }
  /// From one model to the other, since this was last asked.
  std::vector<ModelSwitch> take_switches() { return std::exchange(switches_, {}); }
  double energy_lost() const { return energy_lost_; }  ///< J, in impacts, and of layers that are left; not in switches
  Verdict verdict() const { return instant_ ? instant_->verdict : Verdict::unique; }
  bool is_determinate() const { return instant_ && instant_->determinate; }
  /// Events of contacts, in words: what touches, slips, sticks, breaks or goes over to other features since the last
  /// settle.
  const std::vector<Event>& changes() const { return changes_; }

  /// Whether the slip that crosses 0 there is at rest, or has only turned by a right angle since the step began.
  bool is_at_rest(const ContactCrossing& at);

  template <class Archive>
  void archive(Archive& a);

  /// For rows: forces that the cones admit (ContactSampler).
  ContactWatch& watch() { return watch_; }

 private:
  /// How often a contact was struck since it last rested.
  struct StrikeCount {
    int shape_A, shape_B;
    std::uint64_t id;
    long long count;
  };

  /// A contact that leaves its bounds whatever the instant says.
  struct Insistent {
    FoundContact place;
    bool parts = false;
    std::array<double, 3> slip{};
  };

  /// A rim that lay flat and goes on in one point.
  struct Tipping {
    internal::FlatRim rim;
    std::size_t contact = 0;  ///< of the instant
    double angle = 0;         ///< where on the rim
    std::optional<int> slot;  ///< that it has there until it travels
    bool is_at_rest = true;   ///< before it tips
  };

  void look_at(const State& state);
  void find_insistent(const std::optional<ContactCrossing>& at, int patience);
  bool put_in_touch(State& state);
  double find_deepest(const State& state);
  void hold_stops(const State& state, const std::vector<int>& stops);
  std::vector<int> list_passed_stops(const VectorX<double>& before, const VectorX<double>& after);
  void bring_to_rest(State& state, const ContactCrossing& at);
  bool rests(const HeldContact& contact, const VectorX<double>& v) const;
  bool resolve_impacts(State& state, bool is_plastic);
  void note_strikes(const ImpactInstant& impact, const VectorX<double>& v);
  void hold_joints(const State& state, const std::function<bool(const JointRow&)>& is_chosen);
  void calm(State& state, double slow);
  bool resolve_instant(State& state);
  InstantOptions make_instant_options(double t) const;
  bool settle_rigid(State& state, Trigger trigger, int patience);
  void load_layers(const State& state);
  bool hands_over(const State& state, bool is_settled);
  internal::DeterminacyWatch::Doubt find_doubt(bool is_settled);
  double book_put_in();
  double calc_layer_energy(const State& state);
  void tell_changes(double t, const std::optional<ContactCrossing>& at);
  std::size_t choose_cell(const Instant& instant, const State& state) const;
  bool goes_on_as_it_is(const Instant& instant, const InstantCell& cell) const;
  bool may_go_on(const Instant& instant, const State& state);
  void set_modes(const State& state, Trigger trigger);
  void find_tipping_rims(const State& state);
  std::optional<int> find_slot(const internal::FlatRim& rim, std::size_t chosen) const;
  void place_tipping_point(const Tipping& tipping, double angle);
  void settle_tipping_points(const State& state, Trigger trigger);
  bool begins_to_slip() const;
  bool stop_short_slip(HeldContact& contact, const VectorX<double>& vdot, double smallest) const;
  bool capture_stops(const State& state, Mode& mode);
  bool capture_bounces(State& state);
  long long& strike_count(const FoundContact& place);

  const Scenario& scenario_;
  ConstrainedMotion& motion_;
  InstantSolver& joints_;
  Stepper& stepper_;
  const Tolerances& tolerances_;
  ContactWatch watch_;
  internal::AssemblyContext context_;
  internal::CompliantContacts soft_;
  internal::ModelSwitcher switcher_;
  internal::DeterminacyWatch determinacy_;
  internal::ContactTeller teller_;
  ContactNames names_;
  Workspace<double> workspace_;
  double size_ = 0;
  std::optional<internal::SoftWatch> soft_watch_;
  bool has_started_ = false;
  std::string fault_, jam_;
  AdvanceEnd fault_cause_ = AdvanceEnd::failed;
  bool is_stuck_ = false;
  std::optional<Instant> instant_;
  std::vector<internal::PressedPoint> pressed_;
  std::size_t cell_ = 0;
  std::optional<Insistent> insistent_;
  std::vector<Tipping> tipping_;
  std::vector<ContactStrike> strikes_;
  std::vector<StrikeCount> strike_counts_;
  std::vector<long long> stop_strikes_;  ///< by joint row, since it last rested
  std::vector<BounceEnd> bounce_ends_;
  std::vector<Event> changes_;
  std::vector<ModelSwitch> switches_;
  bool has_asked_ = false;  ///< the instant is that of this settle
  double energy_lost_ = 0;
};

}  // namespace thenar
