// SPDX-License-Identifier: BSD-3-Clause
//
// Impacts of whole scenes: what laws and treatments make of them, momentum, energy, and what happens to contacts that
// hold meanwhile.

#include <gtest/gtest.h>

#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/instant/impact_comparison.h"
#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::impact_scenes_test {
namespace {

Scenario read(const std::string& scene, const std::vector<std::string>& overrides = {}) {
  return read_scenario(std::string(THENAR_SOURCE_DIR) + "/scenes/" + scene, overrides);
}

const ImpactOutcome& find(const ImpactComparison& comparison, ImpactMethod method, ImpactLaw law) {
  for (const ImpactOutcome& outcome : comparison.outcomes) {
    if (outcome.method == method && outcome.law == law) return outcome;
  }
  throw std::runtime_error("no such outcome");
}

MatrixX<double> mass_matrix(const Scenario& scenario) {
  Workspace<double> ws(scenario.model);
  MassMatrix<double> mass(scenario.model);
  update_positions(scenario.model, scenario.initial.q.data(), ws);
  mass.update(scenario.model, ws);
  return mass.dense();
}

/// M (v⁺ − v⁻) − Jᵀ z, relative.
double calc_momentum_residual(const Scenario& scenario, const ImpactInstant& instant, const ImpactOutcome& outcome) {
  const VectorX<double> impulse = instant.J.transpose() * outcome.answer.z;
  const MatrixX<double> M = mass_matrix(scenario);
  const double scale = (M.cwiseAbs() * (outcome.v - instant.v).cwiseAbs()).maxCoeff() + impulse.cwiseAbs().maxCoeff();
  return (M * (outcome.v - instant.v) - impulse).cwiseAbs().maxCoeff() / scale;
}

TEST(ImpactScenes, CradleHasItsTwoKnownOutcomes) {
  const Scenario scenario = read("truth/newtons_cradle.yaml");
  const ImpactInstant instant = assemble_impact(scenario, scenario.initial);
  ASSERT_EQ(instant.contacts.size(), 2U);
  const ImpactComparison comparison = compare_impact_laws(scenario, scenario.initial, instant, scenario.impact);
  const auto speeds = [&](ImpactMethod method, ImpactLaw law) -> Eigen::Vector3d {
    const VectorX<double>& v = find(comparison, method, law).v;
    return {v(3), v(9), v(15)};
  };
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
    EXPECT_LT((speeds(ImpactMethod::simultaneous, law) - Eigen::Vector3d(-1, 2, 2) / 3).norm(), 1e-12);
    EXPECT_LT((speeds(ImpactMethod::sequential, law) - Eigen::Vector3d(0, 0, 1)).norm(), 1e-12);
  }
  // Chan's propagation lets the third ball follow the second for nothing: momentum 2 out of 1.
  EXPECT_LT((speeds(ImpactMethod::propagation, ImpactLaw::poisson) - Eigen::Vector3d(0, 1, 1)).norm(), 1e-12);
  EXPECT_GT(find(comparison, ImpactMethod::propagation, ImpactLaw::poisson).momentum_defect, 0.5);
}

