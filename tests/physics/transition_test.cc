// SPDX-License-Identifier: BSD-3-Clause
/// What an instant says about the next change: static friction that gives way, margins, patches.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "thenar/instant/contact_instant.h"
#include "thenar/instant/instant_proof.h"
#include "thenar/io/answer/instant_answer.h"
#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::transition_test {
namespace {

constexpr double kGravity = 9.81;
/// Sums of some ten numbers of size 10, and motions that are told to 1e-8.
constexpr double kRounding = 1e-9;
/// Shares are told to 1e-8 of the normal force; the linear programs to 1e-9 of numbers of size 1.
constexpr double kShareError = 1e-7;

Instant solve(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const Scenario scenario = parse_scenario(text, "test.yaml", {}, overrides);
  Instant out = solve_instant(scenario, scenario.initial);
  for (const CheckedVerdict& claim : verify_instant_json(instant_json(scenario, out), "answer")) {
    EXPECT_TRUE(claim.check.holds()) << claim.claim << ": " << claim.check.reason;
  }
  for (const InstantCell& cell : out.cells) {
    EXPECT_EQ(cell.margins.size(), out.contacts.size());
    EXPECT_EQ(cell.patches.size(), out.patches.size());
  }
  return out;
}

std::string letters(const InstantCell& cell) {
  std::string out;
  for (const ContactMode mode : cell.modes) out += to_letter(mode);
  return out;
}

std::string set(const std::string& name, double value) { return fmt::format("parameters.{}={}", name, value); }

// Static friction.

/// A flat block on a slope in the plane, x down the slope; wide enough not to tip.
const std::string kSlope = R"(
thenar: 1
name: block on a slope
parameters: {mu: 0.3, mu_s: 0.5, tilt: 0.4}
gravity: [9.81*sin($tilt), -9.81*cos($tilt), 0]
objects:
  - {name: block, joint: planar, shape: {box: [20 cm, 4 cm, 10 cm]}, mass: 2 kg, pose: {xyz: [0, 2 cm, 0]}}
  - {name: slope, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}
contacts: {friction: {static: $mu_s, kinetic: $mu}}
run: {until: 1}
)";

TEST(StickFirst, BlockHoldsOnASlopeUpToItsStaticCoefficient) {
  const double mu = 0.3, mu_s = 0.5;
  for (const double tilt : {0.1, std::atan(mu) + 0.01, 0.4, std::atan(mu_s) - 1e-3}) {
    SCOPED_TRACE(tilt);
    const Instant instant = solve(kSlope, {set("tilt", tilt)});
    ASSERT_EQ(instant.cells.size(), 1U);
    EXPECT_EQ(letters(instant.cells[0]), "FFFF");
    EXPECT_EQ(instant.verdict, Verdict::unique_motion);
    EXPECT_LE(instant.cells[0].vdot.norm(), kRounding);
    ASSERT_TRUE(instant.stick_first);
    EXPECT_EQ(instant.stick_first->held.size(), 4U);
    EXPECT_TRUE(instant.stick_first->released.empty());
    ASSERT_EQ(instant.patches.size(), 1U);
    EXPECT_EQ(instant.cells[0].patches[0].mode, PatchMode::stick);
    ASSERT_TRUE(instant.cells[0].patches[0].slip);
    EXPECT_NEAR(*instant.cells[0].patches[0].slip, 1 - std::tan(tilt) / mu_s, kShareError);
  }
}

