// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "thenar/spatial/inertia.h"

namespace thenar {

/// How a link moves on its parent; see model.h for what a link is.
enum class LinkKind : std::uint8_t { revolute, prismatic, planar, ball, free };

/// Whether degree of freedom k of such a link turns (rad) rather than slides (m).
inline bool is_angular(LinkKind kind, int k) {
  switch (kind) {
    case LinkKind::prismatic:
      return false;
    case LinkKind::planar:
      return k == 2;
    case LinkKind::free:
      return k < 3;
    default:
      return true;
  }
}

struct Link {
  LinkKind kind = LinkKind::revolute;
  bool has_mass = false;
  int parent = 0;
  int q = 0;  ///< first coordinate
  int v = 0;  ///< first degree of freedom
  int nv = 0;
};

/// The numbers of a link, over the scalar of constants: double, or a pack with another finger in each lane.
template <class C>
struct LinkConstants {
  Mat3<C> R_PF;             ///< joint frame on the parent link (z along the axis)
  Vec3<C> p_PF;             ///< m
  RigidInertia<C> inertia;  ///< about the link's origin, axes of L
};

}  // namespace thenar
