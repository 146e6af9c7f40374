// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/dynamics/forward_dynamics.h"

namespace thenar {

/// Inverse dynamics by the recursive Newton–Euler algorithm: writes the generalized forces tau (nv) that make the tree
/// accelerate with v̇ under gravity, armature and the wrenches. Damping and springs are not in it (passive_forces.h).
/// With v̇ = 0 (a null pointer) it is the bias force c of M v̇ + c = τ. As with forward_dynamics, what it leaves in the
/// workspace is its own business. No heap use.
template <class T>
void inverse_dynamics(const Model& model, const T* q, const T* v, const T* vdot,
                      std::span<const BodyWrench<T>> wrenches, Workspace<T>& workspace, T* tau);

/// The same at rest, v = v̇ = 0 and without wrenches, at less cost: the generalized forces that gravity asks for.
template <class T>
void gravity_forces(const Model& model, const T* q, Workspace<T>& workspace, T* tau);

}  // namespace thenar
