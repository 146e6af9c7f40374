// SPDX-License-Identifier: BSD-3-Clause
//
// Touches inside a step whose motion is given in closed form.

#include "thenar/events/touch_watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "../support/contact_scenes.h"

namespace thenar::touch_watch_test {
namespace {

/// A step of `h` seconds of a motion that is known at all times.
class KnownMotion final : public StepView {
 public:
  using Function = std::function<void(double t, StepPoint& out)>;

  KnownMotion(const Scenario& s, double h, Function function) : h_(h), function_(std::move(function)) {
    point_.q = s.initial.q, point_.v = s.initial.v;
  }

  double h() const override { return h_; }
  const StepPoint& interpolate(double theta) override {
    function_(theta * h_, point_);
    return point_;
  }
  const StepPoint& interpolate_roughly(double theta) override { return interpolate(theta); }

 private:
  double h_;
  Function function_;
  StepPoint point_;
};

constexpr double kRadius = test::kBallRadius;

/// The ball's height is a parabola with its lowest point `low` above the floor at time t0.
KnownMotion make_swoop(const Scenario& s, double h, double t0, double low, double curvature) {
  return {s, h, [=](double t, StepPoint& out) {
            out.q(2) = kRadius + low + 0.5 * curvature * (t - t0) * (t - t0);
            out.v(5) = curvature * (t - t0);
          }};
}

TEST(TouchWatch, FindsTheTimeOfFall) {
  const Scenario s = test::ball_over_floor(0.5);
  TouchWatch watch(s);
  KnownMotion fall(s, 1, [](double t, StepPoint& out) {
    out.q(2) = kRadius + 0.5 - 0.5 * 9.81 * t * t;
    out.v(5) = -9.81 * t;
  });
  const auto touch = watch.find(fall, {});
  ASSERT_TRUE(touch);
  // Gaps count from 1e-13 of the size of the scene below 0 on.
  EXPECT_NEAR(touch->theta, std::sqrt(2 * 0.5 / 9.81), 1e-12);
  EXPECT_GE(touch->theta, std::sqrt(2 * 0.5 / 9.81));
  EXPECT_EQ(touch->name, "ball/floor");
}

/// A touch that lasts for a moment is found however short it is, and one that just does not happen is not.
TEST(TouchWatch, SeesAGrazeOnlyIfItTouches) {
  const Scenario s = test::ball_over_floor(0.1);
  for (const double depth : {1e-3, 1e-6, 1e-9}) {
    for (const double t0 : {0.5, 0.123, 0.87654}) {
      SCOPED_TRACE(testing::Message() << depth << ' ' << t0);
      TouchWatch watch(s);
      KnownMotion above = make_swoop(s, 1, t0, depth, 3), below = make_swoop(s, 1, t0, -depth, 3);
      EXPECT_FALSE(watch.find(above, {}));
      const auto touch = watch.find(below, {});
      ASSERT_TRUE(touch);
      const double first = t0 - std::sqrt(2 * depth / 3);
      // At the slowest, 1e-9 deep, the gap closes by 8e-5 m/s: a margin of 4e-14 m takes 5e-10 s.
      EXPECT_NEAR(touch->theta, first, 1e-9);
    }
  }
}

/// Two balls that pass each other's place inside of a step, far from each other at both ends of it.
TEST(TouchWatch, SeesBodiesThatFlyThroughEachOther) {
  ModelBuilder builder;
  Scenario s;
  std::vector<BodyIndex> balls;
  for (const char* name : {"left", "right"}) {
    balls.push_back(builder.add_body({.name = name, .mass = mass_properties_from_mass(Sphere{0.05}, 1)}, kWorld,
                                     {.name = name, .kind = JointKind::free}));
  }
  s = test::at_rest(std::move(builder).finalize());
  for (const BodyIndex ball : balls) s.shapes.push_back({ball, Sphere{0.05}, {}});
  s.contacts = ContactRules{};
  s.initial.q(0) = -2, s.initial.q(7) = 2;
  for (const double offset : {0.0, 0.08, 0.0999, 0.1001}) {
    SCOPED_TRACE(offset);
    TouchWatch watch(s);
    KnownMotion pass(s, 0.01, [=](double t, StepPoint& out) {
      out.q(0) = -2 + 400 * t, out.v(3) = 400;
      out.q(7) = 2 - 100 * t, out.v(9) = -100;
      out.q(8) = offset;
    });
    const auto touch = watch.find(pass, {});
    EXPECT_EQ(touch.has_value(), offset < 0.1);
    if (!touch) continue;
    // They meet where their centres are 0.1 m apart: 4 − 500 t along x.
    const double t = (4 - std::sqrt(0.01 - offset * offset)) / 500;
    EXPECT_NEAR(touch->theta * 0.01, t, 1e-11);
  }
}

TEST(TouchWatch, WhatIsHeldIsNotMet) {
  Scenario s = test::ball_over_floor(0);
  s.initial.v << 0, 10, 0, 1, 0, 0;
  const auto roll = [](double t, StepPoint& out) {
    out.q(0) = t;
    out.q(3) = std::cos(5 * t), out.q(5) = std::sin(5 * t);
    out.q(2) = kRadius;
  };
  TouchWatch watch(s);
  KnownMotion rolling(s, 0.5, roll);
  EXPECT_FALSE(watch.find(rolling, test::hold_contacts(s, ContactHold::rolling)));
  // What a step starts with is no crossing either, but what goes deeper is one.
  KnownMotion sinking(s, 0.5, [&](double t, StepPoint& out) {
    roll(t, out);
    out.q(2) = kRadius - 0.1 * t;
    out.v(5) = -0.1;
  });
  EXPECT_FALSE(watch.find(rolling, {}));
  const auto touch = watch.find(sinking, {});
  ASSERT_TRUE(touch);
  EXPECT_LT(touch->theta, 1e-9);
  EXPECT_FALSE(watch.find(sinking, test::hold_contacts(s, ContactHold::rolling))) << "how deep is not its business";
}

/// Bodies that an error has left a little inside of each other meet where they are twice as deep.
TEST(TouchWatch, AnOverlapAtTheStartIsAllowed) {
  constexpr double kDepth = 1e-8, kSpeed = 1e-6;
  const Scenario s = test::ball_over_floor(0);
  TouchWatch watch(s);
  KnownMotion sinking(s, 0.5, [](double t, StepPoint& out) {
    out.q(2) = kRadius - kDepth - kSpeed * t;
    out.v(5) = -kSpeed;
  });
  const auto touch = watch.find(sinking, {});
  ASSERT_TRUE(touch);
  EXPECT_NEAR(touch->theta * 0.5, kDepth / kSpeed, 1e-8);  // rounding of gaps, 1e-16 m, at 1e-6 m/s, and some
}

TEST(TouchWatch, PairsThatMayNotTouchDoNot) {
  Scenario s = test::ball_over_floor(0.1);
  s.contacts->excluded = {{{s.model.body_of("ball")}, {s.model.body_of("floor")}}};
  TouchWatch watch(s);
  KnownMotion fall = make_swoop(s, 1, 0.5, -0.05, 3);
  EXPECT_FALSE(watch.find(fall, {}));
  s.contacts.reset();
  TouchWatch none(s);
  EXPECT_FALSE(none.find(fall, {})) << "nobody has asked for contacts";
}

}  // namespace
}  // namespace thenar::touch_watch_test
