// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/io/answer/instant_names_internal.h"
#include "thenar/io/answer/json_answer_internal.h"

namespace thenar::internal {

/// Numbers by degree of freedom (accelerations, velocities): for every joint, or the body that it lets float, a number
/// or several by name.
inline Json dofs_json(const Model& model, const VectorX<double>& x) {
  Json out = Json::object();
  for (const Joint& joint : model.joints()) {
    if (joint.nv == 0) continue;
    Json& entry = out[acceleration_name(model, joint)];
    if (joint.nv == 1) {
      entry = x(joint.v_start);
      continue;
    }
    entry = Json::object();
    for (int k = 0; k < joint.nv; ++k) entry[acceleration_part(joint, k)] = x(joint.v_start + k);
  }
  return out;
}

}  // namespace thenar::internal