TEST(ImpactScenes, KanesPendulumGainsEnergyByNewtonsLawAlone) {
  const Scenario scenario = read("truth/kane_pendulum.yaml");
  const ImpactInstant instant = assemble_impact(scenario, scenario.initial);
  ASSERT_EQ(instant.contacts.size(), 1U);
  // K of the tip from the textbook's mass matrix of two thin rods, angles a and b from the vertical.
  const double a = 20 * M_PI / 180, b = 30 * M_PI / 180;
  Eigen::Matrix2d M, J;
  M << 4. / 3, std::cos(b - a) / 2, std::cos(b - a) / 2, 1. / 3;
  J << std::sin(a), std::sin(b), -std::cos(a), -std::cos(b);  // N upwards, T to the left
  const Eigen::Matrix2d K = J * M.inverse() * J.transpose();
  const PointImpact point = isolate_point(instant.problem, instant.contacts[0].row);
  EXPECT_LT((point.K.topLeftCorner<2, 2>() - K).norm(), 1e-13);
  EXPECT_LT((point.u.head<2>() - J * Eigen::Vector2d(-0.1, -0.2)).norm(), 1e-14);
  const ImpactComparison comparison = compare_impact_laws(scenario, scenario.initial, instant, scenario.impact);
  const auto change = [&](ImpactLaw law) {
    return find(comparison, ImpactMethod::path, law).energy_after / comparison.energy_before - 1;
  };
  EXPECT_GT(change(ImpactLaw::newton), 0.05);
  EXPECT_LT(change(ImpactLaw::poisson), -0.3);
  EXPECT_LT(change(ImpactLaw::stronge), -0.3);
  EXPECT_TRUE(std::any_of(comparison.outcomes[1].marks.begin(), comparison.outcomes[1].marks.end(),
                          [](const auto& mark) { return mark.kind == ImpactMark::slip_resumes; }));
  // On request the gain is cut off, and no more.
  ImpactOptions capped{.law = ImpactLaw::newton, .cap_energy = true};
  const ImpactAnswer answer = solve_impact(instant.problem, capped);
  EXPECT_TRUE(answer.is_capped);
  EXPECT_NEAR(answer.energy.change(), 0, 1e-14);
  EXPECT_GT(answer.w(instant.contacts[0].row), 0);
}

TEST(ImpactScenes, BoxLandsFlatWithoutSpin) {
  for (const double mu : {0.0, 0.4, 1.0}) {
    const Scenario scenario = parse_scenario("thenar: 1\ngravity: [0, 0, 0]\nparameters: {mu: " + std::to_string(mu) +
                                                 "}\nobjects:\n"
                                                 "  - {name: box, shape: {box: [0.3, 0.2, 0.1]}, mass: 2, pose: {xyz: "
                                                 "[0, 0, 0.05]}, velocity: {linear: [0, 0, "
                                                 "-1]}}\n"
                                                 "  - {name: floor, joint: fixed, shape: {plane: {}}}\n"
                                                 "contacts: {friction: $mu, restitution: 0.6}\nrun: {until: 1}\n",
                                             "box.yaml");
    const ImpactInstant instant = assemble_impact(scenario, scenario.initial);
    ASSERT_EQ(instant.contacts.size(), 4U);
    const ImpactComparison comparison = compare_impact_laws(scenario, scenario.initial, instant, scenario.impact);
    for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
      const ImpactOutcome& outcome = find(comparison, ImpactMethod::simultaneous, law);
      EXPECT_LT(outcome.v.head<5>().norm(), 1e-10) << mu;
      EXPECT_NEAR(outcome.v(5), 0.6, 1e-12);
    }
  }
}

/// Three fingers at a ball, the first of which comes in while the others touch and rest.
Scenario make_struck_grasp(double e) {
  return read("three_finger_ball.yaml",
              {"contacts.restitution=" + std::to_string(e), "hands.one.v={root: -2, knee: -1}"});
}

TEST(ImpactWhileFingersHold, PushesNothingIntoAnything) {
  for (const double e : {0.0, 0.3, 1.0}) {
    const Scenario scenario = make_struck_grasp(e);
    const ImpactInstant instant = assemble_impact(scenario, scenario.initial);
    ASSERT_EQ(instant.contacts.size(), 3U);
    ASSERT_LT(instant.contacts[0].velocity(0), -0.01);
    const ImpactComparison comparison = compare_impact_laws(scenario, scenario.initial, instant, scenario.impact);
    for (const ImpactOutcome& outcome : comparison.outcomes) {
      if (outcome.method == ImpactMethod::propagation) continue;
      ASSERT_EQ(outcome.answer.status, ImpactStatus::done) << outcome.answer.reason;
      EXPECT_LT(calc_momentum_residual(scenario, instant, outcome), 1e-12);
      for (const ImpactContact& contact : instant.contacts) {
        EXPECT_GE(contact.J.row(0).dot(outcome.v), -1e-10) << contact.name << ", " << to_string(outcome.method);
        const double P_N = outcome.answer.z(contact.row);
        const double P_t =
            std::hypot(outcome.answer.z(contact.tangent_rows[0]), outcome.answer.z(contact.tangent_rows[1]));
        EXPECT_LE(P_t, contact.law.friction * P_N + 1e-10);
      }
      EXPECT_NEAR(outcome.energy_after - comparison.energy_before, outcome.answer.energy.change(),
                  1e-9 * comparison.energy_before);
    }
  }
}

