// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/row_assembly_internal.h"

#include <fmt/format.h>

#include <algorithm>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/flat_rim_internal.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::internal {
namespace {

/// Rows of a Jacobian below this part of its largest entry are zero by the structure of the joints.
constexpr double kNoMotionOfRows = 1e-9;
/// Motions slower than this part of what belongs to a scenario are rounding, once it is at rest.
constexpr double kSlowest = 1e-3;

void carry_lasting_frame(const AssemblyContext& context, TouchingContact& contact) {
  FoundContact& place = contact.place;
  for (const AssemblyContext::LastingFrame& known : context.lasting_frames) {
    if (known.shape_A != place.shape_A || known.shape_B != place.shape_B || known.id != place.id) continue;
    if (!(dot(known.frame.N, place.N) > 0)) return;  // another contact of the same features
    const ContactFrame<double> frame = carry_frame(known.frame, place.N);
    place.T = frame.T;
    place.U = frame.U;
    contact.slip = known.slip;
    return;
  }
}

}  // namespace

ContactRules find_contact_rules(const Scenario& scenario) {
  return scenario.contacts.value_or(ContactRules{.all_pairs = false});
}

struct AssemblyContext::Own {
  explicit Own(const Scenario& scenario)
      : motion(scenario),
        tolerances(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
        joints(motion, tolerances) {}

  ConstrainedMotion motion;
  Tolerances tolerances;
  JointRest joints;
};

AssemblyContext::AssemblyContext(const Scenario& scenario, ConstrainedMotion& motion, JointRest& joints,
                                 const Tolerances& tolerances)
    : scenario_(&scenario),
      motion_(&motion),
      joints_(&joints),
      tolerances_(&tolerances),
      rules_(find_contact_rules(scenario)),
      laws_(scenario.model, rules_),
      finder_(scenario.model, scenario.shapes, rules_),
      projection_(scenario.model) {}

AssemblyContext::AssemblyContext(const Scenario& scenario, const State& state)
    : scenario_(&scenario),
      own_(std::make_shared<Own>(scenario)),
      motion_(&own_->motion),
      joints_(&own_->joints),
      tolerances_(&own_->tolerances),
      rules_(find_contact_rules(scenario)),
      laws_(scenario.model, rules_),
      finder_(scenario.model, scenario.shapes, rules_),
      projection_(scenario.model) {
  Workspace<double> workspace(scenario.model);
  update_positions(scenario.model, state.q.data(), workspace);
  touch = overlap = ContactTolerances(finder_.calc_size(workspace)).touch();
}

void AssemblyContext::keep_frames(const Workspace<double>& workspace) {
  lasting_frames.clear();
  for (HeldContact contact : motion_->contacts()) {
    if (!contact.update(workspace)) continue;
    const FoundContact& place = contact.found();
    lasting_frames.push_back({place.shape_A, place.shape_B, place.id, contact.frame(), contact.calc_opposed_slip()});
  }
}

std::vector<TouchingContact> find_touching_contacts(AssemblyContext& context, const Workspace<double>& workspace) {
  const Model& model = context.scenario().model;
  ContactFinder& finder = context.finder();
  find_touching(context, workspace);
  std::vector<TouchingContact> out;
  for (const FoundContact& place : finder.contacts()) {
    TouchingContact contact{
        contact_name(model, place), place, context.laws().find_law(place.body_A, place.body_B), {}, {}};
    if (place.gap < -context.overlap) {
      throw NoInstantError(fmt::format("'{}' overlap by {:.3g} m", contact.name, -place.gap));
    }
    carry_lasting_frame(context, contact);
    contact.rows = calc_contact_rows(model, workspace, finder, contact.place);
    if (!is_immovable(contact.rows, 0)) out.push_back(std::move(contact));
  }
  return out;
}

bool is_immovable(const ContactRows& rows, int row) {
  const double largest = rows.J.topRows<3>().cwiseAbs().maxCoeff();
  return rows.J.row(row).cwiseAbs().maxCoeff() <= kNoMotionOfRows * largest;
}

double calc_rest_speed(const Scenario& scenario, const std::vector<TouchingContact>& contacts,
                       const VectorX<double>& v) {
  const Scales scales = find_scales(scenario.model, scenario.initial);
  double fastest = kSlowest * scales.length / scales.time;
  for (const TouchingContact& contact : contacts) {
    fastest = std::max(fastest, (contact.rows.J.topRows<3>().cwiseAbs() * v.cwiseAbs()).maxCoeff());
  }
  return ContactTolerances::kRelativeRest * fastest;
}

/// FNV-1a of the shapes, the point and the direction.
std::uint64_t make_row_id(const FoundContact& place, std::uint64_t direction) {
  std::uint64_t out = 14695981039346656037u;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(place.shape_A), static_cast<std::uint64_t>(place.shape_B), place.id, direction}) {
    for (int byte = 0; byte < 8; ++byte) out = (out ^ ((part >> (8 * byte)) & 255u)) * 1099511628211u;
  }
  return out;
}

RowSystem assemble_rows(const Model& model, Workspace<double>& workspace, const std::vector<AssembledRow>& rows,
                        ConstraintProblem& problem) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  RowSystem out{MatrixX<double>(n, model.velocity_count()), MatrixX<double>(model.velocity_count(), n)};
  problem.resize(static_cast<int>(n));
  factorize_articulated(model, workspace);
  for (Eigen::Index i = 0; i < n; ++i) {
    const AssembledRow& row = rows[static_cast<std::size_t>(i)];
    out.J.row(i) = row.J;
    solve_articulated(model, row.J.data(), workspace, out.X.col(i).data());
    problem.row(static_cast<int>(i)) = row.row;
  }
  const MatrixX<double> A = out.J * out.X;
  problem.A() = 0.5 * (A + A.transpose());
  return out;
}

}  // namespace thenar::internal
