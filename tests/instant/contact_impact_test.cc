// SPDX-License-Identifier: BSD-3-Clause
//
// Impacts of a state: what is assembled, what is struck, and what balances.

#include "thenar/instant/contact_impact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "../support/contact_scenes.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/instant/impact_comparison.h"

namespace thenar::contact_impact_test {
namespace {

MatrixX<double> calc_mass_matrix(const Model& model, const VectorX<double>& q) {
  Workspace<double> workspace(model);
  MassMatrix<double> mass(model);
  update_positions(model, q.data(), workspace);
  mass.update(model, workspace);
  return mass.dense();
}

/// A ball that strikes the floor at 2 m/s, moving along x at 3 m/s.
Scenario make_strike(const ContactLaw& law) {
  Scenario s = test::ball_over_floor(0, law);
  s.initial.v << 0, 0, 0, 3, 0, -2;
  return s;
}

ContactLaw make_law(double friction, double restitution) {
  ContactLaw law{.friction = friction};
  law.restitution = restitution;
  return law;
}

TEST(ImpactInstant, IsTheProblemOfItsRows) {
  const Scenario s = make_strike(make_law(0.3, 0.6));
  const ImpactInstant instant = assemble_impact(s, s.initial);
  ASSERT_EQ(instant.contacts.size(), 1u);
  EXPECT_TRUE(instant.is_struck());
  const ImpactContact& contact = instant.contacts.front();
  EXPECT_EQ(contact.name, "ball/floor");
  EXPECT_EQ(contact.restitution, 0.6);
  EXPECT_NEAR(contact.velocity(0), -2, 1e-14);
  EXPECT_NEAR(contact.velocity.segment<2>(1).norm(), 3, 1e-14);
  ASSERT_EQ(instant.problem.rows.size(), 3) << "normal and two tangents";
  EXPECT_EQ(instant.problem.restitution[static_cast<std::size_t>(contact.row)], 0.6);
  const MatrixX<double> M = calc_mass_matrix(s.model, s.initial.q), X = M.llt().solve(instant.J.transpose());
  EXPECT_LT((instant.X - X).norm(), 1e-12 * X.norm());
  EXPECT_LT((MatrixX<double>(instant.problem.rows.A()) - instant.J * X).norm(), 1e-12 * (instant.J * X).norm());
  EXPECT_LT((VectorX<double>(instant.problem.rows.b()) - instant.J * s.initial.v).norm(), 1e-13);
}

TEST(ImpactInstant, WhatRestsOrPartsIsNotStruck) {
  for (const double rate : {0.0, 1e-15, 0.5}) {
    Scenario s = test::ball_over_floor(0, make_law(0.3, 0.6));
    s.initial.v << 0, 0, 0, 3, 0, rate;
    EXPECT_FALSE(assemble_impact(s, s.initial).is_struck()) << rate;
  }
  // Rounding of the fastest motion strikes nothing.
  Scenario s = test::ball_over_floor(0);
  s.initial.v << 0, 0, 0, 3, 0, -1e-15;
  EXPECT_FALSE(assemble_impact(s, s.initial).is_struck());
  s = test::ball_over_floor(0.01);
  s.initial.v << 0, 0, 0, 3, 0, -2;
  EXPECT_TRUE(assemble_impact(s, s.initial).contacts.empty()) << "not there yet";
  s.initial.q(2) = 0.05;
  EXPECT_THROW(assemble_impact(s, s.initial), std::runtime_error) << "inside of each other";
}

/// A ball with enough friction rolls off: (5/7) v, and jumps back with e times its speed.
TEST(ImpactInstant, OfABallThatGripsHasItsClosedForm) {
  const Scenario s = make_strike(make_law(2, 0.6));
  const ImpactInstant instant = assemble_impact(s, s.initial);
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
    const ImpactAnswer answer = solve_impact(instant.problem, {.law = law});
    ASSERT_EQ(answer.status, ImpactStatus::done);
    const VectorX<double> v = instant.calc_velocity(answer.z);
    EXPECT_NEAR(v(5), 1.2, 1e-9);  // tolerance of the solvers, 1e-10, in speeds of 3 m/s
    EXPECT_NEAR(v(3), 5.0 / 7 * 3, 1e-9);
    EXPECT_NEAR(v(1), 5.0 / 7 * 3 / test::kBallRadius, 1e-8);
  }
}

TEST(ImpactInstant, AStopTakesPartWithItsRestitution) {
  ModelBuilder builder;
  JointSpec joint{.name = "slide", .kind = JointKind::prismatic};
  builder.add_body({.name = "cart", .mass = test::box_mass(2, {0.1, 0.1, 0.1})}, kWorld, joint);
  builder.add_stop({.dof = 0, .side = StopSide::upper, .bound = {Expression(0.5), {}}, .restitution = 0.4});
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.initial.q(0) = 0.5;
  s.initial.v(0) = 3;
  const ImpactInstant instant = assemble_impact(s, s.initial);
  ASSERT_EQ(instant.stops.size(), 1u);
  EXPECT_EQ(instant.stops[0].name, "upper stop of 'slide'");
  EXPECT_TRUE(instant.stops[0].is_upper);
  EXPECT_DOUBLE_EQ(instant.stops[0].rate, -3) << "the gap closes";
  EXPECT_TRUE(instant.is_struck());
  EXPECT_NEAR(instant.calc_velocity(solve_impact(instant.problem).z)(0), -1.2, 1e-9);
}

/// A point that is given has the rows of the contact that is found there, whatever the shapes.
TEST(ImpactInstant, OfAGivenPointIsThatOfTheContactThere) {
  const Scenario s = make_strike(make_law(0.3, 0.6));
  StruckPoint point;
  point.body_A = s.model.body_of("ball"), point.body_B = s.model.body_of("floor");
  point.law = s.contacts->law;
  const ImpactInstant given = assemble_impact(s, s.initial, point), found = assemble_impact(s, s.initial);
  ASSERT_EQ(given.problem.rows.size(), found.problem.rows.size());
  EXPECT_LT((given.J - found.J).norm(), 1e-12);
  EXPECT_LT((VectorX<double>(given.problem.rows.b()) - VectorX<double>(found.problem.rows.b())).norm(), 1e-12);
}

/// M (v⁺ − v) = Jᵀ z: no impulse comes from nowhere, but with Chan's propagation, whose defect is told.
TEST(ImpactComparison, LawsBalanceMomentumAndPoissonGainsNoEnergy) {
  const Scenario s = make_strike(make_law(0.25, 0.8));
  const ImpactInstant instant = assemble_impact(s, s.initial);
  const ImpactComparison comparison = compare_impact_laws(s, s.initial, instant, {});
  const MatrixX<double> M = calc_mass_matrix(s.model, s.initial.q);
  EXPECT_NEAR(comparison.energy_before, 0.5 * 13, 1e-12);
  ASSERT_EQ(comparison.outcomes.size(), 4u) << "one contact: along its path by four laws";
  for (const ImpactOutcome& outcome : comparison.outcomes) {
    SCOPED_TRACE(to_string(outcome.law));
    EXPECT_EQ(outcome.method, ImpactMethod::path);
    const VectorX<double> jump = M * (outcome.v - instant.v) - instant.J.transpose() * outcome.answer.z;
    EXPECT_LT(jump.norm(), 1e-12);
    EXPECT_NEAR(outcome.energy_after, 0.5 * outcome.v.dot(M * outcome.v), 1e-12);
    EXPECT_LE(outcome.energy_after, comparison.energy_before + 1e-9);
    EXPECT_FALSE(outcome.marks.empty());
  }
}

TEST(ImpactComparison, WordsOfMethodsDiffer) {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(ImpactMethod::propagation); ++i) {
    words.insert(to_string(static_cast<ImpactMethod>(i)));
  }
  EXPECT_EQ(words, (std::set<std::string>{"path", "simultaneous", "sequential", "propagation"}));
}

}  // namespace
}  // namespace thenar::contact_impact_test
