// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/grasp_control.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "thenar/control/object_path.h"
#include "thenar/control/pseudo_inverse_internal.h"

namespace thenar {
namespace {

/// Directions of wrenches whose G Gᵀ is below this part of the largest cannot be made by the tips.
constexpr double kNoReach = 1e-9;

/// Towards `to`, with the length of `size`; nothing where the points coincide.
Vec3<double> pull(const Vec3<double>& from, const Vec3<double>& to, double size) {
  const Vec3<double> way = to - from;
  const double length = norm(way);
  return length > 0 ? way * (size / length) : Vec3<double>::zero();
}

}  // namespace

void FingertipForces::prepare(const Model& model) {
  workspace_.assign(1, Workspace<double>(model));
  jacobian_.setZero(6, model.velocity_count());
}

void FingertipForces::update(const Model& model, const double* q, const double* v) {
  update_positions(model, q, workspace_.front());
  update_velocities(model, v, workspace_.front());
}

Vec3<double> FingertipForces::calc_position(const Model& model, const BodyPoint<double>& tip) const {
  const Placement<double> X_WB = calc_body_pose(model, workspace(), tip.body);
  return X_WB.p + X_WB.R * tip.p_B;
}

void FingertipForces::add_efforts(const Model& model, const BodyPoint<double>& tip, const Vec3<double>& force,
                                  double* tau) {
  calc_jacobian<double>(model, workspace(), tip.body, tip.p_B, jacobian_);
  for (int i = 0; i < model.velocity_count(); ++i) {
    const JointKind kind = model.joint(model.dof_joint(i)).spec.kind;
    if (kind == JointKind::free || kind == JointKind::planar) continue;
    tau[i] += jacobian_(3, i) * force.x + jacobian_(4, i) * force.y + jacobian_(5, i) * force.z;
  }
}

void Squeeze::add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) {
  tips_.update(model, q, v);
  const Vec3<double> on_b =
      pull(tips_.calc_position(model, b_), tips_.calc_position(model, a_), evaluate_force(force_, t));
  tips_.add_efforts(model, b_, on_b, tau);
  tips_.add_efforts(model, a_, -on_b, tau);
}

std::optional<ControlSwitch> Squeeze::find_switch(double from, double to) const {
  return find_force_switch(force_, from, to);
}

void ObjectControl::prepare(const Model& model) {
  if (options_.object == kWorld || options_.object.value() >= model.body_count())
    throw std::invalid_argument("object: there is no such body to move");
  if (options_.fingertips.empty()) throw std::invalid_argument("object: no fingertip is there to move it");
  tips_.prepare(model);
  positions_.assign(options_.fingertips.size(), Vec3<double>::zero());
  forces_ = positions_;
}

std::optional<ControlSwitch> ObjectControl::find_switch(double from, double to) const {
  return find_object_switch(options_.path, options_.squeeze, from, to);
}

/// (1) and (2).
Wrench<double> ObjectControl::calc_wrench(const Model& model, double t) const {
  const Body& body = model.body(options_.object);
  const ObjectError error = calc_object_error(model, tips_.workspace(), options_.object, options_.path.evaluate(t));
  const Vec3<double> gravity(model.gravity());
  const Vec3<double> force =
      (error.acceleration - gravity) * body.mass.mass + error.position * options_.kp + error.velocity * options_.kd;

  const Matrix3<double> R_WB = calc_body_pose(model, tips_.workspace(), options_.object).R.eigen();
  const Matrix3<double> I_W = R_WB * body.mass.inertia.matrix() * R_WB.transpose();
  const Vec3<double> w =
      calc_point_velocity(model, tips_.workspace(), options_.object, Vec3<double>(body.mass.com)).angular;
  const Vec3<double> moment = Vec3<double>(Vector3<double>(I_W * error.angular_acceleration.eigen())) +
                              cross(w, Vec3<double>(Vector3<double>(I_W * w.eigen()))) + error.turn * options_.kp_turn +
                              error.angular_velocity * options_.kd_turn;
  return {moment, force};
}

/// (3). Moments are measured in the mean distance of the tips, so that they and forces are of one kind.
void ObjectControl::share(const Wrench<double>& wrench, const Vec3<double>& center, double squeeze) {
  const auto count = static_cast<double>(positions_.size());
  Vec3<double> middle = Vec3<double>::zero();
  double distance2 = 0;
  for (const Vec3<double>& p : positions_) {
    middle += p * (1 / count);
    distance2 += dot(p - center, p - center) / count;
  }
  const double inverse_length = distance2 > 0 ? 1 / std::sqrt(distance2) : 1;
  Matrix6<double> GGt = Matrix6<double>::Zero();
  Vector6<double> missing;
  missing << wrench.moment.eigen() * inverse_length, wrench.force.eigen();
  Eigen::Matrix<double, 6, 3> G = Eigen::Matrix<double, 6, 3>::Zero();
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    forces_[i] = pull(positions_[i], middle, squeeze);
    G.topRows<3>() = skew((positions_[i] - center) * inverse_length).eigen();
    G.bottomRows<3>().setIdentity();
    GGt.noalias() += G * G.transpose();
    missing -= G * forces_[i].eigen();
  }
  const Vector6<double> dual = internal::calc_pseudo_inverse(GGt, kNoReach) * missing;
  const Vec3<double> turning(Vector3<double>(dual.head<3>())), pushing(Vector3<double>(dual.tail<3>()));
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    forces_[i] += pushing + cross(turning, (positions_[i] - center) * inverse_length);  // Gᵢᵀ times the dual
  }
}

void ObjectControl::add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) {
  tips_.update(model, q, v);
  const BodyPoint<double> center_of_mass{options_.object, Vec3<double>(model.body(options_.object).mass.com)};
  const Vec3<double> center = tips_.calc_position(model, center_of_mass);
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    positions_[i] = tips_.calc_position(model, options_.fingertips[i]);
  }
  share(calc_wrench(model, t), center, evaluate_force(options_.squeeze, t));
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    tips_.add_efforts(model, options_.fingertips[i], forces_[i], tau);
  }
}

}  // namespace thenar
