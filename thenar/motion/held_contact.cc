// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/held_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/geometry/feature_surface.h"

namespace thenar {
namespace {

/// Rows of a Jacobian below this part of its largest entry are zero by the structure of the joints.
constexpr double kNoMotionOfContact = 1e-9;
/// Features are left by turning a little later than they could, rad: their neighbours have the same normal there.
constexpr double kTurn = 1e-7;
/// So many times what counts as none is a slip whose direction is its own.
constexpr double kFast = 10;
/// A normal so far from those that its feature has there (rad) belongs to another place.
constexpr double kAstray = 0.8;
/// And so does one that has turned against both bodies since the anchor, cosine of the angle: a rim that rolls along an
/// edge turns under its normal, but the edge does not.
constexpr double kSameNormal = 0.7;

}  // namespace

const char* to_string(ContactHold hold) {
  switch (hold) {
    case ContactHold::smooth:
      return "smooth";
    case ContactHold::rolling:
      return "rolling";
    case ContactHold::sliding:
      break;
  }
  return "sliding";
}

HeldContact::HeldContact(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
                         const FoundContact& contact, const ContactLaw& law, ContactHold hold, double no_slip)
    : model_(&model),
      name_(contact_name(model, contact)),
      found_(contact),
      law_(law),
      hold_(hold),
      gap_(make_gap_function(model, workspace, finder, contact)),
      anchor_gap_(gap_),
      A_{contact.body_A, finder.core(contact.shape_A), finder.shapes()[static_cast<std::size_t>(contact.shape_A)].X_BS,
         contact.feature_A},
      B_{contact.body_B, finder.core(contact.shape_B), finder.shapes()[static_cast<std::size_t>(contact.shape_B)].X_BS,
         contact.feature_B},
      frame_{contact.N, contact.T, contact.U},
      anchor_frame_(frame_),
      no_slip_(no_slip) {
  const Surface surface_A = make_feature_surface(A_.core, A_.feature).surface;
  const Surface surface_B = make_feature_surface(B_.core, B_.feature).surface;
  A_.is_rim = std::holds_alternative<RingSurface>(surface_A);
  B_.is_rim = std::holds_alternative<RingSurface>(surface_B);
  is_rim_on_face_ = (A_.is_rim && std::holds_alternative<PlaneSurface>(surface_B)) ||
                    (B_.is_rim && std::holds_alternative<PlaneSurface>(surface_A));
  A_.is_pinned = gap_.is_pinned_A();
  B_.is_pinned = gap_.is_pinned_B();
  anchor_normals_ = calc_body_normals(workspace, contact.N);
  if (!update(workspace)) {
    throw NoInstantError("the surfaces of contact '" + name_ + "' do not face each other");
  }
  find_tangents();
  set_hold(hold);
  anchor();
}

void HeldContact::set_hold(ContactHold hold) {
  const bool has_friction = law_.fingertip != Fingertip::frictionless && law_.static_friction > 0;
  hold_ = has_friction && tangent_count_ > 0 ? hold : ContactHold::smooth;
  if (hold_ == ContactHold::sliding && !(law_.friction > 0)) hold_ = ContactHold::smooth;
  slip_direction_ = {};
  choose_rows();
  update_friction();
}

/// How far normals are from those of their features, rad; infinite where there is no place.
double HeldContact::find_place(const Workspace<double>& workspace) {
  constexpr double kNowhere = std::numeric_limits<double>::infinity();
  if (gap_.update_positions(workspace) == FacingStatus::failed) return kNowhere;
  // Two bare edges that cross have the opposite normal, too.
  if (!(dot(gap_.N(), anchor_frame_.N) > 0)) return kNowhere;
  if (!A_.is_rim && !B_.is_rim) return 0;
  // Where the two crossings of a rim with an edge meet and are gone, what is left is a place on either that looks along
  // the face which both lie on.
  const BodyNormals normals = calc_body_normals(workspace, gap_.N());
  if (dot(normals.A, anchor_normals_.A) < kSameNormal && dot(normals.B, anchor_normals_.B) < kSameNormal) {
    return kNowhere;
  }
  const double angle =
      std::max(calc_outside(workspace, A_, gap_.place().A).angle, calc_outside(workspace, B_, gap_.place().B).angle);
  return angle < kAstray ? angle : kNowhere;
}

/// Where the place seems to have left its features, others are tried: from the anchor, and across a rim. Of those that
/// there are, the one counts that has travelled least since the anchor: a rim meets an edge in two places, and the
/// other one may be on its features when this one is not any more.
bool HeldContact::find_best_place(const Workspace<double>& workspace) {
  // Found without a search, from where the anchor tells which side of the rim it is on, and where it is if that is
  // flat.
  if (is_rim_on_face_) gap_ = anchor_gap_;
  const double angle = find_place(workspace);
  if (angle <= kTurn) return true;
  double least = std::isfinite(angle) ? calc_travel() : std::numeric_limits<double>::infinity();
  GapFunction<double> chosen = gap_;
  for (const bool across : {false, true}) {
    gap_ = across ? chosen : anchor_gap_;
    if (across) gap_.cross_rims();
    if (!std::isfinite(find_place(workspace)) || !(calc_travel() < least)) continue;
    least = calc_travel();
    chosen = gap_;
  }
  gap_ = chosen;
  return std::isfinite(least);
}

HeldContact::BodyNormals HeldContact::calc_body_normals(const Workspace<double>& workspace,
                                                        const Vec3<double>& N) const {
  return {calc_body_pose(*model_, workspace, A_.body).R.transpose_times(N),
          calc_body_pose(*model_, workspace, B_.body).R.transpose_times(N)};
}

/// How far the place has gone over both bodies since the anchor, m.
double HeldContact::calc_travel() const {
  return norm(gap_.p_A() - anchor_gap_.p_A()) + norm(gap_.p_B() - anchor_gap_.p_B());
}

bool HeldContact::update(const Workspace<double>& workspace) {
  if (!find_best_place(workspace)) return false;
  if (A_.is_rim || B_.is_rim) normals_ = calc_body_normals(workspace, gap_.N());
  gap_.update_velocities(workspace);
  frame_ = carry_frame(anchor_frame_, gap_.N());
  update_contact_rows(*model_, workspace, found_, gap_, frame_, motion_);
  update_friction();
  return true;
}

bool HeldContact::is_immovable() const {
  return J().row(0).cwiseAbs().maxCoeff() <= kNoMotionOfContact * J().topRows<3>().cwiseAbs().maxCoeff();
}

void HeldContact::find_tangents() {
  const double largest = J().topRows<3>().cwiseAbs().maxCoeff();
  tangent_count_ = 0;
  if (law_.fingertip == Fingertip::frictionless) return;
  for (int k = 1; k <= (law_.fingertip == Fingertip::soft ? 3 : 2); ++k) {
    const bool moves = J().row(k).cwiseAbs().maxCoeff() > kNoMotionOfContact * largest;
    if (moves) tangents_[static_cast<std::size_t>(tangent_count_++)] = k;
  }
}

void HeldContact::choose_rows() {
  row_count_ = 1;
  rows_[0] = 0;
  if (hold_ != ContactHold::rolling) return;
  for (int k = 0; k < tangent_count_; ++k) rows_[static_cast<std::size_t>(row_count_++)] = tangent(k);
}

double HeldContact::calc_exit(const Workspace<double>& workspace, double size) const {
  const Outside A = calc_outside(workspace, A_, gap_.place().A), B = calc_outside(workspace, B_, gap_.place().B);
  // Where a corner comes to lie on an edge, the other end of the edge is met at the same time, and first.
  const auto turn = [](const Outside& outside) { return std::max(0.0, outside.angle - kTurn); };
  return std::max(A.length / size + turn(A), B.length / size + turn(B));
}

Outside HeldContact::calc_outside(const Workspace<double>& workspace, const Side& side,
                                  const ContactElement<double>& element) const {
  if (side.is_pinned) return {};
  const Placement<double> X_WB = calc_body_pose(*model_, workspace, side.body);
  const Mat3<double> R_WS = X_WB.R * Mat3<double>(side.X_BS.R);
  const Vec3<double> p_WS = X_WB.R * Vec3<double>(side.X_BS.p) + X_WB.p;
  const Vec3<double> n = R_WS.transpose_times(element.n);
  const Vec3<double> p = R_WS.transpose_times(element.p - p_WS) - n * side.core.radius;
  return thenar::calc_outside(side.core.core, side.feature, p, n);
}

/// μ u, the power that each direction of friction could take per unit of normal force.
std::array<double, 3> HeldContact::calc_friction_power(const std::array<double, 3>& slip) const {
  const double torsion = law_.fingertip == Fingertip::soft ? law_.torsion : 0;
  return {law_.friction * slip[0], law_.friction * slip[1], torsion * slip[2]};
}

/// μ u on the side of the slip at the anchor, and a little of its direction there as long as it is slow.
Vector3<double> HeldContact::calc_friction_direction() const {
  const std::array<double, 3> power = calc_friction_power(slip());
  const double side = slip_along_ < 0 ? -1 : 1;
  const double ratio = std::hypot(power[0], power[1], power[2]) / (kFast * law_.friction * no_slip_);
  const double little = law_.friction * no_slip_ / (1 + ratio * ratio * ratio * ratio);
  Vector3<double> out;
  for (std::size_t k = 0; k < 3; ++k) {
    out(static_cast<Eigen::Index>(k)) = side * power[k] + little * slip_direction_[k];
  }
  return out;
}

void HeldContact::update_friction() {
  ratio_ = {};
  slip_along_ = 0;
  if (hold_ != ContactHold::sliding) return;
  const std::array<double, 3> power = calc_friction_power(slip());
  for (std::size_t k = 0; k < 3; ++k) slip_along_ += power[k] * slip_direction_[k] / law_.friction;
  const Vector3<double> direction = calc_friction_direction();
  const double size = direction.norm();
  if (!(size > 0)) return;
  const std::array<double, 3> n{-direction(0) / size, -direction(1) / size, -direction(2) / size};
  const double share = calc_sliding_share(cone_, n);
  ratio_ = {law_.friction * n[0] * share, law_.friction * n[1] * share, law_.torsion * n[2] * share};
}

double HeldContact::calc_slip_speed() const {
  const bool turns = law_.fingertip == Fingertip::soft && law_.friction > 0;
  return std::hypot(velocity()(1), velocity()(2), turns ? velocity()(3) * law_.torsion / law_.friction : 0);
}

double HeldContact::calc_slip_across() const {
  if (hold_ != ContactHold::sliding) return 0;
  const std::array<double, 3> power = calc_friction_power(slip());
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double across = power[k] / law_.friction - slip_along_ * slip_direction_[k];
    square += across * across;
  }
  return std::sqrt(square);
}

