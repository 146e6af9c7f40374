// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Forward dynamics by the articulated-body algorithm for forests (Carv 3.1–3.2): v̇ from q, v and forces, in O(n).

#include <span>

#include "thenar/dynamics/workspace.h"

namespace thenar {

/// A wrench on a body: moment about the body's origin and force, both in world axes (N m, N).
template <class T>
struct BodyWrench {
  BodyIndex body;
  Wrench<T> wrench;
};

/// Writes v̇ (nv) for the generalized forces tau (nv) and wrenches on bodies. Gravity and armature of the model count;
/// damping and springs do not (passive_forces.h adds them to tau). What it leaves in the workspace is
/// its own business (fingers may have been taken side by side): call update_positions or factorize_articulated for
/// frames or a factorization. No heap use.
template <class T>
void forward_dynamics(const Model& model, const T* q, const T* v, const T* tau, std::span<const BodyWrench<T>> wrenches,
                      Workspace<T>& workspace, T* vdot);

/// The same, and leaves in the workspace what update_positions, update_velocities and, for solve_articulated and
/// reduce_articulated, factorize_articulated leave there: what comes next at the same state need not begin with these.
void forward_dynamics_with_factors(const Model& model, const double* q, const double* v, const double* tau,
                                   std::span<const BodyWrench<double>> wrenches, Workspace<double>& workspace,
                                   double* vdot);

/// Articulated inertias and eliminations for the frames in the workspace (needs update_positions): the O(n)
/// factorization of the mass matrix.
template <class T>
void factorize_articulated(const Model& model, Workspace<T>& workspace);
/// Factorizes the mass matrix with `added` (nv) on its diagonal in the same way.
void factorize_articulated(const Model& model, const double* added, Workspace<double>& workspace);

/// x = M⁻¹ tau. Needs factorize_articulated.
template <class T>
void solve_articulated(const Model& model, const T* tau, Workspace<T>& workspace, T* x);

/// Half of that, for four right sides at once, in the lanes of packs: y with tau₁ᵀ M⁻¹ tau₂ = y₁ᵀ y₂. Where tau is 0
/// but for the degrees of freedom of some links and of those that carry them, so is y: `links` are these, from the
/// largest number to the smallest, and tau and y have the degrees of freedom of these links alone, in this order. So
/// M⁻¹ between forces on a few bodies costs what lies between these and the world, however large the model is. Needs
/// factorize_articulated.
void reduce_articulated(const Model& model, std::span<const int> links, const Pack4* tau, Workspace<double>& workspace,
                        Pack4* y);

}  // namespace thenar
