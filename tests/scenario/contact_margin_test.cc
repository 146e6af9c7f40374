// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/scenario/contact_margin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/contact_scenes.h"

namespace thenar::contact_margin_test {
namespace {

TEST(ContactMargin, IsWhatTheScenarioSays) {
  Scenario s = test::ball_over_floor(0);
  s.contacts->margin = 0.07;
  EXPECT_EQ(find_contact_margin(s), 0.07);
  s.contacts->margin = 0.0;
  EXPECT_EQ(find_contact_margin(s), 0) << "nothing but what touches";
}

/// The floor has no size: the scene is the cube around the ball.
TEST(ContactMargin, IsElseATenthOfTheScene) {
  const Scenario s = test::ball_over_floor(0);
  EXPECT_NEAR(find_contact_margin(s), 0.1 * 2 * test::kBallRadius * std::sqrt(3), 1e-15);
}

TEST(ContactMargin, GrowsWithTheDistanceOfTheBodiesAtTheStart) {
  Scenario s = test::ellipsoid_on_ball();
  const double near = find_contact_margin(s);
  s.initial.q(0) += 5;
  EXPECT_GT(find_contact_margin(s), 0.5);
  EXPECT_LT(near, 0.1);
}

}  // namespace
}  // namespace thenar::contact_margin_test
