// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Forward kinematics, Jacobians and bias accelerations. Points are given on a body, in that body's frame; answers are
/// in world axes. update_* write the workspace, calc_* read it and return a value; nothing uses the heap.

#include "thenar/dynamics/workspace.h"

namespace thenar {

/// Frames and axes of all links, and the positions of their origins, from q.
template <class T>
void update_positions(const Model& model, const T* q, Workspace<T>& workspace);

/// Motions of all links for v and v̇ = 0. Needs update_positions.
template <class T>
void update_velocities(const Model& model, const T* v, Workspace<T>& workspace);

/// Pose of a frame over any scalar.
template <class T>
struct Placement {
  Mat3<T> R;
  Vec3<T> p;
};

/// Pose X_WB of a body. Needs update_positions.
template <class T>
Placement<T> calc_body_pose(const Model& model, const Workspace<T>& workspace, BodyIndex body);

/// The point p_B of a body relative to its link's origin, world axes, m. Needs update_positions.
template <class T>
Vec3<T> calc_point_offset(const Body& body, const Workspace<T>& workspace, const Vec3<T>& p_B);

/// Velocity of the point p_B (m) fixed on the body, and the body's angular velocity. Needs update_velocities.
template <class T>
Motion<T> calc_point_velocity(const Model& model, const Workspace<T>& workspace, BodyIndex body, const Vec3<T>& p_B);

/// Acceleration J̇ v of that point, and of the body's angular velocity, for v̇ = 0, without gravity. Needs
/// update_velocities.
template <class T>
Motion<T> calc_bias_acceleration(const Model& model, const Workspace<T>& workspace, BodyIndex body, const Vec3<T>& p_B);

/// Writes the Jacobian J (6 × nv, angular rows first): twist of the body at the point p_B = J v. Entries of degrees of
/// freedom that do not move the body are set to zero. Needs update_positions.
template <class T>
void calc_jacobian(const Model& model, const Workspace<T>& workspace, BodyIndex body, const Vec3<T>& p_B,
                   Eigen::Ref<Eigen::Matrix<T, 6, Eigen::Dynamic>> jacobian);

/// q ← q ⊕ dq with dq in the space of velocities: sums, and rotations composed on the group. The result's quaternions
/// have unit norm.
template <class T>
void integrate_position(const Model& model, const T* q, const T* dq, T* out);

}  // namespace thenar
