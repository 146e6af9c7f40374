// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reactions of joint rows that hold while no contact does. They are independent (the solver's basis), so that
///
///     J v̇ + bias = 0   by   z = −A⁻¹ (J v̇_free + bias),   A = J M⁻¹ Jᵀ positive definite,
///
/// from one Cholesky factorization. Together with contacts they are for contact_reactions_internal.h to find.
///
/// `rows` are all rows of the model, `held` the indices of those that hold; they are the same from one prepare() to the
/// next, where storage is made.

#include <span>

#include "thenar/motion/joint_rows.h"
#include "thenar/motion/row_response.h"

namespace thenar::internal {

/// Sets accelerations of constant rows to 0 exactly, so that a joint at rest on a stop stays there to the last bit.
void stop_constant_rows(std::span<const JointRow> rows, std::span<const int> held, double* vdot);

class JointReactions {
 public:
  /// The model must outlive it.
  JointReactions(const Model& model, std::size_t most_rows);

  void prepare(std::span<const JointRow> rows, std::span<const int> held);

  /// Finds z, and v̇ += M⁻¹ Jᵀ z, effort += Jᵀ z. Needs update() of the rows at q and v.
  void add_reactions(std::span<const JointRow> rows, std::span<const int> held, const double* q, double* vdot,
                     double* effort, VectorX<double>& z);
  /// Derivatives of v̇ without reactions, one in each column, become those with them: J ∂v̇ = 0, by ∂v̇ ← ∂v̇ − X A⁻¹ J
  /// ∂v̇ with what the last call of the above has left. Left out: how J turns on curved rows.
  void constrain(std::span<const JointRow> rows, std::span<const int> held, Eigen::Ref<MatrixX<double>> derivatives);
  /// Puts (q, v) on the rows by the smallest change in the metric of the kinetic energy. On curved rows `z` is left
  /// with the impulse that does it to v.
  void project(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q, VectorX<double>& v,
               VectorX<double>& z);

 private:
  void project_curved(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q, VectorX<double>& v,
                      VectorX<double>& z);
  void solve(VectorX<double>& b);

  const Model* model_;
  RowResponse response_;
  bool has_curved_rows_ = false;
  MatrixX<double> factor_;  ///< Cholesky factor of A
  MatrixX<double> row_products_;
  VectorX<double> increment_, q_next_;
};

}  // namespace thenar::internal
