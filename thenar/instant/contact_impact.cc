// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/contact_impact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/instant/flat_rim_internal.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/instant/rim_points_internal.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

class ImpactBuilder {
 public:
  ImpactBuilder(internal::AssemblyContext& context, const State& state)
      : context_(context),
        scenario_(context.scenario()),
        model_(scenario_.model),
        q_(state.q),
        v_(state.v),
        workspace_(model_) {}

  ImpactInstant build() {
    prepare();
    add_contacts(internal::find_touching_contacts(context_, workspace_));
    return finish();
  }

  ImpactInstant build(const StruckPoint& struck) {
    prepare();
    add_contacts({make_touching(struck)});
    return finish();
  }

 private:
  void prepare() {
    add_joint_rows();
    update_positions(model_, q_.data(), workspace_);
    update_velocities(model_, v_.data(), workspace_);
  }

  void add_contacts(const std::vector<internal::TouchingContact>& found) {
    out_.rest = internal::calc_rest_speed(scenario_, found, v_);
    for (const internal::TouchingContact& contact : found) add_contact(contact);
  }

  /// A contact in the given point, without shapes.
  internal::TouchingContact make_touching(const StruckPoint& struck) const {
    internal::TouchingContact out;
    const ContactFrame<double> frame = make_contact_frame(struck.normal, is_planar(model_));
    out.place.body_A = struck.body_A, out.place.body_B = struck.body_B;
    out.place.p_A = out.place.p_B = struck.point;
    out.place.N = frame.N, out.place.T = frame.T, out.place.U = frame.U;
    out.name = contact_name(model_, out.place);
    out.law = struck.law;
    Eigen::Matrix<double, 6, Eigen::Dynamic> J_A(6, model_.velocity_count()), J_B = J_A;
    const auto calc = [&](BodyIndex body, Eigen::Matrix<double, 6, Eigen::Dynamic>& J) {
      const Placement<double> X_WB = calc_body_pose(model_, workspace_, body);
      calc_jacobian<double>(model_, workspace_, body, X_WB.R.transpose_times(struck.point - X_WB.p), J);
    };
    calc(struck.body_A, J_A);
    calc(struck.body_B, J_B);
    const MatrixX<double> relative = J_A - J_B;
    Matrix3<double> R;
    R << frame.N.x, frame.N.y, frame.N.z, frame.T.x, frame.T.y, frame.T.z, frame.U.x, frame.U.y, frame.U.z;
    out.rows.J.resize(6, model_.velocity_count());
    out.rows.J.topRows<3>() = R * relative.bottomRows<3>();
    out.rows.J.bottomRows<3>() = R * relative.topRows<3>();
    out.rows.velocity = out.rows.J * v_;
    out.rows.drift.setZero();
    return out;
  }

  ImpactInstant finish() {
    internal::RowSystem system = internal::assemble_rows(model_, workspace_, rows_, out_.problem.rows);
    out_.problem.rows.b() = system.J * v_;
    calm_rows();
    out_.J = std::move(system.J);
    out_.X = std::move(system.X);
    out_.v = v_;
    return std::move(out_);
  }

  void add_row(const ConstraintRow& row, const VectorX<double>& J, double restitution) {
    rows_.push_back({row, J, 0});
    out_.problem.restitution.push_back(restitution);
  }

  void add_joint_rows() {
    ConstrainedMotion& motion = context_.motion();
    const Tolerances& tolerances = context_.tolerances();
    JointRest& joints = context_.joints();
    joints.find_touching(q_, v_);
    for (int i = 0; i < static_cast<int>(motion.rows().size()); ++i) {
      JointRow& row = motion.rows()[static_cast<std::size_t>(i)];
      const bool is_stop = row.kind() == JointRowKind::stop;
      if (row.kind() == JointRowKind::friction || (is_stop && !joints.touches(i))) continue;
      row.update(q_.data(), v_.data());
      VectorX<double> J = VectorX<double>::Zero(model_.velocity_count());
      row.add_transposed(1, J.data());
      const double rate = row.multiply(v_.data());
      const bool rests = std::abs(rate) <= tolerances.speed_rounding(row.dof());
      if (is_stop) {
        out_.stops.push_back({fmt::format("{} stop of '{}'", row.side(), model_.dof_name(row.dof())), row.dof(),
                              row.is_upper(), static_cast<int>(rows_.size()), rests ? 0 : rate, row.restitution()});
      }
      add_row({.kind = is_stop ? RowKind::unilateral : RowKind::bilateral, .id = static_cast<std::uint64_t>(i)}, J,
              is_stop ? row.restitution() : 0);
    }
  }

