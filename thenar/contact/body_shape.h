// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/geometry/shape.h"
#include "thenar/model/model.h"

namespace thenar {

/// A solid that belongs to a body.
struct BodyShape {
  BodyIndex body;
  Shape shape;
  Pose<double> X_BS;
};

}  // namespace thenar
