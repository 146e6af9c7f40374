// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// RunReport: how a run went and how it ended.

#include <memory>
#include <string>
#include <vector>

#include "thenar/modes/verdict.h"
#include "thenar/scenario/state.h"
#include "thenar/trace/event.h"

namespace thenar {

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

/// Energy of a run, J: end = start + work − dissipated + switched + corrected, up to the error of the integrator.
struct EnergyBalance {
  double start = 0;  ///< kinetic, in gravity, in springs with a symmetric stiffness, and in compliant contacts
  double end = 0;
  double work = 0;        ///< of actuators, wrenches and springs whose stiffness is not symmetric
  double dissipated = 0;  ///< in dampers, friction and impacts; never falls
  double switched = 0;    ///< put in by contacts that changed their model (ModelSwitch::energy), and by parameters
  double corrected = 0;   ///< put in by positions that the step engine corrects, and by its impacts where they gain

  double error() const { return end - (start + work - dissipated + switched + corrected); }
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
      0;  ///< rad or m, the farthest that a coordinate was beyond a stop, or bodies inside each other
  long long flagged_steps = 0;  ///< of the step engine, whose answer is not as good as it should be
  double worst_grade = 0;       ///< of the step engine: the worst grade of an answer (grade.h)
  double bridged_s = 0;  ///< s, of the motion that could not be followed event by event (contact_bridge_internal.h)
  long long rows = 0;    ///< samples handed out
  EnergyBalance energy;
  std::vector<VerdictInterval> verdicts;  ///< of a scenario with contacts
  std::vector<ModelSwitch> switches;
  std::shared_ptr<const QuasistaticEnd> quasistatic_end{};  ///< of slow motion that could not go on
  State first, last;                                        ///< `last` is the last good state, also when the run failed
  VectorX<double> q_min, q_max;                             ///< over all steps
};

template <class Archive>
void archive_state(Archive& a, VerdictInterval& x) {
  a(x.from, x.to, x.verdict, x.determinate);
}

template <class Archive>
void archive_state(Archive& a, ModelSwitch& x) {
  a(x.t, x.to_compliant, x.contacts, x.why, x.disagreement, x.energy);
}

/// Without the problem that slow motion ended with.
template <class Archive>
void archive_state(Archive& a, RunReport& x) {
  a(x.status, x.reason, x.wall_s, x.steps, x.implicit_steps, x.rejected_steps, x.evaluations, x.events,
    x.control_samples, x.max_gap_violation, x.flagged_steps, x.worst_grade, x.bridged_s, x.rows);
  a(x.energy.start, x.energy.end, x.energy.work, x.energy.dissipated, x.energy.switched, x.energy.corrected);
  a(x.verdicts, x.switches, x.first, x.last, x.q_min, x.q_max);
}

}  // namespace thenar
