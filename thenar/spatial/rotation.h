// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Rotations: matrices from quaternions (w, x, y, z), from roll–pitch–yaw and from rotation vectors, and the
/// exponential and logarithm that carry quaternions along angular velocities on the group.

#include <cmath>

#include "thenar/base/sincos.h"
#include "thenar/spatial/linear.h"

namespace thenar {

/// Rotation matrix of q = (w, x, y, z). The norm is divided out, so a quaternion between two stages of an integrator
/// need not be normalised; q = 0 has no rotation and gives NaN.
template <class T>
Mat3<T> rotation_from_quaternion(const T& w, const T& x, const T& y, const T& z) {
  const T s = T(2) / (w * w + x * x + y * y + z * z);
  return {{T(1) - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
          {s * (x * y - w * z), T(1) - s * (x * x + z * z), s * (y * z + w * x)},
          {s * (x * z + w * y), s * (y * z - w * x), T(1) - s * (x * x + y * y)}};
}

/// Quaternion product a b.
template <class T>
Vector4<T> multiply_quaternions(const Vector4<T>& a, const Vector4<T>& b) {
  return Vector4<T>(
      a(0) * b(0) - a(1) * b(1) - a(2) * b(2) - a(3) * b(3), a(0) * b(1) + a(1) * b(0) + a(2) * b(3) - a(3) * b(2),
      a(0) * b(2) - a(1) * b(3) + a(2) * b(0) + a(3) * b(1), a(0) * b(3) + a(1) * b(2) - a(2) * b(1) + a(3) * b(0));
}

/// Quaternion of the rotation vector φ (axis times angle). Near φ = 0, sin(|φ|/2)/|φ| comes from its series, chosen
/// without a branch.
template <class T>
Vector4<T> quaternion_from_rotation_vector(const Vec3<T>& phi) {
  using std::sqrt;
  const T angle2 = dot(phi, phi);
  const auto tiny = less(angle2, T(1e-8));
  // The square root has no derivative at 0: give it a harmless argument in the lanes that use the series.
  const T half = T(0.5) * sqrt(select(tiny, T(1), angle2));
  T s, c;
  sincos(half, s, c);
  // sin(a/2)/a = 1/2 − a²/48 + a⁴/3840 − …; cos(a/2) = 1 − a²/8 + a⁴/384 − …
  const T k = select(tiny, T(0.5) - angle2 * (T(1) / T(48) - angle2 / T(3840)), s / (T(2) * half));
  const T w = select(tiny, T(1) - angle2 * (T(1) / T(8) - angle2 / T(384)), c);
  return Vector4<T>(w, k * phi.x, k * phi.y, k * phi.z);
}

/// Rotation vector of a unit quaternion, with angle in [0, π].
template <class T>
Vec3<T> rotation_vector_from_quaternion(const Vector4<T>& q) {
  using std::atan2;
  using std::sqrt;
  // q and −q are the same rotation: take the one with w ≥ 0, so that the angle is at most π.
  const T sign = select(less(q(0), T(0)), T(-1), T(1));
  const T w = sign * q(0);
  const T s2 = q(1) * q(1) + q(2) * q(2) + q(3) * q(3);
  const auto tiny = less(s2, T(1e-10));
  const T s = sqrt(select(tiny, T(1), s2));
  // angle / sin(angle/2) = 2 asin(s)/s = 2 + s²/3 + 3 s⁴/20 + … for small s.
  const T scale = select(tiny, T(2) + s2 * (T(1) / T(3) + s2 * T(0.15)), T(2) * atan2(s, w) / s);
  return Vec3<T>(q(1), q(2), q(3)) * (scale * sign);
}

/// J⁻ᵀ(φ) x with J the left Jacobian of the rotation group: where φ is the rotation vector of R and ω = φ's rate seen
/// as an angular velocity in the axes that R maps to, φ̇ = J⁻¹(φ) ω. So a potential V(φ) exerts the torque −J⁻ᵀ ∂V/∂φ.
template <class T>
Vec3<T> left_jacobian_inverse_transpose(const Vec3<T>& phi, const Vec3<T>& x) {
  using std::sqrt;
  const T angle2 = dot(phi, phi);
  const auto tiny = less(angle2, T(1e-4));
  const T half = T(0.5) * sqrt(select(tiny, T(1), angle2));
  T s, c;
  sincos(half, s, c);
  // (1 − (a/2) cot(a/2)) / a² = 1/12 + a²/720 + a⁴/30240 + a⁶/1209600 + …
  const T series = T(1) / T(12) + angle2 * (T(1) / T(720) + angle2 * (T(1) / T(30240) + angle2 / T(1209600)));
  const T k = select(tiny, series, (T(1) - half * c / s) / (T(4) * half * half));
  const Vec3<T> phi_x = cross(phi, x);
  return x + phi_x * T(0.5) + cross(phi, phi_x) * k;
}

/// J(φ) x with J the left Jacobian of the rotation group: the angular velocity ω = J(φ) φ̇. Jᵀ(φ) = J(−φ).
template <class T>
Vec3<T> left_jacobian(const Vec3<T>& phi, const Vec3<T>& x) {
  using std::sqrt;
  const T angle2 = dot(phi, phi);
  const auto tiny = less(angle2, T(1e-2));
  const T angle = sqrt(select(tiny, T(1), angle2));
  T s, c;
  sincos(angle, s, c);
  // (1 − cos a)/a² = 1/2 − a²/24 + a⁴/720 − … and (a − sin a)/a³ = 1/6 − a²/120 + a⁴/5040 − …
  const T a2 = angle2;
  const T first = T(1) / T(2) - a2 * (T(1) / T(24) - a2 * (T(1) / T(720) - a2 * (T(1) / T(40320) - a2 / T(3628800))));
  const T second =
      T(1) / T(6) - a2 * (T(1) / T(120) - a2 * (T(1) / T(5040) - a2 * (T(1) / T(362880) - a2 / T(39916800))));
  const Vec3<T> phi_x = cross(phi, x);
  return x + phi_x * select(tiny, first, (T(1) - c) / (angle * angle)) +
         cross(phi, phi_x) * select(tiny, second, (angle - s) / (angle * angle * angle));
}

/// Unit quaternion (w ≥ 0) of a rotation matrix.
Vector4<double> quaternion_from_rotation(const Matrix3<double>& R);

/// R = Rz(yaw) Ry(pitch) Rx(roll), the fixed-axis convention of URDF; rpy in rad.
Matrix3<double> rotation_from_rpy(const Vector3<double>& rpy);

/// Rotation by `angle` (rad) about the unit vector `axis`.
Matrix3<double> rotation_about_axis(const Vector3<double>& axis, double angle);

/// A rotation whose third column is the unit vector `z`; the identity for z = (0, 0, 1).
Matrix3<double> rotation_with_z_along(const Vector3<double>& z);

/// True where Rᵀ R = 1 and det R = 1 to `tolerance`.
bool is_rotation(const Matrix3<double>& R, double tolerance);

}  // namespace thenar
