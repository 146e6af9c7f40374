// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/forward_dynamics.h"

#include <cmath>
#include <type_traits>

#include "thenar/base/rounding_noise.h"
#include "thenar/dynamics/finger_passes_internal.h"
#include "thenar/dynamics/instantiate_internal.h"
#include "thenar/dynamics/tree_steps_internal.h"

namespace thenar {
namespace {

/// Frame, motion, inertia and bias force of one link from its parent's.
template <class T>
void outward_link(const Model& model, int i, const Vec3<T>& g, const T* q, const T* v, Workspace<T>& ws) {
  const Link& link = model.links()[i];
  internal::move_link(model, i, q, v, ws);
  if (!link.has_mass) {
    ws.articulated[i] = ArticulatedInertia<T>::zero();
    ws.force[i] = Wrench<T>::zero();
    return;
  }
  const RigidInertia<T> inertia = internal::rotated_inertia(model.link_constants()[i].inertia, ws.frame[i].R);
  ws.articulated[i].set_rigid(inertia);
  ws.force[i] = internal::newton_euler(inertia, ws.motion[i], g);
}

/// Takes the link's degrees of freedom out and hands the rest to its parent.
template <class T>
void inward_link(const Model& model, int i, const T* tau, Workspace<T>& ws) {
  const Link& link = model.links()[i];
  ArticulatedInertia<T> I = ws.articulated[i];
  Wrench<T> p = ws.force[i];
  internal::visit_dofs_backwards(link, [&](int j, auto angular) {
    const Vec3<T> axis = ws.axis[j];
    internal::eliminate_inertia<angular>(axis, T(model.armature()(j)), I, ws.dof[j]);
    internal::eliminate_force<angular>(axis, tau[j], ws.dof[j], p);
  });
  if (link.parent == 0) return;
  const Vec3<T> r = ws.frame[i].r;
  ws.articulated[link.parent] += I.moved_by(r);
  ws.force[link.parent] += p.moved_by(r);
}

/// Accelerations of one link from its parent's.
template <class T>
void accelerate_link(const Model& model, int i, Workspace<T>& ws, T* vdot) {
  const Link& link = model.links()[i];
  Motion<T> a = ws.acceleration[link.parent].shifted(ws.frame[i].r);
  internal::visit_dofs(link,
                       [&](int j, auto angular) { vdot[j] = internal::accelerate<angular>(ws.axis[j], ws.dof[j], a); });
  ws.acceleration[i] = a;
}

template <class T>
void accelerate_links(const Model& model, Workspace<T>& ws, T* vdot) {
  for (int i = 1; i <= model.link_count(); ++i) accelerate_link(model, i, ws, vdot);
}

/// The same with the fingers of each group in the lanes of a pack, between the trunk's passes.
void forward_dynamics_in_lanes(const Model& model, const double* q, const double* v, const double* tau,
                               std::span<const BodyWrench<double>> wrenches, Workspace<double>& ws, double* vdot) {
  const FingerLanes& lanes = model.finger_lanes();
  const Vec3<double> g(model.gravity());
  for (const int i : lanes.trunk) outward_link(model, i, g, q, v, ws);
  for (const FingerGroup& group : lanes.groups) internal::outward_group(group, g, q, v, ws);
  internal::subtract_wrenches_in_lanes(model, wrenches, ws);
  for (const FingerGroup& group : lanes.groups) internal::inward_group(group, tau, ws);
  for (auto i = lanes.trunk.rbegin(); i != lanes.trunk.rend(); ++i) inward_link(model, *i, tau, ws);
  for (const int i : lanes.trunk) accelerate_link(model, i, ws, vdot);
  for (const FingerGroup& group : lanes.groups) internal::accelerate_group(group, ws, vdot);
  add_noise(vdot, model.velocity_count());
}

}  // namespace

template <class T>
void forward_dynamics(const Model& model, const T* q, const T* v, const T* tau, std::span<const BodyWrench<T>> wrenches,
                      Workspace<T>& ws, T* vdot) {
  if constexpr (std::is_same_v<T, double>) {
    if (!model.finger_lanes().groups.empty()) {
      forward_dynamics_in_lanes(model, q, v, tau, wrenches, ws, vdot);
      return;
    }
  }
  const Vec3<T> g = Vec3<double>(model.gravity()).cast<T>();
  for (int i = 1; i <= model.link_count(); ++i) outward_link(model, i, g, q, v, ws);
  for (const BodyWrench<T>& applied : wrenches) {
    const Body& body = model.body(applied.body);
    ws.force[body.link] -= internal::at_link(body, ws.frame[body.link].R, applied.wrench);
  }
  for (int i = model.link_count(); i >= 1; --i) inward_link(model, i, tau, ws);
  accelerate_links(model, ws, vdot);
  if constexpr (std::is_same_v<T, double>) add_noise(vdot, model.velocity_count());
}

void forward_dynamics_with_factors(const Model& model, const double* q, const double* v, const double* tau,
                                   std::span<const BodyWrench<double>> wrenches, Workspace<double>& ws, double* vdot) {
  forward_dynamics(model, q, v, tau, wrenches, ws, vdot);
  for (const FingerGroup& group : model.finger_lanes().groups) internal::spread_group(group, ws);
  for (int i = 1; i <= model.link_count(); ++i) {
    internal::place_origin(model, i, ws);
    internal::move_origin(model, i, v, ws);
  }
}

namespace {

template <class T>
void factorize_with(const Model& model, const double* added, Workspace<T>& ws) {
  const Link* links = model.links().data();
  const LinkConstants<double>* constants = model.link_constants().data();
  for (int i = 1; i <= model.link_count(); ++i) {
    ws.articulated[i].set_rigid(internal::rotated_inertia(constants[i].inertia, ws.frame[i].R));
  }
  for (int i = model.link_count(); i >= 1; --i) {
    const Link& link = links[i];
    ArticulatedInertia<T> I = ws.articulated[i];
    internal::visit_dofs_backwards(link, [&](int j, auto angular) {
      const double own = model.armature()(j) + (added != nullptr ? added[j] : 0);
      internal::eliminate_inertia<angular>(ws.axis[j], T(own), I, ws.dof[j]);
    });
    if (link.parent != 0) ws.articulated[link.parent] += I.moved_by(ws.frame[i].r);
  }
}

}  // namespace

template <class T>
void factorize_articulated(const Model& model, Workspace<T>& ws) {
  factorize_with<T>(model, nullptr, ws);
}

void factorize_articulated(const Model& model, const double* added, Workspace<double>& ws) {
  factorize_with<double>(model, added, ws);
}

template <class T>
void solve_articulated(const Model& model, const T* tau, Workspace<T>& ws, T* x) {
  const Link* links = model.links().data();
  for (int i = 0; i <= model.link_count(); ++i) ws.force[i] = Wrench<T>::zero();
  for (int i = model.link_count(); i >= 1; --i) {
    const Link& link = links[i];
    Wrench<T> p = ws.force[i];
    internal::visit_dofs_backwards(
        link, [&](int j, auto angular) { internal::eliminate_force<angular>(ws.axis[j], tau[j], ws.dof[j], p); });
    if (link.parent != 0) ws.force[link.parent] += p.moved_by(ws.frame[i].r);
  }
  accelerate_links(model, ws, x);
}

namespace {

/// For each degree of freedom of a link from the last to the first: its entry of tau becomes that of y, and what is
/// left of the links' forces is handed on.
Wrench<Pack4> reduce_link(const Link& link, const Workspace<double>& ws, const Pack4* tau, Pack4* y, Wrench<Pack4> p) {
  internal::visit_dofs_backwards(link, [&](int j, auto angular) {
    const DofElimination<double>& dof = ws.dof[j];
    const Pack4 u = tau[j - link.v] - internal::project<angular>(ws.axis[j].cast<Pack4>(), p);
    const Pack4 gain = u * dof.inverse_d;
    p.moment += dof.U.moment.cast<Pack4>() * gain;
    p.force += dof.U.force.cast<Pack4>() * gain;
    y[j - link.v] = u * std::sqrt(dof.inverse_d);
  });
  return p;
}

}  // namespace

/// The recursion takes out one degree of freedom after the other, M = Lᵀ D L: u = L⁻ᵀ tau and y = D^(−1/2) u.
void reduce_articulated(const Model& model, std::span<const int> links, const Pack4* tau, Workspace<double>& ws,
                        Pack4* y) {
  for (const int i : links) ws.side_force[i] = Wrench<Pack4>::zero();
  for (const int i : links) {
    const Link& link = model.links()[i];
    const Wrench<Pack4> p = reduce_link(link, ws, tau, y, ws.side_force[i]);
    if (link.parent != 0) ws.side_force[link.parent] += p.moved_by(ws.frame[i].r.cast<Pack4>());
    tau += link.nv;
    y += link.nv;
  }
}

#define THENAR_INSTANTIATE(T)                                                                                   \
  template void forward_dynamics<T>(const Model&, const T*, const T*, const T*, std::span<const BodyWrench<T>>, \
                                    Workspace<T>&, T*);                                                         \
  template void factorize_articulated<T>(const Model&, Workspace<T>&);                                          \
  template void solve_articulated<T>(const Model&, const T*, Workspace<T>&, T*);
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
