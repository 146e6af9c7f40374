// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "thenar/geometry/distance.h"
#include "thenar/model/model.h"

namespace thenar {

/// One contact point. Points and directions are in the world; gap, p_A, p_B, N and features as in distance.h.
struct FoundContact : Proximity {
  Vec3<double> T = Vec3<double>::zero(), U = Vec3<double>::zero();  ///< the rest of the contact frame
  BodyIndex body_A, body_B;
  int shape_A = 0, shape_B = 0;  ///< places in ContactFinder::shapes()
  std::uint64_t id = 0;          ///< tells the points of a pair of shapes apart for as long as they exist
  PatchKind patch = PatchKind::points;
  int number = 0;  ///< among the points of the two bodies, from 0
  int count = 1;   ///< how many points the two bodies have
};

template <class Archive>
void archive_state(Archive& a, FoundContact& contact) {
  archive_state(a, static_cast<Proximity&>(contact));
  a(contact.T, contact.U, contact.body_A, contact.body_B, contact.shape_A, contact.shape_B, contact.id, contact.patch,
    contact.number, contact.count);
}

/// Whether two contacts are the same points of the same shapes.
inline bool is_same(const FoundContact& a, const FoundContact& b) {
  return a.shape_A == b.shape_A && a.shape_B == b.shape_B && a.id == b.id;
}

}  // namespace thenar
