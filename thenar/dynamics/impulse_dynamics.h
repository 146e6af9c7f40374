// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What impulses do to the velocities of a forest while its positions stay: Δv = M⁻¹ Σ Jᵀ P, by the articulated-body
/// recursion for impulses (Carv 4.1.1, equations 4.4–4.9 and 4.14), for any number of impulses on any bodies at once.
///
/// Forces that are finite have no part in it: gravity, springs, dampers, motors, dry friction of joints, and what the
/// bodies' own motion asks for.
///
/// Only the links between the impulses and the world are asked inwards, and only trees that an impulse reaches answer
/// outwards: a finger that is struck costs nothing on the other fingers.

#include <span>
#include <vector>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {

template <class T>
class ImpulseDynamics {
 public:
  explicit ImpulseDynamics(const Model& model);

  /// Writes Δv (nv) for impulses on bodies: angular impulse about the body's origin and linear impulse, world axes
  /// (N m s, N s). Needs factorize_articulated; leaves it as it is. No heap use.
  void apply(const Model& model, std::span<const BodyWrench<T>> impulses, Workspace<T>& workspace, T* dv);

  /// How the last apply() changed the motion of the point p_B (m) of a body, and the body's angular velocity.
  Motion<T> calc_point_change(const Model& model, const Workspace<T>& workspace, BodyIndex body,
                              const Vec3<T>& p_B) const;

 private:
  std::vector<char> reached_;  ///< per link: carries an impulse inwards; then: moves
};

/// The impulse P (N s, world axes) at the point p_B (m) of a body, as it acts at the body's origin.
template <class T>
BodyWrench<T> make_point_impulse(const Model& model, const Workspace<T>& workspace, BodyIndex body, const Vec3<T>& p_B,
                                 const Vec3<T>& P);

}  // namespace thenar
