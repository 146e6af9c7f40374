// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/impact_comparison.h"

#include <algorithm>
#include <cmath>

#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

/// Degrees of freedom between a body and the world.
std::vector<char> find_moving_dofs(const Model& model, BodyIndex body) {
  std::vector<char> out(static_cast<std::size_t>(model.velocity_count()), 0);
  for (int i = model.body(body).link; i != 0; i = model.links()[i].parent) {
    const Link& link = model.links()[i];
    std::fill_n(out.begin() + link.v, link.nv, 1);
  }
  return out;
}

/// Chan (5.7): joints that move B but not A let the contact follow A's change of velocity, with the least change of
/// them.
void follow(const Model& model, const ImpactContact& contact, const VectorX<double>& v_before, VectorX<double>& v) {
  const std::vector<char> of_A = find_moving_dofs(model, contact.place.body_A),
                          of_B = find_moving_dofs(model, contact.place.body_B);
  MatrixX<double> J_B = contact.J.topRows<3>();
  for (Eigen::Index j = 0; j < J_B.cols(); ++j) {
    const auto k = static_cast<std::size_t>(j);
    if (of_B[k] == 0 || of_A[k] != 0) J_B.col(j).setZero();
  }
  const VectorX<double> change = contact.J.topRows<3>() * (v - v_before);
  v -= VectorX<double>(J_B.completeOrthogonalDecomposition().solve(change));
}

MatrixX<double> calc_mass_matrix(const Model& model, const VectorX<double>& q) {
  Workspace<double> workspace(model);
  MassMatrix<double> mass(model);
  update_positions(model, q.data(), workspace);
  mass.update(model, workspace);
  return mass.dense();
}

/// Rows that can be struck.
int count_heads(const ConstraintProblem& rows) {
  int out = 0;
  for (int i = 0; i < rows.size(); ++i) {
    out += rows.row(i).kind == RowKind::normal || rows.row(i).kind == RowKind::unilateral;
  }
  return out;
}

/// Laws and methods that are worth comparing.
struct Contender {
  ImpactMethod method;
  ImpactLaw law;
};
std::vector<Contender> list_contenders(bool is_single) {
  using enum ImpactLaw;
  using enum ImpactMethod;
  if (is_single) return {{path, frictionless}, {path, newton}, {path, poisson}, {path, stronge}};
  return {{simultaneous, newton}, {simultaneous, poisson}, {sequential, newton},
          {sequential, poisson},  {sequential, stronge},   {propagation, poisson}};
}

}  // namespace

PropagatedImpact propagate_velocities(const Scenario& scenario, const State& state, const ImpactInstant& instant,
                                      const ImpactOptions& options) {
  const ConstraintProblem& rows = instant.problem.rows;
  PropagatedImpact out{ImpactStatus::done, VectorX<double>::Zero(rows.size()), instant.v, 0};
  const auto is_struck = [&](const ImpactContact& contact) { return rows.b()(contact.row) < 0; };
  for (const ImpactContact& contact : instant.contacts) {
    if (!is_struck(contact)) continue;
    PointImpact point = isolate_point(instant.problem, contact.row);
    const int size = 1 + point.tangents;
    const auto J = instant.J.middleRows(contact.row, size);
    point.u.head(size) = J * out.v;  // as the collisions before it have left it
    const PointImpactResult hit = solve_point_impact(point, options.law, {.tolerance = options.tolerance});
    if (hit.status == ImpactStatus::fault) out.status = ImpactStatus::fault;
    out.z.segment(contact.row, size) += hit.P.head(size);
    out.v += instant.X.middleCols(contact.row, size) * hit.P.head(size);
  }
  for (const ImpactContact& contact : instant.contacts) {
    if (!is_struck(contact)) follow(scenario.model, contact, instant.v, out.v);
  }
  const MatrixX<double> M = calc_mass_matrix(scenario.model, state.q);
  const VectorX<double> brought = instant.X * out.z, defect = out.v - instant.v - brought;
  const double size = brought.dot(M * brought);
  out.momentum_defect = size > 0 ? std::sqrt(defect.dot(M * defect) / size) : 0;
  return out;
}

const char* to_string(ImpactMethod method) {
  switch (method) {
    case ImpactMethod::path:
      return "path";
    case ImpactMethod::simultaneous:
      return "simultaneous";
    case ImpactMethod::sequential:
      return "sequential";
    case ImpactMethod::propagation:
      break;
  }
  return "propagation";
}

ImpactComparison compare_impact_laws(const Scenario& scenario, const State& state, const ImpactInstant& instant,
                                     const ImpactOptions& options) {
  const MatrixX<double> M = calc_mass_matrix(scenario.model, state.q);
  const auto calc_energy = [&](const VectorX<double>& v) { return 0.5 * v.dot(M * v); };
  ImpactComparison out{calc_energy(instant.v), {}};
  const bool is_single = count_heads(instant.problem.rows) == 1;
  for (const Contender& contender : list_contenders(is_single)) {
    ImpactOutcome outcome{.method = contender.method, .law = contender.law};
    ImpactOptions chosen = options;
    chosen.law = contender.law;
    chosen.treatment =
        contender.method == ImpactMethod::sequential ? ImpactTreatment::sequential : ImpactTreatment::simultaneous;
    if (contender.method == ImpactMethod::propagation) {
      PropagatedImpact propagated = propagate_velocities(scenario, state, instant, chosen);
      outcome.answer.status = propagated.status;
      outcome.answer.z = std::move(propagated.z);
      outcome.v = std::move(propagated.v);
      outcome.momentum_defect = propagated.momentum_defect;
    } else {
      outcome.answer = solve_impact(instant.problem, chosen);
      outcome.v = instant.calc_velocity(outcome.answer.z);
    }
    outcome.energy_after = calc_energy(outcome.v);
    if (is_single && !instant.contacts.empty()) {
      const PointImpactResult path =
          solve_point_impact(isolate_point(instant.problem, instant.contacts.front().row), contender.law);
      outcome.marks.assign(path.marks.begin(), path.marks.begin() + path.mark_count);
    }
    out.outcomes.push_back(std::move(outcome));
  }
  return out;
}

}  // namespace thenar