TEST(StickFirst, BlockSlidesWithItsKineticCoefficientBeyond) {
  const double mu = 0.3, mu_s = 0.5;
  for (const double tilt : {std::atan(mu_s) + 1e-3, 0.6, 1.0}) {
    SCOPED_TRACE(tilt);
    const Instant instant = solve(kSlope, {set("tilt", tilt)});
    ASSERT_FALSE(instant.cells.empty());
    EXPECT_NE(instant.verdict, Verdict::several);
    EXPECT_NE(instant.verdict, Verdict::undecided);
    ASSERT_TRUE(instant.stick_first);
    EXPECT_TRUE(instant.stick_first->held.empty());
    EXPECT_EQ(instant.stick_first->released, (std::vector<int>{0, 1, 2, 3}));
    for (const InstantCell& cell : instant.cells) {
      EXPECT_EQ(letters(cell), "SSSS");
      EXPECT_NEAR(cell.vdot(0), kGravity * (std::sin(tilt) - mu * std::cos(tilt)), kRounding);
      EXPECT_EQ(cell.patches[0].mode, PatchMode::slide);
      // The slip begins from rest, with the acceleration of the block.
      EXPECT_EQ(cell.margins[0].slip_speed, 0);
      EXPECT_NEAR(cell.margins[0].slip_rate, cell.vdot(0), kRounding);
    }
  }
}

TEST(StickFirst, OneCoefficientNeedsNoRule) {
  EXPECT_FALSE(solve(kSlope, {set("mu", 0.5)}).stick_first);
  // What slides already has the kinetic coefficient.
  const Instant sliding = solve(kSlope, {"objects.block.velocity={linear: [0.5, 0, 0]}", set("tilt", 0.4)});
  EXPECT_FALSE(sliding.stick_first);
  ASSERT_FALSE(sliding.cells.empty());
  EXPECT_NEAR(sliding.cells[0].vdot(0), kGravity * (std::sin(0.4) - 0.3 * std::cos(0.4)), kRounding);
}

/// A plate rides on a sled that is pulled over the floor. The sled gives way first; with kinetic friction it is faster,
/// and what held the plate with the slower sled does so no more.
const std::string kSled = R"(
thenar: 1
name: plate on a sled
gravity: [0, -9.81, 0]
parameters: {pull: 60 N, top: 0.3}
objects:
  - {name: sled, joint: planar, shape: {box: [60 cm, 4 cm, 10 cm]}, mass: 3 kg, pose: {xyz: [0, 2 cm, 0]}}
  - {name: plate, joint: planar, shape: {box: [30 cm, 2 cm, 10 cm]}, mass: 2 kg, pose: {xyz: [0, 5 cm, 0]}}
  - {name: floor, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}
contacts:
  pairs:
    - {a: sled, b: floor, friction: {static: 0.8, kinetic: 0.4}}
    - {a: plate, b: sled, friction: {static: $top, kinetic: 0.2}}
wrenches:
  - {body: sled, force: [$pull, 0, 0]}
run: {until: 1}
)";

void expect_sled(double top, std::size_t held, std::size_t released, double sled_vdot, double plate_vdot) {
  const Instant instant = solve(kSled, {set("top", top)});
  ASSERT_FALSE(instant.cells.empty());
  ASSERT_TRUE(instant.stick_first);
  EXPECT_EQ(instant.stick_first->held.size(), held);
  EXPECT_EQ(instant.stick_first->released.size(), released);
  EXPECT_TRUE(instant.stick_first->is_proved);
  EXPECT_NE(instant.verdict, Verdict::undecided);
  for (const InstantCell& cell : instant.cells) {
    EXPECT_NEAR(cell.vdot(0), sled_vdot, kRounding);
    EXPECT_NEAR(cell.vdot(3), plate_vdot, kRounding);
  }
}

TEST(StickFirst, WhatGivesWayLoadsTheNext) {
  const double sled = 3, plate = 2, all = sled + plate, pull = 60;
  // With static friction below, the sled would gain slow = 4.15 m/s²; with kinetic, fast = 8.08 m/s².
  const double slow = pull / all - 0.8 * kGravity, fast = pull / all - 0.4 * kGravity;
  // Four points on the floor and four of the plate: the plate keeps up if friction can give it that much.
  expect_sled(fast / kGravity + 0.01, 4, 4, fast, fast);
  const double slipping = 0.2 * kGravity, freed = (pull - 0.4 * all * kGravity - plate * slipping) / sled;
  ASSERT_LT(slow, 0.9 * fast);
  expect_sled(0.9 * fast / kGravity, 0, 8, freed, slipping);
}

