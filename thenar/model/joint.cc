// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/model/joint.h"

namespace thenar {

const char* to_string(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::universal:
      return "universal";
    case JointKind::spherical:
      return "spherical";
    case JointKind::planar:
      return "planar";
    case JointKind::free:
      return "free";
  }
  return "?";
}

int position_count(JointKind kind) {
  switch (kind) {
    case JointKind::spherical:
      return 4;
    case JointKind::free:
      return 7;
    default:
      return velocity_count(kind);
  }
}

int velocity_count(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return 0;
    case JointKind::revolute:
    case JointKind::prismatic:
      return 1;
    case JointKind::universal:
      return 2;
    case JointKind::spherical:
    case JointKind::planar:
      return 3;
    case JointKind::free:
      return 6;
  }
  return 0;
}

}  // namespace thenar
