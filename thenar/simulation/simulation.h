// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Simulation: a motion that a program holds in its hand. It goes on as far as it is told, and between the calls one
/// can look at it, change what drives it, copy it, and put it somewhere else.
///
///     thenar::Simulation sim(thenar::load("grasp.yaml"));
///     const int joint = *sim.model().find_dof("hand.index_2");
///     while (sim.time() < 1) {
///       sim.set_effort(joint, law(sim.state()));
///       if (const auto report = sim.advance(1e-3); !report.ok()) return fail(report);
///       for (const thenar::Contact& c : sim.contacts()) use(c.id, c.mode, c.force_on_A.normal, c.margin);
///       for (const thenar::Event& e : sim.new_events()) log(e);
///     }
///
/// **Cutting.** advance(dt) ends exactly at t + dt and does not disturb the motion: accepted steps and events are the
/// same bits however a motion is cut into calls, as long as nothing is changed between them. States at the ends of
/// calls are read from dense output. A change (effort, target, wrench, parameter) restarts the integrator at the
/// present state; methods with fixed steps keep their grid, and changes act from its next point on.
///
/// **Ends.** Nothing throws for physics: an AdvanceReport says what ended a call, and instant() which answers there
/// are. A motion that has ended stays where it is until something is changed, set_state() or reset(). Arguments that
/// make no sense throw std::invalid_argument.
///
/// **Time** begins at 0. RunOptions::until is where `thenar run` ends; advance() goes on behind it.
///
/// One thread at a time may use a Simulation. Different ones are independent, and share nothing that changes.

#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thenar/instant/contact_instant.h"
#include "thenar/motion/external_loads.h"
#include "thenar/scenario/scenario.h"
#include "thenar/simulation/snapshot.h"
#include "thenar/trace/advance_end.h"
#include "thenar/trace/run_callbacks.h"
#include "thenar/trace/run_report.h"

namespace thenar {

/// How much one call may use up. It ends early, with everything consistent, when any part of its budget is spent, but
/// after one accepted step or event at least.
struct Budget {
  double wall_s = std::numeric_limits<double>::infinity();
  long long steps = std::numeric_limits<long long>::max();
  long long events = std::numeric_limits<long long>::max();
};

/// How a call of advance() went.
struct AdvanceReport {
  AdvanceEnd end = AdvanceEnd::reached;
  double time = 0;                  ///< s, that the motion has reached
  long long steps = 0, events = 0;  ///< of this call
  std::string reason{};             ///< why it did not get farther, for people; empty if it did

  /// Whether the motion can go on. The call may have ended early, because of a budget or an event that was asked for.
  bool ok() const { return can_go_on(end); }
};

/// The distance of two bodies: of their nearest points, or the deepest overlap of shapes.
struct BodyGap {
  BodyIndex body_A, body_B;
  double distance = 0;                                                          ///< m; negative: overlap
  Vec3<double> normal = Vec3<double>::zero();                                   ///< from B to A, world axes
  Vec3<double> point_A = Vec3<double>::zero(), point_B = Vec3<double>::zero();  ///< world, m
};

class Simulation {
 public:
  /// Throws std::invalid_argument when the scenario cannot run: bad options, sizes that do not fit the model, or a
  /// joint without inertia (find_inertia_fault).
  explicit Simulation(Scenario scenario);
  explicit Simulation(std::shared_ptr<const Scenario> scenario);
  /// One that goes on with the same bits. What is recorded, events that were not asked for and the interrupt flag stay
  /// with the original.
  Simulation(const Simulation& other);
  Simulation& operator=(const Simulation& other);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  const Scenario& scenario() const;
  const Model& model() const;

  // --- Time and state -----------------------------------------------------------------------------------------------

  double time() const;  ///< s
  const State& state() const;
  /// The motion starts anew from these positions and velocities, at the present time: contacts are found there, and
  /// what contacts remember is gone. Loads that were set stay. Throws std::invalid_argument where sizes do not fit or
  /// numbers are not finite.
  void set_state(const VectorX<double>& q, const VectorX<double>& v);
  /// Back to the start of the scenario, without loads; events that were not asked for are gone.
  void reset();