/// Between two walls a block hangs with any squeeze that is large enough, and falls with less: several answers. By the
/// rule only those in which it hangs are left.
TEST(StickFirst, BlockBetweenWallsHangs) {
  const Instant instant = solve(R"(
thenar: 1
name: block between walls
gravity: [0, -9.81, 0]
objects:
  - {name: block, joint: planar, shape: {box: [10 cm, 10 cm, 10 cm]}, mass: 1 kg}
  - {name: left, joint: fixed, shape: {plane: {}}, pose: {xyz: [-5 cm, 0, 0], rpy: [0, 90 deg, 0]}}
  - {name: right, joint: fixed, shape: {plane: {}}, pose: {xyz: [5 cm, 0, 0], rpy: [0, -90 deg, 0]}}
contacts: {friction: {static: 0.5, kinetic: 0.3}}
run: {until: 1}
)");
  ASSERT_TRUE(instant.stick_first);
  EXPECT_EQ(instant.stick_first->problem_verdict, Verdict::several);
  EXPECT_EQ(instant.verdict, Verdict::unique_motion);
  EXPECT_LT(instant.cells.size(), instant.proof->answer.cells.size());
  for (const InstantCell& cell : instant.cells) {
    EXPECT_LE(cell.vdot.norm(), kRounding);
    EXPECT_EQ(letters(cell), "FFFFFFFF");
    // The squeeze has no bound, so that no part of the cones is needed.
    for (const PatchAnswer& patch : cell.patches) {
      ASSERT_TRUE(patch.slip);
      EXPECT_NEAR(*patch.slip, 1, kShareError);
      EXPECT_EQ(patch.normal.most, std::numeric_limits<double>::infinity());
    }
  }
}

// Margins and patches.

/// A box on a table that is pushed along x at the height `at` above its middle.
const std::string kPushed = R"(
thenar: 1
name: pushed box
parameters: {F: 0 N, lift: 0 N, mu: 0.5, at: -5 cm}
objects:
  - {name: box, shape: {box: [20 cm, 30 cm, 10 cm]}, mass: 2 kg, pose: {xyz: [0, 0, 5 cm]}}
  - {name: table, joint: fixed, shape: {plane: {}}}
contacts: {friction: $mu, cone: 4}
wrenches:
  - {body: box, force: [$F, 0, $lift], at: [0, 0, $at]}
run: {until: 1}
)";

TEST(Margins, PushedBoxSlipsWhenNoForceHoldsIt) {
  const double weight = 2 * kGravity;
  for (const char* cone : {"4", "box", "circular"}) {
    for (const double F : {2.0, 0.999 * 0.5 * weight}) {
      SCOPED_TRACE(fmt::format("{} {}", cone, F));
      const Instant instant = solve(kPushed, {set("F", F), fmt::format("contacts.cone={}", cone)});
      ASSERT_EQ(instant.cells.size(), 1U);
      const InstantCell& cell = instant.cells[0];
      EXPECT_EQ(letters(cell), "FFFF");
      ASSERT_EQ(cell.patches.size(), 1U);
      ASSERT_TRUE(cell.patches[0].slip);
      EXPECT_FALSE(cell.patches[0].is_bound);
      EXPECT_NEAR(*cell.patches[0].slip, 1 - F / (0.5 * weight), kShareError);
      EXPECT_NEAR(cell.patches[0].normal.least, weight, kRounding * weight);
      EXPECT_NEAR(cell.patches[0].normal.most, weight, kRounding * weight);
      for (const ContactMargins& margins : cell.margins) {
        EXPECT_EQ(margins.slip, cell.patches[0].slip);  // one story
        if (std::string(cone) != "4" &&
            margins.impending != std::array<double, 2>{}) {  // the corner of the diamond belongs to two faces
          EXPECT_NEAR(margins.impending[0], 1, 1e-3);        // tangents are as near as the cutting planes need
        }
      }
    }
  }
}

