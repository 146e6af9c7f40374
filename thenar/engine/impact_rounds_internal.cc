// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/impact_rounds_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/instant/rim_points_internal.h"

namespace thenar::internal {
namespace {

/// Where everything strikes too slowly to rebound, motions up to so many times as fast come to rest in the impact.
/// Slips that such an impact leaves would fade within a time and a way far below the tolerance; but meanwhile their
/// friction may open other contacts, which strike again, and so on without an end.
constexpr double kFadesAtOnce = 4;
/// Rounds of impacts at one instant with rebounds, and in all.
constexpr int kElasticRounds = 10, kMostRounds = 20;

/// The fastest approach, m/s; of stops, times `length` (m) if they turn.
double calc_approach(const ImpactInstant& impact, const Model& model, double length) {
  double out = 0;
  for (const ImpactContact& contact : impact.contacts) out = std::max(out, -impact.problem.rows.b()(contact.row));
  for (const ImpactStop& stop : impact.stops) {
    out = std::max(out, -stop.rate * (model.is_angular(stop.dof) ? length : 1));
  }
  return out;
}

}  // namespace

bool ImpactRounds::resolve(State& state, bool is_plastic) {
  fault_.clear();
  is_stuck_ = false;
  const Scales& scales = parts_.tolerances.scales();
  const double slowest = std::sqrt(2 * scales.length * parts_.tolerances.smallest_hop(parts_.size)) / scales.time;
  for (int round = 0; round < kMostRounds; ++round) {
    const bool rebounds = !is_plastic && round < kElasticRounds;
    parts_.context.slowest_strike = rebounds ? slowest : std::numeric_limits<double>::infinity();
    parts_.look_at(state);
    const auto [impact, answer] = solve_impact_on_rims(parts_.context, parts_.workspace, state);
    if (!impact.is_struck()) {
      // Speeds that the instant takes for rest become 0; otherwise friction would act along rounding.
      if (round == 0) touch_.calm(state, impact.rest);
      return true;
    }
    if (answer.status != ImpactStatus::done) {
      fault_ = fmt::format("the impact has no answer{}{}", answer.reason.empty() ? "" : ": ", answer.reason);
      return false;
    }
    const VectorX<double> v = impact.calc_velocity(answer.z);
    note_strikes(impact, v);
    const double fastest =
        std::max({impact.calc_fastest(state.v), impact.calc_fastest(v), parts_.tolerances.slowest_that_counts()});
    state.v = v;
    const double approach = calc_approach(impact, parts_.scenario.model, scales.length);
    touch_.calm(state, std::max(kLeftByImpulses * fastest, approach < slowest ? kFadesAtOnce * approach : 0));
  }
  fault_ = "impacts do not come to an end";
  is_stuck_ = true;
  return false;
}

void ImpactRounds::note_strikes(const ImpactInstant& impact, const VectorX<double>& v) {
  const Model& model = parts_.scenario.model;
  const VectorX<double> after = impact.J * v;
  std::vector<FoundContact> places;
  for (const ImpactContact& contact : impact.contacts) places.push_back(contact.place);
  const std::vector<std::string> names = parts_.names.update(places);
  for (std::size_t i = 0; i < impact.contacts.size(); ++i) {
    const ImpactContact& contact = impact.contacts[i];
    const double before = impact.problem.rows.b()(contact.row);
    if (!(before < 0)) continue;
    bounces_.count_strike(contact.place);
    const double leaves = after(contact.row);
    const double after_it = std::abs(leaves) > kLeftByImpulses * -before ? leaves : 0;
    strikes_.push_back({make_place(names[i], contact.place), before, after_it});
  }
  for (const ImpactStop& stop : impact.stops) {
    if (!(stop.rate < 0)) continue;
    bounces_.count_stop_strike(static_cast<int>(impact.problem.rows.row(stop.row).id));
    EventPlace place{.name = model.dof_name(stop.dof)};
    place.dof = stop.dof;
    strikes_.push_back({place, stop.rate, after(stop.row), stop.is_upper ? StopSide::upper : StopSide::lower});
  }
}

}  // namespace thenar::internal
