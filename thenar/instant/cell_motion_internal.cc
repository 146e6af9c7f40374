// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/cell_motion_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/instant/instant_proof.h"

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
  return instant.proof->answer.cells[cell.number].w(sliding.tangent_rows[2]);
}

std::array<double, 3> find_slip(const Instant& instant, const InstantCell& cell, std::size_t contact,
                                const FrictionCone& cone) {
  const InstantContact& sliding = instant.contacts[contact];
  const std::array<double, 3> told{cell.slip[contact][0], cell.slip[contact][1], find_spin(instant, cell, contact)};
  if (cone.kind == FrictionCone::Kind::box || !sliding.has_friction()) return told;
  if (sliding.slides && opposes_slip(instant.proof->problem, sliding, told)) return told;
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

namespace {

/// What an answer says about one joint row, and what the trigger makes of it.
class JointAnswer {
 public:
  JointAnswer(const Instant& instant, const ModeCell& answer, const ConstrainedMotion& motion,
              const Tolerances& tolerances, Trigger trigger)
      : instant_(instant), answer_(answer), motion_(motion), tolerances_(tolerances), trigger_(trigger) {}

  /// Direction in which the row slips: 1, −1, or 0 if it holds. At its own instant the trigger gives way.
  int find_slip(int k) const {
    const auto i = static_cast<Eigen::Index>(k);
    const double w = answer_.w(i), z = answer_.z(i);
    if (std::abs(w) > kLeftOfSlip * calc_load(k)) return w > 0 ? 1 : -1;
    const bool is_at_bound = instant_.proof->problem.row(k).limit - std::abs(z) <= calc_reserve(k);
    return is_trigger(k) && is_at_bound ? (trigger_.at_upper ? -1 : 1) : 0;
  }
  /// Whether a stop that the answer holds lets go: as the trigger, or because the friction of its joint gives way in
  /// the direction in which it opens. In both cases its reaction is zero within rounding.
  bool lets_go(int k, int row, int slipping_dof, int slip) const {
    if (answer_.z(static_cast<Eigen::Index>(k)) > calc_reserve(k)) return false;
    const JointRow& stop = motion_.rows()[static_cast<std::size_t>(row)];
    const bool opens = stop.dof() == slipping_dof && stop.is_constant() && stop.gradient()[0] * slip > 0;
    return is_trigger(k) || opens;
  }
  bool is_trigger(int k) const { return instant_.joint_rows[static_cast<std::size_t>(k)] == trigger_.row; }

 private:
  /// The size of what the row's motion is the sum of.
  double calc_load(int k) const {
    const auto i = static_cast<Eigen::Index>(k);
    return std::abs(instant_.proof->problem.b()(i)) +
           instant_.proof->problem.A().row(i).cwiseAbs().dot(answer_.z.cwiseAbs());
  }
  /// A reaction as small as what the watch takes for zero (event_watch.h), or as the rounding of its sum.
  double calc_reserve(int k) const {
    if (trigger_.insists) return std::numeric_limits<double>::infinity();
    const double diagonal = instant_.proof->problem.A()(k, k);
    const JointRow& row = motion_.rows()[static_cast<std::size_t>(instant_.joint_rows[static_cast<std::size_t>(k)])];
    return std::max(10 * tolerances_.effort_rounding(row.dof()),
                    diagonal > 0 ? kLeftOfSlip * calc_load(k) / diagonal : 0);
  }

  const Instant& instant_;
  const ModeCell& answer_;
  const ConstrainedMotion& motion_;
  const Tolerances& tolerances_;
  Trigger trigger_;
};

}  // namespace

Mode read_joint_mode(const Instant& instant, const InstantCell& cell, const ConstrainedMotion& motion,
                     const std::vector<int>& slip, const Tolerances& tolerances, Trigger trigger) {
  const ModeCell& answer = instant.proof->answer.cells[cell.number];
  const JointAnswer joints(instant, answer, motion, tolerances, trigger);
  const int count = static_cast<int>(instant.joint_rows.size());
  Mode mode{.held = {}, .slip = slip};
  int slipping_dof = -1, slip_of_trigger = 0;
  for (int k = 0; k < count; ++k) {
    if (instant.proof->problem.row(k).kind != RowKind::boxed) continue;
    const int row = instant.joint_rows[static_cast<std::size_t>(k)];
    mode.slip[static_cast<std::size_t>(row)] = joints.find_slip(k);
    if (!joints.is_trigger(k)) continue;
    slipping_dof = motion.rows()[static_cast<std::size_t>(row)].dof();
    slip_of_trigger = mode.slip[static_cast<std::size_t>(row)];
  }
  int part = 0;
  for (int k = 0; k < count; ++k) {
    const int row = instant.joint_rows[static_cast<std::size_t>(k)];
    const RowKind kind = instant.proof->problem.row(k).kind;
    if (kind == RowKind::unilateral) {
      const bool is_open = answer.states[static_cast<std::size_t>(part++)] == ContactState::open;
      if (is_open || joints.lets_go(k, row, slipping_dof, slip_of_trigger)) continue;
    }
    if (kind == RowKind::boxed && mode.slip[static_cast<std::size_t>(row)] != 0) continue;
    mode.held.push_back(row);
  }
  return mode;
}

}  // namespace thenar::internal
