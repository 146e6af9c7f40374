// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// How two bodies that meet in a point answer to an impulse between them, P on A and −P on B, along three axes (the
/// normal and two tangents): Δu = K P of their relative velocity, Δv = X P of all velocities. K is Chan's collision
/// matrix (4.14) for any two bodies of any trees, by the impulse recursion (impulse_dynamics.h).

#include "thenar/dynamics/impulse_dynamics.h"
#include "thenar/dynamics/operational_inertia.h"

namespace thenar {

class ContactMobility {
 public:
  explicit ContactMobility(const Model& model);

  /// The axes are the columns, world. Needs factorize_articulated. No heap use.
  void update(const Model& model, const BodyPoint<double>& A, const BodyPoint<double>& B, const Mat3<double>& axes,
              Workspace<double>& workspace);

  const Matrix3<double>& K() const { return K_; }                           ///< 1/kg
  const Eigen::Matrix<double, Eigen::Dynamic, 3>& X() const { return X_; }  ///< nv × 3

 private:
  ImpulseDynamics<double> impulses_;
  Matrix3<double> K_ = Matrix3<double>::Zero();
  Eigen::Matrix<double, Eigen::Dynamic, 3> X_;
};

}  // namespace thenar
