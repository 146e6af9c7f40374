// SPDX-License-Identifier: BSD-3-Clause
//
// What happens to contacts during a motion, located in time: against closed forms. A small driver goes from event to
// event: impact, instant, motion while contacts hold.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thenar/dynamics/kinematics.h"
#include "thenar/io/scenario_reader.h"
#include "thenar/simulate/contact_impact.h"
#include "thenar/simulate/contact_instant.h"
#include "thenar/simulate/contact_watch.h"

namespace thenar {
namespace {

constexpr double kGravity = 9.81;
/// m/s: far above rounding of these motions, far below anything that is compared.
constexpr double kNoSlip = 1e-10;

struct ToldEvent {
  double t;
  ContactCrossingKind kind;
  VectorX<double> q;
};

class Driver {
 public:
  explicit Driver(const std::string& text)
      : scenario_(parse_scenario("thenar: 1\n" + text + "run: {until: 10, tolerance: 1e-12}\n", "test.yaml")),
        motion_(scenario_),
        tolerances_(scenario_.model, find_scales(scenario_.model, scenario_.initial), scenario_.run.tolerance),
        stepper_(motion_, scenario_.run, tolerances_),
        watch_(scenario_, motion_),
        workspace_(scenario_.model),
        finder_(scenario_.model, scenario_.shapes, *scenario_.contacts),
        state_(scenario_.initial) {
    settle();
  }

  void run_to(double t) {
    while (state_.t < t) {
      ASSERT_TRUE(stepper_.step(t));
      auto crossing = watch_.find(stepper_);
      if (crossing && !crossing->is_certain) crossing = ask_instants(*crossing);
      stepper_.accept(crossing ? crossing->theta : 1);
      state_ = stepper_.state();
      if (!crossing) continue;
      events.push_back({state_.t, crossing->kind, state_.q});
      ASSERT_LT(events.size(), 1000U);
      if (crossing->kind == ContactCrossingKind::stick) bring_to_rest(crossing->held);
      settle();
    }
  }

  const State& state() const { return state_; }
  const ConstrainedMotion& motion() const { return motion_; }
  long long steps() const { return stepper_.steps(); }
  std::vector<ToldEvent> events;

 private:
  /// Redundant contacts: forces beyond their bounds say nothing as long as others bring about the same motion. The
  /// instant is asked at the end of the step, and if it has changed its mind, in between.
  std::optional<ContactCrossing> ask_instants(ContactCrossing crossing) {
    if (keeps_modes(1)) return std::nullopt;
    double before = 0;
    crossing.theta = 1;
    while (crossing.theta - before > 1e-12) {
      const double middle = 0.5 * (before + crossing.theta);
      (keeps_modes(middle) ? before : crossing.theta) = middle;
    }
    return crossing;
  }

  bool keeps_modes(double theta) {
    const Stepper::Point& point = stepper_.interpolate(theta);
    const Instant instant = solve({stepper_.t() + theta * stepper_.h(), point.q, point.v});
    std::size_t held = 0;
    for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
      const ContactMode mode = instant.cells.front().modes[i];
      if (mode == ContactMode::break_away) continue;
      const bool slides = mode == ContactMode::slide;
      const HeldContact& contact = motion_.contacts()[held++];
      if (slides != (contact.hold() == ContactHold::sliding)) return false;
    }
    return held == motion_.contacts().size();
  }

  Instant solve(const State& state) const {
    InstantOptions options;
    options.time = state.t;
    options.margins = false;
    return solve_instant(scenario_, state, options);
  }

  /// What is left of a slip that has ended is rounding.
  void bring_to_rest(int contact) {
    std::vector<HeldContact> held;
    for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
      const HeldContact& old = motion_.contacts()[i];
      held.push_back(
          remake(old.found(), old.law(), static_cast<int>(i) == contact ? ContactHold::rolling : old.hold()));
    }
    motion_.set_contacts(std::move(held));
    motion_.project(state_.q, state_.v);
  }

  HeldContact remake(const FoundContact& found, const ContactLaw& law, ContactHold hold) {
    update_positions(scenario_.model, state_.q.data(), workspace_);
    update_velocities(scenario_.model, state_.v.data(), workspace_);
    finder_.update(workspace_, 1e-6);
    for (const FoundContact& now : finder_.contacts()) {
      if (now.shape_A == found.shape_A && now.shape_B == found.shape_B && now.id == found.id) {
        return {scenario_.model, workspace_, finder_, now, law, hold, kNoSlip};
      }
    }
    throw std::runtime_error("contact lost");
  }

