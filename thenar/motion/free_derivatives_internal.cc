// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/free_derivatives_internal.h"

#include "thenar/dynamics/passive_forces.h"

namespace thenar::internal {
namespace {

/// Positions (rad, m) this close have the same Jacobian for Newton's method.
constexpr double kSamePosition = 0.05;

}  // namespace

FreeDerivatives::FreeDerivatives(const Model& model, bool has_controls) : model_(&model), derivatives_(model) {
  const int nv = model.velocity_count();
  column_.setZero(nv);
  if (!has_controls) return;
  for (MatrixX<double>* matrix : {&effort_dq_, &effort_dv_}) matrix->setZero(nv, nv);
}

bool FreeDerivatives::can_keep(const VectorX<double>& q, bool is_stiffness_fading) const {
  return has_numbers_ && (mode_is_new_ || is_stiffness_fading) &&
         (q - q_calculated_).cwiseAbs().maxCoeff() < kSamePosition;
}

bool FreeDerivatives::update(const VectorX<double>& q, const double* v, const VectorX<double>& effort,
                             std::span<const BodyWrench<double>> wrenches, bool is_stiffness_fading) {
  const bool keeps = can_keep(q, is_stiffness_fading);
  mode_is_new_ = false;
  if (keeps) return false;
  // Efforts without springs and dampers, which the derivatives add by themselves.
  column_.setZero();
  add_passive_forces(*model_, q.data(), v, column_.data());
  column_ = effort - column_;
  derivatives_.forward_in_state(*model_, q.data(), v, column_.data(), wrenches);
  q_calculated_ = q;
  has_numbers_ = true;
  return true;
}

void FreeDerivatives::add_feedback(Actuation& actuation, double t, const double* q, const double* v,
                                   Workspace<double>& factored, Eigen::Ref<MatrixX<double>> dv_dx,
                                   Eigen::Ref<MatrixX<double>> dv_dv) {
  actuation.calc_derivatives(t, q, v, effort_dq_, effort_dv_);
  const auto add_column = [&](const MatrixX<double>& effort, Eigen::Ref<MatrixX<double>> change, int j) {
    if ((effort.col(j).array() == 0).all()) return;  // no controller looks at it
    solve_articulated(*model_, effort.col(j).data(), factored, column_.data());
    change.col(j) += column_;
  };
  for (int j = 0; j < model_->velocity_count(); ++j) {
    add_column(effort_dq_, dv_dx, j);
    add_column(effort_dv_, dv_dv, j);
  }
}

}  // namespace thenar::internal
