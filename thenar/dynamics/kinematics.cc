// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/kinematics.h"

#include "thenar/dynamics/instantiate_internal.h"
#include "thenar/dynamics/tree_steps_internal.h"

namespace thenar {
template <class T>
Vec3<T> calc_point_offset(const Body& body, const Workspace<T>& ws, const Vec3<T>& p_B) {
  const Mat3<T> R_LB = Mat3<double>(body.X_LB.R).cast<T>();
  return ws.frame[body.link].R * (R_LB * p_B + Vec3<double>(body.X_LB.p).cast<T>());
}

template <class T>
void update_positions(const Model& model, const T* q, Workspace<T>& ws) {
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = model.links()[i];
    internal::position_step(link.kind, model.link_constants()[i], ws.frame[link.parent].R, q + link.q, ws.frame[i],
                            &ws.axis[link.v]);
    internal::place_origin(model, i, ws);
  }
}

template <class T>
void update_velocities(const Model& model, const T* v, Workspace<T>& ws) {
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = model.links()[i];
    internal::velocity_step(link.kind, ws.frame[i].r, &ws.axis[link.v], v + link.v, ws.motion[link.parent],
                            ws.motion[i]);
    internal::move_origin(model, i, v, ws);
  }
}

template <class T>
Placement<T> calc_body_pose(const Model& model, const Workspace<T>& ws, BodyIndex index) {
  const Body& body = model.body(index);
  const Mat3<T>& R_WL = ws.frame[body.link].R;
  return {R_WL * Mat3<double>(body.X_LB.R).cast<T>(),
          ws.origin_position[body.link] + R_WL * Vec3<double>(body.X_LB.p).cast<T>()};
}

template <class T>
Motion<T> calc_point_velocity(const Model& model, const Workspace<T>& ws, BodyIndex index, const Vec3<T>& p_B) {
  const Body& body = model.body(index);
  const Vec3<T> d = calc_point_offset(body, ws, p_B);
  const Vec3<T>& w = ws.motion[body.link].w;
  return {w, ws.origin_velocity[body.link] + cross(w, d)};
}

template <class T>
Motion<T> calc_bias_acceleration(const Model& model, const Workspace<T>& ws, BodyIndex index, const Vec3<T>& p_B) {
  const Body& body = model.body(index);
  const Vec3<T> d = calc_point_offset(body, ws, p_B);
  const LinkMotion<T>& m = ws.motion[body.link];
  return {m.alpha, m.a + cross(m.alpha, d) + cross(m.w, cross(m.w, d))};
}

template <class T>
void calc_jacobian(const Model& model, const Workspace<T>& ws, BodyIndex index, const Vec3<T>& p_B,
                   Eigen::Ref<Eigen::Matrix<T, 6, Eigen::Dynamic>> jacobian) {
  THENAR_DEMAND(jacobian.cols() == model.velocity_count());
  for (int j = 0; j < jacobian.cols(); ++j) {
    for (int i = 0; i < 6; ++i) jacobian(i, j) = T(0);
  }
  const Body& body = model.body(index);
  Vec3<T> d = calc_point_offset(body, ws, p_B);  // from the link's origin to the point
  for (int i = body.link; i != 0; i = model.links()[i].parent) {
    const Link& link = model.links()[i];
    for (int k = 0; k < link.nv; ++k) {
      const int j = link.v + k;
      const Vec3<T>& axis = ws.axis[j];
      const bool angular = is_angular(link.kind, k);
      const Vec3<T> linear = angular ? cross(axis, d) : axis;
      const Vec3<T> turn = angular ? axis : Vec3<T>::zero();
      jacobian(0, j) = turn.x, jacobian(1, j) = turn.y, jacobian(2, j) = turn.z;
      jacobian(3, j) = linear.x, jacobian(4, j) = linear.y, jacobian(5, j) = linear.z;
    }
    d += ws.frame[i].r;
  }
}

template <class T>
void integrate_position(const Model& model, const T* q, const T* dq, T* out) {
  // exp(φ) q, normalised: φ is expressed in F, so the increment stands on the left.
  using std::sqrt;
  const auto rotate = [](const T* from, const Vec3<T>& phi, T* to) {
    const Vector4<T> r =
        multiply_quaternions<T>(quaternion_from_rotation_vector(phi), Vector4<T>(from[0], from[1], from[2], from[3]));
    const T scale = T(1) / sqrt(r(0) * r(0) + r(1) * r(1) + r(2) * r(2) + r(3) * r(3));
    for (int i = 0; i < 4; ++i) to[i] = r(i) * scale;
  };
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = model.links()[i];
    const T* d = dq + link.v;
    switch (link.kind) {
      case LinkKind::revolute:
      case LinkKind::prismatic:
        out[link.q] = q[link.q] + d[0];
        break;
      case LinkKind::planar:
        for (int k = 0; k < 3; ++k) out[link.q + k] = q[link.q + k] + d[k];
        break;
      case LinkKind::ball:
        rotate(q + link.q, {d[0], d[1], d[2]}, out + link.q);
        break;
      case LinkKind::free:
        for (int k = 0; k < 3; ++k) out[link.q + k] = q[link.q + k] + d[3 + k];
        rotate(q + link.q + 3, {d[0], d[1], d[2]}, out + link.q + 3);
        break;
    }
  }
}

#define THENAR_INSTANTIATE(T)                                                                                 \
  template void update_positions<T>(const Model&, const T*, Workspace<T>&);                                   \
  template void update_velocities<T>(const Model&, const T*, Workspace<T>&);                                  \
  template Vec3<T> calc_point_offset<T>(const Body&, const Workspace<T>&, const Vec3<T>&);                    \
  template Placement<T> calc_body_pose<T>(const Model&, const Workspace<T>&, BodyIndex);                      \
  template Motion<T> calc_point_velocity<T>(const Model&, const Workspace<T>&, BodyIndex, const Vec3<T>&);    \
  template Motion<T> calc_bias_acceleration<T>(const Model&, const Workspace<T>&, BodyIndex, const Vec3<T>&); \
  template void calc_jacobian<T>(const Model&, const Workspace<T>&, BodyIndex, const Vec3<T>&,                \
                                 Eigen::Ref<Eigen::Matrix<T, 6, Eigen::Dynamic>>);                            \
  template void integrate_position<T>(const Model&, const T*, const T*, T*);
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
