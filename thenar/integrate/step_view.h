// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/spatial/linear.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

/// A state inside a step and what has been done by forces since its start.
struct StepPoint {
  VectorX<double> q, v, inner;
  double work = 0, dissipated = 0;  ///< J
};

/// A step that one can look into, whoever has made it.
class StepView {
 public:
  virtual ~StepView() = default;

  /// Length of the step, s.
  virtual double h() const = 0;
  /// At t + theta h. The reference is valid until the next call.
  virtual const StepPoint& interpolate(double theta) = 0;
  /// The same without putting it back on what holds: off by the error of the step, and cheaper.
  virtual const StepPoint& interpolate_roughly(double theta) = 0;
};

template <class Archive>
void archive_state(Archive& a, StepPoint& point) {
  a(point.q, point.v, point.inner, point.work, point.dissipated);
}

}  // namespace thenar
