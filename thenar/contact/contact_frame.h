// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The contact frame C: N from B into A, T and U in the tangent plane, U = N × T.
///
/// T is the world's x axis projected on the tangent plane, or y where N is within 26° of x (|N · x| > 0.9). In planar
/// problems T is N turned by +90° about z, so that U points out of the page; where N itself points out of the page the
/// rule of space holds. T jumps where the rule changes: a contact keeps its frame while it lasts.

#include <cmath>

#include "thenar/spatial/linear.h"

namespace thenar {

template <class Scalar>
struct ContactFrame {
  Vec3<Scalar> N, T, U;
};

template <class Archive, class Scalar>
void archive_state(Archive& a, ContactFrame<Scalar>& frame) {
  a(frame.N, frame.T, frame.U);
}

/// Beyond this, N is too close to an axis for that axis to give T.
inline constexpr double kSteepNormal = 0.9;

/// The frame of a unit normal. `in_plane`: the problem is planar.
template <class Scalar>
ContactFrame<Scalar> make_contact_frame(const Vec3<Scalar>& N, bool in_plane) {
  using std::abs;
  const Scalar zero(0), one(1);
  Vec3<Scalar> tangent;
  if (in_plane && plain(abs(N.z)) <= kSteepNormal) {
    tangent = {-N.y, N.x, zero};
  } else {
    const bool use_y = plain(abs(N.x)) > kSteepNormal;
    const Vec3<Scalar> axis{use_y ? zero : one, use_y ? one : zero, zero};
    tangent = axis - N * dot(axis, N);
  }
  const Vec3<Scalar> T = normalized(tangent);
  return {N, T, cross(N, T)};
}

}  // namespace thenar
