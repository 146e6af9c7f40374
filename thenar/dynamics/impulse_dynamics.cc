// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/impulse_dynamics.h"

#include "thenar/dynamics/instantiate_internal.h"
#include "thenar/dynamics/tree_steps_internal.h"

namespace thenar {

template <class T>
ImpulseDynamics<T>::ImpulseDynamics(const Model& model)
    : reached_(static_cast<std::size_t>(model.link_count() + 1), 0) {}

template <class T>
void ImpulseDynamics<T>::apply(const Model& model, std::span<const BodyWrench<T>> impulses, Workspace<T>& ws, T* dv) {
  const Link* links = model.links().data();
  std::fill(reached_.begin(), reached_.end(), 0);
  for (const BodyWrench<T>& impulse : impulses) {
    for (int i = model.body(impulse.body).link; i != 0 && reached_[i] == 0; i = links[i].parent) {
      reached_[i] = 1;
      ws.force[i] = Wrench<T>::zero();
    }
  }
  for (const BodyWrench<T>& impulse : impulses) {
    const Body& body = model.body(impulse.body);
    if (body.link != 0) ws.force[body.link] -= internal::at_link(body, ws.frame[body.link].R, impulse.wrench);
  }
  for (int i = model.link_count(); i >= 1; --i) {
    if (reached_[i] == 0) continue;
    const Link& link = links[i];
    Wrench<T> p = ws.force[i];
    internal::visit_dofs_backwards(
        link, [&](int j, auto angular) { internal::eliminate_force<angular>(ws.axis[j], T(0), ws.dof[j], p); });
    if (link.parent != 0) ws.force[link.parent] += p.moved_by(ws.frame[i].r);
  }
  ws.acceleration[0] = Motion<T>::zero();
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = links[i];
    const bool carries = reached_[i] != 0;
    if (!carries && reached_[link.parent] == 0) {
      for (int k = 0; k < link.nv; ++k) dv[link.v + k] = T(0);
      ws.acceleration[i] = Motion<T>::zero();
      continue;
    }
    reached_[i] = 1;
    Motion<T> a = ws.acceleration[link.parent].shifted(ws.frame[i].r);
    internal::visit_dofs(link, [&](int j, auto angular) {
      if (!carries) ws.dof[j].u = T(0);
      dv[j] = internal::accelerate<angular>(ws.axis[j], ws.dof[j], a);
    });
    ws.acceleration[i] = a;
  }
}

template <class T>
Motion<T> ImpulseDynamics<T>::calc_point_change(const Model& model, const Workspace<T>& ws, BodyIndex body,
                                                const Vec3<T>& p_B) const {
  const Body& b = model.body(body);
  return ws.acceleration[b.link].shifted(calc_point_offset(b, ws, p_B));
}

template <class T>
BodyWrench<T> make_point_impulse(const Model& model, const Workspace<T>& ws, BodyIndex body, const Vec3<T>& p_B,
                                 const Vec3<T>& P) {
  return {body, {cross(calc_body_pose(model, ws, body).R * p_B, P), P}};
}

#define THENAR_INSTANTIATE(T)                                                                                \
  template class ImpulseDynamics<T>;                                                                         \
  template BodyWrench<T> make_point_impulse<T>(const Model&, const Workspace<T>&, BodyIndex, const Vec3<T>&, \
                                               const Vec3<T>&);
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