std::array<double, 3> HeldContact::calc_opposed_slip() const {
  if (hold_ != ContactHold::sliding) return {};
  const Vector3<double> direction = calc_friction_direction();
  const bool turns = law_.fingertip == Fingertip::soft && law_.torsion > 0;
  return {direction(0) / law_.friction, direction(1) / law_.friction, turns ? direction(2) / law_.torsion : 0};
}

Matrix3<double> HeldContact::calc_friction_slope() const {
  if (hold_ != ContactHold::sliding) return Matrix3<double>::Zero();
  const Vector3<double> direction = calc_friction_direction();
  const double size = direction.norm(), side = slip_along_ < 0 ? -1 : 1;
  if (!(size > 0)) return Matrix3<double>::Zero();
  const Vector3<double> n = direction / size;
  const double torsion = law_.fingertip == Fingertip::soft ? law_.torsion : 0;
  const Vector3<double> mu(law_.friction, law_.friction, torsion);
  const Matrix3<double> turn = Matrix3<double>::Identity() - n * n.transpose();
  const double share = calc_sliding_share(cone_, {-n(0), -n(1), -n(2)});  // its own change is left out
  return -side * share / size * (mu.asDiagonal() * turn * mu.asDiagonal());
}

void HeldContact::begin_slip(const std::array<double, 3>& direction) {
  const std::array<double, 3> power = calc_friction_power(direction);
  const double size = std::hypot(power[0], power[1], power[2]);
  if (!(size > 0)) return;
  for (std::size_t k = 0; k < 3; ++k) slip_direction_[k] = power[k] / size;
  update_friction();
}

