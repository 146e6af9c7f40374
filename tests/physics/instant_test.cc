// SPDX-License-Identifier: BSD-3-Clause
/// Instants whose answers can be told by an argument.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "thenar/complementarity/grade.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/instant_proof.h"
#include "thenar/io/answer/instant_answer.h"
#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::instant_test {
namespace {

constexpr double kGravity = 9.81;

struct Answer {
  Scenario scenario;
  Instant instant;
};

Answer solve(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Answer out{parse_scenario(text, "test.yaml", {}, overrides), {}};
  out.instant = solve_instant(out.scenario, out.scenario.initial);
  for (const InstantCell& cell : out.instant.cells) EXPECT_EQ(cell.modes.size(), out.instant.contacts.size());
  for (const ModeCell& cell : out.instant.proof->answer.cells) {
    const std::span<const double> z(cell.z.data(), static_cast<std::size_t>(cell.z.size()));
    EXPECT_LE(grade_solution(out.instant.proof->problem, z).worst(), 1e-10);
  }
  const std::vector<CheckedVerdict> claims = verify_instant_json(instant_json(out.scenario, out.instant), "answer");
  for (const CheckedVerdict& claim : claims)
    EXPECT_TRUE(claim.check.holds()) << claim.claim << ": " << claim.check.reason;
  return out;
}

std::string modes(const InstantCell& cell) {
  std::string out;
  for (const ContactMode mode : cell.modes) out += to_letter(mode);
  return out;
}

/// A box on a table that is pushed from the side with the force F, below its middle so that it does not tip.
const std::string kPushedBox = R"(
thenar: 1
name: pushed box
parameters: {F: 0 N, mu: 0.5, lift: 0 N}
objects:
  - {name: box, shape: {box: [20 cm, 30 cm, 10 cm]}, mass: 2 kg, pose: {xyz: [0, 0, 5 cm]}}
  - {name: table, joint: fixed, shape: {plane: {}}}
contacts: {friction: $mu, cone: 4}
wrenches:
  - {body: box, force: [$F, 0, $lift], at: [0, 0, -5 cm]}
run: {until: 1}
)";

TEST(Instant, BoxOnATableRestsWithoutKnowingItsForces) {
  const Answer answer = solve(kPushedBox, {{"parameters.F=5 N"}});
  EXPECT_EQ(answer.instant.verdict, Verdict::unique_motion);
  ASSERT_EQ(answer.instant.cells.size(), 1U);
  EXPECT_EQ(modes(answer.instant.cells[0]), "FFFF");
  double normal = 0, tangential = 0;
  for (const auto& force : answer.instant.cells[0].forces) {
    normal += force[0];
    tangential += force[1];
  }
  EXPECT_NEAR(normal, 2 * kGravity, 1e-9);
  EXPECT_NEAR(tangential, -5, 1e-9);
}

TEST(Instant, BoxThatIsPushedHarderThanFrictionHoldsSlides) {
  const Answer answer = solve(kPushedBox, {{"parameters.F=12 N"}});
  EXPECT_EQ(answer.instant.verdict, Verdict::unique_motion);
  ASSERT_GE(answer.instant.cells.size(), 1U);
  EXPECT_EQ(modes(answer.instant.cells[0]), "SSSS");
  // Along T the corner of the polygon is exact.
  EXPECT_NEAR(answer.instant.cells[0].vdot(3), (12 - 0.5 * 2 * kGravity) / 2, 1e-9);
}

TEST(Instant, BoxThatIsLiftedBreaksItsContacts) {
  const Answer answer = solve(kPushedBox, {{"parameters.lift=21 N"}});
  EXPECT_EQ(answer.instant.verdict, Verdict::unique);
  EXPECT_EQ(modes(answer.instant.cells.at(0)), "BBBB");
  EXPECT_NEAR(answer.instant.cells[0].vdot(5), 21.0 / 2 - kGravity, 1e-12);
}

/// A block fits exactly between two walls. Any squeeze is possible: with none it falls, with enough it hangs.
TEST(Instant, BlockBetweenTwoWallsHasAContinuumOfMotions) {
  const Answer answer = solve(R"(
thenar: 1
name: block between walls
gravity: [0, -9.81, 0]
objects:
  - {name: block, joint: planar, shape: {box: [10 cm, 10 cm, 10 cm]}, mass: 1 kg}
  - {name: left, joint: fixed, shape: {plane: {}}, pose: {xyz: [-5 cm, 0, 0], rpy: [0, 90 deg, 0]}}
  - {name: right, joint: fixed, shape: {plane: {}}, pose: {xyz: [5 cm, 0, 0], rpy: [0, -90 deg, 0]}}
contacts: {friction: 0.5}
run: {until: 1}
)");
  EXPECT_EQ(answer.instant.verdict, Verdict::several);
  bool hangs = false, falls = false;
  for (const InstantCell& cell : answer.instant.cells) {
    hangs |= cell.vdot.norm() < 1e-9;
    falls |= std::abs(cell.vdot(1) + kGravity) < 1e-9 || !cell.motion_unique;
  }
  EXPECT_TRUE(hangs);
  EXPECT_TRUE(falls);
}

