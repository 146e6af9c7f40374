// SPDX-License-Identifier: BSD-3-Clause
//
// Motions with infinitely many events in finite time that are no bouncing: a run says so and ends, and can be
// interrupted on the way.

#include <atomic>

#include "motion_scenes.h"

namespace thenar::storm_test {
namespace {

using namespace test;

/// A block on a floor under a push that swings faster and faster, k/x² sin(c/x) with x = T - t: without friction its
/// speed would be -k/c cos(c/x). Friction changes that by no more than mu g x from there on, so that slip turns round
/// in every half swing: infinitely many events before T, at a speed that does not fade.
Scenario make_storm(double T, double c) {
  return parse_scenario(
      fmt::format(
          "thenar: 1\ngravity: [0, -9.81, 0]\nobjects:\n"
          "  - {{name: block, joint: planar, shape: {{box: [0.2, 0.05, 0.2]}}, mass: 1, pose: {{xyz: [0, 0.025, "
          "0]}}}}\n"
          "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}, pose: {{rpy: [-90 deg, 0, 0]}}}}\n"
          "contacts: {{friction: 0.3}}\n"
          "wrenches: [{{body: block, force: [0.1*{0}/({1} - t)^2*sin({0}/({1} - t)), 0, 0]}}]\n"
          "run: {{until: 1}}\n",
          c, T),
      "storm.yaml");
}

TEST(Storm, EndsWithItsTimeAndItsContact) {
  const Trace trace = record(make_storm(0.5, 0.02));
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("events from t = 0.49"), std::string::npos) << trace.report.reason;
  EXPECT_NE(trace.report.reason.find("they come faster than the motion can be followed"), std::string::npos);
  EXPECT_NE(trace.report.reason.find("of 'block/floor"), std::string::npos) << trace.report.reason;
  // What was reached is good, and just before the storm.
  EXPECT_LT(trace.report.last.t, 0.5);
  EXPECT_GT(trace.report.last.t, 0.499);
  EXPECT_EQ(trace.samples.back().state.t, trace.report.last.t);
  // Errors of steps, of the energy that lifts the block by 10 cm (as in motion_laws_test.cc).
  EXPECT_LT(std::abs(trace.report.energy.error()), 1e-8 * kGravity * 0.1 * static_cast<double>(trace.report.steps));
}

TEST(Storm, TellsItsProgressAndCanBeInterrupted) {
  const Scenario scenario = make_storm(0.5, 0.5);
  std::atomic<bool> interrupt{false};
  RunCallbacks callbacks;
  std::vector<double> progress;
  int events = 0;
  callbacks.on_progress = [&](double t) { progress.push_back(t); };
  callbacks.on_event = [&](const Event&) { interrupt = ++events >= 300; };
  callbacks.interrupt = &interrupt;
  const RunReport report = simulate(scenario, callbacks);
  EXPECT_EQ(report.status, RunStatus::interrupted);
  EXPECT_NE(report.reason.find("interrupted at t = 0.49"), std::string::npos) << report.reason;
  EXPECT_LT(events, 310);  // the rest of its instant
  ASSERT_GE(progress.size(), 1U);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
}

TEST(Storm, OfProfilesNamesThem) {
  // A torque that jumps infinitely often before T.
  const Trace trace = record(
      parse_scenario("thenar: 1\nobjects:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1}\n"
                     "wrenches: [{body: ball, force: [\"sin(0.02/(0.5 - t)) > 0 ? 1 : -1\", 0, 0]}]\nrun: {until: 1}\n",
                     "storm.yaml"));
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("the force on body 'ball'"), std::string::npos) << trace.report.reason;
}

}  // namespace
}  // namespace thenar::storm_test
