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

#include <type_traits>

#include "thenar/base/sincos.h"
#include "thenar/dynamics/workspace.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {

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

/// Position step: frame of the link and its axes from the parent's orientation and the link's coordinates. Results are
/// written in place: GCC would build a returned frame on the stack number by number and copy it in wide pieces, which
/// stalls on every link.
template <class T, class C>
inline void position_step(LinkKind kind, const LinkConstants<C>& constants, const Mat3<T>& R_WP, const T* q,
                          LinkFrame<T>& frame, Vec3<T>* axis) {
  const Mat3<T> F = compose(R_WP, constants.R_PF);
  const Vec3<T> r = rotate_constant(R_WP, constants.p_PF);
  if (kind == LinkKind::revolute) {
    frame.R = turned_about_z(F, q[0]);
    frame.r = r;
    axis[0] = F.z;
    return;
  }
  switch (kind) {
    case LinkKind::revolute:
      break;
    case LinkKind::prismatic:
      frame.R = F;
      frame.r = r + F.z * q[0];
      axis[0] = F.z;
      break;
    case LinkKind::planar:
      frame.R = turned_about_z(F, q[2]);
      frame.r = r + F.x * q[0] + F.y * q[1];
      axis[0] = F.x, axis[1] = F.y, axis[2] = F.z;
      break;
    case LinkKind::ball:
      frame.R = F * rotation_from_quaternion(q[0], q[1], q[2], q[3]);
      frame.r = r;
      axis[0] = F.x, axis[1] = F.y, axis[2] = F.z;
      break;
    case LinkKind::free:
      frame.R = F * rotation_from_quaternion(q[3], q[4], q[5], q[6]);
      frame.r = r + F.x * q[0] + F.y * q[1] + F.z * q[2];
      axis[0] = axis[3] = F.x, axis[1] = axis[4] = F.y, axis[2] = axis[5] = F.z;
      break;
  }
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

/// Velocity step: the link's motion for v̇ = 0, in place. Every axis is fixed in P, so its rate is w_P × axis; the
/// offset r turns with P and grows by the joint's slide (Carv 3.1–3.4, 3.17; slides added).
template <class T>
inline void velocity_step(LinkKind kind, const Vec3<T>& r, const Vec3<T>* axis, const T* v, const LinkMotion<T>& parent,
                          LinkMotion<T>& out) {
  const Vec3<T> a = parent.a + cross(parent.alpha, r) + cross(parent.w, cross(parent.w, r));
  if (kind == LinkKind::revolute) {
    const Vec3<T> turn = axis[0] * v[0];
    out.alpha = parent.alpha + cross(parent.w, turn);
    out.w = parent.w + turn;
    out.a = a;
    return;
  }
  const Motion<T> joint = joint_velocity(kind, axis, v);
  out.alpha = parent.alpha + cross(parent.w, joint.angular);
  out.w = parent.w + joint.angular;
  out.a = a + cross(parent.w, joint.linear) * T(2);
}

/// Both steps for link i of the model.
template <class T>
inline void move_link(const Model& model, int i, const T* q, const T* v, Workspace<T>& ws) {
  const Link& link = model.links()[i];
  Vec3<T>* axis = &ws.axis[link.v];
  position_step(link.kind, model.link_constants()[i], ws.frame[link.parent].R, q + link.q, ws.frame[i], axis);
  velocity_step(link.kind, ws.frame[i].r, axis, v + link.v, ws.motion[link.parent], ws.motion[i]);
}

/// Position of the origin of link i from its parent's, and its velocity.
template <class T>
inline void place_origin(const Model& model, int i, Workspace<T>& ws) {
  ws.origin_position[i] = ws.origin_position[model.links()[i].parent] + ws.frame[i].r;
}
template <class T>
inline void move_origin(const Model& model, int i, const T* v, Workspace<T>& ws) {
  const Link& link = model.links()[i];
  ws.origin_velocity[i] = ws.origin_velocity[link.parent] + cross(ws.motion[link.parent].w, ws.frame[i].r) +
                          joint_velocity(link.kind, &ws.axis[link.v], v + link.v).linear;
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

/// The same at rest: what gravity asks for.
template <class T, class C>
inline Wrench<T> weigh(const RigidInertia<C>& constants, const Mat3<T>& R, const Vec3<T>& g) {
  return {cross(g, rotate_constant(R, constants.h)), g * -T(constants.mass)};
}

/// The wrench about the origin of the body's link.
template <class T>
inline Wrench<T> at_link(const Body& body, const Mat3<T>& R_WL, const Wrench<T>& wrench) {
  return wrench.moved_by(rotate_constant(R_WL, Vec3<double>(body.X_LB.p)));
}

/// sᵀ f for the motion s of one degree of freedom.
template <bool kAngular, class T>
inline T project(const Vec3<T>& axis, const Wrench<T>& f) {
  return dot(axis, kAngular ? f.moment : f.force);
}

/// I_A s.
template <bool kAngular, class T>
inline Wrench<T> apply(const ArticulatedInertia<T>& I, const Vec3<T>& axis) {
  if constexpr (kAngular) {
    return {I.J * axis, I.H.transpose_times(axis)};
  } else {
    return {I.H * axis, I.M * axis};
  }
}

/// Takes one degree of freedom out of the articulated inertia (Carv 3.26–3.28).
template <bool kAngular, class T>
inline void eliminate_inertia(const Vec3<T>& axis, const T& armature, ArticulatedInertia<T>& I,
                              DofElimination<T>& dof) {
  const Wrench<T> U = apply<kAngular>(I, axis);
  const T inverse_d = T(1) / (project<kAngular>(axis, U) + armature);
  I.subtract_outer(U, {U.moment * inverse_d, U.force * inverse_d});
  dof.U.moment = U.moment;
  dof.U.force = U.force;
  dof.inverse_d = inverse_d;
}

/// Takes one degree of freedom out of the bias force (Carv 3.31, 3.36). The centripetal terms N Ĉ of (3.36) are absent:
/// the bias forces are those of the full motion with v̇ = 0, so that what is left to find obeys a = X a_P + s v̇.
template <bool kAngular, class T>
inline void eliminate_force(const Vec3<T>& axis, const T& tau, DofElimination<T>& dof, Wrench<T>& p) {
  const T u = tau - project<kAngular>(axis, p);
  const T gain = u * dof.inverse_d;
  p.moment += dof.U.moment * gain;
  p.force += dof.U.force * gain;
  dof.u = u;
}

/// v̇ of one degree of freedom, and what it adds to the link's acceleration.
template <bool kAngular, class T>
inline T accelerate(const Vec3<T>& axis, const DofElimination<T>& dof, Motion<T>& a) {
  const T rate = (dof.u - dot(a.angular, dof.U.moment) - dot(a.linear, dof.U.force)) * dof.inverse_d;
  (kAngular ? a.angular : a.linear) += axis * rate;
  return rate;
}

/// Calls visit(j, angular) for every degree of freedom j of the link in order, with `angular` a compile-time constant
/// (std::true_type or std::false_type). The revolute link comes first: it is nearly always the one.
template <bool kBackwards = false, class Visit>
inline void visit_dofs(const Link& link, const Visit& visit) {
  if (link.kind == LinkKind::revolute) {
    visit(link.v, std::true_type{});
    return;
  }
  for (int i = 0; i < link.nv; ++i) {
    const int k = kBackwards ? link.nv - 1 - i : i;
    if (is_angular(link.kind, k)) {
      visit(link.v + k, std::true_type{});
    } else {
      visit(link.v + k, std::false_type{});
    }
  }
}

/// The same from the last degree of freedom to the first.
template <class Visit>
inline void visit_dofs_backwards(const Link& link, const Visit& visit) {
  visit_dofs<true>(link, visit);
}

}  // namespace thenar::internal
