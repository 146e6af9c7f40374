// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Runs a scenario from its initial state to its end: smooth motion (stepper.h) from event to event (event_watch.h,
/// instant.h), and the books of energy. Slow motion, `engine: quasistatic`, is run by slow_run_internal.h.
///
///     const Trace trace = record(scenario);                     // all rows in memory
///
///     RunCallbacks callbacks;                                   // or row by row
///     callbacks.on_sample = [&](const Sample& s) { return writer.write(s); };
///     const RunReport report = simulate(scenario, callbacks);
///
/// A run never throws for physics: a state that is no longer finite ends it with a report that says where. The same
/// scenario gives the same bits in every run of one build.

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "thenar/modes/verdict.h"
#include "thenar/simulate/event.h"
#include "thenar/simulate/scenario.h"

namespace thenar {

/// What a contact does in a row of a trace.
enum class ContactMotion : std::uint8_t {
  free,   ///< apart, within the margin of the scenario
  fixed,  ///< held, without any relative motion
  roll,   ///< held, without slip, while the bodies turn on each other
  slide,  ///< held, with slip
  spin    ///< held by a soft fingertip that turns about N and does not slip otherwise
};
/// The word used in files: free, fixed, roll, slide, spin.
const char* to_string(ContactMotion motion);

/// One contact in a row of a trace. Forces are on A, vectors along N, T, U of the contact frame.
struct ContactSample {
  std::string name;  ///< A/B or A/B#k
  ContactMotion motion = ContactMotion::free;
  double gap = 0;                      ///< m
  std::array<double, 4> force{};       ///< N, T, U, N, and torsion about N, N m
  std::array<double, 2> slip{};        ///< velocity of A relative to B along T, U, m/s
  std::array<double, 2> u_A{}, u_B{};  ///< surface coordinates, in their charts
  double psi = 0;                      ///< rad
  /// The smallest relative change of f_N that brings the force to its cone, of the patch where there is one; −1 while
  /// sliding, 0 of what is free or has no friction.
  double margin = 0;
  /// Where it is, in world axes: the point on A (m; that on B is gap N before it), and N and T of the contact frame.
  /// A pair that is free has no T. N is 0 where nothing is known of the place.
  Vec3<double> point_A = Vec3<double>::zero(), N = Vec3<double>::zero(), T = Vec3<double>::zero();
  double friction = 0;  ///< coefficient of the cone that bounds the force now; 0 of what is free
};

/// Energies in a row of a trace, J. `work`, `dissipated` and `switched` are since the start:
/// total() = that of the first row + work − dissipated + switched.
struct EnergySample {
  double kinetic = 0, potential = 0, work = 0, dissipated = 0;
  double layers = 0;    ///< elastic energy of compliant contacts
  double switched = 0;  ///< what contacts that changed their model have put in (EnergyBalance)

  double total() const { return kinetic + potential + layers; }
};

/// One row of a trace. All numbers are finite.
struct Sample {
  State state;
  VectorX<double> tau;                  ///< efforts of the actuators (nv), N m or N
  std::vector<ContactSample> contacts;  ///< of a scenario with contacts
  EnergySample energy;
};

/// What the instant at `from` said of the motion up to `to`.
struct VerdictInterval {
  double from = 0, to = 0;  ///< s
  Verdict verdict = Verdict::unique;
  bool determinate = false;
};

/// Contacts that went over from one model to the other (SYK Fig. 4).
struct ModelSwitch {
  double t = 0;  ///< s
  bool to_compliant = true;
  std::vector<std::string> contacts;
  std::string why;
  /// The largest difference of a contact's force in the two models there, as a part of the largest force; 0 where the
  /// layers begin with the rigid forces, or where there are none.
  double disagreement = 0;
  /// What it puts into the books, J: over, what the layers hold that begin with the rigid forces; back, less what they
  /// held and what it takes to put the bodies on each other.
  double energy = 0;
};

/// Energy of a run, J: end = start + work − dissipated + switched, up to the error of the integrator.
struct EnergyBalance {
  double start = 0;  ///< kinetic, in gravity, in springs with a symmetric stiffness, and in compliant contacts
  double end = 0;
  double work = 0;        ///< of actuators, wrenches and springs whose stiffness is not symmetric
  double dissipated = 0;  ///< in dampers, friction and impacts; never falls
  double switched = 0;    ///< put in by contacts that changed their model, the sum of ModelSwitch::energy

  double error() const { return end - (start + work - dissipated + switched); }
};

enum class RunStatus {
  done,        ///< reached `until`
  failed,      ///< the state or a force stopped being finite, or a callback asked to stop
  interrupted  ///< the interrupt flag was raised
};

/// "done" or "failed", the two words of the JSON contract: an interrupted run has not done what was asked.
const char* to_string(RunStatus status);

struct QuasistaticEnd;  // quasistatic_end.h

struct RunReport {
  RunStatus status = RunStatus::done;
  std::string reason;  ///< why it is not done; empty when it is
  double wall_s = 0;   ///< time the run took, s
  long long steps = 0;
  long long implicit_steps = 0;  ///< of these
  long long rejected_steps = 0;  ///< tried and given up, by error control
  long long evaluations = 0;     ///< of forward dynamics; a Jacobian counts as 2 nv of them
  EventCounts events{};
  long long control_samples = 0;  ///< of controllers that have a rate
  double max_gap_violation =
      0;                 ///< rad or m, the farthest that a coordinate was beyond a stop, or bodies inside each other
  double bridged_s = 0;  ///< s, of the motion that could not be followed event by event (contact_bridge_internal.h)
  long long rows = 0;    ///< samples handed out
  EnergyBalance energy;
  std::vector<VerdictInterval> verdicts;  ///< of a scenario with contacts
  std::vector<ModelSwitch> switches;
  std::shared_ptr<const QuasistaticEnd> quasistatic_end{};  ///< of slow motion that could not go on
  State first, last;                                        ///< `last` is the last good state, also when the run failed
  VectorX<double> q_min, q_max;                             ///< over all steps
};

struct RunCallbacks {
  /// Called at every row, the first at the initial state. Returning false ends the run as failed; the sample lives
  /// only during the call.
  std::function<bool(const Sample&)> on_sample;
  /// Called at every event, in the order of time, after the row before it and before the row after it.
  std::function<void(const Event&)> on_event;
  /// Called now and then with the time reached, s.
  std::function<void(double t)> on_progress;
  /// When it becomes true the run ends after the present step, with one last row.
  const std::atomic<bool>* interrupt = nullptr;
};

/// Throws std::invalid_argument when the scenario cannot run: bad options, sizes that do not fit the model, or a joint
/// without inertia (find_inertia_fault).
RunReport simulate(const Scenario& scenario, const RunCallbacks& callbacks = {});

struct Trace {
  std::vector<Sample> samples;
  std::vector<Event> events;
  RunReport report;
};

/// Runs the scenario and keeps all rows.
Trace record(const Scenario& scenario);

/// Kinetic energy, energy in gravity and in conservative springs, J.
double calc_energy(const Model& model, const State& state);

}  // namespace thenar
