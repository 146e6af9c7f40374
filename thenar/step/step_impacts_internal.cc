// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_impacts_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/engine/event_log.h"

namespace thenar::internal {
namespace {

/// Rounds of impacts in one step.
constexpr int kMostImpacts = 20;

bool can_strike(RowKind kind) { return kind == RowKind::normal || kind == RowKind::unilateral; }

}  // namespace

StepImpacts::StepImpacts(const Scenario& scenario, const VectorX<double>& start, const Tolerances& tolerances)
    : scenario_(scenario),
      motion_(scenario, start),
      joints_(motion_, tolerances),
      context_(scenario, motion_, joints_, tolerances) {
  context_.overlap = std::numeric_limits<double>::infinity();
  context_.obeys_declared = false;
}

bool StepImpacts::is_struck(const StepRows& rows) const {
  for (int i = 0; i < rows.problem().size(); ++i) {
    if (can_strike(rows.problem().row(i).kind) && rows.rate_before(i) < -context_.slowest_strike) return true;
  }
  return false;
}

bool StepImpacts::is_struck(const ImpactInstant& impact) const {
  const ConstraintProblem& problem = impact.problem.rows;
  for (int i = 0; i < problem.size(); ++i) {
    if (can_strike(problem.row(i).kind) && problem.b()(i) < -context_.slowest_strike) return true;
  }
  return false;
}

std::string StepImpacts::resolve(const StepRows& rows, const VectorX<double>& q_mid, double touch, double slowest,
                                 VectorX<double>& v, MadeStep& step) {
  context_.slowest_strike = slowest;
  context_.touch = touch;
  if (!is_struck(rows)) return {};
  State mid{step.end.t - 0.5 * step.h, q_mid, v};
  for (int round = 0; round < kMostImpacts; ++round) {
    const ImpactInstant impact = assemble_impact(context_, mid);
    if (!is_struck(impact)) break;
    const ImpactAnswer answer = solve_impact(impact.problem, scenario_.impact);
    if (answer.status != ImpactStatus::done) {
      return fmt::format("the impact has no answer{}{}", answer.reason.empty() ? "" : ": ", answer.reason);
    }
    const double change = answer.energy.change();
    step.energy.dissipated += std::max(0.0, -change);
    step.energy.corrected += std::max(0.0, change);
    mid.v = impact.calc_velocity(answer.z);
    tell(impact, mid.v, step);
  }
  v = mid.v;
  return {};
}

void StepImpacts::tell(const ImpactInstant& impact, const VectorX<double>& v, MadeStep& step) const {
  const VectorX<double> after = impact.J * v;
  for (const ImpactContact& contact : impact.contacts) {
    const double before = impact.problem.rows.b()(contact.row);
    if (!(before < -impact.rest)) continue;
    const double rate = std::abs(after(contact.row)) > kLeftByImpulses * -before ? after(contact.row) : 0;
    step.events.push_back({.t = step.end.t,
                           .kind = EventKind::impact,
                           .place = make_place(contact.name, contact.place),
                           .cause = EventCause::strikes,
                           .numbers = {{"before", before, "m/s"}, {"after", rate, "m/s"}}});
  }
  for (const ImpactStop& stop : impact.stops) {
    if (!(stop.rate < 0)) continue;
    const char* unit = scenario_.model.is_angular(stop.dof) ? "rad/s" : "m/s";
    EventPlace place{.name = scenario_.model.dof_name(stop.dof)};
    place.dof = stop.dof;
    step.events.push_back({.t = step.end.t,
                           .kind = EventKind::impact,
                           .place = std::move(place),
                           .cause = EventCause::strikes,
                           .numbers = {{"before", stop.rate, unit}, {"after", after(stop.row), unit}},
                           .side = stop.is_upper ? StopSide::upper : StopSide::lower});
  }
}

}  // namespace thenar::internal
