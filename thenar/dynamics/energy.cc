// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/energy.h"

#include "thenar/dynamics/instantiate_internal.h"
#include "thenar/dynamics/tree_steps_internal.h"

namespace thenar {
namespace {

/// Σ m p over the links, kg m.
template <class T>
Vec3<T> first_moment(const Model& model, const Workspace<T>& ws) {
  Vec3<T> sum = Vec3<T>::zero();
  for (int i = 1; i <= model.link_count(); ++i) {
    const RigidInertia<double>& I = model.link_constants()[i].inertia;
    sum += ws.origin_position[i] * T(I.mass) + internal::rotate_constant(ws.frame[i].R, I.h);
  }
  return sum;
}

}  // namespace

template <class T>
T calc_kinetic_energy(const Model& model, const Workspace<T>& ws, const T* v) {
  T energy(0);
  for (int i = 1; i <= model.link_count(); ++i) {
    const Motion<T> twist{ws.motion[i].w, ws.origin_velocity[i]};
    const RigidInertia<T> I = internal::rotated_inertia(model.link_constants()[i].inertia, ws.frame[i].R);
    energy += T(0.5) * dot(twist, I * twist);
  }
  for (int j = 0; j < model.velocity_count(); ++j) energy += T(0.5 * model.armature()(j)) * v[j] * v[j];
  return energy;
}

template <class T>
T calc_gravity_energy(const Model& model, const Workspace<T>& ws) {
  return -dot(Vec3<double>(model.gravity()).cast<T>(), first_moment(model, ws));
}

template <class T>
Wrench<T> calc_momentum(const Model& model, const Workspace<T>& ws) {
  Wrench<T> sum = Wrench<T>::zero();
  for (int i = 1; i <= model.link_count(); ++i) {
    const Motion<T> twist{ws.motion[i].w, ws.origin_velocity[i]};
    const RigidInertia<T> I = internal::rotated_inertia(model.link_constants()[i].inertia, ws.frame[i].R);
    sum += (I * twist).moved_by(ws.origin_position[i]);
  }
  return sum;
}

template <class T>
Wrench<T> calc_momentum_rate(const Model& model, Workspace<T>& ws, const T* vdot) {
  Wrench<T> sum = Wrench<T>::zero();
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = model.links()[i];
    // What v̇ adds to the motion that update_velocities left for v̇ = 0.
    Motion<T> extra = ws.acceleration[link.parent].shifted(ws.frame[i].r);
    extra += internal::joint_velocity(link.kind, &ws.axis[link.v], vdot + link.v);
    ws.acceleration[i] = extra;
    LinkMotion<T> motion = ws.motion[i];
    motion.alpha += extra.angular;
    motion.a += extra.linear;
    const RigidInertia<T> I = internal::rotated_inertia(model.link_constants()[i].inertia, ws.frame[i].R);
    sum += internal::newton_euler(I, motion, Vec3<T>::zero()).moved_by(ws.origin_position[i]);
  }
  return sum;
}

template <class T>
Vec3<T> calc_center_of_mass(const Model& model, const Workspace<T>& ws) {
  double mass = 0;
  for (int i = 1; i <= model.link_count(); ++i) mass += model.link_constants()[i].inertia.mass;
  return first_moment(model, ws) * T(1.0 / mass);
}

#define THENAR_INSTANTIATE(T)                                                      \
  template T calc_kinetic_energy<T>(const Model&, const Workspace<T>&, const T*);  \
  template T calc_gravity_energy<T>(const Model&, const Workspace<T>&);            \
  template Wrench<T> calc_momentum<T>(const Model&, const Workspace<T>&);          \
  template Wrench<T> calc_momentum_rate<T>(const Model&, Workspace<T>&, const T*); \
  template Vec3<T> calc_center_of_mass<T>(const Model&, const Workspace<T>&);
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
