// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/scenario/scenario_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "../scenario_texts.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/scenario/drive_reader_internal.h"
#include "thenar/simulation/simulate.h"

namespace thenar::scenario_reader_test {
namespace {

using test::parse;
using test::parse_arm;

constexpr const char* kLink = "{name: link, joint: {name: hinge, type: revolute}, mass: 1, inertia: [1, 1, 1]}";

TEST(ScenarioReader, DefaultsAreThoseOfTheDocument) {
  const Scenario s = parse_arm(std::string("[") + kLink + "]");
  EXPECT_EQ(s.name, "test");
  EXPECT_EQ(s.model.gravity(), Vector3<double>(0, 0, -9.81));
  EXPECT_EQ(s.run.sample, 1e-2);
  EXPECT_EQ(s.run.until, 1);
}

TEST(ScenarioReader, HandStateIsSetByJoint) {
  const Scenario s = parse_arm(
      "[{name: a, joint: {name: w, type: universal}, mass: 1, inertia: [1, 1, 1]}, "
      "{name: b, parent: a, joint: {name: ball, type: spherical}, mass: 1, inertia: [1, 1, 1]}]",
      "    q: {w: [30 deg, 0.2], ball: [0.8, 0, 0.6, 0]}\n    v: {ball: [1, 2, 3], w: [10 deg/s, 0]}\n");
  EXPECT_NEAR(s.initial.q(0), std::numbers::pi / 6, 1e-15);
  EXPECT_EQ(s.initial.q(1), 0.2);
  EXPECT_EQ(s.initial.q(2), 0.8);
  EXPECT_EQ(s.initial.q(4), 0.6);
  EXPECT_NEAR(s.initial.v(0), std::numbers::pi / 18, 1e-15);
  EXPECT_EQ(s.initial.v(4), 3);
}

TEST(ScenarioReader, AlmostUnitQuaternionIsNormalised) {
  const Scenario s = parse_arm("[{name: a, joint: {type: spherical}, mass: 1, inertia: [1, 1, 1]}]",
                               "    q: {a: [0.7071068, 0.7071068, 0, 0]}\n");
  EXPECT_NEAR(s.initial.q.norm(), 1, 1e-15);
}

TEST(ScenarioReader, FreeBaseStartsAtItsPose) {
  const Scenario s = parse_arm(
      "[{name: palm, mass: 1, inertia: [1, 1, 1]}]",
      "    base_joint: free\n    base: {xyz: [1, 2, 3], rpy: [0, 0, 90 deg]}\n    v: {base: [0, 0, 1, 4, 5, 6]}\n");
  ASSERT_EQ(s.model.position_count(), 7);
  EXPECT_EQ(s.initial.q.head<3>(), Vector3<double>(1, 2, 3));
  EXPECT_NEAR(s.initial.q(3), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(s.initial.q(6), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(s.initial.v(5), 6);
}

TEST(ScenarioReader, HandIsMountedOnABodyOfAnother) {
  const std::string bodies = std::string("[") + kLink + "]";
  const Scenario s = parse("hands:\n  - {name: arm, bodies: " + bodies + "}\n  - {name: hand, mounted_on: arm.link, " +
                           "base: {xyz: [1, 0, 0]}, q: {hinge: 0.3}, bodies: " + bodies + "}\n");
  const Body& base = s.model.body(*s.model.find_body("hand.base"));
  EXPECT_EQ(base.parent, *s.model.find_body("arm.link"));
  EXPECT_EQ(s.model.joint(base.joint).spec.X_PF.p.x(), 1);
  // Two hinges about z: the outer link weighs on the inner one.
  EXPECT_EQ(s.initial.q, Eigen::Vector2d(0, 0.3));
  EXPECT_EQ(s.model.velocity_count(), 2);
}

TEST(ScenarioReader, PlanarBodyKeepsItsYawAndHeight) {
  const Scenario s = parse(
      "objects: [{name: disc, shape: {cylinder: {radius: 0.1, length: 0.02}}, mass: 1, joint: planar, "
      "pose: {xyz: [1, 2, 3], rpy: [0, 0, 400 deg]}, velocity: {angular: [0, 0, 5], linear: [6, 7, 0]}}]\n");
  ASSERT_EQ(s.model.position_count(), 3);
  EXPECT_EQ(s.initial.q(0), 1);
  EXPECT_NEAR(s.initial.q(2), 400 * std::numbers::pi / 180, 1e-14);
  EXPECT_EQ(s.initial.v, Vector3<double>(6, 7, 5));
  EXPECT_EQ(s.model.joint(JointIndex(0)).spec.X_PF.p.z(), 3);
}

TEST(ScenarioReader, FixedObjectNeedsNoMass) {
  const Scenario s =
      parse("objects: [{name: table, shape: {box: [1, 1, 0.1]}, joint: fixed, pose: {xyz: [0, 0, -1]}}]\n");
  EXPECT_EQ(s.model.velocity_count(), 0);
  EXPECT_EQ(s.shapes.size(), 1u);
}

TEST(ScenarioReader, TheGroundIsAFixedObject) {
  const Scenario s = parse(
      "objects:\n"
      "  - {name: table, shape: {plane: {}}, joint: fixed, pose: {xyz: [0, 0, 70 cm]}}\n"
      "  - {name: bowl, shape: {bowl: {radius: 10 cm, depth: 4 cm}}, joint: fixed}\n");
  ASSERT_EQ(s.shapes.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Plane>(s.shapes[0].shape));
  EXPECT_EQ(std::get<Bowl>(s.shapes[1].shape).depth, 0.04);
  EXPECT_EQ(s.model.body(s.shapes[0].body).name, "table");
  EXPECT_EQ(s.model.body(s.shapes[0].body).link, 0);
  EXPECT_EQ(s.model.body(s.shapes[0].body).X_LB.p.z(), 0.7);
}

constexpr const char* kContactScene =
    "hands: [{name: arm, bodies: [{name: palm, shape: {sphere: 1 cm}, mass: 1}, {name: link, parent: palm, joint: "
    "{type: revolute}, shape: {sphere: 1 cm}, mass: 1}]}]\n"
    "objects: [{name: ball, shape: {sphere: 1 cm}, mass: 1}, {name: table, joint: fixed, shape: {plane: {}}}]\n";

TEST(ScenarioReader, ContactsAreOnlyThereWhenAskedFor) {
  EXPECT_FALSE(parse(kContactScene).contacts);
  const Scenario s = parse(kContactScene + std::string("contacts: {}\n"));
  ASSERT_TRUE(s.contacts);
  EXPECT_TRUE(s.contacts->all_pairs);
  EXPECT_TRUE(s.contacts->excluded.empty());
  EXPECT_FALSE(s.contacts->margin);
  EXPECT_TRUE(parse(kContactScene + std::string("contacts: {pairs: auto}\n")).contacts->all_pairs);
}

TEST(ScenarioReader, ContactPairsNameBodiesAndPatterns) {
  const Scenario s =
      parse(kContactScene +
            std::string("contacts: {pairs: [[ball, table], {a: \"arm.*\", b: ball}], exclude: [[\"arm.?alm\", "
                        "ball]], margin: 2 mm}\n"));
  const ContactRules& rules = *s.contacts;
  const auto body = [&](const char* name) { return *s.model.find_body(name); };
  EXPECT_FALSE(rules.all_pairs);
  ASSERT_EQ(rules.pairs.size(), 2u);
  EXPECT_EQ(rules.pairs[0].a, std::vector<BodyIndex>{body("ball")});
  EXPECT_EQ(rules.pairs[0].b, std::vector<BodyIndex>{body("table")});
  EXPECT_EQ(rules.pairs[1].a, (std::vector<BodyIndex>{body("arm.base"), body("arm.palm"), body("arm.link")}));
  ASSERT_EQ(rules.excluded.size(), 1u);
  EXPECT_EQ(rules.excluded[0].a, std::vector<BodyIndex>{body("arm.palm")});
  EXPECT_EQ(rules.margin, 0.002);
}

TEST(ScenarioReader, FreeObjectFallsWithItsVelocity) {
  const Scenario s = parse(
      "objects: [{name: box, shape: {box: [0.1, 0.2, 0.3]}, density: 500, pose: {xyz: [0, 0, 1]}, "
      "velocity: {angular: [0, 0, 2], linear: [1, 0, 3]}}]\n");
  EXPECT_NEAR(s.model.total_mass(), 3, 1e-12);
  const RunReport report = simulate(s);
  EXPECT_NEAR(report.last.q(0), 1, 1e-12);
  EXPECT_NEAR(report.last.q(2), 1 + 3 - 9.81 / 2, 1e-12);
  EXPECT_NEAR(report.last.q(6), std::sin(1.0), 1e-12);
}

TEST(ScenarioReader, TorquesGoToJointsAndGlobs) {
  const Scenario s = parse_arm(
      "[{name: a, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}, "
      "{name: b, parent: a, joint: {type: universal}, mass: 1, inertia: [1, 1, 1]}]",
      "parameters: {k: 3}\ncontrol: [{torque: {\"arm.?\": $k*level}}]\n");
  ASSERT_EQ(s.torques.size(), 3u);
  const std::array<double, 2> second_level{0.0, 2.0};
  EXPECT_EQ(s.torques[2].dof, 2);
  EXPECT_EQ(s.torques[2].value.evaluate(second_level), 6);
}

TEST(ScenarioReader, TorqueListDrivesEachDegreeOfFreedom) {
  const Scenario s = parse_arm("[{name: a, joint: {type: universal}, mass: 1, inertia: [1, 1, 1]}]",
                               "control: [{torque: {arm.a: [1 N m, 2*t]}}]\n");
  const std::array<double, 2> values{3.0, 1.0};
  EXPECT_EQ(s.torques.at(0).value.evaluate(values), 1);
  EXPECT_EQ(s.torques.at(1).value.evaluate(values), 6);
}

TEST(ScenarioReader, WrenchHasItsPointAndAxes) {
  const Scenario s = parse_arm(std::string("[") + kLink + "]",
                               "wrenches: [{body: arm.link, force: [1, 2 N, t], at: [0, 0, 5 cm], axes: body}]\n");
  ASSERT_EQ(s.wrenches.size(), 1u);
  EXPECT_FALSE(s.wrenches[0].in_world_axes);
  EXPECT_DOUBLE_EQ(s.wrenches[0].point_B.z(), 0.05);
  const std::array<double, 2> values{7.0, 1.0};
  EXPECT_EQ(s.wrenches[0].force[2].evaluate(values), 7);
}

TEST(ScenarioReader, OverridesReplaceEntries) {
  const std::vector<std::string> overrides{"run.until=2 s", "hands.arm.bodies.link.mass=5", "parameters={m: 3}"};
  const Scenario s = parse("hands: [{name: arm, bodies: [" + std::string(kLink) + "]}]\n", overrides);
  EXPECT_EQ(s.run.until, 2);
  EXPECT_EQ(s.model.total_mass(), 5);
  ASSERT_EQ(s.parameters.size(), 1u);
  EXPECT_EQ(s.parameters[0].value, 3);
}

TEST(ScenarioReader, ErrorInAnOverridePointsAtIt) {
  const std::vector<std::string> overrides{"run.until=1 m"};
  try {
    parse("hands: [{name: arm, bodies: [" + std::string(kLink) + "]}]\n", overrides);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.mark().file, "--set run.until=1 m");
    EXPECT_EQ(error.mark().column, 11);
  }
}

TEST(ScenarioReader, TwoHandsOfOneKindAreApart) {
  const std::string bodies = std::string("bodies: [") + kLink + "]";
  const Scenario s = parse("hands: [{name: left, " + bodies + ", q: {hinge: 1}}, {name: right, " + bodies + "}]\n");
  EXPECT_EQ(s.model.velocity_count(), 2);
  EXPECT_TRUE(s.model.find_joint("left.hinge"));
  EXPECT_TRUE(s.model.find_joint("right.hinge"));
  EXPECT_EQ(s.initial.q(0), 1);
  EXPECT_EQ(s.initial.q(1), 0);
}

TEST(Glob, MatchesWholeNames) {
  EXPECT_TRUE(matches_glob("tree.*", "tree.j1"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*_1", "hand.thumb_1"));
  EXPECT_TRUE(matches_glob("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(matches_glob("j?", "j7"));
  EXPECT_FALSE(matches_glob("j?", "j"));
  EXPECT_FALSE(matches_glob("tree", "tree.j1"));
  EXPECT_FALSE(matches_glob("a*b", "aXc"));
  EXPECT_FALSE(matches_glob("", "a"));
}

}  // namespace
}  // namespace thenar::scenario_reader_test
