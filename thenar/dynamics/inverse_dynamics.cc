// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/inverse_dynamics.h"

#include <type_traits>

#include "thenar/dynamics/finger_passes_internal.h"
#include "thenar/dynamics/instantiate_internal.h"
#include "thenar/dynamics/tree_steps_internal.h"

namespace thenar {
namespace {

/// Frame, motion and force of one link from its parent's, for v̇ or (null) none.
template <class T>
void outward_link(const Model& model, int i, const Vec3<T>& g, const T* q, const T* v, const T* vdot,
                  Workspace<T>& ws) {
  const Link& link = model.links()[i];
  internal::move_link(model, i, q, v, ws);
  LinkMotion<T>& motion = ws.motion[i];
  if (vdot != nullptr) {
    const Motion<T> joint = internal::joint_velocity(link.kind, &ws.axis[link.v], vdot + link.v);
    motion.alpha += joint.angular;
    motion.a += joint.linear;
  }
  ws.force[i] = link.has_mass
                    ? internal::newton_euler_in_link(model.link_constants()[i].inertia, ws.frame[i].R, motion, g)
                    : Wrench<T>::zero();
}

/// Writes tau of the link's degrees of freedom and hands its force to its parent.
template <class T>
void collect_link(const Model& model, int i, const T* vdot, Workspace<T>& ws, T* tau) {
  const Link& link = model.links()[i];
  const Wrench<T> f = ws.force[i];
  internal::visit_dofs(link, [&](int j, auto angular) {
    tau[j] = internal::project<angular>(ws.axis[j], f);
    if (vdot != nullptr) tau[j] += T(model.armature()(j)) * vdot[j];
  });
  if (link.parent != 0) ws.force[link.parent] += f.moved_by(ws.frame[i].r);
}

/// The same with the fingers of each group in the lanes of a pack, between the trunk's passes.
void inverse_dynamics_in_lanes(const Model& model, const double* q, const double* v, const double* vdot,
                               std::span<const BodyWrench<double>> wrenches, Workspace<double>& ws, double* tau) {
  const FingerLanes& lanes = model.finger_lanes();
  const Vec3<double> g(model.gravity());
  for (const int i : lanes.trunk) outward_link(model, i, g, q, v, vdot, ws);
  for (const FingerGroup& group : lanes.groups) internal::outward_group_with_acceleration(group, g, q, v, vdot, ws);
  internal::subtract_wrenches_in_lanes(model, wrenches, ws);
  for (const FingerGroup& group : lanes.groups) internal::collect_group(group, vdot, ws, tau);
  for (auto i = lanes.trunk.rbegin(); i != lanes.trunk.rend(); ++i) collect_link(model, *i, vdot, ws, tau);
}

/// Frame of one link from its parent's, and the force that holds it up.
template <class T>
void weigh_link(const Model& model, int i, const Vec3<T>& g, const T* q, Workspace<T>& ws) {
  const Link& link = model.links()[i];
  const LinkConstants<double>& constants = model.link_constants()[i];
  internal::position_step(link.kind, constants, ws.frame[link.parent].R, q + link.q, ws.frame[i], &ws.axis[link.v]);
  ws.force[i] = link.has_mass ? internal::weigh(constants.inertia, ws.frame[i].R, g) : Wrench<T>::zero();
}

void gravity_forces_in_lanes(const Model& model, const double* q, Workspace<double>& ws, double* tau) {
  const FingerLanes& lanes = model.finger_lanes();
  const Vec3<double> g(model.gravity());
  for (const int i : lanes.trunk) weigh_link(model, i, g, q, ws);
  for (const FingerGroup& group : lanes.groups) internal::weigh_group(group, g, q, ws);
  for (const FingerGroup& group : lanes.groups) internal::collect_group(group, nullptr, ws, tau);
  for (auto i = lanes.trunk.rbegin(); i != lanes.trunk.rend(); ++i) {
    collect_link<double>(model, *i, nullptr, ws, tau);
  }
}

}  // namespace

template <class T>
void inverse_dynamics(const Model& model, const T* q, const T* v, const T* vdot,
                      std::span<const BodyWrench<T>> wrenches, Workspace<T>& ws, T* tau) {
  if constexpr (std::is_same_v<T, double>) {
    if (!model.finger_lanes().groups.empty()) {
      inverse_dynamics_in_lanes(model, q, v, vdot, wrenches, ws, tau);
      return;
    }
  }
  const Vec3<T> g = Vec3<double>(model.gravity()).cast<T>();
  for (int i = 1; i <= model.link_count(); ++i) outward_link(model, i, g, q, v, vdot, ws);
  for (const BodyWrench<T>& applied : wrenches) {
    const Body& body = model.body(applied.body);
    ws.force[body.link] -= internal::at_link(body, ws.frame[body.link].R, applied.wrench);
  }
  for (int i = model.link_count(); i >= 1; --i) collect_link(model, i, vdot, ws, tau);
}

template <class T>
void gravity_forces(const Model& model, const T* q, Workspace<T>& ws, T* tau) {
  if constexpr (std::is_same_v<T, double>) {
    if (!model.finger_lanes().groups.empty()) return gravity_forces_in_lanes(model, q, ws, tau);
  }
  const Vec3<T> g = Vec3<double>(model.gravity()).cast<T>();
  for (int i = 1; i <= model.link_count(); ++i) weigh_link(model, i, g, q, ws);
  for (int i = model.link_count(); i >= 1; --i) collect_link<T>(model, i, nullptr, ws, tau);
}

#define THENAR_INSTANTIATE(T)                                                                                   \
  template void inverse_dynamics<T>(const Model&, const T*, const T*, const T*, std::span<const BodyWrench<T>>, \
                                    Workspace<T>&, T*);                                                         \
  template void gravity_forces<T>(const Model&, const T*, Workspace<T>&, T*);
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
