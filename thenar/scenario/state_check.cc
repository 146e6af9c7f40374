// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/scenario/state_check.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace thenar {

std::string owner_name(const Model& model, const Joint& joint) {
  const bool floats = joint.spec.kind == JointKind::free || joint.spec.kind == JointKind::planar;
  return floats ? fmt::format("body '{}'", model.body(joint.child).name) : fmt::format("joint '{}'", joint.spec.name);
}

std::string find_bad_entry(const Model& model, const State& state) {
  for (const Joint& joint : model.joints()) {
    for (int i = joint.q_start; i < joint.q_start + joint.nq; ++i) {
      if (!std::isfinite(state.q(i)))
        return fmt::format("the position of {} is {}", owner_name(model, joint), state.q(i));
    }
    for (int i = joint.v_start; i < joint.v_start + joint.nv; ++i) {
      if (!(std::abs(state.v(i)) < kLargestSpeed)) {
        return fmt::format("the velocity of {} is {}", owner_name(model, joint), state.v(i));
      }
    }
  }
  return {};
}

bool is_good(const State& state) {
  // One comparison per number; NaN fails it.
  for (const double q : state.q) {
    if (!(std::abs(q) <= std::numeric_limits<double>::max())) return false;
  }
  for (const double v : state.v) {
    if (!(std::abs(v) < kLargestSpeed)) return false;
  }
  for (const double s : state.inner) {
    if (!(std::abs(s) <= std::numeric_limits<double>::max())) return false;
  }
  return true;
}

}  // namespace thenar
