// SPDX-License-Identifier: BSD-3-Clause
//
// What a run with contacts tells and promises beside the motion itself: margins, verdicts, options, names, determinism.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::contact_run_test {
namespace {

constexpr double kGravity = 9.81;
const std::string kFloor = "  - {name: floor, joint: fixed, shape: {plane: {}}}\n";

Scenario read(const std::string& text, const std::string& run) {
  return parse_scenario("thenar: 1\n" + text + "run: {" + run + "}\n", "test.yaml");
}

Scenario read_truth(const std::string& name, const std::vector<std::string>& overrides) {
  return read_scenario(THENAR_SOURCE_DIR "/scenes/truth/" + name + ".yaml", overrides);
}

std::string make_pushed_box(const std::string& force) {
  return "objects:\n  - {name: box, shape: {box: [0.2, 0.2, 0.05]}, mass: 1, pose: {xyz: [0, 0, 0.025]}}\n" + kFloor +
         "contacts: {friction: 0.3}\nwrenches: [{body: box, force: [" + force + ", 0, 0]}]\n";
}

TEST(ContactRun, MarginOfAPatchIsThatOfItsWrench) {
  // A push F through the height of the middle: friction F of at most μ m g, however the corners share it.
  const Trace trace = record(read(make_pushed_box("5*t"), "until: 0.5, sample: 0.1"));
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  for (const Sample& sample : trace.samples) {
    ASSERT_EQ(sample.contacts.size(), 4U);
    const double share = 5 * sample.state.t / (0.3 * kGravity);
    for (const Contact& contact : sample.contacts) {
      EXPECT_NEAR(contact.margin, 1 - share, 2e-4) << sample.state.t;  // told to 1e-4
      EXPECT_EQ(contact.mode, ContactMode::stick);
    }
  }
}

TEST(ContactRun, BodiesPutInTouchDoNotPassStops) {
  // A light finger that is pressed towards a heavy box has 1e-8 m to go, within which bodies count as touching, but its
  // stop comes first. Putting it on the box moves the finger, not the box.
  const std::string scene =
      "gravity: [0, 0, 0]\nhands:\n  - name: finger\n    bodies:\n"
      "      - {name: tip, joint: {name: x, type: prismatic, axis: [1, 0, 0], limits: {upper: 4e-9}}, "
      "shape: {sphere: 0.01}, mass: 1e-4}\n"
      "objects:\n  - {name: box, shape: {box: [0.2, 0.2, 0.2]}, mass: 10, pose: {xyz: [0.11000001, 0, 0]}}\n"
      "contacts: {friction: 0.5}\n";
  for (const char* force : {"1e-3", "0"}) {
    const Trace trace = record(read(scene + "control: [{torque: {finger.x: " + force + "}}]\n", "until: 0.1"));
    EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    EXPECT_LT(trace.report.max_gap_violation, 1e-15) << force;  // rounding of 1e-8 m beside 0.1 m
    EXPECT_LE(trace.report.last.q(0), 4e-9 + 1e-15);
  }
}

TEST(ContactRun, ForcesAreAdmissibleAndCarryTheWeight) {
  // Near tipping the least forces would have to pull at one edge: others are told.
  const Trace trace =
      record(read("objects:\n  - {name: box, shape: {box: [0.1, 0.1, 0.4]}, mass: 2, pose: {xyz: [0, 0, 0.2]}}\n" +
                      kFloor + "contacts: {friction: 0.8}\nwrenches: [{body: box, force: [4.8, 0, 0]}]\n",
                  "until: 1, sample: 0.25"));
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  ASSERT_TRUE(trace.events.empty()) << describe(trace.events.front());
  for (const Sample& sample : trace.samples) {
    double normal = 0, along = 0;
    for (const Contact& contact : sample.contacts) {
      EXPECT_GE(contact.force_on_A.normal, -1e-8);
      EXPECT_LE(std::hypot(contact.force_on_A.along_T, contact.force_on_A.along_U),
                0.8 * contact.force_on_A.normal + 1e-7);
      normal += contact.force_on_A.normal, along += contact.force_on_A.along_T;
    }
    EXPECT_NEAR(normal, 2 * kGravity, 1e-7);
    EXPECT_NEAR(along, -4.8, 1e-7);
  }
}

TEST(ContactRun, StopsWhereRigidBodiesHaveNoMotion) {
  const Trace trace = record(read_truth("painleve_rod", {"parameters.mu=1.4", "contacts.law=rigid"}));
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("no motion"), std::string::npos) << trace.report.reason;
  ASSERT_EQ(trace.report.verdicts.size(), 0U);
}

