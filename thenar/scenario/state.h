// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/spatial/linear.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

/// The state of a model at one instant; a value. q and v are laid out as the model's joints say (model.h).
struct State {
  double t = 0;       ///< s
  VectorX<double> q;  ///< rad, m, unit quaternions
  VectorX<double> v;  ///< rad/s, m/s
  /// How far compliant layers are sheared, one contact after the other (ConstrainedMotion::layer_contacts), m and rad.
  VectorX<double> inner{};

  /// Bit-wise for all practical purposes: the same sizes and the same numbers (−0 equals 0, NaN equals nothing).
  friend bool operator==(const State& a, const State& b) {
    return a.t == b.t && a.q.size() == b.q.size() && a.v.size() == b.v.size() && a.q == b.q && a.v == b.v &&
           a.inner.size() == b.inner.size() && a.inner == b.inner;
  }
};

template <class Archive>
void archive_state(Archive& a, State& state) {
  a(state.t, state.q, state.v, state.inner);
}

}  // namespace thenar
