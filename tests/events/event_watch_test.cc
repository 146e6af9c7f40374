// SPDX-License-Identifier: BSD-3-Clause
//
// The watch for ends of joint modes, at times that are known in closed form.

#include "thenar/events/event_watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "../support/builders.h"

namespace thenar::event_watch_test {
namespace {

/// A cart of 2 kg on a rail along x, pushed by `force` (N, of t), between stops at ±0.5 m.
Scenario make_cart(const char* force, double friction = 0, double limit = 0) {
  ModelBuilder builder;
  JointSpec joint{.name = "x", .kind = JointKind::prismatic};
  joint.axis = Vector3<double>::UnitX();
  if (friction > 0) joint.friction = VectorX<double>::Constant(1, friction);
  if (limit > 0) joint.effort = VectorX<double>::Constant(1, limit);
  builder.add_body({.name = "cart", .mass = test::box_mass(2, {0.1, 0.1, 0.1})}, kWorld, joint);
  builder.add_stop({.dof = 0, .side = StopSide::lower, .bound = {Expression(-0.5), {}}});
  builder.add_stop({.dof = 0, .side = StopSide::upper, .bound = {Expression(0.5), {}}});
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.torques.push_back({0, Expression::parse(force, kProfileVariables)});
  return s;
}

/// Rows of the cart.
constexpr int kLower = 0, kUpper = 1, kFriction = 2;

/// Goes on step by step until something happens.
class Watched {
 public:
  Watched(const Scenario& s, const Mode& mode)
      : scenario_(s),
        motion_(scenario_),
        tolerances_(s.model, find_scales(s.model, s.initial), s.run.tolerance),
        stepper_(motion_, scenario_.run, tolerances_),
        watch_(motion_, tolerances_) {
    Mode full = mode;
    full.slip.resize(motion_.rows().size(), 0);
    motion_.hold({full, {}});
    motion_.actuation().keep_sides(0, s.initial.q.data(), s.initial.v.data());
    stepper_.start(scenario_.initial);
  }

  EventWatch& watch() { return watch_; }

  struct Found {
    double t;
    Crossing crossing;
  };
  std::optional<Found> run(double until) {
    while (stepper_.state().t < until) {
      if (!stepper_.step(until)) throw std::runtime_error("no step succeeds");
      EventWatch::Finding finding = watch_.find(stepper_);
      while (finding.retry) {
        if (!stepper_.retry(*finding.retry)) throw std::runtime_error("no step succeeds");
        finding = watch_.find(stepper_);
      }
      if (finding.crossing) return Found{stepper_.t() + finding.crossing->theta * stepper_.h(), *finding.crossing};
      stepper_.accept(1);
    }
    return std::nullopt;
  }

 private:
  const Scenario scenario_;
  ConstrainedMotion motion_;
  Tolerances tolerances_;
  Stepper stepper_;
  EventWatch watch_;
};

/// Times are those of crossings of functions with slopes of size 1 that are followed to 1e-8.
constexpr double kTime = 1e-7;

TEST(EventWatch, FindsTheStopThatIsMet) {
  for (const double sign : {-1.0, 1.0}) {
    for (const IntegratorKind kind :
         {IntegratorKind::explicit_pair, IntegratorKind::implicit_radau, IntegratorKind::rk4}) {
      Scenario s = make_cart(sign < 0 ? "-3" : "3");
      s.initial.v(0) = 0.4 * sign;
      s.run.integrator = kind;
      Watched run(s, {});
      const auto found = run.run(1);
      ASSERT_TRUE(found);
      // 0.4 t + 0.75 t² = 0.5.
      EXPECT_NEAR(found->t, (-0.4 + std::sqrt(0.16 + 4 * 0.75 * 0.5)) / 1.5, kTime);
      EXPECT_EQ(found->crossing.kind, CrossingKind::gap);
      EXPECT_EQ(found->crossing.row, sign < 0 ? kLower : kUpper);
    }
  }
}

TEST(EventWatch, SeesAGrazeOnlyIfItTouches) {
  // Thrown against a constant force, the cart turns round at v²/(2 · 1.5).
  for (const double turn : {0.5 - 1e-6, 0.5 + 1e-6}) {
    Scenario s = make_cart("-3");
    s.initial.v(0) = std::sqrt(2 * 1.5 * turn);
    Watched run(s, {});
    const auto found = run.run(1.2);
    EXPECT_EQ(found.has_value(), turn > 0.5) << turn;
    if (found) {
      EXPECT_NEAR(found->t, (s.initial.v(0) - std::sqrt(2 * 1.5 * 1e-6)) / 1.5, 1e-6);
    }
  }
}

TEST(EventWatch, FindsWhereSlipComesToRest) {
  for (const int direction : {-1, 1}) {
    Scenario s = make_cart("0", 3);
    s.initial.v(0) = 0.6 * direction;
    Mode mode;
    mode.slip = {0, 0, direction};
    Watched run(s, mode);
    const auto found = run.run(2);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->t, 0.6 / 1.5, kTime);
    EXPECT_EQ(found->crossing.kind, CrossingKind::slip);
    EXPECT_EQ(found->crossing.row, kFriction);
  }
}

TEST(EventWatch, FindsWhereAStopWouldHaveToPull) {
  Scenario s = make_cart("2*t - 1.5");
  s.initial.q(0) = -0.5;
  Mode mode;
  mode.hold(kLower);
  Watched run(s, mode);
  const auto found = run.run(2);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->t, 0.75, kTime);
  EXPECT_EQ(found->crossing.kind, CrossingKind::reaction);
  EXPECT_EQ(found->crossing.row, kLower);
  EXPECT_FALSE(found->crossing.at_upper);
}

/// The reaction of friction is opposite to the push: it leaves its lower bound where the push is positive.
TEST(EventWatch, FindsWhereFrictionGivesWay) {
  for (const bool pushes_back : {false, true}) {
    Scenario s = make_cart(pushes_back ? "-4*t" : "4*t", 3);
    Mode mode;
    mode.hold(kFriction);
    Watched run(s, mode);
    const auto found = run.run(2);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->t, 0.75, kTime);
    EXPECT_EQ(found->crossing.kind, CrossingKind::reaction);
    EXPECT_EQ(found->crossing.at_upper, pushes_back);
  }
}

TEST(EventWatch, FindsWhereAnActuatorReachesItsLimit) {
  for (const bool is_upper : {false, true}) {
    const Scenario s = make_cart(is_upper ? "4*t" : "-4*t", 0, 1);
    Watched run(s, {});
    const auto found = run.run(1);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->t, 0.25, kTime);
    EXPECT_EQ(found->crossing.kind, CrossingKind::effort);
    EXPECT_EQ(found->crossing.row, 0) << "the degree of freedom";
    EXPECT_EQ(found->crossing.at_upper, is_upper);
  }
}

TEST(EventWatch, HasNoWorkWhereNothingCanHappen) {
  Watched swing(test::pendulum(1, 0.1), {});
  EXPECT_FALSE(swing.watch().has_work());
  Watched cart(make_cart("0"), {});
  EXPECT_TRUE(cart.watch().has_work());
  EXPECT_FALSE(cart.run(1)) << "at rest between its stops";
}

}  // namespace
}  // namespace thenar::event_watch_test
