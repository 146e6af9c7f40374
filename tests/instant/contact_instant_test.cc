// SPDX-License-Identifier: BSD-3-Clause
//
// The instant of a ball on a floor, in closed form, and the words of its answers.

#include "thenar/instant/contact_instant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "../support/contact_scenes.h"
#include "thenar/instant/instant_proof.h"

namespace thenar::contact_instant_test {
namespace {

constexpr double kG = 9.81;
/// Solvers promise 1e-9 of forces of size 10.
constexpr double kSolver = 1e-8;

TEST(ContactInstant, WordsAndLettersOfModes) {
  EXPECT_STREQ(to_next_word(ContactMode::open), "break");
  EXPECT_STREQ(to_next_word(ContactMode::roll), "roll");
  EXPECT_EQ(to_letter(ContactMode::roll), 'R');
  EXPECT_EQ(to_letter(ContactMode::slide), 'S');
  EXPECT_EQ(to_letter(ContactMode::spin), 'S');
  EXPECT_EQ(to_letter(ContactMode::open), 'B');
  EXPECT_EQ(to_letter(ContactMode::stick), 'F');
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(PatchMode::tip); ++i) words.insert(to_string(static_cast<PatchMode>(i)));
  EXPECT_EQ(words, (std::set<std::string>{"roll", "slide", "break", "stick", "tip"}));
}

TEST(ContactInstant, WhatAContactDoesNowFollowsFromItsRows) {
  InstantContact contact;
  EXPECT_EQ(contact.now(), ContactMode::open) << "parting: it has no row";
  contact.row = 0;
  EXPECT_EQ(contact.now(), ContactMode::roll);
  EXPECT_FALSE(contact.has_friction());
  contact.slides = true;
  contact.tangent_rows[2] = 1;
  EXPECT_EQ(contact.now(), ContactMode::slide);
  EXPECT_TRUE(contact.has_friction()) << "torsion alone is friction";
}

/// A ball that slides is slowed by μ g and spun up by 5 μ g/(2 r).
TEST(ContactInstant, OfASlidingBallHasItsClosedForm) {
  constexpr double kMu = 0.3;
  Scenario s = test::ball_over_floor(0, {.friction = kMu});
  s.initial.v << 0, 0, 0, 2, 0, 0;
  const Instant instant = solve_instant(s, s.initial);
  ASSERT_EQ(instant.verdict, Verdict::unique) << instant.reason;
  EXPECT_TRUE(instant.determinate);
  ASSERT_EQ(instant.cells.size(), 1u);
  const InstantCell& cell = instant.cells.front();
  EXPECT_EQ(instant.contacts.front().now(), ContactMode::slide);
  EXPECT_EQ(cell.modes.front(), ContactMode::slide);
  EXPECT_NEAR(cell.forces.front()[0], kG * test::kBallMass, kSolver);
  EXPECT_NEAR(cell.vdot(3), -kMu * kG, kSolver);
  EXPECT_NEAR(cell.vdot(1), 2.5 * kMu * kG / test::kBallRadius, kSolver / test::kBallRadius);
  EXPECT_NEAR(cell.vdot(5), 0, kSolver);
  EXPECT_NEAR(cell.margins.front().slip_speed, 2, 1e-12);
  EXPECT_NEAR(cell.margins.front().slip_rate, -3.5 * kMu * kG, kSolver) << "slip ends at 2 v/(7 μ g)";
}

/// A ball that is pushed at its middle by F rolls on with friction 2/7 F, and slips beyond 7/2 μ m g.
TEST(ContactInstant, OfAPushedBallHasTwoSeventhsOfThePushAsFriction) {
  constexpr double kMu = 0.3, kMost = 3.5 * kMu * kG;
  for (const double part : {0.2, 0.9, 1.1}) {
    SCOPED_TRACE(part);
    Scenario s = test::ball_over_floor(0, {.friction = kMu});
    WrenchProfile push;
    push.body = s.model.body_of("ball");
    push.force = {Expression(part * kMost), Expression(0), Expression(0)};
    s.wrenches.push_back(push);
    const Instant instant = solve_instant(s, s.initial);
    ASSERT_EQ(instant.verdict, Verdict::unique);
    const InstantCell& cell = instant.cells.front();
    const double friction = std::hypot(cell.forces.front()[1], cell.forces.front()[2]);
    if (part < 1) {
      EXPECT_EQ(cell.modes.front(), ContactMode::roll);
      EXPECT_NEAR(friction, 2.0 / 7 * part * kMost, kSolver);
      ASSERT_TRUE(cell.margins.front().slip);
      EXPECT_NEAR(*cell.margins.front().slip, 1 - part, kSolver);
    } else {
      EXPECT_EQ(cell.modes.front(), ContactMode::slide);
      EXPECT_NEAR(friction, kMu * kG, kSolver);
    }
  }
}

/// v̇ = v̇_free + X z and w = A z + b, for the answer that is listed.
TEST(ContactInstant, AnswersSatisfyTheirProblem) {
  Scenario s = test::ball_over_floor(0, {.friction = 0.3});
  s.initial.v << 1, -2, 0.5, 0.3, 0.7, 0;
  const Instant instant = solve_instant(s, s.initial);
  ASSERT_EQ(instant.cells.size(), 1u);
  const VectorX<double>& z = instant.proof->answer.cells[instant.cells.front().number].z;
  EXPECT_LT((instant.proof->vdot_free + instant.proof->X * z - instant.cells.front().vdot).norm(), 1e-9);
  const VectorX<double> w = instant.proof->problem.A() * z + instant.proof->problem.b();
  EXPECT_NEAR(w(instant.contacts.front().row), 0, kSolver) << "the bodies stay in touch";
}

TEST(ContactInstant, WhatIsLiftedOpensAndWhatIsApproachedIsNoInstant) {
  Scenario s = test::ball_over_floor(0);
  WrenchProfile lift;
  lift.body = s.model.body_of("ball");
  lift.force = {Expression(0), Expression(0), Expression(kG + 2)};
  s.wrenches.push_back(lift);
  const Instant instant = solve_instant(s, s.initial);
  ASSERT_EQ(instant.verdict, Verdict::unique);
  EXPECT_EQ(instant.cells.front().modes.front(), ContactMode::open);
  EXPECT_NEAR(instant.cells.front().margins.front().opening, 2, kSolver);
  State falling = s.initial;
  falling.v(5) = -0.1;
  EXPECT_THROW(solve_instant(s, falling), std::runtime_error);
  falling.q(2) = 0.09;
  falling.v(5) = 0;
  EXPECT_THROW(solve_instant(s, falling), std::runtime_error) << "inside of each other";
  falling.q(2) = 0.2;
  EXPECT_TRUE(solve_instant(s, falling).contacts.empty());
}

}  // namespace
}  // namespace thenar::contact_instant_test
