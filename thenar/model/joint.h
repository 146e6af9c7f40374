// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Joints as people describe them. A joint carries a body B on a parent body P: frame F is fixed on P, frame M on B,
/// and the coordinates q give the pose of M in F. At q = 0 (identity quaternion) F and M coincide.
///
///     kind       q                         v                               motion of M in F
///     fixed      –                         –                               none
///     revolute   angle                     its rate                        turn about `axis`
///     prismatic  displacement              its rate                        slide along `axis`
///     universal  two angles                their rates                     turn about `axis`, then `second_axis`
///     spherical  quaternion w, x, y, z     w_FM_F                          turn about M's origin
///     planar     x, y, yaw                 their rates                     slide along x and y of F, turn about z
///     free       x, y, z, then w, x, y, z  w_FM_F, velocity of M's origin  anything
///
/// w_FM_F is an angular velocity. The second axis of a universal joint is carried along by the first, its line lies at
/// `offset`.
///
/// Angles in rad, lengths in m. The velocity of a spherical or free joint is expressed in F, that is in world axes for
/// a body on the world.

#include <optional>
#include <string>

#include "thenar/spatial/pose.h"

namespace thenar {

enum class JointKind { fixed, revolute, prismatic, universal, spherical, planar, free };

/// The name used in files and messages.
const char* to_string(JointKind kind);
/// Number of coordinates.
int position_count(JointKind kind);
/// Number of degrees of freedom.
int velocity_count(JointKind kind);

/// A spring that couples the degrees of freedom of one joint. Its torque is −Gᵀ K e: e is q − rest (for rotations, the
/// rotation vector from rest in F), G the derivative of e along v. A symmetric K is the gradient of ½ eᵀ K e; any
/// other K is allowed (Carv Table 5-IV, wrist) and feeds or drains energy.
struct JointSpring {
  MatrixX<double> stiffness;  ///< nv × nv, N m/rad or N/m
  VectorX<double> rest;       ///< nq
};

/// Everything that is said about one joint. Sizes are checked when the joint enters a model.
struct JointSpec {
  std::string name{};
  JointKind kind = JointKind::fixed;
  Pose<double> X_PF{};                                     ///< joint frame on the parent body
  Pose<double> X_BM{};                                     ///< joint frame on the child body
  Vector3<double> axis = Vector3<double>::UnitZ();         ///< in F; need not be normalised
  Vector3<double> second_axis = Vector3<double>::UnitX();  ///< universal: in F at q = 0
  Vector3<double> offset = Vector3<double>::Zero();        ///< universal: from F to the second axis, in F at q = 0, m
  VectorX<double> damping{};                               ///< nv, N m s/rad or N s/m; empty means none
  VectorX<double> armature{};                              ///< nv, kg m² or kg, reflected inertia; empty means none
  VectorX<double> friction{};                              ///< nv, N m or N, dry friction; empty means none
  VectorX<double> effort{};  ///< nv, N m or N, the most its actuator gives; empty: no limit
  bool locked = false;       ///< held where it starts, by whatever force that takes
  std::optional<JointSpring> spring{};
};

}  // namespace thenar
