// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/dynamics/batch.h"
#include "thenar/dynamics/rk4.h"

namespace thenar {

/// Steps many states of one model at once: RK4 with four states to a pack, each with its own tau held over the step;
/// gravity, springs and dampers of the model act. An item's result does not depend on which other items are in the
/// batch or on its lane. No heap use in a step; a state that is no longer finite stays in its lane and harms no other.
///
///     Batch batch(model, 1000);                 // set_state, set_tau
///     BatchStepper stepper(model);
///     stepper.step(model, 1e-3, batch);
class BatchStepper {
 public:
  explicit BatchStepper(const Model& model);

  /// Advances all items by h (s).
  void step(const Model& model, double h, Batch& batch);

 private:
  Rk4Scratch<Pack4> scratch_;
};

}  // namespace thenar
