// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/batch_stepper.h"

#include <algorithm>

#include "thenar/dynamics/passive_forces.h"

namespace thenar {
namespace {

/// Efforts that do not change during a step, besides the model's own springs and dampers.
class HeldEffort : public Drive<Pack4> {
 public:
  HeldEffort(const Model& model, const Pack4* tau) : model_(model), tau_(tau) {}

  PowerFlow<Pack4> evaluate(double, const Pack4* q, const Pack4* v, Workspace<Pack4>&, Pack4* tau,
                            std::span<const BodyWrench<Pack4>>& wrenches) override {
    std::copy_n(tau_, model_.velocity_count(), tau);
    add_passive_forces(model_, q, v, tau);
    wrenches = {};
    return {};
  }

 private:
  const Model& model_;
  const Pack4* tau_;
};

}  // namespace

BatchStepper::BatchStepper(const Model& model) : scratch_(model) {}

void BatchStepper::step(const Model& model, double h, Batch& batch) {
  for (int group = 0; group < batch.group_count(); ++group) {
    HeldEffort effort(model, batch.tau(group));
    rk4_step<Pack4>(model, 0, h, batch.q(group), batch.v(group), effort, scratch_);
  }
}

}  // namespace thenar
