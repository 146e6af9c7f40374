// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Spatial inertias about a reference point O, all in one set of axes:
///
/// - MassProperties: what people write: mass, centre of mass, inertia about the centre of mass.
/// - RigidInertia: mass m, first moment h = m p_OC, second moment J about O. Ten numbers.
/// - ArticulatedInertia: the 6 × 6 [J H; Hᵀ M] of a body with joints hanging on it. Twenty-one numbers.
///
/// Both map a motion (ω, v) at O to a wrench about O: moment = J ω + H v, force = Hᵀ ω + M v, where a rigid body has
/// H = [h]× and M = m 1.

#include <optional>
#include <string>

#include "thenar/spatial/pose.h"
#include "thenar/spatial/spatial_vector.h"

namespace thenar {

/// Mass properties in a body frame B.
struct MassProperties {
  double mass = 0;                                          ///< kg
  Vector3<double> com = Vector3<double>::Zero();            ///< p_BoBcm_B, m
  Symmetric3<double> inertia = Symmetric3<double>::zero();  ///< about the centre of mass, axes of B, kg m²

  /// What is physically wrong with these numbers, or nothing: not finite, negative mass, inertia that is not
  /// positive semidefinite or whose principal moments violate the triangle inequality.
  std::optional<std::string> find_fault() const;

  /// The same body described in a frame A, given the pose of B in A.
  MassProperties expressed_in(const Pose<double>& X_AB) const;
  /// Two bodies, described in one frame, welded together.
  MassProperties operator+(const MassProperties& other) const;
};

template <class T>
struct RigidInertia {
  T mass;
  Vec3<T> h;
  Symmetric3<T> J;

  static RigidInertia zero() { return {T(0), Vec3<T>::zero(), Symmetric3<T>::zero()}; }

  Wrench<T> operator*(const Motion<T>& a) const {
    return {J * a.angular + cross(h, a.linear), a.linear * mass + cross(a.angular, h)};
  }
  RigidInertia& operator+=(const RigidInertia& o) {
    mass += o.mass;
    h += o.h;
    J += o.J;
    return *this;
  }
  /// The same inertia about a point from which the present one lies at r.
  RigidInertia moved_by(const Vec3<T>& r) const {
    // Parallel axes: J' = J + (2 h·r + m r·r) 1 − (h rᵀ + r hᵀ) − m r rᵀ. With s = h + m r/2, the products pair up.
    const Vec3<T> s = h + r * (T(0.5) * mass);
    const T sx = T(2) * s.x * r.x, sy = T(2) * s.y * r.y, sz = T(2) * s.z * r.z;
    return {mass,
            h + r * mass,
            {J.xx + sy + sz, J.yy + sx + sz, J.zz + sx + sy, J.xy - s.x * r.y - s.y * r.x, J.xz - s.x * r.z - s.z * r.x,
             J.yz - s.y * r.z - s.z * r.y}};
  }
};

/// Rigid inertia about the origin of the frame in which `properties` are given.
RigidInertia<double> make_rigid_inertia(const MassProperties& properties);

template <class T>
struct ArticulatedInertia {
  Symmetric3<T> J;
  Mat3<T> H;
  Symmetric3<T> M;

  static ArticulatedInertia zero() { return {Symmetric3<T>::zero(), Mat3<T>::zero(), Symmetric3<T>::zero()}; }
  static ArticulatedInertia rigid(const RigidInertia<T>& I) {
    ArticulatedInertia out;
    out.set_rigid(I);
    return out;
  }
  /// Becomes a rigid inertia, written in place number by number.
  void set_rigid(const RigidInertia<T>& I) {
    J.xx = I.J.xx, J.yy = I.J.yy, J.zz = I.J.zz, J.xy = I.J.xy, J.xz = I.J.xz, J.yz = I.J.yz;
    H.x.x = H.y.y = H.z.z = T(0);
    H.x.y = I.h.z, H.x.z = -I.h.y, H.y.x = -I.h.z, H.y.z = I.h.x, H.z.x = I.h.y, H.z.y = -I.h.x;
    M.xx = M.yy = M.zz = I.mass;
    M.xy = M.xz = M.yz = T(0);
  }

  ArticulatedInertia& operator+=(const ArticulatedInertia& o) {
    J += o.J;
    H += o.H;
    M += o.M;
    return *this;
  }
  /// *this −= U Uᵀ / d, with U given as a wrench and `scaled` = U / d.
  void subtract_outer(const Wrench<T>& U, const Wrench<T>& scaled) {
    J.subtract_outer(U.moment, scaled.moment);
    M.subtract_outer(U.force, scaled.force);
    H.x -= scaled.moment * U.force.x;
    H.y -= scaled.moment * U.force.y;
    H.z -= scaled.moment * U.force.z;
  }
  /// The same inertia about a point from which the present one lies at r:
  /// H' = H + [r]× M,  J' = J + [r]× H'ᵀ + ([r]× Hᵀ)ᵀ,  M' = M.
  ArticulatedInertia moved_by(const Vec3<T>& r) const;
};

template <class T>
inline ArticulatedInertia<T> ArticulatedInertia<T>::moved_by(const Vec3<T>& r) const {
  ArticulatedInertia out;
  out.M = M;
  out.H = {H.x + cross<T>(r, {M.xx, M.xy, M.xz}), H.y + cross<T>(r, {M.xy, M.yy, M.yz}),
           H.z + cross<T>(r, {M.xz, M.yz, M.zz})};
  // ([r]× Gᵀ)(i, j) is component i of r × (row j of G); rows of H' and H are needed.
  const Mat3<T> P = out.H.transpose(), G = H.transpose();
  const Vec3<T> dx = P.x + G.x, dy = P.y + G.y, dz = P.z + G.z;
  out.J.xx = J.xx + (r.y * dx.z - r.z * dx.y);
  out.J.yy = J.yy + (r.z * dy.x - r.x * dy.z);
  out.J.zz = J.zz + (r.x * dz.y - r.y * dz.x);
  out.J.xy = J.xy + (r.y * P.y.z - r.z * P.y.y) + (r.z * G.x.x - r.x * G.x.z);
  out.J.xz = J.xz + (r.y * P.z.z - r.z * P.z.y) + (r.x * G.x.y - r.y * G.x.x);
  out.J.yz = J.yz + (r.z * P.z.x - r.x * P.z.z) + (r.x * G.y.y - r.y * G.y.x);
  return out;
}

}  // namespace thenar