  /// Bodies that have just met are put on each other, so that rounding does not add up from bounce to bounce.
  void put_in_touch() {
    update_positions(scenario_.model, state_.q.data(), workspace_);
    update_velocities(scenario_.model, state_.v.data(), workspace_);
    finder_.update(workspace_, 1e-7);
    std::vector<HeldContact> touching;
    for (const FoundContact& found : finder_.contacts()) {
      touching.emplace_back(scenario_.model, workspace_, finder_, found, ContactLaw{}, ContactHold::smooth, 0);
    }
    motion_.set_contacts(std::move(touching));
    VectorX<double> v = state_.v;
    if (!motion_.contacts().empty()) motion_.project(state_.q, v);
  }

  void settle() {
    put_in_touch();
    for (int round = 0; round < 5; ++round) {
      const ImpactInstant impact = assemble_impact(scenario_, state_);
      if (!impact.is_struck()) break;
      const ImpactAnswer answer = solve_impact(impact.problem, scenario_.impact);
      ASSERT_EQ(answer.status, ImpactStatus::done);
      state_.v = impact.calc_velocity(answer.z);
    }
    const Instant instant = solve(state_);
    ASSERT_TRUE(instant.verdict == Verdict::unique || instant.verdict == Verdict::unique_motion_indeterminate_forces)
        << to_string(instant.verdict) << instant.reason;
    const InstantCell& cell = instant.cells.front();
    std::vector<HeldContact> held;
    for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
      const InstantContact& contact = instant.contacts[i];
      if (cell.modes[i] == ContactMode::break_away) continue;
      const bool slides = cell.modes[i] == ContactMode::slide;
      held.push_back(remake(contact.place, contact.law, slides ? ContactHold::sliding : ContactHold::rolling));
      if (slides) held.back().begin_slip({cell.slip[i][0], cell.slip[i][1], 0});
    }
    motion_.set_contacts(std::move(held));
    stepper_.start(state_);
  }

  Scenario scenario_;
  ConstrainedMotion motion_;
  Tolerances tolerances_;
  Stepper stepper_;
  ContactWatch watch_;
  Workspace<double> workspace_;
  ContactFinder finder_;
  State state_;
};

TEST(ContactEvents, SlidingBallRollsAtTheKnownTime) {
  // 2 v₀ / (7 μ g), and 5/7 v₀ from then on.
  Driver driver(
      "objects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0.1]}, velocity: {linear: [2, 0, "
      "0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n");
  driver.run_to(1);
  ASSERT_EQ(driver.events.size(), 1U);
  EXPECT_EQ(driver.events[0].kind, ContactCrossingKind::stick);
  EXPECT_NEAR(driver.events[0].t, 2 * 2 / (7 * 0.3 * kGravity), 1e-12);
  EXPECT_NEAR(driver.state().v(3), 10.0 / 7, 1e-12);
  EXPECT_EQ(driver.motion().contacts()[0].hold(), ContactHold::rolling);
}

TEST(ContactEvents, BallBouncesAtTheKnownTimes) {
  const double e = 0.7, height = 0.5;
  Driver driver(fmt::format(
      "objects:\n  - {{name: ball, shape: {{sphere: 0.1}}, mass: 1, pose: {{xyz: [0, 0, {}]}}}}\n"
      "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\ncontacts: {{friction: 0.3, restitution: {}}}\n",
      height + 0.1, e));
  double t = std::sqrt(2 * height / kGravity), flight = 2 * t;
  driver.run_to(1.35);
  ASSERT_EQ(driver.events.size(), 4U);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(driver.events[static_cast<std::size_t>(i)].kind, ContactCrossingKind::touch);
    EXPECT_NEAR(driver.events[static_cast<std::size_t>(i)].t, t, 1e-11);
    flight *= e;
    t += flight;
  }
}

