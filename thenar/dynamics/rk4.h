// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The classical Runge–Kutta method of order 4 on the state space of a model: positions q on a product of lines and
/// rotation groups, velocities v in a vector space.
///
/// Adding h Σ bᵢ vᵢ to a rotation would lose the order, because angular velocities at different orientations do not
/// add up. Following Runge–Kutta–Munthe-Kaas, a step is written in the chart q = q₀ ⊕ φ around its start,
///
///     φ̇ = J⁻¹(φ) v,   v̇ = f(t, q₀ ⊕ φ, v),   φ(0) = 0,
///     J⁻¹(φ) ω = ω − ½ φ × ω + 1/12 φ × (φ × ω) + O(|φ|⁴),
///
/// an equation in a vector space, where the method has its order. J is the left Jacobian of the rotation group, since
/// velocities are expressed in the joint's fixed frame F; on lines J = 1. The terms left out are O(h⁴) in φ̇, hence
/// O(h⁵) in a step.
///
/// Work and dissipation are integrated along as two more components, with the same stages and so with the same order.

#include <span>
#include <vector>

#include "thenar/dynamics/forward_dynamics.h"

namespace thenar {

/// Power, W: what comes in (actuators, wrenches, springs without a potential) and what dampers take out.
template <class T>
struct PowerFlow {
  T work = T(0);
  T dissipated = T(0);
};

/// Everything that drives a model besides gravity.
template <class T>
class Drive {
 public:
  virtual ~Drive() = default;

  /// Writes the generalized forces tau (nv) at time t (s) and points `wrenches` at the wrenches on bodies, which stay
  /// valid until the next call. May use the workspace. Returns the power of what it wrote. No heap use.
  virtual PowerFlow<T> evaluate(double t, const T* q, const T* v, Workspace<T>& workspace, T* tau,
                                std::span<const BodyWrench<T>>& wrenches) = 0;
};

/// Memory of a step, sized by the model.
template <class T>
struct Rk4Scratch {
  explicit Rk4Scratch(const Model& model);

  Workspace<T> workspace;
  std::vector<T> tau;                 ///< nv
  std::vector<T> q_stage;             ///< nq
  std::vector<T> v_stage;             ///< nv
  std::vector<T> phi;                 ///< nv, the chart's coordinates at the stage
  std::vector<T> phi_rate, v_rate;    ///< nv, slopes at the stage
  std::vector<T> phi_total, v_total;  ///< nv, Σ bᵢ slopeᵢ
};

/// Energy that passed in one step, J.
template <class T>
struct EnergyFlow {
  T work = T(0);
  T dissipated = T(0);
};

/// Advances q and v from t to t + h (s), in place. With a pack as T, every lane is a state of its own; all share t and
/// h. No heap use, no checks: a step into NaN gives NaN.
template <class T>
EnergyFlow<T> rk4_step(const Model& model, double t, double h, T* q, T* v, Drive<T>& drive, Rk4Scratch<T>& scratch);

}  // namespace thenar