TEST(ImpactWhileFingersHold, ChansPropagationTakesMomentumFromNowhere) {
  const Scenario scenario = make_struck_grasp(0.3);
  const ImpactInstant instant = assemble_impact(scenario, scenario.initial);
  const ImpactComparison comparison = compare_impact_laws(scenario, scenario.initial, instant, scenario.impact);
  const ImpactOutcome& propagated = find(comparison, ImpactMethod::propagation, ImpactLaw::poisson);
  EXPECT_GT(propagated.momentum_defect, 0.05);
  // The fingers that hold have got velocities without an impulse. Their contacts follow the ball exactly …
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_LT((instant.contacts[i].J.topRows<3>() * propagated.v).norm(), 1e-12);
    EXPECT_EQ(propagated.answer.z(instant.contacts[i].row), 0);
  }
  // … but the contact that was struck no longer obeys its law: the true impulses of the others change its rebound, and
  // those of the consistent answer are not small.
  const ImpactOutcome& consistent = find(comparison, ImpactMethod::simultaneous, ImpactLaw::poisson);
  EXPECT_GT(consistent.answer.z(instant.contacts[1].row), 0.04 * consistent.answer.z(instant.contacts[0].row));
}

TEST(ImpactWhileFingersHold, PropagationPenetratesWhereAFingerIsInTheWay) {
  // A ball between two others in a row, of which the far one cannot move away: fixed. Struck from the left, the ball is
  // driven into it, since propagation meets no obstacle.
  const Scenario scenario = parse_scenario(
      "thenar: 1\ngravity: [0, 0, 0]\nobjects:\n"
      "  - {name: a, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [-0.2, 0, 0]}, velocity: {linear: [1, 0, 0]}}\n"
      "  - {name: b, shape: {sphere: 0.1}, mass: 1}\n"
      "  - {name: wall, joint: fixed, shape: {plane: {}}, pose: {xyz: [0.1, 0, 0], rpy: [0, -90 deg, 0]}}\n"
      "contacts: {friction: 0.3, restitution: 0.5}\nrun: {until: 1}\n",
      "wall.yaml");
  const ImpactInstant instant = assemble_impact(scenario, scenario.initial);
  ASSERT_EQ(instant.contacts.size(), 2U);
  const ImpactComparison comparison = compare_impact_laws(scenario, scenario.initial, instant, scenario.impact);
  const auto slowest = [&](const ImpactOutcome& outcome) {
    return std::min(instant.contacts[0].J.row(0).dot(outcome.v), instant.contacts[1].J.row(0).dot(outcome.v));
  };
  EXPECT_LT(slowest(find(comparison, ImpactMethod::propagation, ImpactLaw::poisson)), -0.5);
  EXPECT_GT(slowest(find(comparison, ImpactMethod::simultaneous, ImpactLaw::poisson)), -1e-10);
  EXPECT_GT(slowest(find(comparison, ImpactMethod::sequential, ImpactLaw::stronge)), -1e-10);
}

constexpr const char* kStoppedFinger =
    "thenar: 1\ngravity: [0, 0, 0]\nhands:\n"
    "  - name: f\n    bodies:\n"
    "      - {name: a, joint: {name: j1, type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.5, 0, 0], inertia: [0.01, "
    "0.1, 0.1]}\n"
    "      - {name: b, parent: a, joint: {name: j2, type: revolute, axis: [0, 0, 1], frame: {xyz: [1, 0, 0]}, limits: "
    "{lower: 0, restitution: 0.5}, friction: 0.1}, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
    "    v: {j1: -1}\n"
    "strike: {a: f.b, point: [2, 0, 0], normal: [0, 1, 0], friction: 0.4, restitution: 0.5}\n";

