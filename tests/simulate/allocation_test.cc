// SPDX-License-Identifier: BSD-3-Clause
//
// A step does not touch the heap.

#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "builders.h"
#include "thenar/simulate/batch_stepper.h"
#include "thenar/simulate/forces.h"

namespace thenar {
namespace {

using test::count_allocations;

TEST(Allocation, Rk4StepUsesNoHeap) {
  Scenario s = testing::mixed_tree();
  s.torques.push_back({7, Expression::parse("sin(t)*level", kProfileVariables)});
  WrenchProfile wrench;
  wrench.body = BodyIndex(2);
  wrench.force[1] = Expression::parse("0.1*cos(t)", kProfileVariables);
  s.wrenches.push_back(wrench);
  ScenarioForces<double> forces(s);
  Rk4Scratch<double> scratch(s.model);
  EXPECT_EQ(
      count_allocations([&] { rk4_step(s.model, 0, 1e-3, s.initial.q.data(), s.initial.v.data(), forces, scratch); }),
      0);
  EXPECT_TRUE(s.initial.q.allFinite());
}

TEST(Allocation, BatchStepUsesNoHeap) {
  const Scenario s = testing::mixed_tree();
  Batch batch(s.model, 20);
  BatchStepper stepper(s.model);
  EXPECT_EQ(count_allocations([&] { stepper.step(s.model, 1e-3, batch); }), 0);
}

}  // namespace
}  // namespace thenar
