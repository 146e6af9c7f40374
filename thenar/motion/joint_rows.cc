// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/joint_rows.h"

#include <algorithm>

namespace thenar {

JointRow::JointRow(const Model& model, JointRowKind kind, int dof)
    : kind_(kind), dof_(dof), coordinate_(model.dof_coordinate(dof)), dofs_{dof}, gradient_{1.0} {}

void JointRow::set_function(const Model& model, const CoordinateFunction& function) {
  gradient_[0] = sign_;
  function_ = function.value;
  if (function.value.is_constant()) {
    target_ = extreme_target_ = function.value.evaluate({});
    return;
  }
  for (const int dof : function.dofs) {
    arguments_.push_back(model.dof_coordinate(dof));
    dofs_.push_back(dof);
  }
  const Expression::Range range = function.value.calc_range();
  extreme_target_ = sign_ < 0 ? range.lowest : range.highest;
  gradient_.resize(dofs_.size(), 0.0);
  values_.resize(arguments_.size());
  rates_.resize(arguments_.size());
}

JointRow JointRow::make_lock(const Model& model, int dof, const VectorX<double>& q_start) {
  JointRow row(model, JointRowKind::lock, dof);
  if (row.has_value()) row.target_ = q_start(row.coordinate_);
  return row;
}

JointRow JointRow::make_coupling(const Model& model, const Coupling& coupling) {
  JointRow row(model, JointRowKind::coupling, coupling.dof);
  row.set_function(model, coupling.value);
  return row;
}

JointRow JointRow::make_stop(const Model& model, const Stop& stop) {
  JointRow row(model, JointRowKind::stop, stop.dof);
  row.sign_ = stop.side == StopSide::upper ? -1 : 1;
  row.restitution_ = stop.restitution;
  row.set_function(model, stop.bound);
  return row;
}

JointRow JointRow::make_friction(const Model& model, int dof) {
  JointRow row(model, JointRowKind::friction, dof);
  row.friction_limit_ = model.dry_friction()(dof);
  row.coordinate_ = -1;
  return row;
}

const char* JointRow::side() const {
  switch (kind_) {
    case JointRowKind::lock:
      return "lock";
    case JointRowKind::coupling:
      return "coupling";
    case JointRowKind::stop:
      return sign_ < 0 ? "upper" : "lower";
    case JointRowKind::friction:
      return "dry friction";
  }
  return "";
}

double JointRow::calc_target(const double* q) {
  if (arguments_.empty()) return target_;
  for (std::size_t k = 0; k < arguments_.size(); ++k) values_[k] = q[arguments_[k]];
  return function_.evaluate(values_);
}

double JointRow::calc_value(const double* q) { return has_value() ? sign_ * (q[coordinate_] - calc_target(q)) : 0; }

void JointRow::update(const double* q, const double* v) {
  if (is_constant()) return;
  for (std::size_t k = 0; k < arguments_.size(); ++k) values_[k] = q[arguments_[k]];
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    std::fill(rates_.begin(), rates_.end(), 0.0);
    rates_[k] = 1;
    gradient_[k + 1] = -sign_ * function_.evaluate_along(values_, rates_).first;
  }
  for (std::size_t k = 0; k < arguments_.size(); ++k) rates_[k] = v[dofs_[k + 1]];
  bias_ = -sign_ * function_.evaluate_along(values_, rates_).second;
}

double JointRow::multiply(const double* x) const {
  double sum = 0;
  for (std::size_t k = 0; k < dofs_.size(); ++k) sum += gradient_[k] * x[dofs_[k]];
  return sum;
}

void JointRow::add_transposed(double z, double* x) const {
  for (std::size_t k = 0; k < dofs_.size(); ++k) x[dofs_[k]] += gradient_[k] * z;
}

ConstraintRow make_problem_row(const JointRow& row, std::uint64_t id) {
  ConstraintRow out{.kind = RowKind::bilateral, .id = id};
  if (row.kind() == JointRowKind::stop) out.kind = RowKind::unilateral;
  if (row.kind() == JointRowKind::friction) out.kind = RowKind::boxed, out.limit = row.friction_limit();
  return out;
}

std::vector<JointRow> make_joint_rows(const Model& model, const VectorX<double>& q_start) {
  std::vector<JointRow> rows;
  for (int dof = 0; dof < model.velocity_count(); ++dof) {
    if (model.is_locked(dof)) rows.push_back(JointRow::make_lock(model, dof, q_start));
  }
  for (const Coupling& coupling : model.couplings()) rows.push_back(JointRow::make_coupling(model, coupling));
  for (const Stop& stop : model.stops()) rows.push_back(JointRow::make_stop(model, stop));
  for (int dof = 0; dof < model.velocity_count(); ++dof) {
    if (model.dry_friction()(dof) > 0) rows.push_back(JointRow::make_friction(model, dof));
  }
  return rows;
}

}  // namespace thenar
