// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/cell_motion_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thenar::internal {
namespace {

/// Friction of what slips lies on its cone, but for what solvers leave; where it does not, it tells no direction.
constexpr double kOnTheCone = 0.99;
/// What solvers leave of a number that should be 0, as a part of what it is the sum of.
constexpr double kLeftOfSlip = 1e-8;

/// Whether friction of a contact that slides is against that slip, as it is unless a contact at rest was declared to.
bool opposes_slip(const ConstraintProblem& problem, const InstantContact& sliding, const std::array<double, 3>& slip) {
  double power = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (sliding.tangent_rows[k] >= 0) power += problem.row(sliding.tangent_rows[k]).limit * slip[k];
  }
  return power < 0;
}

}  // namespace

double find_spin(const Instant& instant, const InstantCell& cell, std::size_t contact) {
  const InstantContact& sliding = instant.contacts[contact];
  if (sliding.tangent_rows[2] < 0) return 0;
  if (sliding.slides) return sliding.spin;
  return instant.answer.cells[cell.number].w(sliding.tangent_rows[2]);
}

std::array<double, 3> find_slip(const Instant& instant, const InstantCell& cell, std::size_t contact,
                                const FrictionCone& cone) {
  const InstantContact& sliding = instant.contacts[contact];
  const std::array<double, 3> told{cell.slip[contact][0], cell.slip[contact][1], find_spin(instant, cell, contact)};
  if (cone.kind == FrictionCone::Kind::box || !sliding.has_friction()) return told;
  if (sliding.slides && opposes_slip(instant.problem, sliding, told)) return told;
  const std::array<double, 3> mu{sliding.law.friction, sliding.law.friction, sliding.law.torsion};
  std::array<double, 3> n{}, out{};
  double normal = 0;
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const FoundContact &place = instant.contacts[i].place, &own = sliding.place;
    const bool is_in_patch = place.shape_A == own.shape_A && place.shape_B == own.shape_B;
    if (i != contact && (cone.kind == FrictionCone::Kind::circular || !is_in_patch)) continue;
    normal += cell.forces[i][0];
    for (std::size_t k = 0; k < 3; ++k) {
      if (mu[k] > 0 && sliding.tangent_rows[k] >= 0) n[k] += cell.forces[i][k + 1] / mu[k];
    }
  }
  const double size = std::hypot(n[0], n[1], n[2]);
  if (!(size > 0)) return told;
  for (std::size_t k = 0; k < 3; ++k) {
    n[k] /= size;
    out[k] = mu[k] > 0 ? -n[k] / mu[k] : 0;
  }
  const bool is_on_cone = size > kOnTheCone * normal * calc_sliding_share(cone, n);
  return is_on_cone ? out : told;
}

Mode read_joint_mode(const Instant& instant, const InstantCell& cell, const ConstrainedMotion& motion,
                     const Tolerances& tolerances, Trigger trigger) {
  Mode mode = motion.mode();
  mode.held.clear();
  const ModeCell& answer = instant.answer.cells[cell.number];
  int part = 0;
  for (std::size_t k = 0; k < instant.joint_rows.size(); ++k) {
    const int row = instant.joint_rows[k];
    const auto i = static_cast<Eigen::Index>(k);
    const RowKind kind = instant.problem.row(static_cast<int>(k)).kind;
    const double w = answer.w(i);
    const double load =
        std::abs(instant.problem.b()(i)) + instant.problem.A().row(i).cwiseAbs().dot(answer.z.cwiseAbs());
    const bool moves = std::abs(w) > kLeftOfSlip * load;
    const double diagonal = instant.problem.A()(i, i);
    // As little as the watch takes for nothing (event_watch.h), or rounding of what the reaction is the sum of.
    const double nothing = 10 * tolerances.effort_rounding(motion.rows()[static_cast<std::size_t>(row)].dof());
    const double reserve = trigger.insists ? std::numeric_limits<double>::infinity()
                                           : std::max(nothing, diagonal > 0 ? kLeftOfSlip * load / diagonal : 0);
    if (kind == RowKind::unilateral) {
      const bool is_open = answer.states[static_cast<std::size_t>(part++)] == ContactState::open;
      if (is_open || (row == trigger.row && answer.z(i) <= reserve)) continue;
    }
    const bool is_at_bound = instant.problem.row(static_cast<int>(k)).limit - std::abs(answer.z(i)) <= reserve;
    if (kind == RowKind::boxed && (moves || (row == trigger.row && is_at_bound))) {
      const int direction = moves ? (w > 0 ? 1 : -1) : (trigger.at_upper ? -1 : 1);
      mode.slip[static_cast<std::size_t>(row)] = direction;
      continue;
    }
    mode.held.push_back(row);
  }
  return mode;
}

}  // namespace thenar::internal