  void add_contact(const internal::TouchingContact& found) {
    const ContactRows& rows = found.rows;
    ImpactContact contact{.name = found.name, .place = found.place, .law = found.law, .J = rows.J.topRows<4>()};
    contact.velocity = rows.velocity.head<4>();
    const double approach = std::max(0.0, -rows.velocity(0));
    contact.restitution = approach < context_.slowest_strike ? 0 : found.law.restitution.at(approach);
    if (!(contact.restitution >= 0 && contact.restitution <= 1)) {
      throw NoInstantError(
          std::isnan(contact.restitution)
              ? fmt::format("the restitution of '{}' has no value at {:.6g} m/s", contact.name, approach)
              : fmt::format("the restitution of '{}' is {:.6g} at {:.6g} m/s, expected 0 to 1", contact.name,
                            contact.restitution, approach));
    }
    contact.row = static_cast<int>(rows_.size());
    add_row({.kind = RowKind::unilateral, .id = internal::make_row_id(found.place, 0)}, rows.J.row(0),
            contact.restitution);
    const bool has_friction = found.law.fingertip != Fingertip::frictionless && found.law.friction > 0;
    const std::array<double, 3> mu{found.law.friction, found.law.friction, found.law.torsion};
    for (std::size_t k = 0; has_friction && k < (found.law.fingertip == Fingertip::soft ? 3 : 2); ++k) {
      const int direction = static_cast<int>(k) + 1;
      if (internal::is_immovable(rows, direction)) continue;
      contact.tangent_rows[k] = static_cast<int>(rows_.size());
      add_row({.kind = RowKind::tangent, .limit = mu[k], .id = internal::make_row_id(found.place, k + 1)},
              rows.J.row(direction), 0);
      rows_[static_cast<std::size_t>(contact.row)].row.kind = RowKind::normal;
    }
    out_.contacts.push_back(std::move(contact));
  }

  /// Velocities of rows that are at rest are 0, so that rounding strikes nothing.
  void calm_rows() {
    for (const ImpactContact& contact : out_.contacts) {
      double& rate = out_.problem.rows.b()(contact.row);
      if (std::abs(rate) <= out_.rest) rate = 0;
    }
    for (const ImpactStop& stop : out_.stops) out_.problem.rows.b()(stop.row) = stop.rate;
    for (int i = 0; i < out_.problem.rows.size(); ++i) {
      if (out_.problem.rows.row(i).kind == RowKind::bilateral) out_.problem.rows.b()(i) = 0;
    }
  }

  internal::AssemblyContext& context_;
  const Scenario& scenario_;
  const Model& model_;
  VectorX<double> q_, v_;
  Workspace<double> workspace_;
  std::vector<internal::AssembledRow> rows_;
  ImpactInstant out_;
};

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

bool ImpactInstant::is_struck() const {
  for (int i = 0; i < problem.rows.size(); ++i) {
    const RowKind kind = problem.rows.row(i).kind;
    if ((kind == RowKind::normal || kind == RowKind::unilateral) && problem.rows.b()(i) < 0) return true;
  }
  return false;
}

double ImpactInstant::calc_fastest(const VectorX<double>& velocities) const {
  double out = 0;
  for (const ImpactContact& contact : contacts) {
    out = std::max(out, (contact.J.topRows<3>().cwiseAbs() * velocities.cwiseAbs()).maxCoeff());
  }
  return out;
}

ImpactInstant assemble_impact(const Scenario& scenario, const State& state) {
  internal::AssemblyContext context(scenario, state);
  Workspace<double> workspace(scenario.model);
  update_positions(scenario.model, state.q.data(), workspace);
  internal::find_touching(context, workspace);
  return internal::solve_impact_on_rims(context, workspace, state).instant;
}

ImpactInstant internal::assemble_impact(AssemblyContext& context, const State& state) {
  return ImpactBuilder(context, state).build();
}

ImpactInstant assemble_impact(const Scenario& scenario, const State& state, const StruckPoint& struck) {
  internal::AssemblyContext context(scenario, state);
  return ImpactBuilder(context, state).build(struck);
}

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
