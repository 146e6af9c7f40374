// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/dynamics/kinematics.h"

namespace thenar {

/// Kinetic energy, armature included, J. Needs update_velocities.
template <class T>
T calc_kinetic_energy(const Model& model, const Workspace<T>& workspace, const T* v);

/// Energy in the gravity field, zero with every centre of mass at the world's origin, J. Needs update_positions.
template <class T>
T calc_gravity_energy(const Model& model, const Workspace<T>& workspace);

/// Linear momentum (kg m/s, `force`) and angular momentum about the world's origin (kg m²/s, `moment`) of all bodies.
/// Needs update_velocities.
template <class T>
Wrench<T> calc_momentum(const Model& model, const Workspace<T>& workspace);

/// Rate of that momentum for the accelerations v̇: the sum of all outer forces, by the motion alone. Needs
/// update_velocities.
template <class T>
Wrench<T> calc_momentum_rate(const Model& model, Workspace<T>& workspace, const T* vdot);

/// Centre of mass of all bodies, m. Needs update_positions.
template <class T>
Vec3<T> calc_center_of_mass(const Model& model, const Workspace<T>& workspace);

}  // namespace thenar
