// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/gap_function.h"

#include <numbers>
#include <variant>

#include "thenar/base/rounding_noise.h"
#include "thenar/contact/instantiate_internal.h"
#include "thenar/geometry/feature_surface.h"

namespace thenar {
namespace {

/// Acceleration of the point p_B fixed on a body, and of its angular velocity: J v̇ + J̇ v.
template <class T>
Motion<T> calc_point_acceleration(const Model& model, const Workspace<T>& ws, BodyIndex body, const Vec3<T>& p_B,
                                  const T* vdot) {
  Motion<T> out = calc_bias_acceleration(model, ws, body, p_B);
  Vec3<T> d = calc_point_offset(model.body(body), ws, p_B);  // from the link's origin to the point
  for (int i = model.body(body).link; i != 0; i = model.links()[i].parent) {
    const Link& link = model.links()[i];
    for (int k = 0; k < link.nv; ++k) {
      const Vec3<T> part = ws.axis[link.v + k] * vdot[link.v + k];
      if (is_angular(link.kind, k)) {
        out += Motion<T>{part, cross(part, d)};
      } else {
        out.linear += part;
      }
    }
    d += ws.frame[i].r;
  }
  return out;
}

/// X⁻¹ p.
template <class T>
Vec3<T> apply_inverse(const Placement<T>& X, const Vec3<T>& p) {
  return X.R.transpose_times(p - X.p);
}

}  // namespace

ContactSide make_contact_side(BodyIndex body, const GrownCore& shape, const Pose<double>& X_BS, int feature) {
  const FeatureSurface surface = make_feature_surface(shape, feature);
  return {body, surface.surface, X_BS * surface.X_SF, feature, false};
}

ContactSide make_pinned_side(BodyIndex body, const Vector3<double>& p_B, double radius) {
  return {body, SphereSurface{radius}, Pose<double>::translation(p_B), 0, true};
}

template <class T>
GapFunction<T>::GapFunction(const Model& model, const ContactSide& A, const ContactSide& B)
    : model_(&model), A_(A), B_(B) {
  point_A_.feature = A.feature;
  point_B_.feature = B.feature;
}

template <class T>
void GapFunction<T>::start_at(const Workspace<T>& workspace, const Vec3<T>& p_A, const Vec3<T>& p_B, const Vec3<T>& N) {
  const auto find_point = [&](const ContactSide& side, const Vec3<T>& p, const Vec3<T>& n) {
    const Placement<T> X_WF = calc_pose(calc_body_pose(*model_, workspace, side.body), side);
    return make_charted_point(side.surface, side.feature, apply_inverse(X_WF, p), X_WF.R.transpose_times(n));
  };
  point_A_ = find_point(A_, p_A, -N);
  point_B_ = find_point(B_, p_B, N);
  place_.is_flat = true;  // if a rim lies flat, it starts where it is told to
}

template <class T>
void GapFunction<T>::cross_rims() {
  const auto cross_rim = [](const ContactSide& side, ChartedPoint<T>& point) {
    if (!std::holds_alternative<RingSurface>(side.surface)) return;
    point.u = Vector2<T>(point.u(0) + T(std::numbers::pi), T(std::numbers::pi) - point.u(1));
  };
  cross_rim(A_, point_A_);
  cross_rim(B_, point_B_);
}

template <class T>
FacingStatus GapFunction<T>::update_positions(const Workspace<T>& workspace) {
  const Placement<T> body_A = calc_body_pose(*model_, workspace, A_.body),
                     body_B = calc_body_pose(*model_, workspace, B_.body);
  const Placement<T> X_WA = calc_pose(body_A, A_), X_WB = calc_pose(body_B, B_);
  const Placement<T> X_AB{X_WA.R.transpose() * X_WB.R, apply_inverse(X_WA, X_WB.p)};
  FacingElements<T> in_A;
  in_A.is_flat = place_.is_flat;
  const FacingStatus status = find_facing(A_.surface, B_.surface, X_AB, point_A_, point_B_, in_A);
  place_ = {transform(X_WA, in_A.A), transform(X_WA, in_A.B), with_noise(in_A.gap), in_A.is_flat};
  p_A_ = apply_inverse(body_A, place_.A.p);
  p_B_ = apply_inverse(body_B, place_.B.p);
  return status;
}

template <class T>
void GapFunction<T>::update_velocities(const Workspace<T>& workspace) {
  const auto follow = [&](BodyIndex body, const Vec3<T>& p_W, Motion<T>& velocity, Motion<T>& bias) {
    const int link = model_->body(body).link;
    const Vec3<T> d = p_W - workspace.origin_position[link];
    const LinkMotion<T>& m = workspace.motion[link];
    const Vec3<T> turn = cross(m.w, d);
    velocity = {m.w, workspace.origin_velocity[link] + turn};
    bias = {m.alpha, m.a + cross(m.alpha, d) + cross(m.w, turn)};
  };
  follow(A_.body, place_.A.p, motion_.A, bias_.A);
  follow(B_.body, place_.B.p, motion_.B, bias_.B);
  velocity_ = calc_contact_velocity(place_, motion_);
}

template <class T>
PairMotion<T> GapFunction<T>::calc_material_acceleration(const Workspace<T>& workspace, const T* vdot) const {
  return {calc_point_acceleration(*model_, workspace, A_.body, p_A_, vdot),
          calc_point_acceleration(*model_, workspace, B_.body, p_B_, vdot)};
}

template <class T>
ContactAcceleration<T> GapFunction<T>::calc_acceleration(const Workspace<T>& workspace, const T* vdot) const {
  const ElementRates<T> rates_A = calc_element_rates(A_.surface, point_A_.chart, point_A_.u, velocity_.u_A);
  const ElementRates<T> rates_B = calc_element_rates(B_.surface, point_B_.chart, point_B_.u, velocity_.u_B);
  return calc_contact_acceleration(place_, rates_A, rates_B, motion_, calc_material_acceleration(workspace, vdot),
                                   velocity_);
}

template <class T>
ContactDrift<T> GapFunction<T>::calc_drift(const ContactFrame<T>& frame) const {
  return calc_contact_drift(frame, motion_, bias_, velocity_);
}

template <class T>
Placement<T> GapFunction<T>::calc_pose(const Placement<T>& X_WB, const ContactSide& side) {
  return {X_WB.R * Mat3<double>(side.X_BF.R).cast<T>(), X_WB.R * Vec3<double>(side.X_BF.p).cast<T>() + X_WB.p};
}

#define THENAR_INSTANTIATE(T) template class GapFunction<T>;
THENAR_FOR_EACH_CONTACT_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
