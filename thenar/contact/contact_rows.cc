// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "thenar/base/rounding_noise.h"
#include "thenar/contact/no_instant_error.h"

namespace thenar {
namespace {

/// Normals whose cosine is less are not those of one contact.
constexpr double kSameNormal = 0.5;
/// Gaps that differ by more than this part of the smaller shape's radius are not those of one contact.
constexpr double kSameGap = 1e-6;
/// A line this far from being across the plane, as a sine, lies in it.
constexpr double kInPlane = 0.5;

Eigen::Vector3d to_eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

ContactSide make_side(const ContactFinder& finder, BodyIndex body, int shape, int feature) {
  return make_contact_side(body, finder.core(shape), finder.shapes()[static_cast<std::size_t>(shape)].X_BS, feature);
}

/// In planar problems a bare line has one normal to either side, across it and in the plane, which it does not tell
/// where it touches another along its length. A face that stands on the line has the same motion in the plane and tells
/// it. `n_W` is the outward normal.
ContactSide stand_in_plane(const Model& model, const Workspace<double>& workspace, const ContactSide& side,
                           const Vec3<double>& n_W) {
  const auto* line = std::get_if<CylinderSurface>(&side.surface);
  if (line == nullptr || line->radius > 0) return side;
  const Eigen::Matrix3d R_WB = calc_body_pose(model, workspace, side.body).R.eigen();
  const Eigen::Vector3d along = R_WB * side.X_BF.R.col(2), across(-along.y(), along.x(), 0);
  if (!(across.norm() > kInPlane)) return side;
  Eigen::Matrix3d R_WF;
  R_WF.col(2) = across.normalized() * (across.dot(to_eigen(n_W)) < 0 ? -1 : 1);
  R_WF.col(0) = along.normalized();
  R_WF.col(1) = R_WF.col(2).cross(R_WF.col(0));
  return {side.body, PlaneSurface{}, {R_WB.transpose() * R_WF, side.X_BF.p}, side.feature, false};
}

/// The face across the contact normal, fixed to B where the contact is.
ContactSide make_face_side(const Model& model, const Workspace<double>& workspace, const FoundContact& contact) {
  const Placement<double> X_WB = calc_body_pose(model, workspace, contact.body_B);
  Eigen::Matrix3d R_WF;
  R_WF << to_eigen(contact.T), to_eigen(contact.U), to_eigen(contact.N);
  return {contact.body_B,
          PlaneSurface{},
          {X_WB.R.eigen().transpose() * R_WF, to_eigen(X_WB.R.transpose_times(contact.p_B - X_WB.p))},
          contact.feature_B,
          true};
}

/// Whether the contact is a point that stays where it is on a rim or a ring over a face.
bool is_fixed_rim_point(const ContactSide& A, const ContactSide& B, std::uint64_t id) {
  const auto is_on = [](const ContactSide& rim, const ContactSide& face) {
    return std::holds_alternative<RingSurface>(rim.surface) && std::holds_alternative<PlaneSurface>(face.surface);
  };
  return (is_on(A, B) || is_on(B, A)) && is_fixed_number(contact_number(id));
}

/// Columns of J for the degrees of freedom of a link on which one of the bodies hangs, at the place p_W (world).
void write_columns(const Link& link, const Workspace<double>& workspace, const Vec3<double>& origin,
                   const Vec3<double>& p_W, double sign, const ContactFrame<double>& frame, MatrixX<double>& J) {
  const Vec3<double> d = p_W - origin;
  for (int k = 0; k < link.nv; ++k) {
    const Vec3<double> axis = workspace.axis[static_cast<std::size_t>(link.v + k)] * sign;
    const bool turns = is_angular(link.kind, k);
    const Vec3<double> linear = express_in(frame, turns ? cross(axis, d) : axis);
    const Vec3<double> angular = turns ? express_in(frame, axis) : Vec3<double>::zero();
    double* column = J.col(link.v + k).data();
    column[0] = linear.x, column[1] = linear.y, column[2] = linear.z;
    column[3] = angular.x, column[4] = angular.y, column[5] = angular.z;
  }
}

/// The same for a link that carries both: what is left is the difference of the places, of turns alone.
void write_common_columns(const Link& link, const Workspace<double>& workspace, const Vec3<double>& p_BA,
                          const ContactFrame<double>& frame, MatrixX<double>& J) {
  for (int k = 0; k < link.nv; ++k) {
    auto column = J.col(link.v + k);
    column.setZero();
    if (!is_angular(link.kind, k)) continue;
    const Vec3<double>& axis = workspace.axis[static_cast<std::size_t>(link.v + k)];
    column.head<3>() = to_eigen(express_in(frame, cross(axis, p_BA)));
  }
}

}  // namespace

GapFunction<double> make_gap_function(const Model& model, const Workspace<double>& workspace,
                                      const ContactFinder& finder, const FoundContact& contact) {
  ContactSide A = make_side(finder, contact.body_A, contact.shape_A, contact.feature_A);
  ContactSide B = make_side(finder, contact.body_B, contact.shape_B, contact.feature_B);
  if (finder.is_planar()) {
    A = stand_in_plane(model, workspace, A, -contact.N);
    B = stand_in_plane(model, workspace, B, contact.N);
  }
  const auto start = [&](const ContactSide& side_A, const ContactSide& side_B) {
    GapFunction<double> out(model, side_A, side_B);
    out.start_at(workspace, contact.p_A, contact.p_B, contact.N);
    return out;
  };
  const auto pin = [&](BodyIndex body, const Vec3<double>& p_W, double radius = 0) {
    const Placement<double> X_WB = calc_body_pose(model, workspace, body);
    return make_pinned_side(body, to_eigen(X_WB.R.transpose_times(p_W - X_WB.p)), radius);
  };
  if (is_fixed_rim_point(A, B, contact.id)) {
    const auto* ring = std::get_if<RingSurface>(&A.surface);
    if (ring != nullptr) return start(pin(contact.body_A, contact.p_A + contact.N * ring->radius, ring->radius), B);
    const double radius = std::get<RingSurface>(B.surface).radius;
    return start(A, pin(contact.body_B, contact.p_B - contact.N * radius, radius));
  }
  GapFunction<double> out = start(A, B);
  const FacingStatus status = out.update_positions(workspace);
  const Vec3<double>& p = out.place().A.p;
  const bool is_found = status != FacingStatus::failed && std::isfinite(p.x + p.y + p.z + out.gap());
  const double radius =
      std::min(calc_bounding_radius(finder.core(contact.shape_A)), calc_bounding_radius(finder.core(contact.shape_B)));
  const bool is_same =
      dot(out.N(), contact.N) > kSameNormal && !(std::abs(out.gap() - contact.gap) > kSameGap * radius);
  if (!is_found || !is_same) {
    // Features that do not tell their normal, such as two edges along each other, or that face each other in another
    // place, too: a point of A on the face across N.
    return start(pin(contact.body_A, contact.p_A), make_face_side(model, workspace, contact));
  }
  const bool is_rim_over_face = out.place().is_flat;  // followed from where it is
  if (contact.patch == PatchKind::points || status != FacingStatus::conforming || is_rim_over_face) return out;
  // Of rims that conform to what they lie on a point stays where it is on its body.
  const bool is_A_flat = out.place().A.N.isZero(0);
  return start(is_A_flat ? A : pin(contact.body_A, contact.p_A), is_A_flat ? pin(contact.body_B, contact.p_B) : B);
}

void update_contact_rows(const Model& model, const Workspace<double>& workspace, const FoundContact& contact,
                         const GapFunction<double>& gap, const ContactFrame<double>& frame, ContactRows& rows) {
  if (rows.J.cols() != model.velocity_count()) rows.J.setZero(6, model.velocity_count());
  // Links have larger numbers than those that carry them, so that the larger of two is not below the other.
  const Vec3<double>&p_A = gap.place().A.p, &p_B = gap.place().B.p;
  int on_A = model.body(contact.body_A).link, on_B = model.body(contact.body_B).link;
  while (on_A != on_B) {
    const bool is_A = on_A > on_B;
    int& i = is_A ? on_A : on_B;
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    write_columns(link, workspace, workspace.origin_position[static_cast<std::size_t>(i)], is_A ? p_A : p_B,
                  is_A ? 1 : -1, frame, rows.J);
    i = link.parent;
  }
  for (int i = on_A; i != 0; i = model.links()[static_cast<std::size_t>(i)].parent) {
    write_common_columns(model.links()[static_cast<std::size_t>(i)], workspace, p_A - p_B, frame, rows.J);
  }
  rows.velocity << to_eigen(express_in(frame, gap.velocity().v)), to_eigen(express_in(frame, gap.velocity().w));
  const Motion<double> drift = gap.calc_drift(frame).sum();
  rows.drift << to_eigen(drift.linear), to_eigen(drift.angular);
  add_noise(rows.J.data(), rows.J.size());
  add_noise(rows.velocity.data(), rows.velocity.size());
  add_noise(rows.drift.data(), rows.drift.size());
}

ContactRows calc_contact_rows(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
                              const FoundContact& contact) {
  GapFunction<double> gap = make_gap_function(model, workspace, finder, contact);
  if (gap.update_positions(workspace) == FacingStatus::failed) {
    throw NoInstantError("the surfaces of contact '" + contact_name(model, contact) + "' do not face each other");
  }
  gap.update_velocities(workspace);
  ContactRows out;
  update_contact_rows(model, workspace, contact, gap, {contact.N, contact.T, contact.U}, out);
  return out;
}

}  // namespace thenar
