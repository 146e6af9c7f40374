// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The steps that every tree algorithm is made of, one link at a time, over the scalar T of the states and the scalar C
/// of the link's constants. Notation: P is the parent link, L the link, F the joint frame on P; all vectors in world
/// axes.
///
/// Every degree of freedom of a link is a unit vector `axis`, either angular (a turn about a line through the link's
/// origin) or linear (a slide); a ball, planar or free joint is several of them at one link, eliminated one after the
/// other. That is Gauss elimination of the joint's small matrix, so no joint type needs an algorithm of its own.

#include "thenar/base/sincos.h"
#include "thenar/dynamics/workspace.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {

/// Whether degree of freedom k of a link of this kind turns (true) or slides.
inline bool is_angular(LinkKind kind, int k) {
  switch (kind) {
    case LinkKind::revolute:
    case LinkKind::ball:
      return true;
    case LinkKind::prismatic:
      return false;
    case LinkKind::planar:
      return k == 2;
    case LinkKind::free:
      return k < 3;
  }
  return true;
}

/// R v with v constant.
template <class T, class C>
inline Vec3<T> rotate_constant(const Mat3<T>& R, const Vec3<C>& v) {
  return R * v.template cast<T>();
}

/// R_WP R_PF with the second factor constant.
template <class T, class C>
inline Mat3<T> compose(const Mat3<T>& R, const Mat3<C>& constant) {
  return R * constant.template cast<T>();
}

/// F turned about its own z axis by `angle`.
template <class T>
inline Mat3<T> turned_about_z(const Mat3<T>& F, const T& angle) {
  T s, c;
  sincos(angle, s, c);
  return {F.x * c + F.y * s, F.y * c - F.x * s, F.z};
}

/// Position step: frame of the link and its axes from the parent's orientation and the link's coordinates.
template <class T, class C>
inline LinkFrame<T> position_step(LinkKind kind, const LinkConstants<C>& constants, const Mat3<T>& R_WP, const T* q,
                                  Vec3<T>* axis) {
  const Mat3<T> F = compose(R_WP, constants.R_PF);
  LinkFrame<T> frame;
  frame.r = rotate_constant(R_WP, constants.p_PF);
  switch (kind) {
    case LinkKind::revolute:
      frame.R = turned_about_z(F, q[0]);
      axis[0] = F.z;
      break;
    case LinkKind::prismatic:
      frame.R = F;
      axis[0] = F.z;
      frame.r += axis[0] * q[0];
      break;
    case LinkKind::planar:
      frame.R = turned_about_z(F, q[2]);
      axis[0] = F.x, axis[1] = F.y, axis[2] = F.z;
      frame.r += axis[0] * q[0] + axis[1] * q[1];
      break;
    case LinkKind::ball:
      frame.R = F * rotation_from_quaternion(q[0], q[1], q[2], q[3]);
      axis[0] = F.x, axis[1] = F.y, axis[2] = F.z;
      break;
    case LinkKind::free:
      frame.R = F * rotation_from_quaternion(q[3], q[4], q[5], q[6]);
      axis[0] = axis[3] = F.x, axis[1] = axis[4] = F.y, axis[2] = axis[5] = F.z;
      frame.r += axis[0] * q[0] + axis[1] * q[1] + axis[2] * q[2];
      break;
  }
  return frame;
}

/// Angular and linear velocity of the link relative to its parent, in world axes.
template <class T>
inline Motion<T> joint_velocity(LinkKind kind, const Vec3<T>* axis, const T* v) {
  Motion<T> out = Motion<T>::zero();
  switch (kind) {
    case LinkKind::revolute:
      out.angular = axis[0] * v[0];
      break;
    case LinkKind::prismatic:
      out.linear = axis[0] * v[0];
      break;
    case LinkKind::planar:
      out.linear = axis[0] * v[0] + axis[1] * v[1];
      out.angular = axis[2] * v[2];
      break;
    case LinkKind::ball:
      out.angular = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
      break;
    case LinkKind::free:
      out.angular = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
      out.linear = axis[3] * v[3] + axis[4] * v[4] + axis[5] * v[5];
      break;
  }
  return out;
}

