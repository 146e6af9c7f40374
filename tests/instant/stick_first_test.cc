// SPDX-License-Identifier: BSD-3-Clause
//
// Static friction: what is at rest is held by μ_s as long as it can be, and has μ once it slips.

#include "thenar/instant/stick_first_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../support/contact_scenes.h"
#include "thenar/instant/contact_instant.h"

namespace thenar::stick_first_test {
namespace {

constexpr double kG = 9.81, kMu = 0.2, kStatic = 0.5;

/// A ball on a floor, pushed at its middle: it needs 2/7 of the push as friction.
Instant push_ball(double friction_needed, double speed = 0) {
  ContactLaw law{.friction = kMu};
  law.static_friction = kStatic;
  Scenario s = test::ball_over_floor(0, law);
  s.initial.v(3) = speed;
  WrenchProfile push;
  push.body = s.model.body_of("ball");
  push.force = {Expression(3.5 * friction_needed), Expression(0), Expression(0)};
  s.wrenches.push_back(push);
  return solve_instant(s, s.initial);
}

TEST(StickFirst, HoldsBetweenTheTwoCoefficients) {
  for (const double share : {0.1, 0.3, 0.49}) {
    SCOPED_TRACE(share);
    const Instant instant = push_ball(share * kG);
    ASSERT_EQ(instant.verdict, Verdict::unique);
    EXPECT_EQ(instant.cells.front().modes.front(), ContactMode::roll);
    ASSERT_TRUE(instant.stick_first);
    EXPECT_EQ(instant.stick_first->held, std::vector<int>{0});
    EXPECT_TRUE(instant.stick_first->released.empty());
    EXPECT_EQ(instant.contacts.front().friction, kStatic);
    ASSERT_TRUE(instant.cells.front().margins.front().slip);
    EXPECT_NEAR(*instant.cells.front().margins.front().slip, 1 - share / kStatic, 1e-8);
  }
}

TEST(StickFirst, WhatSlipsHasTheSmallerCoefficient) {
  const Instant instant = push_ball(0.51 * kG);
  ASSERT_EQ(instant.verdict, Verdict::unique);
  EXPECT_EQ(instant.cells.front().modes.front(), ContactMode::slide);
  ASSERT_TRUE(instant.stick_first);
  EXPECT_EQ(instant.stick_first->released, std::vector<int>{0});
  EXPECT_TRUE(instant.stick_first->is_proved);
  EXPECT_EQ(instant.contacts.front().friction, kMu);
  const auto& force = instant.cells.front().forces.front();
  EXPECT_NEAR(std::hypot(force[1], force[2]), kMu * kG, 1e-8);
}

TEST(StickFirst, DoesNotHoldWhatSlidesAlready) {
  const Instant instant = push_ball(0, 1);
  ASSERT_EQ(instant.verdict, Verdict::unique);
  EXPECT_FALSE(instant.stick_first) << "nothing is at rest";
  EXPECT_EQ(instant.contacts.front().friction, kMu);
}

}  // namespace
}  // namespace thenar::stick_first_test