/// Legs that carry a stool on ice: frictionless, one more than needed. Pushed from the side it glides, whatever the
/// legs carry.
TEST(Instant, StoolOnIceGlides) {
  const Answer answer = solve(R"(
thenar: 1
name: stool on ice
parameters: {F: 3 N}
objects:
  - name: stool
    mass: 4 kg
    inertia: [0.1, 0.1, 0.1]
    shapes:
      - {shape: {sphere: 1 cm}, pose: {xyz: [0.2, 0.2, -0.4]}}
      - {shape: {sphere: 1 cm}, pose: {xyz: [0.2, -0.2, -0.4]}}
      - {shape: {sphere: 1 cm}, pose: {xyz: [-0.2, 0.2, -0.4]}}
      - {shape: {sphere: 1 cm}, pose: {xyz: [-0.2, -0.2, -0.4]}}
    pose: {xyz: [0, 0, 0.41]}
  - {name: ice, joint: fixed, shape: {plane: {}}}
contacts: {fingertip: frictionless}
wrenches:
  - {body: stool, force: [$F, 0, 0]}
run: {until: 1}
)");
  EXPECT_EQ(answer.instant.verdict, Verdict::unique_motion);
  ASSERT_EQ(answer.instant.cells.size(), 1U);
  EXPECT_EQ(modes(answer.instant.cells[0]), "SSSS");
  EXPECT_NEAR(answer.instant.cells[0].vdot(3), 0.75, 1e-12);
  for (const auto& force : answer.instant.cells[0].forces) EXPECT_NEAR(force[0], kGravity, 1e-9);
}

/// A uniform ladder of length 1 against a wall, the same coefficient on both ends: it can stand if tan(angle) ≥
/// (1 − μ²) / (2 μ).
const std::string kLadder = R"(
thenar: 1
name: ladder
gravity: [0, -9.81, 0]
parameters: {mu: 0.5, angle: 60 deg}
objects:
  - name: ladder
    joint: planar
    shape: {rod: 1 m}
    shape_pose: {rpy: [0, 90 deg, 0]}
    mass: 3 kg
    pose: {xyz: [-0.5*cos($angle), 0.5*sin($angle), 0], rpy: [0, 0, $angle]}
  - {name: floor, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}
  - {name: wall, joint: fixed, shape: {plane: {}}, pose: {rpy: [0, -90 deg, 0]}}
contacts: {friction: $mu}
run: {until: 1}
)";

TEST(Instant, LadderStandsWhereItCan) {
  for (const double mu : {0.2, 0.4, 0.6}) {
    const double least = std::atan((1 - mu * mu) / (2 * mu));
    for (const double angle : {least - 0.1, least - 0.01, least + 0.01, least + 0.1}) {
      const Answer answer =
          solve(kLadder, {fmt::format("parameters.mu={}", mu), fmt::format("parameters.angle={}", angle)});
      const bool stands = std::any_of(answer.instant.cells.begin(), answer.instant.cells.end(),
                                      [](const InstantCell& cell) { return cell.vdot.norm() < 1e-9; });
      EXPECT_EQ(stands, angle > least) << "mu " << mu << ", angle " << angle;
      EXPECT_NE(answer.instant.verdict, Verdict::undecided);
      EXPECT_NE(answer.instant.verdict, Verdict::none);
    }
  }
}

/// A block in a corner that is pushed into it stays, and its two contacts share the push.
TEST(Instant, BoxInACornerStays) {
  const Answer answer = solve(R"(
thenar: 1
name: box in a corner
gravity: [0, -9.81, 0]
objects:
  - {name: box, joint: planar, shape: {box: [10 cm, 10 cm, 10 cm]}, mass: 1 kg, pose: {xyz: [5 cm, 5 cm, 0]}}
  - {name: floor, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}
  - {name: wall, joint: fixed, shape: {plane: {}}, pose: {rpy: [0, 90 deg, 0]}}
contacts: {friction: 0.3}
wrenches:
  - {body: box, force: [-2 N, 0, 0]}
run: {until: 1}
)");
  EXPECT_EQ(answer.instant.verdict, Verdict::unique_motion);
  ASSERT_FALSE(answer.instant.cells.empty());
  EXPECT_LT(answer.instant.cells[0].vdot.norm(), 1e-9);
}