TEST(ContactRun, SeveralMotionsStopARunUnlessItIsToldToGoOn) {
  // Sliding to the left with b > 0 it can part or be pressed on the ground.
  const std::vector<std::string> several{"parameters.mu=1.4", "parameters.spin=6", "run.until=0.01",
                                         "contacts.law=rigid"};
  const Trace stopped = record(read_truth("painleve_rod", several));
  EXPECT_EQ(stopped.report.status, RunStatus::failed);
  EXPECT_NE(stopped.report.reason.find("several motions"), std::string::npos) << stopped.report.reason;
  EXPECT_NE(stopped.report.reason.find("rod/ground break"), std::string::npos) << stopped.report.reason;
  EXPECT_NE(stopped.report.reason.find("rod/ground slide"), std::string::npos) << stopped.report.reason;
  std::vector<std::string> calm = several;
  calm.push_back("run.on_indeterminate=min_acceleration");
  const Trace parted = record(read_truth("painleve_rod", calm));
  ASSERT_EQ(parted.report.status, RunStatus::done) << parted.report.reason;
  ASSERT_FALSE(parted.report.verdicts.empty());
  EXPECT_EQ(parted.report.verdicts.front().verdict, Verdict::several);
}

TEST(ContactRun, BaumgarteHoldsContactsNearly) {
  // A ball that rolls in a bowl: gap and slip are drawn back, not put back, and the motion is the same to that.
  const double height = 0.3 - std::sqrt(0.25 * 0.25 - 0.1 * 0.1);  // of the middle, above the bottom
  const std::string text = fmt::format(
      "objects:\n  - {{name: ball, shape: {{sphere: 0.05}}, mass: 1, pose: {{xyz: [0.1, 0, {:.12f}]}}}}\n"
      "  - {{name: bowl, joint: fixed, shape: {{bowl: {{radius: 0.3, depth: 0.25}}}}, pose: {{xyz: [0, 0, 0.25]}}}}\n"
      "contacts: {{friction: 0.8}}\n",
      height);
  const Trace exact = record(read(text, "until: 1, sample: 0.1, tolerance: 1e-10"));
  const Trace drawn = record(read(text, "until: 1, sample: 0.1, tolerance: 1e-10, baumgarte: 20"));
  ASSERT_EQ(exact.report.status, RunStatus::done) << exact.report.reason;
  ASSERT_EQ(drawn.report.status, RunStatus::done) << drawn.report.reason;
  EXPECT_LT((exact.report.last.q - drawn.report.last.q).norm(), 1e-7);
  double exact_gap = 0, drawn_gap = 0;
  for (const Sample& sample : exact.samples) exact_gap = std::max(exact_gap, std::abs(sample.contacts.at(0).gap));
  for (const Sample& sample : drawn.samples) drawn_gap = std::max(drawn_gap, std::abs(sample.contacts.at(0).gap));
  EXPECT_LT(exact_gap, 1e-9);  // rows inside a step are those of its dense output
  EXPECT_LT(drawn_gap, 1e-7);
}

TEST(ContactRun, SameBitsInEveryRun) {
  const Scenario scenario = read(
      "objects:\n  - {name: cube, shape: {box: [0.1, 0.1, 0.1]}, mass: 0.37, pose: {xyz: [0, 0, 0.3], rpy: [0.3, 0.4, "
      "0.1]}, velocity: {linear: [1, 0.3, 0], angular: [5, 3, 3]}}\n" +
          kFloor + "contacts: {friction: 0.2, restitution: 0.125}\n",
      "until: 1, sample: 0.05");
  const Trace first = record(scenario), second = record(scenario);
  ASSERT_EQ(first.report.status, RunStatus::done) << first.report.reason;
  EXPECT_TRUE(first.report.last == second.report.last);
  ASSERT_EQ(first.events.size(), second.events.size());
  for (std::size_t i = 0; i < first.events.size(); ++i) EXPECT_EQ(first.events[i].t, second.events[i].t);
  EXPECT_LT(first.report.max_gap_violation, 1e-9);
}