  // --- Going on -----------------------------------------------------------------------------------------------------

  /// By dt ≥ 0, s.
  AdvanceReport advance(double dt, const Budget& budget = {});
  /// To a time that is not before the present one, s.
  AdvanceReport advance_to(double t, const Budget& budget = {});
  /// To right behind the first event that `is_wanted` (any event, if that is empty), or to time `latest`.
  AdvanceReport run_until_event(double latest, const std::function<bool(const Event&)>& is_wanted = {},
                                const Budget& budget = {});
  /// While it is true, calls end behind the present step. It must outlive the simulation; nullptr: none.
  void set_interrupt(const std::atomic<bool>* flag);

  // --- What drives it -----------------------------------------------------------------------------------------------

  /// An effort (N m or N) that takes the place of the torque profile of a degree of freedom, until it is set anew;
  /// nothing: the profile again. Controllers add theirs, and limits of actuators hold.
  void set_effort(int dof, std::optional<double> effort);
  /// A target (rad or m) for the controllers that drive a degree of freedom; nothing: their own again. Throws
  /// std::invalid_argument where none of them has a target there.
  void set_target(int dof, std::optional<double> target);
  /// A force and a torque on a body for `wrench.until` − time() seconds, besides others that act.
  void apply_wrench(const AppliedWrench& wrench);
  /// The wrenches that were applied are gone.
  void clear_wrenches();
  /// Other values of parameters of the scenario (SI) from here on: masses, frictions, gains, targets, springs, gravity,
  /// and everything else that they drive (Scenario::parameters) but what cannot change in a motion: places of joints,
  /// shapes, numbers of things, which contacts there are, how the run proceeds. Throws std::invalid_argument for those,
  /// for names that are no parameters and for numbers that make no sense; nothing has changed then.
  void set_parameter(std::string_view name, double value);
  void set_parameters(std::span<const NamedValue> values);
  const ExternalLoads& loads() const;

  // --- Looking ------------------------------------------------------------------------------------------------------

  /// Everything that a row of a trace holds, at the present state. It stays until the simulation is asked for another
  /// one, changed or advanced. Throws std::runtime_error where the state has a number that is not finite.
  const Sample& sample() const;
  /// What contacts do: those that hold, and the nearest points of bodies that are near each other.
  const std::vector<Contact>& contacts() const { return sample().contacts; }
  const EnergySample& energy() const { return sample().energy; }
  /// Efforts of the actuators (nv), N m or N.
  const VectorX<double>& efforts() const { return sample().tau; }
  /// Events since this was last asked.
  std::vector<Event> new_events();

  /// Which contacts roll, slide or part next, with which forces, and whether that answer is the only one. Throws
  /// std::runtime_error where bodies overlap or are about to strike.
  Instant instant(const InstantOptions& options = {}) const;

  Pose<double> pose(BodyIndex body) const;
  /// Twist of a point of the body (m, in its frame) = J v; 6 × nv, angular rows first, world axes.
  MatrixX<double> jacobian(BodyIndex body, const Vec3<double>& point_B = Vec3<double>::zero()) const;
  MatrixX<double> mass_matrix() const;
  /// Of each pair that has shapes.
  std::vector<BodyGap> gaps(std::span<const std::pair<BodyIndex, BodyIndex>> pairs) const;

  // --- Keeping ------------------------------------------------------------------------------------------------------

  /// Everything that the future depends on. The second one writes over a snapshot, whose storage it uses again.
  Snapshot save() const;
  void save(Snapshot& out) const;
  /// Goes on from there with the same bits. Throws std::invalid_argument if the snapshot is of another scenario, or
  /// damaged: the simulation is then at the start of its scenario.
  void restore(const Snapshot& snapshot);

  // --- Recording ----------------------------------------------------------------------------------------------------

  /// Samples at the scenario's row times and before and after jumps, events, and progress, from here on; calls look at
  /// row times by themselves, which changes no step. What the callbacks refer to must outlive the simulation.
  void record(RunCallbacks callbacks);
  /// A row of the present state, unless there is one: of a record that ends here, between two row times.
  void record_last();
  /// How the motion has gone up to the last step that was taken.
  RunReport report() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace thenar