/// Velocity step: the link's motion for v̇ = 0. Every axis is fixed in P, so its rate is w_P × axis; the offset r
/// turns with P and grows by the joint's slide (Carv 3.1–3.4, 3.17; slides added).
template <class T>
inline LinkMotion<T> velocity_step(LinkKind kind, const Vec3<T>& r, const Vec3<T>* axis, const T* v,
                                   const LinkMotion<T>& parent) {
  LinkMotion<T> out;
  out.a = parent.a + cross(parent.alpha, r) + cross(parent.w, cross(parent.w, r));
  if (kind == LinkKind::revolute) {
    const Vec3<T> turn = axis[0] * v[0];
    out.w = parent.w + turn;
    out.alpha = parent.alpha + cross(parent.w, turn);
    return out;
  }
  const Motion<T> joint = joint_velocity(kind, axis, v);
  out.w = parent.w + joint.angular;
  out.alpha = parent.alpha + cross(parent.w, joint.angular);
  out.a += cross(parent.w, joint.linear) * T(2);
  return out;
}

/// Inertia of the link about its origin, in world axes.
template <class T, class C>
inline RigidInertia<T> rotated_inertia(const RigidInertia<C>& inertia, const Mat3<T>& R) {
  return {T(inertia.mass), rotate_constant(R, inertia.h), inertia.J.template cast<T>().rotated(R)};
}

/// Newton–Euler: the wrench about the link's origin that the motion asks for, gravity g included (Carv 3.18, 3.19; the
/// linear part of (3.19) misses the mass).
template <class T>
inline Wrench<T> newton_euler(const RigidInertia<T>& I, const LinkMotion<T>& m, const Vec3<T>& g) {
  const Vec3<T> lift = m.a - g;
  Wrench<T> f;
  f.force = lift * I.mass + cross(m.alpha, I.h) + cross(m.w, cross(m.w, I.h));
  f.moment = I.J * m.alpha + cross(m.w, I.J * m.w) + cross(I.h, lift);
  return f;
}

/// The same in the link's own axes: rotating w, α, a and the result costs less than rotating the inertia, where nobody
/// else needs that.
template <class T, class C>
inline Wrench<T> newton_euler_in_link(const RigidInertia<C>& constants, const Mat3<T>& R, const LinkMotion<T>& m,
                                      const Vec3<T>& g) {
  const RigidInertia<T> I{T(constants.mass), constants.h.template cast<T>(), constants.J.template cast<T>()};
  const LinkMotion<T> in_link{R.transpose_times(m.w), R.transpose_times(m.alpha), R.transpose_times(m.a - g)};
  const Wrench<T> f = newton_euler(I, in_link, Vec3<T>::zero());
  return {R * f.moment, R * f.force};
}

/// sᵀ f for the motion s of one degree of freedom.
template <class T>
inline T project(bool angular, const Vec3<T>& axis, const Wrench<T>& f) {
  return dot(axis, angular ? f.moment : f.force);
}

/// I_A s.
template <class T>
inline Wrench<T> apply(const ArticulatedInertia<T>& I, bool angular, const Vec3<T>& axis) {
  if (angular) return {I.J * axis, I.H.transpose_times(axis)};
  return {I.H * axis, I.M * axis};
}

/// Takes one degree of freedom out of the articulated inertia (Carv 3.26–3.28).
template <class T>
inline void eliminate_inertia(bool angular, const Vec3<T>& axis, const T& armature, ArticulatedInertia<T>& I,
                              DofElimination<T>& dof) {
  dof.U = apply(I, angular, axis);
  dof.inverse_d = T(1) / (project(angular, axis, dof.U) + armature);
  I.subtract_outer(dof.U, {dof.U.moment * dof.inverse_d, dof.U.force * dof.inverse_d});
}

/// Takes one degree of freedom out of the bias force (Carv 3.31, 3.36). The centripetal terms N Ĉ of (3.36) are absent:
/// the bias forces are those of the full motion with v̇ = 0, so that what is left to find obeys a = X a_P + s v̇.
template <class T>
inline void eliminate_force(bool angular, const Vec3<T>& axis, const T& tau, DofElimination<T>& dof, Wrench<T>& p) {
  dof.u = tau - project(angular, axis, p);
  const T gain = dof.u * dof.inverse_d;
  p.moment += dof.U.moment * gain;
  p.force += dof.U.force * gain;
}

/// v̇ of one degree of freedom, and what it adds to the link's acceleration.
template <class T>
inline T accelerate(bool angular, const Vec3<T>& axis, const DofElimination<T>& dof, Motion<T>& a) {
  const T rate = (dof.u - dot(a.angular, dof.U.moment) - dot(a.linear, dof.U.force)) * dof.inverse_d;
  (angular ? a.angular : a.linear) += axis * rate;
  return rate;
}

}  // namespace thenar::internal