TEST(ContactRun, CornersKeepTheirNamesWhileABoxTips) {
  // Pushed over, the box turns about two of its corners, which keep the numbers that they had.
  const Trace trace = record(
      read("objects:\n  - {name: box, shape: {box: [0.2, 0.2, 0.6]}, mass: 1, pose: {xyz: [0, 0, 0.3]}}\n" + kFloor +
               "contacts: {friction: 0.6}\nwrenches: [{body: box, force: [10*t, 0, 0], at: [0, 0, 0.2]}]\n",
           "until: 0.4, sample: 0.05"));
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  ASSERT_EQ(trace.samples.front().contacts.size(), 4U);
  const std::vector<Contact>& last = trace.samples.back().contacts;
  ASSERT_EQ(last.size(), 2U);
  for (const Contact& contact : last) {
    for (const Event& event : trace.events) EXPECT_NE(event.where(), contact.name) << describe(event);
  }
}

/// Over the edge of a table: from face to edge to nothing.
TEST(ContactRun, ContactsGoOverEdges) {
  const std::string table =
      "  - {name: table, joint: fixed, shape: {box: [0.4, 0.4, 0.1]}, pose: {xyz: [0, 0, -0.05]}}\n"
      "contacts: {friction: 0.3}\n";
  const std::vector<std::string> objects{
      "{name: a, shape: {sphere: 0.05}, mass: 1, pose: {xyz: [0, 0, 0.05]}, velocity: {linear: [0.3, 0, 0], angular: "
      "[0, 6, 0]}}",
      "{name: a, shape: {box: [0.1, 0.1, 0.04]}, mass: 1, pose: {xyz: [0.1, 0, 0.02], rpy: [0, 0, 0.3]}, velocity: "
      "{linear: [1.2, 0, 0]}}",
      "{name: a, shape: {rounded_box: {sides: [0.1, 0.1, 0.04], radius: 0.01}}, mass: 1, pose: {xyz: [0.1, 0, 0.02], "
      "rpy: "
      "[0, 0, 0.3]}, velocity: {linear: [1.2, 0, 0]}}"};
  for (const std::string& object : objects) {
    SCOPED_TRACE(object);
    const Trace trace = record(read("objects:\n  - " + object + "\n" + table, "until: 1, sample: 0.05"));
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    EXPECT_GE(trace.report.events[static_cast<std::size_t>(EventKind::face)], 1);
    EXPECT_GE(trace.report.events[static_cast<std::size_t>(EventKind::break_away)], 1);
    EXPECT_LT(trace.report.last.q(2), 0);  // it has fallen
    EXPECT_LT(trace.report.max_gap_violation, 1e-9);
    EXPECT_LT(std::abs(trace.report.energy.error()), 1e-6);
  }
}

TEST(ContactRun, PushedStackComesApart) {
  // Faces on faces, edges along edges: the middle one of three boxes is pushed out, tips and falls.
  std::string text = "objects:\n";
  for (int i = 0; i < 3; ++i) {
    text += fmt::format("  - {{name: box{}, shape: {{box: [0.1, 0.1, 0.05]}}, mass: 1, pose: {{xyz: [{}, {}, {}]}}}}\n",
                        i, 0.01 * (i % 2), 0.005 * i, 0.025 + 0.05 * i);
  }
  const Trace trace =
      record(read(text + kFloor + "contacts: {friction: 0.4}\nwrenches: [{body: box1, force: [6*t, 0, 0]}]\n",
                  "until: 1.9, sample: 0.1, on_indeterminate: first"));
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_GT(trace.report.last.q(7), 0.05);
  EXPECT_LT(trace.report.max_gap_violation, 1e-9);
}

}  // namespace
}  // namespace thenar::contact_run_test
