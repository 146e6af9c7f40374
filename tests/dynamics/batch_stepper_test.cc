// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/batch_stepper.h"

#include <gtest/gtest.h>

#include <limits>

#include "../dynamics/random_trees.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar::batch_stepper_test {
namespace {

using test::RandomTree;

/// The scalar twin of a batch item.
class HeldEffort : public Drive<double> {
 public:
  HeldEffort(const Model& model, const VectorX<double>& tau) : model_(model), tau_(tau) {}
  PowerFlow<double> evaluate(double, const double* q, const double* v, Workspace<double>&, double* tau,
                             std::span<const BodyWrench<double>>&) override {
    std::copy_n(tau_.data(), tau_.size(), tau);
    add_passive_forces(model_, q, v, tau);
    return {};
  }

 private:
  const Model& model_;
  const VectorX<double>& tau_;
};

Model springy_hand(RandomTree& random) {
  ModelBuilder builder;
  JointSpec wrist = random.joint("wrist", JointKind::spherical);
  VectorX<double> rest = VectorX<double>::Zero(4);
  rest(0) = 1;
  wrist.spring = JointSpring{MatrixX<double>::Identity(3, 3), rest};
  wrist.damping = VectorX<double>::Constant(3, 0.05);
  const BodyIndex palm = builder.add_body({"palm", random.mass(-1, 0)}, kWorld, wrist);
  for (int f = 0; f < 3; ++f) {
    JointSpec joint = random.joint("j" + std::to_string(f), JointKind::revolute);
    joint.damping = VectorX<double>::Constant(1, 0.01);
    builder.add_body({"b" + std::to_string(f), random.mass(-1.5, -1)}, palm, joint);
  }
  return std::move(builder).finalize();
}

TEST(BatchStepper, StepsEveryItemAsIfItWereAlone) {
  RandomTree random(61);
  const Model model = springy_hand(random);
  const int nv = model.velocity_count(), count = 13;
  Batch batch(model, count);
  BatchStepper stepper(model);
  std::vector<VectorX<double>> q, v, tau;
  for (int i = 0; i < count; ++i) {
    q.push_back(random.position(model));
    v.push_back(random.numbers(nv, 1));
    tau.push_back(random.numbers(nv, 0.1));
    batch.set_state(i, q[i].data(), v[i].data());
    batch.set_tau(i, tau[i].data());
  }
  Rk4Scratch<double> scratch(model);
  for (int step = 0; step < 100; ++step) {
    stepper.step(model, 1e-3, batch);
    for (int i = 0; i < count; ++i) {
      HeldEffort effort(model, tau[i]);
      rk4_step<double>(model, 0, 1e-3, q[i].data(), v[i].data(), effort, scratch);
    }
  }
  for (int i = 0; i < count; ++i) {
    VectorX<double> q_batch(model.position_count()), v_batch(nv);
    batch.get_state(i, q_batch.data(), v_batch.data());
    // The same arithmetic; a hundred steps of rounding apart (fused steps may be chosen differently).
    EXPECT_LE((q_batch - q[i]).norm(), 1e-11);
    EXPECT_LE((v_batch - v[i]).norm(), 1e-9 * (1 + v[i].norm()));
  }
}

TEST(BatchStepper, ABadItemHarmsNoOther) {
  RandomTree random(62);
  const Model model = springy_hand(random);
  const VectorX<double> q = random.position(model), v = random.numbers(model.velocity_count(), 1);
  VectorX<double> broken = v;
  broken(0) = std::numeric_limits<double>::quiet_NaN();
  Batch clean(model, 8), mixed(model, 8);
  BatchStepper stepper(model);
  for (int i = 0; i < 8; ++i) {
    clean.set_state(i, q.data(), v.data());
    mixed.set_state(i, q.data(), i == 3 ? broken.data() : v.data());
  }
  stepper.step(model, 1e-3, clean);
  stepper.step(model, 1e-3, mixed);
  for (int i = 0; i < 8; ++i) {
    VectorX<double> q1(model.position_count()), v1(model.velocity_count()), q2 = q1, v2 = v1;
    clean.get_state(i, q1.data(), v1.data());
    mixed.get_state(i, q2.data(), v2.data());
    if (i == 3) {
      EXPECT_FALSE(v2.allFinite());
    } else {
      EXPECT_EQ(q1, q2);
      EXPECT_EQ(v1, v2);
    }
  }
}

}  // namespace
}  // namespace thenar::batch_stepper_test
