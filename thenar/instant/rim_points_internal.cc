// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/rim_points_internal.h"

#include <algorithm>

#include "thenar/dynamics/kinematics.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::internal {
namespace {

/// Rounds of an impact with more and more points.
constexpr int kMostRimRounds = 20;
/// Accelerations of gaps down to minus this part of what they differ by along the rim are none: so little is missed of
/// points that are 1e-3 rad beside those that press.
constexpr double kMissed = 1e-6;
/// The centre of pressure is worth asking for beyond this part of the radius; beyond the other the four points that are
/// always there may not do.
constexpr double kOffCentre = 0.1, kOfSquare = 0.7;

/// The pressure of some points: its sum and its centre.
struct Pressure {
  double sum = 0;
  Vec3<double> moment = Vec3<double>::zero();
  FlatRim::Slots needed{};

  void add(const FoundContact& place, double force) {
    if (!(force > 0)) return;
    sum += force;
    moment += place.p_A * force;
    const int slot = contact_number(place.id) - kFirstArcNumber;
    if (slot >= 0 && slot < ArcPoints::kSlots) needed[static_cast<std::size_t>(slot)] = true;
  }
};

/// Asks for the lowest point, and for the one that the centre of pressure lies towards.
bool ask_for_points(ContactFinder& finder, const FlatRim& rim, double lowest, const Pressure& pressure) {
  bool any = rim.ask_for(finder, lowest, pressure.needed);
  if (!(pressure.sum > 0)) return any;
  const FlatRim::Direction centre = rim.find_direction(pressure.moment * (1 / pressure.sum));
  if (centre.distance > kOffCentre && rim.ask_for(finder, centre.angle, pressure.needed)) any = true;
  return any;
}

/// Those with the lowest gap rate, of rims that do not rest, to `slow` (m/s). Needs update_velocities.
void ask_for_lowest_rates(AssemblyContext& context, const Workspace<double>& workspace, double slow) {
  ContactFinder& finder = context.finder();
  for (FlatRim& rim : find_flat_rims(context.scenario().model, workspace, finder)) {
    const RimWave rates = rim.calc_rates(workspace);
    if (rim.is_flat(context.touch) && rates.amplitude() > slow) rim.ask_for(finder, rates.find_lowest(), {});
  }
}

/// Those that would go into their faces after an impact with the impulses z. Changes the velocities of the workspace.
bool ask_for_missed_points(AssemblyContext& context, Workspace<double>& workspace, const ImpactInstant& impact,
                           const VectorX<double>& z, double slow) {
  const Model& model = context.scenario().model;
  std::vector<FlatRim> rims = find_flat_rims(model, workspace, context.finder());
  if (rims.empty()) return false;
  const VectorX<double> v = impact.calc_velocity(z);
  update_velocities(model, v.data(), workspace);
  bool any = false;
  for (FlatRim& rim : rims) {
    const RimWave rates = rim.calc_rates(workspace);
    if (!rim.is_flat(context.touch) || rates.least() >= -slow) continue;
    Pressure pressure;
    for (const ImpactContact& contact : impact.contacts) {
      if (rim.has(contact.place)) pressure.add(contact.place, z(contact.row));
    }
    if (ask_for_points(context.finder(), rim, rates.find_lowest(), pressure)) any = true;
  }
  return any;
}

}  // namespace

std::vector<PressedPoint> list_pressed_points(const ConstrainedMotion& motion) {
  std::vector<PressedPoint> out;
  for (std::size_t i = 0; i < motion.contacts().size(); ++i) {
    const HeldContact& contact = motion.contacts()[i];
    if (!is_fixed_number(contact_number(contact.found().id))) continue;
    PressedPoint& point = out.emplace_back(PressedPoint{contact.found(), motion.contact_forces()[i](0)});
    point.place.p_A = contact.kinematics().place().A.p;
    point.place.p_B = contact.kinematics().place().B.p;
  }
  return out;
}

void ask_for_pressed(AssemblyContext& context, const Workspace<double>& workspace,
                     const std::vector<PressedPoint>& pressed) {
  std::vector<FoundContact> held;
  for (const PressedPoint& point : pressed) held.push_back(point.place);
  context.finder().keep_arc_points(held);
  if (pressed.empty()) return;
  for (const FlatRim& rim : find_flat_rims(context.scenario().model, workspace, context.finder())) {
    Pressure pressure;
    for (const PressedPoint& point : pressed) {
      if (!rim.has(point.place)) continue;
      pressure.sum += point.force;  // also where a point would have to pull: the sum is what the body needs
      pressure.moment += point.place.p_A * point.force;
    }
    if (!(pressure.sum > 0) || !rim.is_flat(context.touch)) continue;
    const FlatRim::Direction centre = rim.find_direction(pressure.moment * (1 / pressure.sum));
    if (centre.distance > kOfSquare) rim.move_or_ask_for(context.finder(), centre.angle);
  }
}

ImpactOnRims solve_impact_on_rims(AssemblyContext& context, Workspace<double>& workspace, const State& state) {
  const ImpactOptions& options = context.scenario().impact;
  const double at_rest = context.tolerances().speed_at_rest();
  update_velocities(context.scenario().model, state.v.data(), workspace);
  ask_for_lowest_rates(context, workspace, at_rest);
  ImpactOnRims out{assemble_impact(context, state)};
  if (!out.instant.is_struck()) return out;
  out.answer = solve_impact(out.instant.problem, options);
  for (int round = 0; round < kMostRimRounds && out.answer.status == ImpactStatus::done; ++round) {
    const double slow = std::max(kLeftByImpulses * out.instant.calc_fastest(state.v), at_rest);
    if (!ask_for_missed_points(context, workspace, out.instant, out.answer.z, slow)) break;
    out.instant = assemble_impact(context, state);
    out.answer = solve_impact(out.instant.problem, options);
  }
  return out;
}

bool ask_for_missed_points(AssemblyContext& context, const State& state, const Instant& instant) {
  if (instant.cells.empty()) return false;
  const bool any_fixed = std::any_of(instant.contacts.begin(), instant.contacts.end(), [](const InstantContact& c) {
    return is_fixed_number(contact_number(c.place.id));
  });
  if (!any_fixed) return false;
  const InstantCell& cell = instant.cells.front();
  const Model& model = context.scenario().model;
  const double nothing = calc_no_acceleration(context.tolerances());
  ContactFinder& finder = context.finder();
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  bool any = false;
  for (FlatRim& rim : find_flat_rims(model, workspace, finder)) {
    Pressure pressure;
    bool rests = true;
    for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
      const InstantContact& contact = instant.contacts[i];
      if (!rim.has(contact.place)) continue;
      rests = rests && contact.row >= 0;
      pressure.add(contact.place, cell.forces[i][0]);
    }
    if (!rests || !rim.is_flat(context.touch)) continue;  // gaps or rates tell which point matters, and it is there
    const RimWave accelerations = rim.calc_accelerations(workspace, cell.vdot);
    if (accelerations.least() >= -std::max(kMissed * accelerations.amplitude(), nothing)) continue;
    if (ask_for_points(finder, rim, accelerations.find_lowest(), pressure)) any = true;
  }
  return any;
}

}  // namespace thenar::internal
