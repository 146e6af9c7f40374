// SPDX-License-Identifier: BSD-3-Clause
//
// What happens to contacts during a run, located in time: against closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::contact_events_test {
namespace {

constexpr double kGravity = 9.81;

/// A run of the objects and contacts, with its rows every `sample` seconds.
Trace run(const std::string& text, double until, double sample = 1) {
  Trace trace = record(parse_scenario(
      fmt::format("thenar: 1\n{}run: {{until: {}, tolerance: 1e-12, sample: {}}}\n", text, until, sample),
      "test.yaml"));
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  return trace;
}

/// Events of one kind.
std::vector<Event> list(const Trace& trace, EventKind kind) {
  std::vector<Event> out;
  for (const Event& event : trace.events) {
    if (event.kind == kind) out.push_back(event);
  }
  return out;
}

TEST(ContactEvents, SlidingBallRollsAtTheKnownTime) {
  // 2 v₀ / (7 μ g), and 5/7 v₀ from then on.
  const Trace trace = run(
      "objects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0.1]}, velocity: {linear: [2, 0, "
      "0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n",
      1);
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events[0].kind, EventKind::stick);
  EXPECT_NEAR(trace.events[0].t, 2 * 2 / (7 * 0.3 * kGravity), 1e-12);
  EXPECT_NEAR(trace.report.last.v(3), 10.0 / 7, 1e-12);
  EXPECT_EQ(trace.samples.back().contacts[0].mode, ContactMode::roll);
}

TEST(ContactEvents, BallBouncesAtTheKnownTimes) {
  const double e = 0.7, height = 0.5;
  const Trace trace = run(
      fmt::format(
          "objects:\n  - {{name: ball, shape: {{sphere: 0.1}}, mass: 1, pose: {{xyz: [0, 0, {}]}}}}\n"
          "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\ncontacts: {{friction: 0.3, restitution: {}}}\n",
          height + 0.1, e),
      1.35);
  double t = std::sqrt(2 * height / kGravity), flight = 2 * t;
  ASSERT_EQ(trace.events.size(), 4U);
  for (const Event& event : trace.events) {
    EXPECT_EQ(event.kind, EventKind::impact);
    EXPECT_NEAR(event.t, t, 1e-11);
    flight *= e;
    t += flight;
  }
}

TEST(ContactEvents, LadderLeavesTheWallAtTwoThirdsOfItsHeight) {
  // A smooth ladder slides down between wall and floor: the wall lets go when its upper end is at 2/3 of the height at
  // the start. Planar, unit length, 60 degrees to the floor.
  const double angle = M_PI / 3;
  const std::string text = fmt::format(
      "gravity: [0, -9.81, 0]\nobjects:\n"
      "  - {{name: ladder, joint: planar, shape: {{rod: 1}}, shape_pose: {{rpy: [0, 90 deg, 0]}}, mass: 1, "
      "pose: {{xyz: "
      "[{}, {}, 0], rpy: [0, 0, {}]}}}}\n"
      "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}, pose: {{rpy: [-90 deg, 0, 0]}}}}\n"
      "  - {{name: wall, joint: fixed, shape: {{plane: {{}}}}, pose: {{rpy: [0, 90 deg, 0]}}}}\n"
      "contacts: {{fingertip: frictionless}}\n",
      0.5 * std::cos(angle), 0.5 * std::sin(angle), -angle);
  const Trace trace = run(text, 0.6);
  ASSERT_EQ(trace.samples.front().contacts.size(), 2U);
  ASSERT_GE(trace.events.size(), 1U);
  EXPECT_EQ(trace.events[0].kind, EventKind::break_away);
  // Late by the margin of forces, 1e-7 of them.
  EXPECT_NEAR(std::sin(-run(text, trace.events[0].t).report.last.q(2)), 2.0 / 3 * std::sin(angle), 1e-6);
}

TEST(ContactEvents, PushedBallSlipsWhenFrictionNoLongerSuffices) {
  // A force that grows through the middle of a ball on a floor, in the plane: rolling takes friction 2/7 F; slip begins
  // at 7/2 μ m g.
  const Trace trace = run(
      "gravity: [0, -9.81, 0]\nobjects:\n"
      "  - {name: ball, joint: planar, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0.1, 0]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}\ncontacts: {friction: 0.3}\n"
      "wrenches: [{body: ball, force: [20*t, 0, 0]}]\n",
      1);
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events[0].kind, EventKind::slip);
  // Late by the margin of forces over the rate of friction, 1e-7 · m g / (2/7 · 20 N/s).
  EXPECT_NEAR(trace.events[0].t, 3.5 * 0.3 * kGravity / 20, 1e-6);
  EXPECT_EQ(trace.samples.back().contacts[0].mode, ContactMode::slide);
}

TEST(ContactEvents, SlipThatBeginsInSpaceIsFollowed) {
  // The same in space, where the direction of slip settles the faster the slower slip is: stiff, as it begins.
  const Trace trace =
      run("objects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0.1]}}\n"
          "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n"
          "wrenches: [{body: ball, force: [20*t, 0, 0]}]\n",
          0.53);
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events[0].kind, EventKind::slip);
  EXPECT_LT(trace.report.steps, 1000);  // 75; without derivatives of friction by slip 36,000
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
  const Trace trace = run(make_box(0.6, 0.2, "10*t"), 0.25);
  ASSERT_GE(trace.events.size(), 1U);
  EXPECT_NEAR(trace.events[0].t, kGravity * 0.1 / 0.5 / 10, 1e-6);
  EXPECT_EQ(list(trace, EventKind::break_away).size(), 2U);
}

TEST(ContactEvents, SlidingBoxComesToRest) {
  const Trace trace =
      run("objects:\n  - {name: box, shape: {box: [0.2, 0.2, 0.05]}, mass: 1, pose: {xyz: [0, 0, 0.025]}, velocity: "
          "{linear: "
          "[0.6, 0.8, 0]}}\n"
          "  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: {friction: 0.3}\n",
          1);
  ASSERT_GE(trace.events.size(), 1U);
  EXPECT_NEAR(trace.events[0].t, 1 / (0.3 * kGravity), 1e-9);
  EXPECT_NEAR(trace.report.last.q.head<2>().norm(), 0.5 / (0.3 * kGravity), 1e-9);
  EXPECT_LT(trace.report.last.v.norm(), 1e-12);
}

/// The first step after the strike is tried far too long and leads the contact to the other side of the ring. The next
/// one begins where the contact is; followed from there, the other side would be held, and lose its speed unbooked.
TEST(ContactEvents, ATryThatIsTooLongDoesNotMoveAContact) {
  for (const char* shape : {"torus: {radius: 0.04, tube: 0.01}", "cylinder: {radius: 0.05, length: 0.02}"}) {
    SCOPED_TRACE(shape);
    const Trace trace =
        run(fmt::format("objects:\n  - {{name: ring, shape: {{{}}}, density: 1000, "
                        "pose: {{xyz: [0, 0, 0.05], rpy: [0.2, 0, 0]}}}}\n"
                        "  - {{name: bowl, joint: fixed, shape: {{bowl: {{radius: 0.2, depth: 0.1}}}}}}\n"
                        "contacts: {{friction: 0.4}}\n",
                        shape),
            3);
    const EnergyBalance& energy = trace.report.energy;
    EXPECT_GT(energy.dissipated, 0.1);
    EXPECT_NEAR(energy.start - energy.dissipated, energy.end, 1e-9 * energy.dissipated) << "tolerance 1e-12, few steps";
  }
}

}  // namespace
}  // namespace thenar::contact_events_test