/// The nearer to slipping, the more tangents of the cones pass through the optimum: a degenerate vertex, at which CLP's
/// primal method once stopped too early for one push in some hundred.
TEST(Margins, OfCircularConesAreFoundHoweverNearSlippingIs) {
  for (int i = 9; i < 170; i += 8) {
    const double margin = std::pow(10, -i / 50.0 - 1);
    SCOPED_TRACE(margin);
    const Instant instant = solve(kPushed, {set("F", (1 - margin) * kGravity), "contacts.cone=circular"});
    ASSERT_EQ(instant.cells.size(), 1U);
    const PatchAnswer& patch = instant.cells[0].patches.at(0);
    EXPECT_FALSE(patch.is_bound);
    EXPECT_NEAR(patch.slip.value(), margin, kShareError);
  }
}

/// Pushed at its lower edge the box rests with any forces of its corners whose middle is under its own: a corner
/// carries nothing, or, with the one across, everything.
TEST(Margins, CornersShareTheWeightInManyWays) {
  const Instant instant = solve(kPushed);
  for (const ContactMargins& margins : instant.cells.at(0).margins) {
    EXPECT_NEAR(margins.normal.least, 0, kRounding);
    EXPECT_NEAR(margins.normal.most, kGravity, kRounding * kGravity);
  }
}

TEST(Margins, BoxThatIsPushedHarderSlidesInOneStory) {
  for (const char* cone : {"4", "8"}) {
    const Instant instant = solve(kPushed, {"parameters.F=12 N", fmt::format("contacts.cone={}", cone)});
    EXPECT_EQ(instant.verdict, Verdict::unique_motion);
    const double rate = (12 - 0.5 * 2 * kGravity) / 2;
    for (const InstantCell& cell : instant.cells) {
      EXPECT_EQ(letters(cell), "SSSS");
      EXPECT_EQ(cell.patches[0].mode, PatchMode::slide);
      EXPECT_FALSE(cell.patches[0].slip);
      EXPECT_NEAR(cell.patches[0].force[0], 2 * kGravity, kRounding);
      EXPECT_NEAR(cell.patches[0].force[1], -kGravity, kRounding);
      for (const ContactMargins& margins : cell.margins) EXPECT_NEAR(margins.slip_rate, rate, kRounding);
    }
  }
}

TEST(Margins, SlidingBoxSlowsDownByFriction) {
  const Instant instant = solve(kPushed, {"objects.box.velocity={linear: [0.3, 0.4, 0]}", "contacts.cone=circular"});
  ASSERT_FALSE(instant.cells.empty());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(instant.contacts[i].now(), ContactMode::slide);
    EXPECT_NEAR(instant.cells[0].margins[i].slip_speed, 0.5, 1e-15);
    EXPECT_NEAR(instant.cells[0].margins[i].slip_rate, -0.5 * kGravity, kRounding);
  }
}

TEST(Margins, LiftedBoxOpens) {
  const Instant instant = solve(kPushed, {"parameters.lift=21 N"});
  EXPECT_EQ(instant.cells.at(0).patches[0].mode, PatchMode::open);
  for (const ContactMargins& margins : instant.cells.at(0).margins) {
    EXPECT_NEAR(margins.opening, 21.0 / 2 - kGravity, 1e-12 * kGravity);
    EXPECT_FALSE(margins.slip);
  }
}

