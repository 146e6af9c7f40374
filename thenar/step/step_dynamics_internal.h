// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The smooth part of a step, by the midpoint rule. Forces act half-way, at q_M = q ⊕ h/2 v, and at the mean velocity
/// v_m = (v + v⁺)/2:
///
///     M (v⁺ − v) = h f(q_M, v_m) + Jᵀ z
///
/// v_m is not known before the contacts are. What depends on it stiffly, dampers, springs and the gains of controllers
/// on their own degree of freedom, is taken to be linear around a guess v_g (D = −∂f/∂v, K = −∂f/∂q, diagonal):
///
///     (M + θ h D + h²/4 K) (v⁺ − v) = h (f(q_M, v_g) + D (v_g − v)) + Jᵀ z                                        (1)
///
/// θ is 1/2 for weak dampers, and goes to 1 for those that stop a joint within a step, by the rule that is exact for a
/// damper alone (x = h D/M): θ = 1/(1 − e^(−x)) − 1/x = 1/2 + x/12 − …, so that the order stays. With 1/2 throughout,
/// the speed of such a joint would change its sign from step to step.
///
/// and the rest, Coriolis forces and couplings, at v_g = v + h/2 of the last step's acceleration, which is as good as
/// v_m to second order as long as no contact changes what it does.

#include <span>
#include <vector>

#include "thenar/motion/forces.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

class StepDynamics {
 public:
  /// The scenario must outlive it.
  explicit StepDynamics(const Scenario& scenario);

  Actuation& actuation() { return forces_.actuation(); }
  const Actuation& actuation() const { return forces_.actuation(); }
  void set_loads(const ExternalLoads& loads) { forces_.set_loads(loads); }

  /// Half-way of a step of length h from (t, q, v), at time t_mid: positions, and the factors of (1).
  void place(const State& start, double h, double t_mid);
  /// Then, from this velocity, which impacts may have changed: forces, and v⁺ without contacts.
  void push(const VectorX<double>& v, const VectorX<double>& guess);

  const VectorX<double>& q_mid() const { return q_mid_; }
  const VectorX<double>& v_free() const { return v_free_; }
  /// At q_M, with the factors of (1).
  Workspace<double>& workspace() { return workspace_; }
  /// x = (M + θ h D + h²/4 K)⁻¹ τ.
  void solve(const double* tau, double* x);

  /// What gravity and springs do to the books when the velocity jumps half-way, J: the first half of the way is gone
  /// with the velocity before, but their impulse of the whole step acts behind the jump.
  double calc_jump_work(const VectorX<double>& before, const VectorX<double>& after);
  /// What drives and dampers do over the step between these velocities, J.
  PowerFlow<double> calc_flow(const VectorX<double>& v, const VectorX<double>& v_next);

 private:
  void find_stiffness();

  const Scenario& scenario_;
  ScenarioForces<double> forces_;
  Workspace<double> workspace_, scratch_;
  double h_ = 0, t_mid_ = 0;
  VectorX<double> q_mid_, v_free_, guess_;
  VectorX<double> spring_stiffness_;   ///< K of the model's springs
  VectorX<double> drive_K_, drive_D_;  ///< of controllers
  VectorX<double> inertia_;            ///< of each degree of freedom at the start, for θ
  VectorX<double> theta_;
  VectorX<double> added_;  ///< θ h D + h²/4 K
  VectorX<double> effort_, bias_, change_, drive_, mean_;
  MatrixX<double> effort_dq_, effort_dv_;
  std::span<const BodyWrench<double>> wrenches_;
};

}  // namespace thenar::internal
