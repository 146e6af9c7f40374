// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Spatial vectors, angular part first. Motions (velocities, accelerations) and forces are distinct types: adding a
/// twist to a wrench does not compile. In the dynamics every spatial vector is expressed in world axes and refers to
/// a point that its owner names, so moving it to another point needs a cross product and no rotation.

#include "thenar/spatial/linear.h"

namespace thenar {

/// Velocity or acceleration: `angular` (rad/s, rad/s²) and `linear` (m/s, m/s²) at the reference point.
template <class T>
struct Motion {
  Vec3<T> angular;
  Vec3<T> linear;

  static Motion zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
  Motion& operator+=(const Motion& o) {
    angular += o.angular;
    linear += o.linear;
    return *this;
  }
  /// The same motion seen at a point displaced by r (m).
  Motion shifted(const Vec3<T>& r) const { return {angular, linear + cross(angular, r)}; }
};

/// Moment about the reference point (N m) and force (N).
template <class T>
struct Wrench {
  Vec3<T> moment;
  Vec3<T> force;

  static Wrench zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
  Wrench& operator+=(const Wrench& o) {
    moment += o.moment;
    force += o.force;
    return *this;
  }
  Wrench& operator-=(const Wrench& o) {
    moment -= o.moment;
    force -= o.force;
    return *this;
  }
  /// The same wrench about a point from which its present point lies at r (m).
  Wrench moved_by(const Vec3<T>& r) const { return {moment + cross(r, force), force}; }
};

/// Power (W) of a wrench along a motion; both at one point.
template <class T>
T dot(const Motion<T>& a, const Wrench<T>& f) {
  return dot(a.angular, f.moment) + dot(a.linear, f.force);
}

}  // namespace thenar