void HeldContact::anchor() {
  anchor_frame_ = frame_;
  anchor_gap_ = gap_;
  anchor_normals_ = normals_;
  if (hold_ != ContactHold::sliding) return;
  // What is slower than nothing has the direction that it was told to begin in.
  const std::array<double, 3> power = calc_friction_power(slip());
  const bool has_direction = slip_direction_ != std::array<double, 3>{};
  if (!has_direction || std::hypot(power[0], power[1], power[2]) > law_.friction * no_slip_) begin_slip(slip());
}

HeldContact::HeldContact(const Model& model, const LawTable& laws, StateReader& reader)
    : model_(&model), gap_(model), anchor_gap_(model) {
  archive(reader);
  const int count = model.body_count();
  if (found_.body_A.value() >= count || found_.body_B.value() >= count) {
    throw StateError("it holds a contact of bodies that do not exist");
  }
  const ContactLaw numbers = law_;
  law_ = laws.find_law(found_.body_A, found_.body_B);
  law_.fingertip = numbers.fingertip;
  law_.friction = numbers.friction;
  law_.static_friction = numbers.static_friction;
  law_.torsion = numbers.torsion;
}

/// Of the law what a held contact is asked for; the rest is that of its bodies.
template <class Archive>
void HeldContact::archive(Archive& a) {
  a(name_, found_, law_.fingertip, law_.friction, law_.static_friction, law_.torsion);
  a(cone_.kind, cone_.faces, hold_, gap_, anchor_gap_);
  for (Side* side : {&A_, &B_}) {
    a(side->body, side->core.core.kind, side->core.core.size, side->core.radius, side->X_BS.R, side->X_BS.p,
      side->feature, side->is_pinned, side->is_rim);
  }
  a(frame_, anchor_frame_, normals_.A, normals_.B, anchor_normals_.A, anchor_normals_.B);
  a(motion_.J, motion_.velocity, motion_.drift);
  a(row_count_, tangent_count_, rows_, tangents_, ratio_, slip_direction_, slip_along_, no_slip_, is_rim_on_face_);
}
THENAR_INSTANTIATE_ARCHIVE(HeldContact);

}  // namespace thenar