TEST(ContactEvents, LadderLeavesTheWallAtTwoThirdsOfItsHeight) {
  // A smooth ladder slides down between wall and floor: the wall lets go when its upper end is at 2/3 of the height at
  // the start. Planar, unit length, 60 degrees to the floor.
  const double angle = M_PI / 3;
  Driver driver(
      fmt::format("gravity: [0, -9.81, 0]\nobjects:\n"
                  "  - {{name: ladder, joint: planar, shape: {{rod: 1}}, shape_pose: {{rpy: [0, 90 deg, 0]}}, mass: 1, "
                  "pose: {{xyz: "
                  "[{}, {}, 0], rpy: [0, 0, {}]}}}}\n"
                  "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}, pose: {{rpy: [-90 deg, 0, 0]}}}}\n"
                  "  - {{name: wall, joint: fixed, shape: {{plane: {{}}}}, pose: {{rpy: [0, 90 deg, 0]}}}}\n"
                  "contacts: {{fingertip: frictionless}}\n",
                  0.5 * std::cos(angle), 0.5 * std::sin(angle), -angle));
  ASSERT_EQ(driver.motion().contacts().size(), 2U);
  driver.run_to(0.6);
  ASSERT_GE(driver.events.size(), 1U);
  EXPECT_EQ(driver.events[0].kind, ContactCrossingKind::break_away);
  // Late by the margin of forces, 1e-7 of them.
  EXPECT_NEAR(std::sin(-driver.events[0].q(2)), 2.0 / 3 * std::sin(angle), 1e-6);
}

TEST(ContactEvents, PushedBallSlipsWhenFrictionNoLongerSuffices) {
  // A force that grows through the middle of a ball on a floor, in the plane: rolling takes friction 2/7 F; slip begins
  // at 7/2 μ m g.
  Driver driver(
      "gravity: [0, -9.81, 0]\nobjects:\n"
      "  - {name: ball, joint: planar, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0.1, 0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}\ncontacts: {friction: 0.3}\n"
      "wrenches: [{body: ball, force: [20*t, 0, 0]}]\n");
  driver.run_to(1);
  ASSERT_EQ(driver.events.size(), 1U);
  EXPECT_EQ(driver.events[0].kind, ContactCrossingKind::slip);
  // Late by the margin of forces over the rate of friction, 1e-7 · m g / (2/7 · 20 N/s).
  EXPECT_NEAR(driver.events[0].t, 3.5 * 0.3 * kGravity / 20, 1e-6);
  EXPECT_EQ(driver.motion().contacts()[0].hold(), ContactHold::sliding);
}

TEST(ContactEvents, SlipThatBeginsInSpaceIsFollowed) {
  // The same in space, where the direction of slip settles the faster the slower slip is: stiff, as it begins.
  Driver driver(
      "objects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0.1]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n"
      "wrenches: [{body: ball, force: [20*t, 0, 0]}]\n");
  driver.run_to(0.53);
  ASSERT_EQ(driver.events.size(), 1U);
  EXPECT_EQ(driver.events[0].kind, ContactCrossingKind::slip);
  EXPECT_LT(driver.steps(), 1000);  // 75; without derivatives of friction by slip 36,000
}

std::string make_box(double height, double push_at, const std::string& force) {
  return fmt::format(
      "objects:\n  - {{name: box, shape: {{box: [0.2, 0.2, {0}]}}, mass: 1, pose: {{xyz: [0, 0, {1}]}}}}\n"
      "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\ncontacts: {{friction: 0.3}}\n"
      "wrenches: [{{body: box, force: [{2}, 0, 0], at: [0, 0, {3}]}}]\n",
      height, height / 2, force, push_at);
}

TEST(ContactEvents, PushedTallBoxTipsOverItsEdge) {
  // Pushed near its top it tips when F h = m g a, before it slips: two corners let go.
  Driver driver(make_box(0.6, 0.2, "10*t"));
  driver.run_to(0.25);
  ASSERT_GE(driver.events.size(), 1U);
  EXPECT_NEAR(driver.events[0].t, kGravity * 0.1 / 0.5 / 10, 1e-6);
  EXPECT_EQ(driver.motion().contacts().size(), 2U);
}

TEST(ContactEvents, SlidingBoxComesToRest) {
  Driver driver(
      "objects:\n  - {name: box, shape: {box: [0.2, 0.2, 0.05]}, mass: 1, pose: {xyz: [0, 0, 0.025]}, velocity: "
      "{linear: "
      "[0.6, 0.8, 0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n");
  driver.run_to(1);
  ASSERT_GE(driver.events.size(), 1U);
  EXPECT_NEAR(driver.events[0].t, 1 / (0.3 * kGravity), 1e-9);
  EXPECT_NEAR(driver.state().q.head<2>().norm(), 0.5 / (0.3 * kGravity), 1e-9);
  EXPECT_LT(driver.state().v.norm(), 1e-12);
}

}  // namespace
}  // namespace thenar
