// SPDX-License-Identifier: BSD-3-Clause
//
// Bridges: one step over what cannot be followed. What a step of order 1 must be, on motions with closed forms.

#include <cmath>

#include "motion_scenes.h"
#include "thenar/engine/contact_bridge_internal.h"

namespace thenar::bridge_test {
namespace {

using namespace test;

Scenario make_scene(const std::string& objects, const std::string& contacts) {
  return parse_scenario("thenar: 1\nobjects:\n  - {name: floor, joint: fixed, shape: {plane: {}}}\n" + objects +
                            "contacts: {" + contacts + "}\nrun: {until: 1}\n",
                        "bridge.yaml");
}

/// The state after one bridge of h from the start.
State cross(const Scenario& scenario, double h, internal::BridgedStep& step) {
  internal::AssemblyContext context(scenario, scenario.initial);
  State state = scenario.initial;
  const auto taken = internal::bridge(context, state, h);
  EXPECT_TRUE(taken.has_value());
  if (taken) step = *taken;
  return state;
}

TEST(Bridge, SlidingBlockLosesFrictionTimesTime) {
  const Scenario scenario = make_scene(
      "  - {name: block, shape: {box: [0.1, 0.1, 0.04]}, mass: 0.5, pose: {xyz: [0, 0, 0.02]}, velocity: {linear: [1, "
      "0, "
      "0]}}\n",
      "friction: 0.4");
  for (const double h : {1e-3, 1e-5}) {
    internal::BridgedStep step;
    const State state = cross(scenario, h, step);
    EXPECT_NEAR(state.v(3), 1 - 0.4 * kGravity * h, 1e-9);  // what the cone solver promises
    EXPECT_NEAR(state.q(0), h * (1 - 0.4 * kGravity * h), 1e-9 * h);
    EXPECT_NEAR(state.q(2), 0.02, 1e-12);
    EXPECT_NEAR(step.energy_lost, 0.5 * 0.5 * (1 - state.v(3) * state.v(3)), 1e-9);
    EXPECT_EQ(state.t, h);
  }
}

TEST(Bridge, FallingBallStopsOnTheFloorAndNotInIt) {
  const Scenario scenario = make_scene(
      "  - {name: ball, shape: {sphere: 0.05}, mass: 1, pose: {xyz: [0, 0, 0.0501]}, velocity: {linear: [0, 0, -1]}}\n",
      "friction: 0.4, restitution: 0.9");
  internal::BridgedStep step;
  const State state = cross(scenario, 1e-3, step);
  // The gap of 0.1 mm is closed within the step, which has the speed that does it.
  EXPECT_NEAR(state.q(2), 0.05, 1e-12);
  EXPECT_NEAR(state.v(5), -0.1, 1e-9);
  EXPECT_GT(step.energy_lost, 0);
}

/// A ball that rolls and slides: errors of place fall with h, those of velocity, whose forces are constant, are none.
TEST(Bridge, IsOfFirstOrder) {
  const Scenario scenario = make_scene(
      "  - {name: ball, shape: {sphere: 0.05}, mass: 1, pose: {xyz: [0, 0, 0.05]}, velocity: {linear: [1, 0, 0]}}\n",
      "friction: 0.3");
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    internal::BridgedStep step;
    const State state = cross(scenario, h, step);
    EXPECT_NEAR(state.v(3), 1 - 0.3 * kGravity * h, 1e-9);
    const double error = std::abs(state.q(0) - (h - 0.15 * kGravity * h * h));
    // One step is wrong by its square: half the step, a quarter of the error.
    if (last > 0) {
      EXPECT_NEAR(error / last, 0.25, 0.01);
    }
    last = error;
  }
}

TEST(Bridge, StopsAndFrictionOfJointsTakePart) {
  const Scenario scenario = parse_scenario(
      "thenar: 1\ngravity: [0, 0, 0]\nhands:\n  - name: cart\n    bodies:\n"
      "      - {name: a, joint: {name: x, type: prismatic, axis: [1, 0, 0], limits: {lower: 0, restitution: 0.5}}, "
      "shape: "
      "{sphere: 0.1}, mass: 1}\n"
      "      - {name: b, joint: {name: y, type: prismatic, axis: [0, 1, 0], frame: {xyz: [1, 0, 0]}, friction: 2}, "
      "shape: "
      "{sphere: 0.1}, mass: 1}\n"
      "    q: {x: 1 mm}\n    v: {x: -2, y: 1}\ncontacts: {friction: 0.5}\nrun: {until: 1}\n",
      "bridge.yaml");
  internal::BridgedStep step;
  const State state = cross(scenario, 1e-3, step);
  EXPECT_NEAR(state.q(0), 0, 1e-12);
  EXPECT_NEAR(state.v(1), 1 - 2 * 1e-3, 1e-9);
}

/// A cart of 1 kg on a rail with a stop at 0, which a force of 100 N drives away from it.
Scenario make_driven_cart(const std::string& start) {
  return parse_scenario(
      "thenar: 1\ngravity: [0, 0, 0]\nhands:\n  - name: cart\n    bodies:\n"
      "      - {name: a, joint: {name: x, type: prismatic, axis: [1, 0, 0], limits: {lower: 0}}, shape: {sphere: 0.1}, "
      "mass: 1}\n    " +
          start + "\ncontrol: [{torque: {cart.x: 100}}]\ncontacts: {friction: 0.5}\nrun: {until: 1}\n",
      "bridge.yaml");
}

TEST(Bridge, WorkIsDoneAlongTheWayThatIsGone) {
  internal::BridgedStep step;
  // Stopped by the rail within the step: the force moves nothing, and all of ½ m v² is lost.
  cross(make_driven_cart("v: {x: -2}"), 1e-3, step);
  EXPECT_NEAR(step.work, 0, 1e-9);
  EXPECT_NEAR(step.energy_lost, 2, 1e-9);
  // Away from it: F h v⁺ with v⁺ = v + F h/m. What ½ m (v⁺² − v²) leaves of that, ½ F² h²/m, is the error of the step;
  // it must not be a gain.
  cross(make_driven_cart("q: {x: 1}\n    v: {x: 1}"), 1e-4, step);
  EXPECT_NEAR(step.work, 100 * 1e-4 * 1.01, 1e-12);
  EXPECT_NEAR(step.energy_lost, 0.5 * 0.01 * 0.01, 1e-12);
}

TEST(Bridge, AnswersNothingWhereItWouldGainEnergy) {
  // A spring that is far too stiff for a step of 0.1 s, taken explicitly.
  const Scenario scenario = parse_scenario(
      "thenar: 1\ngravity: [0, 0, 0]\nhands:\n  - name: cart\n    bodies:\n"
      "      - {name: a, joint: {name: x, type: prismatic, axis: [1, 0, 0], spring: {stiffness: 1e6}}, shape: {sphere: "
      "0.1}, "
      "mass: "
      "1}\n    q: {x: 1 cm}\ncontacts: {friction: 0.5}\nrun: {until: 1}\n",
      "bridge.yaml");
  internal::AssemblyContext context(scenario, scenario.initial);
  State state = scenario.initial;
  EXPECT_FALSE(internal::bridge(context, state, 0.1).has_value());
  EXPECT_EQ(state.q, scenario.initial.q);
  EXPECT_EQ(state.t, scenario.initial.t);
}

}  // namespace
}  // namespace thenar::bridge_test
