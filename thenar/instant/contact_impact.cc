// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/contact_impact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/flat_rim_internal.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/instant/rim_points_internal.h"
#include "thenar/instant/row_assembly_internal.h"

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

}  // namespace thenar
