// SPDX-License-Identifier: BSD-3-Clause
//
// The watch for ends of contact modes: a ball on a floor, at times that are known in closed form.

#include "thenar/events/contact_watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../support/contact_scenes.h"

namespace thenar::contact_watch_test {
namespace {

constexpr double kG = 9.81, kMass = test::kBallMass, kRadius = test::kBallRadius;
/// Forces count as beyond their bounds by 1e-7 of the largest of them, which takes so long (s) at the rates below.
constexpr double kTime = 1e-6;

/// Goes on step by step, with the contacts of the start held in one way, until something happens.
class Watched {
 public:
  Watched(const Scenario& s, std::optional<ContactHold> hold)
      : scenario_(s),
        motion_(scenario_),
        tolerances_(s.model, find_scales(s.model, s.initial), s.run.tolerance),
        stepper_(motion_, scenario_.run, tolerances_),
        watch_(scenario_, motion_) {
    if (hold) motion_.hold({motion_.mode(), test::hold_contacts(scenario_, *hold, tolerances_.slip_error())});
    stepper_.start(scenario_.initial);
  }

  struct Found {
    double t;
    ContactCrossing crossing;
  };
  std::optional<Found> run(double until) {
    while (stepper_.state().t < until) {
      require(stepper_.step(until));
      watch_.note_end(stepper_);
      ContactWatch::Finding finding = watch_.find(stepper_);
      while (finding.retry) {
        require(stepper_.retry(*finding.retry));
        watch_.note_end(stepper_);
        finding = watch_.find(stepper_);
      }
      if (finding.crossing) return Found{stepper_.t() + finding.crossing->theta * stepper_.h(), *finding.crossing};
      stepper_.accept(1);
    }
    return std::nullopt;
  }
  ContactWatch& watch() { return watch_; }
  const ConstrainedMotion& motion() const { return motion_; }

 private:
  static void require(bool is_done) {
    if (!is_done) throw std::runtime_error("no step succeeds");
  }

  const Scenario scenario_;
  ConstrainedMotion motion_;
  Tolerances tolerances_;
  Stepper stepper_;
  ContactWatch watch_;
};

void push(Scenario& s, const char* x, const char* y, const char* z) {
  WrenchProfile wrench;
  wrench.body = s.model.body_of("ball");
  wrench.force = {Expression::parse(x, kProfileVariables), Expression::parse(y, kProfileVariables),
                  Expression::parse(z, kProfileVariables)};
  s.wrenches.push_back(wrench);
}

TEST(ContactWatch, FindsWhereSlidingTurnsIntoRolling) {
  Scenario s = test::ball_over_floor(0, {.friction = 0.2});
  s.initial.v(3) = 1.4;
  Watched run(s, ContactHold::sliding);
  const auto found = run.run(1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->crossing.kind, ContactCrossingKind::stick);
  EXPECT_EQ(found->crossing.held, 0);
  EXPECT_EQ(found->crossing.name, "ball/floor");
  EXPECT_NEAR(found->t, 2 * 1.4 / (7 * 0.2 * kG), kTime);
}

TEST(ContactWatch, FindsWhereAContactWouldHaveToPull) {
  Scenario s = test::ball_over_floor(0);
  push(s, "0", "0", "9.81*t/0.8");
  for (const ContactHold hold : {ContactHold::rolling, ContactHold::smooth}) {
    Watched run(s, hold);
    const auto found = run.run(1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->crossing.kind, ContactCrossingKind::break_away);
    EXPECT_NEAR(found->t, 0.8, kTime);
  }
}

/// Pushed at its middle by F, a ball needs 2/7 F of friction.
TEST(ContactWatch, FindsWhereFrictionNoLongerSufficesAndWhereSlipIsGoing) {
  Scenario s = test::ball_over_floor(0, {.friction = 0.3});
  push(s, "6*t", "8*t", "0");
  Watched run(s, ContactHold::rolling);
  const auto found = run.run(3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->crossing.kind, ContactCrossingKind::slip);
  EXPECT_NEAR(found->t, 3.5 * 0.3 * kMass * kG / 10, kTime);
  // Along the push, as seen in the contact frame.
  const ContactFrame<double>& frame = run.motion().contacts().front().frame();
  const Vector3<double> slip = found->crossing.slip[0] * frame.T.eigen() + found->crossing.slip[1] * frame.U.eigen();
  EXPECT_LT((slip.normalized() - Vector3<double>(0.6, 0.8, 0)).norm(), 1e-6);
}

TEST(ContactWatch, FindsATouchBesideWhatHolds) {
  // Two balls on a floor; one rolls towards the other.
  ModelBuilder builder;
  const BodyIndex floor = builder.add_body({.name = "floor"}, kWorld, {.name = "ground", .kind = JointKind::fixed});
  std::vector<BodyShape> shapes{{floor, Plane{}, {}}};
  for (const char* name : {"near", "far"}) {
    const BodyIndex ball = builder.add_body({.name = name, .mass = mass_properties_from_mass(Sphere{kRadius}, kMass)},
                                            kWorld, {.name = name, .kind = JointKind::free});
    shapes.push_back({ball, Sphere{kRadius}, {}});
  }
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.shapes = shapes;
  s.contacts = ContactRules{};
  s.initial.q(2) = s.initial.q(9) = kRadius;
  s.initial.q(7) = 0.9;
  s.initial.v(1) = 1 / kRadius, s.initial.v(3) = 1;
  Watched run(s, ContactHold::rolling);
  const auto found = run.run(2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->crossing.kind, ContactCrossingKind::touch);
  EXPECT_EQ(found->crossing.held, -1);
  EXPECT_EQ(found->crossing.name, "near/far");
  EXPECT_NEAR(found->t, 0.9 - 2 * kRadius, kTime);
}

TEST(ContactWatch, FindsWhereAContactLeavesItsFace) {
  Scenario s = test::ball_over_floor(0);
  s.shapes[1] = {s.shapes[1].body, Box{{0.6, 0.4, 0.2}}, Pose<double>::translation({0, 0, -0.1})};
  s.initial.v(1) = 1 / kRadius, s.initial.v(3) = 1;
  Watched run(s, ContactHold::rolling);
  const auto found = run.run(2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->crossing.kind, ContactCrossingKind::face);
  EXPECT_NEAR(found->t, 0.3, kTime);
}

TEST(ContactWatch, FindsNothingWhereNothingHappens) {
  Scenario s = test::ball_over_floor(0);
  s.initial.v(1) = 1 / kRadius, s.initial.v(3) = 1;
  Watched rolling(s, ContactHold::rolling);
  EXPECT_FALSE(rolling.run(3));
  const std::vector<Vector4<double>>& forces = rolling.watch().calc_forces();
  ASSERT_EQ(forces.size(), 1u);
  EXPECT_NEAR(forces.front()(0), kMass * kG, 1e-9);
  Watched flying(test::ball_over_floor(10), std::nullopt);
  EXPECT_FALSE(flying.run(0.5));
}

}  // namespace
}  // namespace thenar::contact_watch_test
