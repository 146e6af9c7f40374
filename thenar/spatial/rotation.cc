// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/spatial/rotation.h"

namespace thenar {

Vector4<double> quaternion_from_rotation(const Matrix3<double>& R) {
  const Eigen::Quaterniond q(R);
  const double sign = q.w() < 0 ? -1 : 1;
  return sign * Vector4<double>(q.w(), q.x(), q.y(), q.z()) / q.norm();
}

Matrix3<double> rotation_from_rpy(const Vector3<double>& rpy) {
  return rotation_about_axis(Vector3<double>::UnitZ(), rpy.z()) *
         rotation_about_axis(Vector3<double>::UnitY(), rpy.y()) *
         rotation_about_axis(Vector3<double>::UnitX(), rpy.x());
}

Matrix3<double> rotation_about_axis(const Vector3<double>& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

Matrix3<double> rotation_with_z_along(const Vector3<double>& z) {
  if (z.x() == 0 && z.y() == 0) {
    return z.z() > 0 ? Matrix3<double>::Identity() : Matrix3<double>(Vector3<double>(1, -1, -1).asDiagonal());
  }
  const Vector3<double> x = z.unitOrthogonal();
  Matrix3<double> R;
  R << x, z.cross(x), z;
  return R;
}

bool is_rotation(const Matrix3<double>& R, double tolerance) {
  return (R.transpose() * R - Matrix3<double>::Identity()).cwiseAbs().maxCoeff() <= tolerance && R.determinant() > 0;
}

}  // namespace thenar