TEST(Patches, WrenchBalancesPushAndWeight) {
  const double F = 4, height = 0.08;  // above the table; tips at F height = 2 g · 0.1 m
  const Instant instant = solve(kPushed, {set("F", F), "parameters.at=3 cm"});
  const PatchAnswer& patch = instant.cells.at(0).patches.at(0);
  EXPECT_EQ(patch.mode, PatchMode::stick);
  EXPECT_NEAR(patch.force[0], 2 * kGravity, kRounding);
  EXPECT_NEAR(patch.force[1], -F, kRounding);
  EXPECT_NEAR(patch.force[2], 0, kRounding);
  EXPECT_NEAR(patch.moment[0], 0, kRounding);
  EXPECT_NEAR(patch.moment[1], 0, kRounding);
  EXPECT_NEAR(patch.moment[2], -F * height, kRounding);
  // The corners in front carry more and can take more of the push. The smallest forces do not make use of that: they
  // come nearer to their cones than they need.
  ASSERT_TRUE(patch.slip);
  EXPECT_NEAR(*patch.slip, 1 - F / (0.5 * 2 * kGravity), kShareError);
  double share = 0;
  for (const auto& force : instant.cells[0].forces) share = std::max(share, std::abs(force[1]) / (0.5 * force[0]));
  EXPECT_GT(share, 1 - *patch.slip + 0.01);
}

TEST(Patches, BoxThatIsPushedHighTipsOverItsEdge) {
  const double F = 22, height = 0.1, half = 0.1;  // F height > m g half
  ASSERT_GT(F * height, 2 * kGravity * half);
  const Instant instant = solve(kPushed, {set("F", F), "parameters.at=5 cm", "parameters.mu=2"});
  ASSERT_EQ(instant.cells.size(), 1U);
  const InstantCell& cell = instant.cells[0];
  EXPECT_EQ(cell.patches[0].mode, PatchMode::tip);
  int open = 0, rolling = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    open += cell.modes[i] == ContactMode::open;
    rolling += cell.modes[i] == ContactMode::roll;
  }
  EXPECT_EQ(open, 2);
  EXPECT_EQ(rolling, 2);
}

/// Two fingers on sliders press a block between them: forces are unique but for the torsion of the two patches.
TEST(Margins, HeldBlockSlipsWhenItsWeightReachesTheCones) {
  const std::string text = R"(
thenar: 1
name: two fingers
gravity: [0, -9.81, 0]
parameters: {push: 20 N, mu: 0.6, m: 1 kg}
hands:
  - name: hand
    bodies:
      - name: left
        joint: {name: j1, type: prismatic, axis: [1, 0, 0], frame: {xyz: [-6 cm, 0, 0]}}
        shape: {sphere: 1 cm}
        mass: 50 g
      - name: right
        joint: {name: j2, type: prismatic, axis: [-1, 0, 0], frame: {xyz: [6 cm, 0, 0]}}
        shape: {sphere: 1 cm}
        mass: 50 g
objects:
  - {name: disc, joint: planar, shape: {sphere: 5 cm}, mass: $m}
contacts: {friction: $mu}
control: [{torque: {hand.j1: $push, hand.j2: $push}}]
run: {until: 1}
)";
  for (const double m : {0.1, 1.0, 2.4}) {
    const Instant instant = solve(text, {set("m", m)});
    ASSERT_EQ(instant.cells.size(), 1U);
    EXPECT_TRUE(instant.patches.empty());
    EXPECT_LE(instant.cells[0].vdot.norm(), kRounding);
    for (std::size_t i = 0; i < 2; ++i) {
      const ContactMargins& margins = instant.cells[0].margins[i];
      ASSERT_TRUE(margins.slip);
      EXPECT_NEAR(*margins.slip, 1 - 0.5 * m * kGravity / (0.6 * 20), kRounding);
      EXPECT_NEAR(margins.normal.least, 20, kRounding);
      EXPECT_NEAR(margins.normal.most, 20, kRounding);
      const FoundContact& place = instant.contacts[i].place;
      EXPECT_NEAR(margins.impending[0] * place.T.y + margins.impending[1] * place.U.y, -1, kRounding);  // falls
    }
  }
}

TEST(Margins, AreLeftOutWhenNotAskedFor) {
  const Scenario scenario = parse_scenario(kPushed, "test.yaml", {}, {});
  const Instant instant = solve_instant(scenario, scenario.initial, {.search = {}, .margins = false});
  EXPECT_TRUE(instant.cells.at(0).margins.empty());
  EXPECT_TRUE(instant.cells.at(0).patches.empty());
}

}  // namespace
}  // namespace thenar::transition_test
