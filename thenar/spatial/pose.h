// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/spatial/linear.h"

namespace thenar {

/// Pose X_AB of a frame B in a frame A: R_AB turns vectors from B to A, p_AoBo_A (m) is B's origin in A.
/// X_AC = X_AB * X_BC.
template <class T>
struct Pose {
  Matrix3<T> R = Matrix3<T>::Identity();
  Vector3<T> p = Vector3<T>::Zero();

  static Pose translation(const Vector3<T>& p) { return {Matrix3<T>::Identity(), p}; }
  static Pose rotation(const Matrix3<T>& R) { return {R, Vector3<T>::Zero()}; }

  Pose operator*(const Pose& X_BC) const { return {R * X_BC.R, p + R * X_BC.p}; }
  Vector3<T> operator*(const Vector3<T>& p_B) const { return p + R * p_B; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

}  // namespace thenar
