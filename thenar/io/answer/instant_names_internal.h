// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What answers of an instant call accelerations and patches.

#include <array>
#include <string>

#include "thenar/instant/contact_instant.h"
#include "thenar/model/model.h"

namespace thenar::internal {

/// The joint, or the body that it lets float.
inline std::string acceleration_name(const Model& model, const Joint& joint) {
  const bool floats = joint.spec.kind == JointKind::free || joint.spec.kind == JointKind::planar;
  return floats ? model.body(joint.child).name : joint.spec.name;
}

/// Of degree of freedom k of a joint that has several.
inline std::string acceleration_part(const Joint& joint, int k) {
  constexpr std::array<const char*, 6> kFree{"wx", "wy", "wz", "vx", "vy", "vz"};
  constexpr std::array<const char*, 3> kPlanar{"x", "y", "yaw"};
  const auto i = static_cast<std::size_t>(k);
  if (joint.spec.kind == JointKind::free) return kFree[i];
  return joint.spec.kind == JointKind::planar ? kPlanar[i] : std::to_string(k);
}

}  // namespace thenar::internal
