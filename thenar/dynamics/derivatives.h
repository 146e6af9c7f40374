// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/dynamics/forward_dynamics.h"

namespace thenar {

/// Derivatives of the dynamics, exact to rounding: the kernels run on dual numbers, four directions at a time.
/// Directions of q are those of v (q ⊕ δ, see integrate_position), so every matrix is nv × nv. Damping and springs of
/// the model are included: `tau` is the actuators' part alone. No heap use after construction.
class DynamicsDerivatives {
 public:
  explicit DynamicsDerivatives(const Model& model);

  struct Result {
    MatrixX<double> dq, dv;  ///< of the result with respect to q and v
    MatrixX<double> dinput;  ///< with respect to tau (forward: M⁻¹) or v̇ (inverse: M)
  };

  /// v̇(q, v, tau).
  const Result& forward(const Model& model, const double* q, const double* v, const double* tau);
  /// The same without dinput, which spares a third of the work, and with wrenches on bodies that stay as they are in
  /// world axes.
  const Result& forward_in_state(const Model& model, const double* q, const double* v, const double* tau,
                                 std::span<const BodyWrench<double>> wrenches);
  /// Of the last call.
  const Result& result() const { return result_; }
  template <class Archive>
  void archive(Archive& a) {
    a(result_.dq, result_.dv);
  }
  /// tau(q, v, v̇).
  const Result& inverse(const Model& model, const double* q, const double* v, const double* vdot);

 private:
  template <class Evaluate>
  void sweep(const Model& model, int direction_count, const double* q, const double* v, const double* input,
             const Evaluate& evaluate);

  Workspace<Dual4> workspace_;
  std::vector<Dual4> q_base_, dq_, q_, v_, input_, total_, output_;
  std::vector<BodyWrench<Dual4>> wrenches_;
  Result result_;
};

}  // namespace thenar
