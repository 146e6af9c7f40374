// SPDX-License-Identifier: BSD-3-Clause
//
// Bounces too low to be followed: what holds from then on, and when the series would have ended.

#include "thenar/engine/bounce_capture_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../support/contact_scenes.h"

namespace thenar::bounce_capture_test {
namespace {

using internal::BounceCapture;
using internal::SettleParts;

constexpr double kG = 9.81;

/// A motion that has just come out of an impact.
struct Bounced {
  explicit Bounced(Scenario s)
      : scenario(std::move(s)),
        motion(scenario),
        tolerances(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
        stepper(motion, scenario.run, tolerances),
        rest(motion, tolerances),
        parts(scenario, motion, rest, stepper, tolerances),
        capture(parts),
        state(scenario.initial) {
    stepper.start(state);
    parts.look_at(state);
    rest.find_touching(state.q, state.v);
  }
  Bounced(const Bounced&) = delete;  // its parts refer to each other

  Scenario scenario;
  ConstrainedMotion motion;
  Tolerances tolerances;
  Stepper stepper;
  JointRest rest;
  SettleParts parts;
  BounceCapture capture;
  State state;
};

/// A slide along z with a lower stop, on which it has just bounced at this rate.
Scenario make_slide(double rate, double restitution) {
  ModelBuilder builder;
  builder.add_body({.name = "cart", .mass = test::box_mass(2, {0.1, 0.1, 0.1})}, kWorld,
                   {.name = "lift", .kind = JointKind::prismatic});
  builder.add_stop({.dof = 0, .side = StopSide::lower, .bound = {Expression(0.0), {}}, .restitution = restitution});
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.initial.v(0) = rate;
  return s;
}

/// The rate at which a bounce has this height.
double rate_of(double height) { return std::sqrt(2 * kG * height); }

TEST(BounceCapture, HoldsTheStopOfABounceBelowTheSmallest) {
  const double smallest = Bounced(make_slide(0, 0.5)).tolerances.smallest_bounce(0, 0);
  for (const double part : {0.99, 1.01}) {
    SCOPED_TRACE(part);
    Bounced bounced(make_slide(rate_of(part * smallest), 0.5));
    for (int k = 0; k < 6; ++k) bounced.capture.count_stop_strike(0);
    bounced.capture.begin();
    EXPECT_EQ(bounced.capture.capture(bounced.state, Instant{}), part < 1);
    ASSERT_EQ(bounced.capture.ends().size(), part < 1 ? 1u : 0u);
    if (part > 1) continue;
    EXPECT_EQ(bounced.state.v(0), 0);
    // 2 v/g (1 + e + e² + …), from now on, after one impact more.
    EXPECT_NEAR(bounced.capture.ends()[0].t, 4 * rate_of(part * smallest) / kG, 1e-12);
    EXPECT_EQ(bounced.capture.ends()[0].strikes, 7);
    EXPECT_EQ(bounced.capture.ends()[0].row, 0);
  }
}

TEST(BounceCapture, EndsNoSeriesWhereNothingHasBounced) {
  const double smallest = Bounced(make_slide(0, 0.5)).tolerances.smallest_bounce(0, 0);
  // Thrown off a little by an impact elsewhere, and a stop that gives nothing back.
  Bounced thrown(make_slide(rate_of(0.5 * smallest), 0.5));
  EXPECT_TRUE(thrown.capture.capture(thrown.state, Instant{}));
  EXPECT_TRUE(thrown.capture.ends().empty());
  Bounced plastic(make_slide(rate_of(0.5 * smallest), 0));
  plastic.capture.count_stop_strike(0);
  EXPECT_TRUE(plastic.capture.capture(plastic.state, Instant{}));
  EXPECT_TRUE(plastic.capture.ends().empty());
}

TEST(BounceCapture, LeavesWhatDoesNotFallBack) {
  Scenario s = make_slide(1e-9, 0.5);
  s.torques.push_back({0, Expression(2 * kG + 1)});
  Bounced lifted(s);
  EXPECT_FALSE(lifted.capture.capture(lifted.state, Instant{}));
  Bounced pressed(make_slide(-1e-9, 0.5));
  EXPECT_FALSE(pressed.capture.capture(pressed.state, Instant{})) << "that is no bounce";
}

TEST(BounceCapture, HoldsAContactThatHopsTooLow) {
  ContactLaw law;
  law.restitution = 0.8;
  Bounced first(test::ball_over_floor(0, law));
  const double smallest = first.tolerances.smallest_hop(first.parts.size);
  for (const double part : {0.5, 2.0}) {
    SCOPED_TRACE(part);
    Scenario s = test::ball_over_floor(0, law);
    s.initial.v(5) = rate_of(part * smallest);
    Bounced bounced(s);
    const Instant instant = solve_instant(s, s.initial);
    ASSERT_EQ(instant.contacts.size(), 1u);
    ASSERT_LT(instant.contacts[0].row, 0) << "it is parting";
    bounced.parts.context.finder().update(bounced.parts.workspace, 1e-6);
    bounced.capture.count_strike(instant.contacts[0].place);
    EXPECT_EQ(bounced.capture.capture(bounced.state, instant), part < 1);
    if (part > 1) continue;
    EXPECT_NEAR(bounced.state.v(5), 0, 1e-15);
    ASSERT_EQ(bounced.capture.ends().size(), 1u);
    EXPECT_NEAR(bounced.capture.ends()[0].t, 2 * s.initial.v(5) / (kG * (1 - 0.8)), 1e-12);
    EXPECT_EQ(bounced.capture.ends()[0].place.name, "ball/floor");
  }
}

}  // namespace
}  // namespace thenar::bounce_capture_test
