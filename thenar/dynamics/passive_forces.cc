// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/passive_forces.h"

#include "thenar/dynamics/instantiate_internal.h"
#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

/// Rotation vector that leads from the rest orientation to q, in F.
template <class T>
Vec3<T> rotation_from_rest(const T* q, const double* rest) {
  const Vector4<T> inverse{T(rest[0]), T(-rest[1]), T(-rest[2]), T(-rest[3])};
  const Vector4<T> now(q[0], q[1], q[2], q[3]);
  return rotation_vector_from_quaternion<T>(multiply_quaternions<T>(now, inverse));
}

/// Calls visit(row, e_row) for each entry of the joint's deflection e, in the order of v.
template <class T, class Visit>
void visit_deflection(const Joint& joint, const T* q, const double* rest, const Visit& visit) {
  const auto rotation = [&](int q_offset) {
    const Vec3<T> phi = rotation_from_rest(q + q_offset, rest + q_offset);
    visit(0, phi.x), visit(1, phi.y), visit(2, phi.z);
  };
  switch (joint.spec.kind) {
    case JointKind::spherical:
      rotation(0);
      break;
    case JointKind::free:
      rotation(3);
      for (int i = 0; i < 3; ++i) visit(3 + i, q[i] - T(rest[i]));
      break;
    default:
      for (int i = 0; i < joint.nv; ++i) visit(i, q[i] - T(rest[i]));
  }
}

/// Gᵀ x for one joint: the identity, but J⁻ᵀ of the rotation group for rotations. In place.
template <class T>
void apply_gradient_transpose(const Joint& joint, const T* q, const double* rest, T* x) {
  const bool is_ball = joint.spec.kind == JointKind::spherical, is_free = joint.spec.kind == JointKind::free;
  if (!is_ball && !is_free) return;
  const int offset = is_free ? 3 : 0;
  const Vec3<T> turned =
      left_jacobian_inverse_transpose<T>(rotation_from_rest(q + offset, rest + offset), {x[0], x[1], x[2]});
  x[0] = turned.x, x[1] = turned.y, x[2] = turned.z;
}

/// Row `row` of K e.
template <class T>
T stiffness_times_deflection(const Model& model, const Spring& spring, const T* q, int row) {
  T sum(0);
  int column = 0, rest = 0;
  for (const JointIndex index : spring.joints) {
    const Joint& joint = model.joint(index);
    visit_deflection<T>(joint, q + joint.q_start, spring.rest.data() + rest,
                        [&](int i, const T& e) { sum += T(spring.stiffness(row, column + i)) * e; });
    column += joint.nv;
    rest += joint.nq;
  }
  return sum;
}

}  // namespace

template <class T>
void add_spring_forces(const Model& model, const T* q, bool conservative, T* tau) {
  for (const Spring& spring : model.springs()) {
    if (spring.conservative != conservative) continue;
    int row = 0, rest = 0;
    for (const JointIndex index : spring.joints) {
      const Joint& joint = model.joint(index);
      T force[6];
      for (int i = 0; i < joint.nv; ++i) force[i] = stiffness_times_deflection(model, spring, q, row + i);
      apply_gradient_transpose(joint, q + joint.q_start, spring.rest.data() + rest, force);
      for (int i = 0; i < joint.nv; ++i) tau[joint.v_start + i] -= force[i];
      row += joint.nv;
      rest += joint.nq;
    }
  }
}

template <class T>
void add_passive_forces(const Model& model, const T* q, const T* v, T* tau) {
  if (model.has_damping()) {
    for (int i = 0; i < model.velocity_count(); ++i) tau[i] -= T(model.damping()(i)) * v[i];
  }
  add_spring_forces(model, q, true, tau);
  add_spring_forces(model, q, false, tau);
}

template <class T>
T calc_spring_energy(const Model& model, const T* q) {
  T energy(0);
  for (const Spring& spring : model.springs()) {
    if (!spring.conservative) continue;
    int row = 0, rest = 0;
    for (const JointIndex index : spring.joints) {
      const Joint& joint = model.joint(index);
      visit_deflection<T>(joint, q + joint.q_start, spring.rest.data() + rest, [&](int i, const T& e) {
        energy += T(0.5) * e * stiffness_times_deflection(model, spring, q, row + i);
      });
      row += joint.nv;
      rest += joint.nq;
    }
  }
  return energy;
}

template <class T>
T calc_damping_power(const Model& model, const T* v) {
  T power(0);
  for (int i = 0; i < model.velocity_count(); ++i) power += T(model.damping()(i)) * v[i] * v[i];
  return power;
}

#define THENAR_INSTANTIATE(T)                                                \
  template void add_passive_forces<T>(const Model&, const T*, const T*, T*); \
  template void add_spring_forces<T>(const Model&, const T*, bool, T*);      \
  template T calc_spring_energy<T>(const Model&, const T*);                  \
  template T calc_damping_power<T>(const Model&, const T*);
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