TEST(ImpactScenes, StopsTakePart) {
  // A straight finger, its second joint on its lower stop, comes down on a floor with its end: the end is pushed up,
  // the joint opens, and the stop has nothing to do. Struck from above it is pressed against the stop, which answers.
  const Scenario up = parse_scenario(kStoppedFinger, "f.yaml");
  const ImpactInstant opens = assemble_impact(up, up.initial, *up.strike);
  ASSERT_EQ(opens.stops.size(), 1U);
  const ImpactAnswer opened = solve_impact(opens.problem);
  ASSERT_EQ(opened.status, ImpactStatus::done) << opened.reason;
  EXPECT_NEAR(opened.z(opens.stops[0].row), 0, 1e-14);
  EXPECT_GT(opens.J.row(opens.stops[0].row).dot(opens.calc_velocity(opened.z)), 0.1);

  const Scenario down = parse_scenario(kStoppedFinger, "f.yaml", {},
                                       std::vector<std::string>{"strike.normal=[0, -1, 0]", "hands.f.v={j1: 1}"});
  const ImpactInstant presses = assemble_impact(down, down.initial, *down.strike);
  const ImpactAnswer pressed = solve_impact(presses.problem);
  ASSERT_EQ(pressed.status, ImpactStatus::done) << pressed.reason;
  EXPECT_GT(pressed.z(presses.stops[0].row), 0.1);
  const VectorX<double> v = presses.calc_velocity(pressed.z);
  EXPECT_GE(presses.J.row(presses.stops[0].row).dot(v), -1e-12);
  EXPECT_GE(presses.contacts[0].J.row(0).dot(v), -1e-12);
}

TEST(ImpactScenes, DryFrictionOfJointsHasNoImpulse) {
  // However strong, it is a finite force, and an impact takes no time.
  const auto after = [](const std::string& friction) -> VectorX<double> {
    const Scenario scenario = parse_scenario(kStoppedFinger, "f.yaml", {},
                                             std::vector<std::string>{"hands.f.bodies.b.joint.friction=" + friction});
    const ImpactInstant instant = assemble_impact(scenario, scenario.initial, *scenario.strike);
    return instant.calc_velocity(solve_impact(instant.problem).z);
  };
  EXPECT_EQ(after("0"), after("1000"));
}

TEST(ImpactScenes, LocksAndCouplingsActAllTheTime) {
  // With the second joint locked the finger is one body: K of the end is l²/I about the first joint.
  const std::string text = std::string(kStoppedFinger);
  const Scenario scenario =
      parse_scenario(text, "f.yaml", {},
                     std::vector<std::string>{
                         "hands.f.bodies.b.joint={name: j2, type: revolute, axis: [0, 0, 1], frame: {xyz: [1, 0, 0]}, "
                         "locked: true}"});
  const ImpactInstant instant = assemble_impact(scenario, scenario.initial, *scenario.strike);
  const PointImpact point = isolate_point(instant.problem, instant.contacts[0].row);
  const double inertia = 2 * 0.1 + 0.25 + 2.25;
  EXPECT_NEAR(point.K(0, 0), 4 / inertia, 1e-12);
  for (const ImpactLaw law : kImpactLaws) {
    const ImpactAnswer answer = solve_impact(instant.problem, {.law = law});
    ASSERT_EQ(answer.status, ImpactStatus::done);
    const VectorX<double> v = instant.calc_velocity(answer.z);
    EXPECT_NEAR(v(1), 0, 1e-12);
    if (law == ImpactLaw::frictionless) {
      EXPECT_NEAR(v(0), 0.5, 1e-12);
    }
  }
}

TEST(ImpactScenes, RestitutionMayDependOnTheSpeedOfApproach) {
  const std::string text =
      "thenar: 1\ngravity: [0, 0, 0]\nparameters: {v: 1}\nobjects:\n"
      "  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0.1]}, velocity: {linear: [0, 0, -$v]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\n"
      "contacts: {restitution: 0.9/(1 + v)}\nrun: {until: 1}\n";
  for (const double speed : {0.1, 1.0, 5.0}) {
    const Scenario scenario =
        parse_scenario(text, "ball.yaml", {}, std::vector<std::string>{"parameters.v=" + std::to_string(speed)});
    const ImpactInstant instant = assemble_impact(scenario, scenario.initial);
    EXPECT_DOUBLE_EQ(instant.contacts[0].restitution, 0.9 / (1 + speed));
    EXPECT_NEAR(instant.calc_velocity(solve_impact(instant.problem).z)(5), speed * 0.9 / (1 + speed), 1e-14);
  }
}

}  // namespace
}  // namespace thenar::impact_scenes_test
