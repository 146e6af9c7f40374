// SPDX-License-Identifier: BSD-3-Clause
//
// Between events a run with contacts does not touch the heap: stages, the watch, touches, redundant contacts.

#include "../support/heap_counter.h"
#include "motion_scenes.h"
#include "thenar/engine/instant_settler_internal.h"

namespace thenar::contact_allocation_test {
namespace {

using namespace test;

/// All that a run does between two events, step by step.
class Steps {
 public:
  explicit Steps(const Scenario& scenario)
      : motion_(scenario),
        tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
        joints_(motion_, tolerances_),
        stepper_(motion_, scenario.run, tolerances_),
        engine_(scenario, motion_, joints_, stepper_, tolerances_),
        until_(scenario.run.until) {
    State state = scenario.initial;
    EXPECT_TRUE(engine_.settle(state, std::nullopt, {}, 0)) << engine_.fault();
  }

  void make(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(stepper_.step(until_));
      ContactWatch::Finding finding = engine_.find_crossing(stepper_, 0);
      while (finding.retry) {
        ASSERT_TRUE(stepper_.retry(*finding.retry));
        finding = engine_.find_crossing(stepper_, 0);
      }
      ASSERT_FALSE(finding.crossing) << finding.crossing->name << " at " << stepper_.t();
      stepper_.interpolate(0.3);
      stepper_.accept(1);
    }
  }

  const ConstrainedMotion& motion() const { return motion_; }
  const Stepper& stepper() const { return stepper_; }

 private:
  ConstrainedMotion motion_;
  Tolerances tolerances_;
  JointRest joints_;
  Stepper stepper_;
  internal::InstantSettler engine_;
  double until_;
};

/// Steps of at most this length (s), so short that all of them are over before anything happens.
void expect_no_heap(Scenario scenario, double step, bool is_redundant, std::size_t contacts, int warm_up = 10) {
  constexpr int kCounted = 5;
  scenario.run.step = step;
  Steps steps(scenario);
  steps.make(warm_up);
  EXPECT_EQ(steps.motion().contacts().size(), contacts);
  EXPECT_EQ(count_allocations([&] { steps.make(kCounted); }), 0);
  EXPECT_EQ(steps.motion().has_redundant_contacts(), is_redundant);
}

TEST(ContactAllocation, WhatRollsOrSlidesUsesNoHeap) {
  expect_no_heap(read_scene("ball_on_incline"), 0.02, false, 1);
  expect_no_heap(read_scene("ball_on_incline", {{"mu", 0.1}}), 0.02, false, 1);
  expect_no_heap(read_scene("ball_on_turntable"), 0.02, false, 1);
  expect_no_heap(read_scene("sliding_ball"), 2e-3, false, 1);
}

TEST(ContactAllocation, RedundantContactsUseNoHeap) {
  expect_no_heap(read_scene("pinched_capsule"), 0.02, true, 4);
  expect_no_heap(read_scene("cube_on_wall"), 0.02, true, 4);
  expect_no_heap(read_scene("sliding_cube"), 5e-3, true, 4);
  expect_no_heap(read_scene("balls_on_box", {{"run.tolerance", 1e-8}}), 1e-3, true, 29);
  expect_no_heap(read_scene("box_on_balls", {{"run.tolerance", 1e-8}}), 1e-3, true, 50);
}

/// Forces with the least sum of squares leave their cones after 70 ms, and others have to be looked for; it slips after
/// 103 ms.
TEST(ContactAllocation, RedundantContactsNearTheirLimitsUseNoHeap) {
  expect_no_heap(read_scene("pushed_block", {{"height", 0.3}, {"F", 6}}), 4e-3, true, 4, 20);
}

TEST(ContactAllocation, FlightNearOthersUsesNoHeap) {
  const std::string text =
      "thenar: 1\n"
      "objects:\n"
      "  - {name: ball, shape: {sphere: 3 cm}, mass: 0.1, pose: {xyz: [0, 0, 0.2]}, velocity: {linear: [1, 0, 1]}}\n"
      "  - {name: rod, shape: {capsule: {radius: 1 cm, length: 20 cm}}, mass: 0.1, pose: {xyz: [0.1, 0, 0.35]},\n"
      "     velocity: {linear: [0.5, 0, 0], angular: [0, 9, 4]}}\n"
      "  - {name: cube, shape: {box: [0.1, 0.1, 0.1]}, mass: 0.1, pose: {xyz: [-0.1, 0, 0.2]},\n"
      "     velocity: {linear: [0.9, 0, 1], angular: [3, 2, 1]}}\n"
      "  - {name: ground, joint: fixed, shape: {plane: {}}}\n"
      "contacts: {friction: 0.5}\n"
      "run: {until: 1}\n";
  Scenario scenario = parse_scenario(text, "test.yaml");
  expect_no_heap(scenario, 2e-3, false, 0);
}

}  // namespace
}  // namespace thenar::contact_allocation_test
