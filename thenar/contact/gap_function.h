// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The gap between a feature on one body of a model and a feature on another, with its rate and acceleration, as
/// functions of q, v and v̇; and with it everything that contact_kinematics.h computes.
///
///     GapFunction<double> gap(model, make_contact_side(object, core, X_BS, feature_A), make_contact_side(…));
///     gap.start_at(workspace, p_A, p_B, N);            // once, from a contact that was found (distance.h)
///     update_positions(model, q, workspace);
///     gap.update_positions(workspace);                 // follows the features from the last place
///     update_velocities(model, v, workspace);
///     gap.update_velocities(workspace);
///     … gap.gap(), gap.velocity().gap, gap.calc_acceleration(workspace, vdot).gap
///
/// Local: the place is followed from where it was, on features without limits. Whether it is still the nearest one, and
/// still on its features, is for the contact finder to say. Nothing allocates after construction.

#include "thenar/contact/charted_point.h"
#include "thenar/geometry/core.h"

namespace thenar {

/// One side of a contact: a feature of a shape that belongs to a body.
struct ContactSide {
  BodyIndex body;
  Surface surface;
  Pose<double> X_BF;  ///< of the surface's frame in the body
  int feature = 0;    ///< of the shape's core
  bool is_pinned = false;
};

template <class Archive>
void archive_state(Archive& a, ContactSide& side) {
  a(side.body, side.surface, side.X_BF.R, side.X_BF.p, side.feature, side.is_pinned);
}

ContactSide make_contact_side(BodyIndex body, const GrownCore& shape, const Pose<double>& X_BS, int feature);

/// A point that is pinned to a body, at p_B (m), and grown by `radius`: the corner of a patch, or of anything else.
ContactSide make_pinned_side(BodyIndex body, const Vector3<double>& p_B, double radius = 0);

template <class T>
class GapFunction {
 public:
  /// The model must outlive it. The bodies may be kWorld.
  GapFunction(const Model& model, const ContactSide& A, const ContactSide& B);

  /// One without features, to be read from a snapshot.
  explicit GapFunction(const Model& model) : model_(&model) {}

  template <class Archive>
  void archive(Archive& a) {
    a(A_, B_, point_A_, point_B_, place_, p_A_, p_B_, motion_, bias_, velocity_);
  }

  /// Starts at the places of the features that have the points p_A, p_B (m) and the contact normal N (from B into A),
  /// in world axes. Needs thenar::update_positions.
  void start_at(const Workspace<T>& workspace, const Vec3<T>& p_A, const Vec3<T>& p_B, const Vec3<T>& N);

  /// Goes to the place across the rim, whose normals look the other way round, on the sides that are rims.
  void cross_rims();

  /// Follows the places to the positions in the workspace. Needs thenar::update_positions.
  FacingStatus update_positions(const Workspace<T>& workspace);

  /// Needs thenar::update_velocities for the same positions.
  void update_velocities(const Workspace<T>& workspace);

  // Answers to update_positions, in world axes.
  const T& gap() const { return place_.gap; }  ///< m
  const FacingElements<T>& place() const { return place_; }
  const ChartedPoint<T>& point_A() const { return point_A_; }
  const ChartedPoint<T>& point_B() const { return point_B_; }
  Vec3<T> N() const { return -place_.A.n; }
  const Vec3<T>& p_A() const { return p_A_; }  ///< the places on their bodies, in body axes, m
  const Vec3<T>& p_B() const { return p_B_; }
  bool is_pinned_A() const { return A_.is_pinned; }
  bool is_pinned_B() const { return B_.is_pinned; }

  // Answers to update_velocities, in world axes.
  const PairMotion<T>& motion() const { return motion_; }  ///< of the bodies at the two places
  const PairMotion<T>& bias() const { return bias_; }      ///< the same, accelerations for v̇ = 0
  const ContactVelocity<T>& velocity() const { return velocity_; }

  /// Accelerations of the bodies' material points at the two places.
  PairMotion<T> calc_material_acceleration(const Workspace<T>& workspace, const T* vdot) const;
  /// Gap acceleration, and second rates of the coordinates.
  ContactAcceleration<T> calc_acceleration(const Workspace<T>& workspace, const T* vdot) const;
  /// The terms of Ẇᵀ V in a contact frame whose N is N().
  ContactDrift<T> calc_drift(const ContactFrame<T>& frame) const;

 private:
  /// Pose of the surface's frame in the world, from that of its body.
  static Placement<T> calc_pose(const Placement<T>& X_WB, const ContactSide& side);

  const Model* model_;
  ContactSide A_, B_;
  ChartedPoint<T> point_A_, point_B_;
  FacingElements<T> place_;
  Vec3<T> p_A_, p_B_;  ///< places on their bodies, in body axes, m
  PairMotion<T> motion_ = {Motion<T>::zero(), Motion<T>::zero()};
  PairMotion<T> bias_ = {Motion<T>::zero(), Motion<T>::zero()};
  ContactVelocity<T> velocity_;
};

}  // namespace thenar
