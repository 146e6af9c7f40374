// SPDX-License-Identifier: BSD-3-Clause
// Limits, dry friction, locks and couplings of hands, and the initial states that fit them. The refusals are in bad/.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "../scenario_texts.h"
#include "thenar/base/diagnostic.h"

namespace thenar::constraint_reader_test {
namespace {

using test::parse;
using test::parse_arm;

constexpr double kPi = std::numbers::pi;

/// A hand `arm` of one body on `joint`, the text of a flow mapping.
Scenario parse_joint(const std::string& joint, const std::string& more = "") {
  return parse_arm("[{name: link, joint: " + joint + ", mass: 1, inertia: [1, 1, 1]}]", more);
}

std::string body(const std::string& name, const std::string& parent, const std::string& joint) {
  return "{name: " + name + ", parent: " + parent + ", joint: {" + joint + "}, mass: 1, inertia: [1, 1, 1]}";
}

/// The bodies of a finger with the degrees of freedom mcp.0, mcp.1, pip and dip, 0 to 3.
std::string finger_bodies(const std::string& mcp = "", const std::string& pip = "", const std::string& dip = "") {
  return "[" + body("proximal", "base", "name: mcp, type: universal" + mcp) + ", " +
         body("middle", "proximal", "name: pip, type: revolute" + pip) + ", " +
         body("distal", "middle", "name: dip, type: revolute" + dip) + "]";
}

double evaluate(const CoordinateFunction& function, std::initializer_list<double> values) {
  return function.value.evaluate(std::vector<double>(values));
}

std::string message_of(const std::string& bodies, const std::string& more) {
  try {
    parse_arm(bodies, more);
  } catch (const InputError& error) {
    return error.message();
  }
  return "accepted";
}

TEST(Limits, PairIsLowerAndUpper) {
  const Scenario s = parse_joint("{type: revolute, limits: [-20 deg, 90 deg]}");
  ASSERT_EQ(s.model.stops().size(), 2u);
  const Stop &lower = s.model.stops()[0], &upper = s.model.stops()[1];
  EXPECT_EQ(lower.side, StopSide::lower);
  EXPECT_EQ(upper.side, StopSide::upper);
  EXPECT_DOUBLE_EQ(evaluate(lower.bound, {}), -kPi / 9);
  EXPECT_DOUBLE_EQ(evaluate(upper.bound, {}), kPi / 2);
  EXPECT_EQ(lower.restitution, 0);
  EXPECT_TRUE(lower.bound.dofs.empty());
}

TEST(Limits, EitherBoundMayBeLeftOut) {
  const Scenario lower = parse_joint("{type: prismatic, limits: {lower: -3 mm, restitution: 0.5}}");
  ASSERT_EQ(lower.model.stops().size(), 1u);
  EXPECT_EQ(lower.model.stops()[0].side, StopSide::lower);
  EXPECT_EQ(evaluate(lower.model.stops()[0].bound, {}), -0.003);
  EXPECT_EQ(lower.model.stops()[0].restitution, 0.5);
  const Scenario upper = parse_joint("{type: revolute, limits: [none, 1]}");
  ASSERT_EQ(upper.model.stops().size(), 1u);
  EXPECT_EQ(upper.model.stops()[0].side, StopSide::upper);
}

TEST(Limits, SeveralDegreesOfFreedomHaveAnEntryEach) {
  const Scenario s =
      parse_joint("{type: universal, limits: {lower: [-pi/10, none], upper: [pi/10, pi/2], restitution: [0, 0.3]}}");
  ASSERT_EQ(s.model.stops().size(), 3u);
  EXPECT_EQ(s.model.stops()[0].dof, 0);
  EXPECT_EQ(s.model.stops()[1].dof, 0);
  EXPECT_EQ(s.model.stops()[2].dof, 1);
  EXPECT_EQ(s.model.stops()[2].side, StopSide::upper);
  EXPECT_EQ(s.model.stops()[2].restitution, 0.3);
  EXPECT_DOUBLE_EQ(evaluate(s.model.stops()[0].bound, {}), -kPi / 10);
}

TEST(Limits, OneRestitutionStandsForAll) {
  const Scenario s = parse_joint("{type: universal, limits: {lower: [0, 0], restitution: 0.25}}");
  for (const Stop& stop : s.model.stops()) EXPECT_EQ(stop.restitution, 0.25);
}

TEST(Limits, PlanarAndFreeJointsAreLimitedByCoordinate) {
  const Scenario planar = parse_joint("{type: planar, limits: {lower: [-1 m, none, -90 deg]}}");
  ASSERT_EQ(planar.model.stops().size(), 2u);
  EXPECT_EQ(planar.model.stops()[1].dof, 2);
  const Scenario free = parse_joint("{type: free, limits: {lower: [none, none, none, none, none, -1 m]}}");
  ASSERT_EQ(free.model.stops().size(), 1u);
  EXPECT_EQ(free.model.stops()[0].dof, 5);
  EXPECT_EQ(free.model.dof_coordinate(5), 2);
}

TEST(Limits, DependOnOtherCoordinatesOfTheHand) {
  const Scenario s = parse_arm(finger_bodies(
      ", limits: {lower: [-0.35*cos(flexion) - 0.1*p, 0], upper: [0.35*cos(flexion), pi/2], with: {p: pip, flexion: "
      "mcp.1}}"));
  ASSERT_EQ(s.model.stops().size(), 4u);
  // Each function takes the coordinates that occur in it, and only those: mcp.1 does not bound itself.
  EXPECT_EQ(s.model.stops()[0].bound.dofs, (std::vector<int>{2, 1}));
  EXPECT_EQ(s.model.stops()[1].bound.dofs, (std::vector<int>{1}));
  EXPECT_TRUE(s.model.stops()[2].bound.dofs.empty());
  EXPECT_DOUBLE_EQ(evaluate(s.model.stops()[0].bound, {0.5, 0.25}), -0.35 * std::cos(0.25) - 0.05);
  EXPECT_EQ(s.model.stops()[0].bound.value.text(), "-0.35*cos(flexion) - 0.1*p");
}

TEST(Limits, VariablesAreToldFromFunctionsParametersAndParts) {
  const Scenario s = parse_arm(
      finger_bodies("",
                    ", limits: {lower: -1 - $a*sin(aa) - 2e1*tanh(e1), with: {a: mcp.0, sin: mcp.1, aa: dip, e1: "
                    "mcp.1, tan: mcp.0}}"),
      "parameters: {a: 3}\n");
  EXPECT_EQ(s.model.stops().at(0).bound.dofs, (std::vector<int>{3, 1}));
  EXPECT_DOUBLE_EQ(evaluate(s.model.stops()[0].bound, {0.2, 0.1}), -1 - 3 * std::sin(0.2) - 20 * std::tanh(0.1));
}

TEST(Limits, OfTwoHandsKeepApart) {
  const std::string bodies = finger_bodies("", ", limits: {upper: 1 + a, with: {a: dip}}");
  const std::string palm = "[{name: palm, mass: 1, inertia: [1, 1, 1]}, ";
  const Scenario s =
      parse("objects: [{name: box, mass: 1, inertia: [1, 1, 1]}]\nhands:\n  - {name: left, bodies: " + bodies +
            "}\n  - {name: right, base_joint: planar, bodies: " + palm + bodies.substr(1) + "}\n");
  ASSERT_EQ(s.model.stops().size(), 2u);
  EXPECT_EQ(s.model.dof_name(s.model.stops()[0].dof), "left.pip");
  EXPECT_EQ(s.model.dof_name(s.model.stops()[1].dof), "right.pip");
  EXPECT_EQ(s.model.dof_name(s.model.stops()[1].bound.dofs.at(0)), "right.dip");
}

TEST(Limits, OfBodiesInAnyOrderFindTheirJoints) {
  // The file names the tip first, the model has it last.
  const Scenario s =
      parse_arm("[" + body("tip", "palm", "name: t, type: revolute, limits: {upper: 1 + a, with: {a: p.1}}") + ", " +
                body("palm", "base", "name: p, type: universal, limits: {lower: [-2, none]}") + "]");
  ASSERT_EQ(s.model.stops().size(), 2u);
  EXPECT_EQ(s.model.dof_name(s.model.stops()[0].dof), "arm.t");
  EXPECT_EQ(s.model.dof_name(s.model.stops()[0].bound.dofs.at(0)), "arm.p.1");
  EXPECT_EQ(s.model.dof_name(s.model.stops()[1].dof), "arm.p.0");
}

TEST(Limits, OfAModelFileUseItsNamesAndParameters) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "thenar_constraint_reader";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "arm.yaml")
      << "thenar: 1\nname: arm\nparameters: {most: 30 deg}\nbodies:\n"
         "  - {name: a, joint: {name: j, type: revolute, limits: [0, $most]}, mass: 1, inertia: [1, 1, 1]}\n"
         "  - {name: b, parent: a, joint: {name: k, type: revolute}, mass: 1, inertia: [1, 1, 1]}\n"
         "couplings: [{joint: k, equals: 2*j, with: {j: j}}]\n";
  const std::vector<std::string> overrides{"hands.h.q.j=0.25"};
  const Scenario s = parse_scenario(
      "thenar: 1\nrun: {until: 1}\nhands: [{name: h, model: arm.yaml, parameters: {most: 1 rad}, q: {j: 2}}]\n",
      "s.yaml", folder, overrides);
  EXPECT_EQ(evaluate(s.model.stops().at(1).bound, {}), 1);
  EXPECT_EQ(s.model.couplings().at(0).name, "h.k");
  EXPECT_EQ(s.initial.q(1), 0.5);
}

