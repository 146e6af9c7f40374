// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/model/finger_lanes.h"

#include <gtest/gtest.h>

#include <numeric>

#include "thenar/model/model_builder.h"

namespace thenar::finger_lanes_test {
namespace {

const MassProperties kLink{.mass = 0.1, .inertia = {1e-4, 1e-4, 1e-4, 0, 0, 0}};

/// A palm on the world with fingers of these lengths; `branch` adds a second tip to the last finger.
Model make_hand(const std::vector<int>& fingers, JointKind kind = JointKind::revolute, bool branch = false) {
  ModelBuilder builder;
  const BodyIndex palm = builder.add_body({"palm", kLink}, kWorld, {.name = "wrist", .kind = JointKind::universal});
  BodyIndex last = palm;
  for (std::size_t f = 0; f < fingers.size(); ++f) {
    last = palm;
    for (int i = 0; i < fingers[f]; ++i) {
      const std::string name = std::to_string(f) + "_" + std::to_string(i);
      last = builder.add_body({"b" + name, kLink}, last, {.name = "j" + name, .kind = kind});
    }
  }
  if (branch) {
    for (const char* tip : {"left", "right"}) builder.add_body({tip, kLink}, last, {.name = tip, .kind = kind});
  }
  return std::move(builder).finalize();
}

FingerLanes find(const Model& model, int min_fingers = 3) {
  return find_finger_lanes(model.links(), model.link_constants(), model.armature(), min_fingers);
}

/// Every link is computed exactly once.
void expect_partition(const Model& model, const FingerLanes& lanes) {
  std::vector<int> seen(static_cast<std::size_t>(model.link_count()) + 1, 0);
  for (const int link : lanes.trunk) ++seen[static_cast<std::size_t>(link)];
  for (const FingerGroup& group : lanes.groups) {
    for (const FingerGroup::Step& step : group.steps) {
      for (const int link : step.link) {
        if (link != 0) ++seen[static_cast<std::size_t>(link)];
      }
    }
  }
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i], 1) << "link " << i;
}

TEST(FingerLanes, FourOfFiveFingersShareOneGroup) {
  const Model model = make_hand({4, 4, 4, 4, 4});
  const FingerLanes lanes = find(model);
  ASSERT_EQ(lanes.groups.size(), 1u);
  EXPECT_EQ(lanes.groups[0].steps.size(), 4u);
  EXPECT_EQ(lanes.groups[0].parent, 2);                              // the second link of the wrist carries the palm
  EXPECT_EQ(lanes.trunk, (std::vector<int>{1, 2, 19, 20, 21, 22}));  // the wrist and the last finger
  expect_partition(model, lanes);
}

TEST(FingerLanes, UnequalFingersAreFilledUp) {
  const Model model = make_hand({3, 4, 2, 4});
  const FingerLanes lanes = find(model);
  ASSERT_EQ(lanes.groups.size(), 1u);
  EXPECT_EQ(lanes.groups[0].steps.size(), 4u);
  expect_partition(model, lanes);
}

TEST(FingerLanes, MoreThanFourFingersTakeTwoGroups) {
  const Model model = make_hand(std::vector<int>(7, 2));
  const FingerLanes lanes = find(model);
  ASSERT_EQ(lanes.groups.size(), 2u);
  EXPECT_EQ(lanes.step_count, 4);
  expect_partition(model, lanes);
}

TEST(FingerLanes, LeavesAloneWhatDoesNotPay) {
  EXPECT_TRUE(find(make_hand({3, 3})).groups.empty());                                    // too few
  EXPECT_TRUE(find(make_hand({20, 1, 1})).groups.empty());                                // too unequal
  EXPECT_TRUE(find(make_hand({3, 3, 3}, JointKind::prismatic)).groups.empty());           // other joints
  EXPECT_TRUE(find(make_hand({2, 2, 2}, JointKind::revolute, true)).groups.empty());      // a branching finger is out
  EXPECT_EQ(find(make_hand({2, 2, 2, 2}, JointKind::revolute, true)).groups.size(), 1u);  // the others go on
  const Model model = make_hand({2, 2, 2, 2}, JointKind::revolute, true);
  expect_partition(model, find(model));
}

}  // namespace
}  // namespace thenar::finger_lanes_test
