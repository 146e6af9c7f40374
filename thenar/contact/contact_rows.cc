// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_rows.h"

#include <stdexcept>

#include "thenar/contact/gap_function.h"

namespace thenar {
namespace {

using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Twist of a body at the place p_W (world), rows angular first.
Jacobian calc_jacobian_at(const Model& model, const Workspace<double>& workspace, BodyIndex body,
                          const Vec3<double>& p_W) {
  const Placement<double> X_WB = calc_body_pose(model, workspace, body);
  Jacobian out(6, model.velocity_count());
  calc_jacobian(model, workspace, body, X_WB.R.transpose_times(p_W - X_WB.p), Eigen::Ref<Jacobian>(out));
  return out;
}

Eigen::Vector3d to_eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

ContactSide make_side(const ContactFinder& finder, BodyIndex body, int shape, int feature) {
  return make_contact_side(body, finder.core(shape), finder.shapes()[static_cast<std::size_t>(shape)].X_BS, feature);
}

}  // namespace

ContactRows calc_contact_rows(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
                              const FoundContact& contact) {
  GapFunction<double> gap(model, make_side(finder, contact.body_A, contact.shape_A, contact.feature_A),
                          make_side(finder, contact.body_B, contact.shape_B, contact.feature_B));
  gap.start_at(workspace, contact.p_A, contact.p_B, contact.N);
  if (gap.update_positions(workspace) == FacingStatus::failed) {
    throw std::runtime_error("the surfaces of contact '" + contact_name(model, contact) + "' do not face each other");
  }
  gap.update_velocities(workspace);

  const ContactFrame<double> frame{contact.N, contact.T, contact.U};
  Eigen::Matrix3d C;
  C << to_eigen(frame.N), to_eigen(frame.T), to_eigen(frame.U);
  const Jacobian relative = calc_jacobian_at(model, workspace, contact.body_A, gap.place().A.p) -
                            calc_jacobian_at(model, workspace, contact.body_B, gap.place().B.p);
  ContactRows out;
  out.J.resize(6, model.velocity_count());
  out.J.topRows<3>() = C.transpose() * relative.bottomRows<3>();
  out.J.bottomRows<3>() = C.transpose() * relative.topRows<3>();
  out.velocity << to_eigen(express_in(frame, gap.velocity().v)), to_eigen(express_in(frame, gap.velocity().w));
  const Motion<double> drift = gap.calc_drift(frame).sum();
  out.drift << to_eigen(drift.linear), to_eigen(drift.angular);
  return out;
}

}  // namespace thenar