TEST(Limits, CanBeSetFromTheCommandLine) {
  const std::vector<std::string> overrides{"hands.arm.bodies.link.joint.limits={lower: -1, upper: 50 deg}",
                                           "hands.arm.bodies.link.joint.limits.upper=40 deg"};
  const Scenario s =
      parse("hands: [{name: arm, bodies: [{name: link, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}]}]\n",
            overrides);
  EXPECT_DOUBLE_EQ(evaluate(s.model.stops().at(1).bound, {}), 40 * kPi / 180);
}

TEST(DryFriction, IsPerDegreeOfFreedom) {
  EXPECT_EQ(parse_joint("{type: revolute, friction: 2 mN m}").model.dry_friction()(0), 0.002);
  EXPECT_EQ(parse_joint("{type: prismatic, friction: 3 N}").model.dry_friction()(0), 3);
  const Scenario both = parse_joint("{type: universal, friction: 0.5}");
  EXPECT_EQ(both.model.dry_friction(), Eigen::Vector2d(0.5, 0.5));
  const Scenario each = parse_joint("{type: universal, friction: [0, 1 mNm]}");
  EXPECT_EQ(each.model.dry_friction(), Eigen::Vector2d(0, 0.001));
}

TEST(EffortLimit, IsPerDegreeOfFreedomAndInfiniteWhereNothingIsSaid) {
  EXPECT_EQ(parse_joint("{type: revolute, effort: 2 mN m}").model.effort_limit()(0), 0.002);
  EXPECT_EQ(parse_joint("{type: prismatic, effort: 3 N}").model.effort_limit()(0), 3);
  const Scenario each = parse_joint("{type: universal, effort: [0.5, 1 mNm]}");
  EXPECT_EQ(each.model.effort_limit(), Eigen::Vector2d(0.5, 0.001));
  EXPECT_TRUE(each.model.has_effort_limits());
  const Scenario none = parse_joint("{type: revolute}");
  EXPECT_EQ(none.model.effort_limit()(0), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(none.model.has_effort_limits());
}

TEST(Locks, HoldWholeJoints) {
  const Scenario s = parse_arm(finger_bodies(", locked: true", ", locked: false"), "    q: {mcp: [0.1, 0.2]}\n");
  EXPECT_TRUE(s.model.is_locked(0));
  EXPECT_TRUE(s.model.is_locked(1));
  EXPECT_FALSE(s.model.is_locked(2));
  EXPECT_EQ(s.initial.q(1), 0.2);
}

TEST(Couplings, AreNamedByTheirJointUnlessTheyHaveAName) {
  const Scenario s = parse_arm(finger_bodies(),
                               "    couplings: [{name: tendon, joint: dip, equals: 0.7*pip, with: {pip: pip}}, {joint: "
                               "mcp.1, equals: 10 deg}]\n");
  ASSERT_EQ(s.model.couplings().size(), 2u);
  const Coupling &tendon = s.model.couplings()[0], &constant = s.model.couplings()[1];
  EXPECT_EQ(tendon.name, "arm.tendon");
  EXPECT_EQ(tendon.dof, 3);
  EXPECT_EQ(tendon.value.dofs, std::vector<int>{2});
  EXPECT_EQ(evaluate(tendon.value, {0.5}), 0.35);
  EXPECT_EQ(constant.name, "arm.mcp.1");
  EXPECT_DOUBLE_EQ(s.initial.q(1), kPi / 18);
}

TEST(Couplings, ChainsAreSettledWhateverTheirOrder) {
  // dip follows pip, pip follows mcp.1: the file tells the last first.
  const std::string dip = "{joint: dip, equals: sin(a) + b, with: {a: pip, b: mcp.0}}";
  const std::string pip = "{joint: pip, equals: a^2, with: {a: mcp.1}}";
  for (const std::string& list : {dip + ", " + pip, pip + ", " + dip}) {
    const Scenario s =
        parse_arm(finger_bodies(), "    couplings: [" + list + "]\n    q: {mcp: [0.1, 0.5]}\n    v: {mcp: [2, 3]}\n");
    EXPECT_EQ(s.model.couplings().at(0).name, "arm.pip");
    EXPECT_DOUBLE_EQ(s.initial.q(2), 0.25);
    EXPECT_DOUBLE_EQ(s.initial.q(3), std::sin(0.25) + 0.1);
    // Rates by the chain rule: d(a²) = 2 a ȧ, d(sin a + b) = cos a ȧ + ḃ.
    EXPECT_DOUBLE_EQ(s.initial.v(2), 2 * 0.5 * 3);
    EXPECT_DOUBLE_EQ(s.initial.v(3), std::cos(0.25) * 3 + 2);
  }
}

TEST(Couplings, WrittenStateThatAgreesIsAccepted) {
  // 0.1 + 2e-10 is 0.7 times 1/7 to the digits that were copied, and becomes what the coupling says.
  const Scenario s = parse_arm(finger_bodies(),
                               "    couplings: [{joint: dip, equals: 0.7*a, with: {a: pip}}]\n"
                               "    q: {pip: 1/7, dip: 0.1000000002}\n    v: {pip: 10, dip: 6.999999999}\n");
  EXPECT_EQ(s.initial.q(3), 0.7 * (1.0 / 7));
  EXPECT_EQ(s.initial.v(3), 0.7 * 10);
}

TEST(InitialState, OnAStopIsAcceptedAndALittleBeyondIsPutOntoIt) {
  const std::string joint = "{type: revolute, limits: [-90 deg, 90 deg]}";
  EXPECT_EQ(parse_joint(joint, "    q: {link: 90 deg}\n").initial.q(0), kPi / 2);
  EXPECT_EQ(parse_joint(joint, "    q: {link: 1.5707963270}\n").initial.q(0), kPi / 2);
  EXPECT_EQ(parse_joint(joint, "    q: {link: -1.5707963270}\n").initial.q(0), -kPi / 2);
  EXPECT_EQ(parse_joint(joint, "    q: {link: 1.5707963260}\n").initial.q(0), 1.5707963260);
  EXPECT_THROW(parse_joint(joint, "    q: {link: 1.570797}\n"), InputError);
}

TEST(InitialState, CoupledJointsFollowOneThatIsPutOntoItsStop) {
  const Scenario s = parse_arm(finger_bodies("", ", limits: [0, 1]"),
                               "    couplings: [{joint: dip, equals: 0.7*a, with: {a: pip}}]\n"
                               "    q: {pip: 1.0000000005}\n");
  EXPECT_EQ(s.initial.q(2), 1);
  EXPECT_EQ(s.initial.q(3), 0.7);
}

TEST(InitialState, IsCheckedWhereItIsAfterCouplings) {
  const std::string coupling = "    couplings: [{joint: dip, equals: 0.7*a, with: {a: pip}}]\n    q: {pip: 1}\n";
  EXPECT_EQ(message_of(finger_bodies("", "", ", limits: [0, 0.7]"), coupling), "accepted");
  EXPECT_NE(message_of(finger_bodies("", "", ", limits: [0, 0.6]"), coupling).find("beyond its upper stop at 0.6 rad"),
            std::string::npos);
}

TEST(InitialState, LockedJointMayBeCoupledWhileAllRest) {
  const Scenario s = parse_arm(finger_bodies("", "", ", locked: true"),
                               "    couplings: [{joint: dip, equals: 0.7*a, with: {a: pip}}]\n    q: {pip: 1}\n");
  EXPECT_EQ(s.initial.q(3), 0.7);
  EXPECT_EQ(s.initial.v(3), 0);
}

TEST(InitialState, OfAModelAloneIsNotChecked) {
  // A model says nothing about where its joints start; zero need not be within their limits.
  const LoadedFile loaded =
      read_scenario_or_model(std::filesystem::path(THENAR_SOURCE_DIR) / "tests/io/bad/models/limited.yaml");
  EXPECT_TRUE(loaded.is_model);
  EXPECT_EQ(loaded.scenario.model.stops().size(), 2u);
}

TEST(RunOptions, DefaultIntegratorChoosesItsSteps) {
  const Scenario s = parse_joint("{type: revolute}");
  EXPECT_EQ(s.run.integrator, IntegratorKind::automatic);
  EXPECT_EQ(s.run.tolerance, 1e-8);
  EXPECT_FALSE(s.run.step);
}

RunOptions parse_run(const std::string& run) {
  return parse_scenario("thenar: 1\nobjects: [{name: box, mass: 1, inertia: [1, 1, 1]}]\nrun: " + run + "\n",
                        "test.yaml")
      .run;
}

TEST(RunOptions, StepAloneAsksForFixedStepsOfOrderEight) {
  const RunOptions run = parse_run("{until: 2, step: 5 ms}");
  EXPECT_EQ(run.integrator, IntegratorKind::rk8);
  EXPECT_EQ(run.step, 0.005);
  EXPECT_EQ(parse_run("{until: 2, step: 5 ms, integrator: auto}").integrator, IntegratorKind::automatic);
}

TEST(RunOptions, IntegratorsHaveTheirWords) {
  EXPECT_EQ(parse_run("{until: 1, integrator: auto, tolerance: 1e-14}").tolerance, 1e-14);
  EXPECT_EQ(parse_run("{until: 1, integrator: explicit}").integrator, IntegratorKind::explicit_pair);
  EXPECT_EQ(parse_run("{until: 1, integrator: implicit, tolerance: 0.1}").integrator, IntegratorKind::implicit_radau);
  EXPECT_EQ(parse_run("{until: 1, integrator: rk4}").integrator, IntegratorKind::rk4);
  EXPECT_FALSE(parse_run("{until: 1, integrator: rk4}").step);
  EXPECT_EQ(parse_run("{until: 1, integrator: rk8}").integrator, IntegratorKind::rk8);
  EXPECT_EQ(parse_run("{until: 1, integrator: symplectic}").integrator, IntegratorKind::symplectic);
}

TEST(RunOptions, WhatToDoWithoutAUniqueAnswerHasItsWords) {
  EXPECT_EQ(parse_run("{until: 1}").on_indeterminate, OnIndeterminate::stop);
  EXPECT_EQ(parse_run("{until: 1, on_indeterminate: stop}").on_indeterminate, OnIndeterminate::stop);
  EXPECT_EQ(parse_run("{until: 1, on_indeterminate: first}").on_indeterminate, OnIndeterminate::first);
  EXPECT_EQ(parse_run("{until: 1, on_indeterminate: min_acceleration}").on_indeterminate,
            OnIndeterminate::min_acceleration);
}

TEST(RunOptions, BaumgarteIsARate) {
  EXPECT_FALSE(parse_run("{until: 1}").baumgarte);
  EXPECT_EQ(parse_run("{until: 1, baumgarte: 100}").baumgarte, 100);
  EXPECT_EQ(parse_run("{until: 1, baumgarte: 1/ms}").baumgarte, 1000);
}

}  // namespace
}  // namespace thenar::constraint_reader_test
