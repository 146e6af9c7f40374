// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_rows_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {

StepRows::StepRows(const Scenario& scenario, std::vector<JointRow>& joint_rows)
    : scenario_(scenario),
      joint_rows_(joint_rows),
      laws_(scenario.model, find_contact_rules(scenario)),
      finder_(scenario.model, scenario.shapes, find_contact_rules(scenario)),
      J_(scenario.model) {
  column_.setZero(scenario.model.velocity_count());
}

bool StepRows::was_pressed(std::uint64_t id) const {
  return std::find(pressed_.begin(), pressed_.end(), id) != pressed_.end();
}

bool StepRows::was_stuck(std::uint64_t id) const { return std::find(stuck_.begin(), stuck_.end(), id) != stuck_.end(); }

void StepRows::find(StepDynamics& dynamics, double touch, double reach) {
  contacts_.clear();
  deepest_ = 0;
  if (!scenario_.contacts) return;
  finder_.update(dynamics.workspace(), std::max(touch, reach));
  for (const FoundContact& place : finder_.contacts()) {
    deepest_ = std::max(deepest_, -place.gap);
    const bool was_held = was_pressed(make_row_id(place, 0));
    if (place.gap > (was_held ? reach : touch)) continue;
    contacts_.push_back({.place = place, .law = laws_.find_law(place.body_A, place.body_B)});
    contacts_.back().was_held = was_held;
  }
}

void StepRows::assemble(StepDynamics& dynamics, const VectorX<double>& v, double h, double rest) {
  const Model& model = scenario_.model;
  Workspace<double>& workspace = dynamics.workspace();
  rows_.clear();
  beta_.clear();
  joints_.clear();
  rates_.resize(0);
  update_velocities(model, v.data(), workspace);
  add_joint_rows(dynamics.q_mid(), v, h, rest);
  std::erase_if(contacts_, [&](StepContact& contact) {
    contact.rows = calc_contact_rows(model, workspace, finder_, contact.place);
    return is_immovable(contact.rows, 0);
  });
  for (StepContact& contact : contacts_) add_contact(contact, rest);

  const auto count = static_cast<Eigen::Index>(rows_.size());
  problem_.resize(static_cast<int>(count));
  for (int i = 0; i < problem_.size(); ++i) problem_.row(i) = rows_[static_cast<std::size_t>(i)];
  set_groups();
  extra_.setZero(count);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const JointRow& row = joint_rows_[static_cast<std::size_t>(joints_[k].joint_row)];
    row.add_transposed(1, column_.data());
    J_.set_row(static_cast<int>(k), column_);
    row.add_transposed(-1, column_.data());
    extra_(static_cast<Eigen::Index>(k)) = 0.5 * h * row.bias();
  }
  for (const StepContact& contact : contacts_) {
    J_.set_row(contact.row, contact.rows.J.row(0));
    extra_(contact.row) = 0.5 * h * contact.rows.drift(0);
    for (int k = 0; k < contact.tangent_count; ++k) {
      const int direction = contact.directions[static_cast<std::size_t>(k)];
      J_.set_row(contact.row + 1 + k, contact.rows.J.row(direction));
      extra_(contact.row + 1 + k) = 0.5 * h * contact.rows.drift(direction);
    }
  }
  rates_.setZero(count);
  A_.setZero(count, count);
  if (count == 0) return;
  J_.multiply(v.data(), rates_.data());
  J_.reduce(workspace);
  J_.calc_response(J_, A_);
  problem_.A() = A_;
}

void StepRows::add_joint_rows(const VectorX<double>& q_mid, const VectorX<double>& v, double h, double rest) {
  for (std::size_t i = 0; i < joint_rows_.size(); ++i) {
    JointRow& row = joint_rows_[i];
    row.update(q_mid.data(), v.data());
    const double value = row.has_value() ? row.calc_value(q_mid.data()) : 0;
    if (row.kind() == JointRowKind::stop && value > 0 && !was_pressed(i)) continue;
    ConstraintRow out = make_problem_row(row, i);
    if (out.kind == RowKind::boxed) out.limit *= h;  // an impulse
    const bool slips = out.kind == RowKind::boxed && std::abs(row.multiply(v.data())) > rest;
    rows_.push_back(out);
    beta_.push_back(slips ? 1 : 0);
    joints_.push_back({static_cast<int>(i), value, slips});
  }
}

void StepRows::add_contact(StepContact& contact, double rest) {
  const ContactLaw& law = contact.law;
  contact.row = static_cast<int>(rows_.size());
  contact.tangent_count = 0;
  rows_.push_back({.kind = RowKind::unilateral, .id = make_row_id(contact.place, 0)});
  beta_.push_back(0);
  if (law.fingertip == Fingertip::frictionless || !(law.friction > 0)) return;
  const bool is_soft = law.fingertip == Fingertip::soft && law.torsion > 0;
  const double spin = is_soft ? contact.rows.velocity(3) * law.torsion / law.friction : 0;
  const bool moves = std::hypot(contact.rows.velocity(1), contact.rows.velocity(2), spin) > rest;
  contact.slips = moves && !was_stuck(rows_.back().id);
  const double mu = contact.slips ? law.friction : law.static_friction;
  for (int k = 1; k <= (is_soft ? 3 : 2); ++k) {
    if (is_immovable(contact.rows, k)) continue;
    contact.directions[static_cast<std::size_t>(contact.tangent_count++)] = k;
    rows_.push_back({.kind = RowKind::tangent,
                     .limit = k == 3 ? law.torsion * mu / law.friction : mu,
                     .id = make_row_id(contact.place, static_cast<std::uint64_t>(k))});
    beta_.push_back(contact.slips ? 1 : 0);
  }
  if (contact.tangent_count == 0) return;
  ConstraintRow& head = rows_[static_cast<std::size_t>(contact.row)];
  head.kind = RowKind::normal;
  head.faces = count_faces(scenario_.contacts->cone);
}

/// Storage of J is made when other rows than in the step before take part.
void StepRows::set_groups() {
  const auto is_same = [](const ConstraintRow& row, std::uint64_t id) { return row.id == id; };
  if (grouped_.size() == rows_.size() && std::equal(rows_.begin(), rows_.end(), grouped_.begin(), is_same)) return;
  grouped_.clear();
  for (const ConstraintRow& row : rows_) grouped_.push_back(row.id);
  J_.clear();
  for (const JointEntry& joint : joints_) {
    J_.add_group(joint_rows_[static_cast<std::size_t>(joint.joint_row)].dofs(), 1);
  }
  for (const StepContact& contact : contacts_) {
    J_.add_group(contact.place.body_A, contact.place.body_B, 1 + contact.tangent_count);
  }
  J_.finish();
}

void StepRows::set_free_velocity(const VectorX<double>& v_free) {
  if (problem_.size() == 0) return;
  J_.multiply(v_free.data(), problem_.b().data());
  for (int i = 0; i < problem_.size(); ++i) {
    problem_.b()(i) += extra_(i) + (has_beta(i) ? rates_(i) : 0);
  }
}

void StepRows::drop_beta(int row) {
  if (!has_beta(row)) return;
  beta_[static_cast<std::size_t>(row)] = 0;
  problem_.b()(row) -= rates_(row);
}

}  // namespace thenar::internal