/// Three balls hold a ball: thumb and two fingers, each a ball on a slider that is pushed with one newton and more.
TEST(Instant, ThreeFingersHoldABall) {
  const std::string text = R"(
thenar: 1
name: three fingers and a ball
gravity: [0, 0, -9.81]
parameters: {mu: 0.8, push: 2 N}
hands:
  - name: hand
    bodies:
      - name: thumb
        joint: {name: j1, type: prismatic, axis: [1, 0, 0], frame: {xyz: [-5 cm, 0, 0]}}
        shape: {sphere: 1 cm}
        mass: 50 g
      - name: index
        joint: {name: j2, type: prismatic, axis: [1, 0, 0], frame: {xyz: [2.5 cm, 4.330127018922194 cm, 0], rpy: [0, 0, -120 deg]}}
        shape: {sphere: 1 cm}
        mass: 50 g
      - name: ring
        joint: {name: j3, type: prismatic, axis: [1, 0, 0], frame: {xyz: [2.5 cm, -4.330127018922194 cm, 0], rpy: [0, 0, 120 deg]}}
        shape: {sphere: 1 cm}
        mass: 50 g
objects:
  - {name: ball, shape: {sphere: 4 cm}, mass: 100 g}
contacts: {friction: $mu, cone: box}
control: [{torque: {hand.j1: $push, hand.j2: $push, hand.j3: $push}}]
run: {until: 1}
)";
  const Answer held = solve(text);
  EXPECT_TRUE(held.instant.verdict == Verdict::unique || held.instant.verdict == Verdict::unique_motion);
  ASSERT_FALSE(held.instant.cells.empty());
  EXPECT_LT(held.instant.cells[0].vdot.norm(), 1e-8);
  double weight = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(held.instant.cells[0].forces[i][0], 2, 1e-9);  // sliders push with what drives them
    const FoundContact& place = held.instant.contacts[i].place;
    weight += held.instant.cells[0].forces[i][1] * place.T.z + held.instant.cells[0].forces[i][2] * place.U.z;
  }
  EXPECT_NEAR(weight, 0.1 * kGravity, 1e-9);
  const Answer lost = solve(text, {{"parameters.mu=0.1"}});
  ASSERT_FALSE(lost.instant.cells.empty());
  EXPECT_LT(lost.instant.cells[0].vdot(8), -1);  // the ball falls
}

/// A ball on a slope rolls with 5/7 of g sin(tilt) where tan(tilt) ≤ 7/2 μ, else it slides with g (sin − μ cos); down
/// the slope a corner of the polygon is exact.
TEST(Instant, BallOnASlopeRollsOrSlides) {
  const std::string text = R"(
thenar: 1
name: ball on a slope
parameters: {mu: 0.1, tilt: 0.2}
gravity: [9.81*sin($tilt), 0, -9.81*cos($tilt)]
objects:
  - {name: ball, shape: {sphere: 5 cm}, mass: 1 kg, pose: {xyz: [0, 0, 5 cm]}}
  - {name: table, joint: fixed, shape: {plane: {}}}
contacts: {friction: $mu, cone: 8}
run: {until: 1}
)";
  for (const double mu : {0.001, 0.01, 0.022, 0.1, 0.3}) {
    for (const double tilt : {0.003, 0.03, 0.1, 0.3, 0.9, 1.5}) {
      const bool rolls = std::tan(tilt) <= 3.5 * mu;
      const std::vector<std::string> overrides{fmt::format("parameters.mu={}", mu),
                                               fmt::format("parameters.tilt={}", tilt)};
      const Answer answer = solve(text, overrides);
      SCOPED_TRACE(fmt::format("mu {}, tilt {}", mu, tilt));
      EXPECT_EQ(answer.instant.verdict, Verdict::unique);
      ASSERT_EQ(answer.instant.cells.size(), 1U);
      EXPECT_EQ(modes(answer.instant.cells[0]), rolls ? "R" : "S");
      const double expected = kGravity * (rolls ? 5.0 / 7 * std::sin(tilt) : std::sin(tilt) - mu * std::cos(tilt));
      EXPECT_NEAR(answer.instant.cells[0].vdot(3), expected, 1e-12 * kGravity);
      if (!rolls) continue;
      std::vector<std::string> round = overrides;
      round.push_back("contacts.cone=circular");
      EXPECT_EQ(solve(text, round).instant.verdict, Verdict::unique);
    }
  }
}

TEST(Instant, TellsThatAnImpactComesFirst) {
  const Scenario scenario = parse_scenario(R"(
thenar: 1
name: falling ball
objects:
  - {name: ball, shape: {sphere: 5 cm}, mass: 1 kg, pose: {xyz: [0, 0, 5 cm]}, velocity: {linear: [0, 0, -1]}}
  - {name: table, joint: fixed, shape: {plane: {}}}
contacts: {friction: 0.5}
run: {until: 1}
)",
                                           "test.yaml");
  try {
    solve_instant(scenario, scenario.initial);
    FAIL() << "no complaint";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("approaching at 1 m/s"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace thenar::instant_test
